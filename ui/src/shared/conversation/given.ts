// The arguments of a call for the eye: the one that says most, and all of them.

import type { Arguments } from "@/bindings/Arguments";

/** Arguments that say most, for one line. */
const telling = ["command", "pattern", "query", "url", "path", "name", "title", "text", "task", "id"];

export function gist(given: Arguments): string {
  if (typeof given === "string") return given;
  const key = telling.find((name) => typeof given[name] === "string") ?? Object.keys(given)[0];
  const value = key === undefined ? "" : given[key];
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

/** All arguments, the most telling first: one line for each, long texts under their name. */
export function written(given: Arguments): string {
  if (typeof given === "string") return given;
  const rank = (name: string) => (telling.includes(name) ? telling.indexOf(name) : telling.length);
  return Object.entries(given)
    .toSorted(([one], [other]) => rank(one) - rank(other))
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
      return text.includes("\n") ? `${name}:\n${text}` : `${name}: ${text}`;
    })
    .join("\n");
}
