// Which entries a typed text finds, and in what order. Pure.

const kinds = ["page", "part", "action", "session", "file", "memory", "skill"] as const;
export type Kind = (typeof kinds)[number];

export interface Entry {
  kind: Kind;
  id: string;
  label: string;
  /** More that finds it, such as a description. Shown beside the label. */
  detail?: string;
  /** Keys that do the same. */
  keys?: string;
  run: () => void;
}

const most = 6;
/** With nothing typed: only what is always there, and the last conversations. */
const atOnce: Partial<Record<Kind, number>> = { page: 99, action: 99, session: 5 };

const fold = (text: string) => text.normalize("NFKC").toLocaleLowerCase();

/** Folding is dear where there are ten thousand memories: once for each entry, not once for each key. */
const folded = new WeakMap<object, [label: string, detail: string]>();

function foldedOf(entry: Pick<Entry, "label" | "detail">): [label: string, detail: string] {
  const known = folded.get(entry);
  if (known) return known;
  const made: [string, string] = [fold(entry.label), fold(entry.detail ?? "")];
  folded.set(entry, made);
  return made;
}

/** 0: not found; higher is better. Each word must be found; the label counts before the detail. */
export function scoreOf(entry: Pick<Entry, "label" | "detail">, query: string): number {
  const words = fold(query).split(/\s+/).filter(Boolean);
  const [label, detail] = foldedOf(entry);
  let sum = 0;
  for (const word of words) {
    const at = label.indexOf(word);
    const begins = at === 0 ? 4 : at > 0 && !/[\p{L}\p{N}]/u.test(label[at - 1] ?? "") ? 3 : at > 0 ? 2 : 0;
    const found = begins || (detail.includes(word) ? 1 : 0);
    if (found === 0) return 0;
    sum += found;
  }
  return words.length === 0 ? 1 : sum / words.length;
}

/** Groups in a fixed order, each with its best entries first; a group keeps the order it came in for equal ones. */
export function found(entries: readonly Entry[], query: string): { kind: Kind; entries: Entry[] }[] {
  const empty = query.trim() === "";
  return kinds
    .map((kind) => {
      const mine = entries
        .filter((entry) => entry.kind === kind)
        .map((entry) => ({ entry, score: scoreOf(entry, query) }))
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score)
        .slice(0, empty ? (atOnce[kind] ?? 0) : most);
      return { kind, entries: mine.map(({ entry }) => entry) };
    })
    .filter((group) => group.entries.length > 0);
}
