// What an RPM package says of itself, read from its header.
import { readFileSync } from "node:fs";

const LEAD = 96;
const tags = { name: 1000, version: 1001, summary: 1004, vendor: 1011, license: 1014, requires: 1049, indexes: 1116, names: 1117, folders: 1118 };

/** Names and values of the header, and the paths of its files. */
export function rpmHeader(path) {
  const bytes = readFileSync(path);
  if (bytes.readUInt32BE(0) !== 0xedabeedb) throw new Error(`${path} is no RPM package`);
  const signature = section(bytes, LEAD);
  const header = section(bytes, Math.ceil(signature.end / 8) * 8);
  const found = Object.fromEntries(Object.entries(tags).map(([name, tag]) => [name, header.values.get(tag)]));
  const files = (found.names ?? []).map((name, at) => found.folders[found.indexes[at]] + name);
  return { ...found, files };
}

function section(bytes, start) {
  if (bytes.readUIntBE(start, 3) !== 0x8eade8) throw new Error("no RPM header");
  const [count, size] = [bytes.readUInt32BE(start + 8), bytes.readUInt32BE(start + 12)];
  const store = start + 16 + count * 16;
  const values = new Map();
  for (let at = start + 16; at < store; at += 16) {
    const [tag, kind, offset, length] = [0, 4, 8, 12].map((part) => bytes.readUInt32BE(at + part));
    const value = valueOf(bytes, kind, store + offset, length);
    if (value !== undefined) values.set(tag, value);
  }
  return { values, end: store + size };
}

/** Numbers (4) and texts (6 one, 8 many, 9 in languages); others are not asked for. */
function valueOf(bytes, kind, from, length) {
  if (kind === 4) return Array.from({ length }, (_, at) => bytes.readUInt32BE(from + at * 4));
  if (![6, 8, 9].includes(kind)) return undefined;
  const texts = [];
  for (let at = from; texts.length < length; at = bytes.indexOf(0, at) + 1) texts.push(bytes.toString("utf8", at, bytes.indexOf(0, at)));
  return kind === 6 ? texts[0] : texts;
}
