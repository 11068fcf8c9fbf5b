// A list of any length: only the rows in view are drawn. Each row's height is known beforehand.
//
// Keys: arrows, page up and down, home and end move the focus from row to row; the row itself answers to Enter.

import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { indexAt, offsetsOf } from "./offsets";

export interface VirtualListHandle {
  /** Brings a row to the top. */
  scrollTo: (index: number) => void;
}

interface VirtualListProps<Row> {
  rows: readonly Row[];
  label: string;
  heightOf: (row: Row) => number;
  keyOf: (row: Row) => string;
  /** Rows that cannot have the focus, such as headings, answer null from `focusable`. */
  focusable: (row: Row) => boolean;
  children: (row: Row, index: number) => ReactNode;
  /** The end is near. */
  onEnd?: () => void;
  ref?: React.Ref<VirtualListHandle>;
}

/** Rows drawn beyond what is in view, in pixels. */
const margin = 400;

export function VirtualList<Row>({
  rows,
  label,
  heightOf,
  keyOf,
  focusable,
  children,
  onEnd,
  ref,
}: VirtualListProps<Row>) {
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef<number | null>(null);
  const offsets = useMemo(() => offsetsOf(rows, heightOf), [rows, heightOf]);
  const total = offsets.at(-1) ?? 0;
  const [view, setView] = useState({ top: 0, height: 800 });
  const first = indexAt(offsets, view.top - margin);
  const last = indexAt(offsets, view.top + view.height + margin);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight || 800 });
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  const ending = view.top + view.height > total - 2 * margin;
  useEffect(() => {
    if (ending) onEnd?.();
  }, [ending, onEnd]);
  useImperativeHandle(ref, () => ({
    scrollTo: (index) => box.current?.scrollTo({ top: offsets[index] ?? 0 }),
  }));

  const focusRow = (index: number) =>
    box.current?.querySelector<HTMLElement>(`[data-row="${index}"] button, [data-row="${index}"] a`)?.focus();
  // A row that was out of view is focused once it is drawn.
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    focusRow(wanted.current);
    wanted.current = null;
  });
  const move = (to: number, step: number) => {
    let index = Math.max(0, Math.min(rows.length - 1, to));
    for (let row = rows[index]; row !== undefined && !focusable(row); row = rows[index]) index += step;
    const element = box.current;
    if (!element || !rows[index]) return;
    const top = offsets[index] ?? 0;
    const bottom = offsets[index + 1] ?? top;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
    wanted.current = index;
    setView({ top: element.scrollTop, height: element.clientHeight || 800 });
  };
  const press = (event: KeyboardEvent) => {
    const at = Number((event.target as HTMLElement).closest<HTMLElement>("[data-row]")?.dataset.row ?? -1);
    const page = Math.max(1, indexAt(offsets, view.top + view.height) - indexAt(offsets, view.top) - 1);
    const moves: Record<string, [number, number]> = {
      ArrowDown: [at + 1, 1],
      ArrowUp: [at - 1, -1],
      PageDown: [at + page, 1],
      PageUp: [at - page, -1],
      Home: [0, 1],
      End: [rows.length - 1, -1],
    };
    const found = moves[event.key];
    if (!found || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(...found);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys move the focus among the rows' own buttons
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto" onKeyDown={press}>
      <ul aria-label={label} className="relative" style={{ height: total }}>
        {rows.slice(first, last + 1).map((row, at) => (
          <li
            key={keyOf(row)}
            data-row={first + at}
            aria-setsize={rows.length}
            aria-posinset={first + at + 1}
            className="absolute inset-x-0"
            style={{ top: offsets[first + at], height: heightOf(row) }}
          >
            {children(row, first + at)}
          </li>
        ))}
      </ul>
    </div>
  );
}
