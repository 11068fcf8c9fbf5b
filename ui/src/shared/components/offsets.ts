// Where the rows of a long list begin.

/** The top of each row, and at the end the height of all. */
export function offsetsOf<Row>(rows: readonly Row[], heightOf: (row: Row) => number): number[] {
  const offsets = [0];
  for (const row of rows) offsets.push((offsets.at(-1) ?? 0) + heightOf(row));
  return offsets;
}

/** The row at a height: the last one that begins at or above it. */
export function indexAt(offsets: readonly number[], height: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((offsets[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}
