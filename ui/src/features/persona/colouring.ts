// The colours of Markdown, off the path of a key: what is coloured moves with the text at once, and the text is read anew
// when the person pauses. Enter and Backspace go on with lists and quotes as Markdown has them.
//
// Invariant: `read` with `ahead` applied holds the text of the view.

import { deleteMarkupBackward, insertNewlineContinueMarkup, markdownLanguage } from "@codemirror/lang-markdown";
import { ensureSyntaxTree, type HighlightStyle, syntaxTree } from "@codemirror/language";
import {
  type ChangeSet,
  EditorState,
  type Extension,
  Prec,
  RangeSetBuilder,
  type StateCommand,
  Transaction,
} from "@codemirror/state";
import {
  type Command,
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { highlightTree } from "@lezer/highlight";

/** Milliseconds without a key, and the longest that a text stays as it was read. */
const rest = 150;
const longest = 700;
/** How long one reading may take before it goes on with what it has. */
const patience = 100;

const marks = new Map<string, Decoration>();
function markOf(classes: string): Decoration {
  const mark = marks.get(classes) ?? Decoration.mark({ class: classes });
  marks.set(classes, mark);
  return mark;
}

class Colours {
  decorations: DecorationSet;
  private read: EditorState;
  private ahead: ChangeSet | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private since: number | null = null;

  constructor(
    private readonly view: EditorView,
    private readonly style: HighlightStyle,
  ) {
    this.read = EditorState.create({ doc: view.state.doc, extensions: markdownLanguage });
    this.decorations = this.drawn();
  }

  update({ docChanged, changes, viewportChanged }: ViewUpdate): void {
    if (docChanged) {
      this.ahead = this.ahead?.compose(changes) ?? changes;
      this.decorations = this.decorations.map(changes);
      this.later();
    } else if (viewportChanged) this.decorations = this.drawn();
  }

  destroy(): void {
    clearTimeout(this.timer);
  }

  /** The text of the view, read as Markdown. */
  caughtUp(): EditorState {
    if (this.ahead) this.read = this.read.update({ changes: this.ahead }).state;
    this.ahead = null;
    return this.read;
  }

  private later(): void {
    this.since ??= performance.now();
    clearTimeout(this.timer);
    const left = this.since + longest - performance.now();
    this.timer = setTimeout(() => this.again(), Math.max(0, Math.min(rest, left)));
  }

  private again(): void {
    this.since = null;
    // A word that an input method is still at is left alone.
    if (this.view.composing) {
      this.later();
      return;
    }
    this.decorations = this.drawn();
    this.view.dispatch({});
  }

  private drawn(): DecorationSet {
    const state = this.caughtUp();
    const tree = ensureSyntaxTree(state, this.view.viewport.to, patience) ?? syntaxTree(state);
    const builder = new RangeSetBuilder<Decoration>();
    for (const { from, to } of this.view.visibleRanges)
      highlightTree(tree, this.style, (start, end, classes) => builder.add(start, end, markOf(classes)), from, to);
    return builder.finish();
  }
}

/** Colours by a style, and the keys of Markdown. */
export function colouring(style: HighlightStyle): Extension {
  const plugin = ViewPlugin.define((view) => new Colours(view, style), {
    decorations: (colours) => colours.decorations,
  });
  const inMarkdown =
    (command: StateCommand): Command =>
    (view) => {
      const read = view.plugin(plugin)?.caughtUp();
      if (!read) return false;
      const { state } = read.update({ selection: view.state.selection });
      const dispatch = (step: Transaction) =>
        view.dispatch({
          changes: step.changes,
          selection: step.newSelection,
          scrollIntoView: true,
          userEvent: step.annotation(Transaction.userEvent),
        });
      return command({ state, dispatch });
    };
  return [
    plugin,
    style.module ? EditorView.styleModule.of(style.module) : [],
    Prec.high(
      keymap.of([
        { key: "Enter", run: inMarkdown(insertNewlineContinueMarkup) },
        { key: "Backspace", run: inMarkdown(deleteMarkupBackward) },
      ]),
    ),
  ];
}
