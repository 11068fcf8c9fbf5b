// What /proc tells of a process and all that it started.
import { readFileSync, readdirSync } from "node:fs";

/** Nothing where the process or the thread ended meanwhile. */
export function tries(body) {
  try {
    return body();
  } catch {
    return undefined;
  }
}

/** Process ids, as text. */
export const processes = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));

/** The fields of `stat` after the name: [0] is the state, [1] the parent. */
export const statOf = (pid) => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");

/** A process and all below it. */
export function treeOf(top) {
  const parents = new Map(processes().map((pid) => [pid, tries(() => statOf(pid)[1])]));
  const within = (pid) => pid === top || (parents.has(pid) && within(parents.get(pid)));
  return [...parents.keys()].filter(within);
}

/** To so many places. */
export function round(value, places) {
  return Math.round(value * 10 ** places) / 10 ** places;
}
