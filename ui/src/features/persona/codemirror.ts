// The text editor: CodeMirror with Markdown, find, undo and our colours. It knows texts and lines, not files.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { markdownKeymap, markdownLanguage } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { changesBetween } from "./changes";
import { colouring } from "./colouring";

const marks = HighlightStyle.define([
  { tag: tags.heading1, fontWeight: "650", fontSize: "1.25em" },
  { tag: tags.heading2, fontWeight: "650", fontSize: "1.1em" },
  { tag: tags.heading, fontWeight: "650" },
  { tag: tags.strong, fontWeight: "650" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.monospace, tags.contentSeparator], fontFamily: "var(--font-mono)", fontSize: "0.92em" },
  { tag: tags.quote, color: "var(--muted)" },
  { tag: [tags.link, tags.url], color: "var(--ember-ink)" },
  {
    tag: [tags.processingInstruction, tags.labelName, tags.comment, tags.tagName, tags.angleBracket, tags.meta],
    color: "var(--faint)",
  },
]);

const button = {
  backgroundImage: "none",
  backgroundColor: "var(--raised)",
  color: "var(--ink)",
  border: "1px solid var(--line)",
  borderRadius: "6px",
  padding: "2px 8px",
  margin: "2px 4px 2px 0",
  font: "inherit",
  fontSize: "13px",
};

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "15px", backgroundColor: "transparent", color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-sans)", lineHeight: "1.7", overflow: "auto" },
  ".cm-content": { padding: "20px 0 40vh", caretColor: "var(--ember)", maxWidth: "820px" },
  ".cm-line": { padding: "0 32px", unicodeBidi: "plaintext", textAlign: "start" },
  ".cm-placeholder": { color: "var(--faint)" },
  ".cm-gutters": { backgroundColor: "transparent", border: "none", color: "var(--faint)", paddingLeft: "8px" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "28px", fontSize: "12px", lineHeight: "26px" },
  ".cm-problem": { backgroundColor: "var(--warn-soft)", boxShadow: "inset 3px 0 var(--warn)" },
  ".cm-panels": { backgroundColor: "var(--surface)", color: "var(--ink)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "8px 36px 8px 24px", fontSize: "13px" },
  ".cm-panel.cm-search label": { fontSize: "13px", margin: "0 8px 0 4px" },
  ".cm-panel.cm-search [name=close]": { ...button, border: "none", fontSize: "18px", top: "8px", right: "12px" },
  ".cm-textfield": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line-strong)",
    borderRadius: "6px",
    padding: "3px 8px",
    margin: "2px 6px 2px 0",
    font: "inherit",
    fontSize: "13px",
  },
  ".cm-button": button,
  ".cm-button:active": { backgroundImage: "none", backgroundColor: "var(--active)" },
  ".cm-searchMatch": { backgroundColor: "color-mix(in oklab, var(--warn) 30%, transparent)" },
  ".cm-searchMatch.cm-searchMatch-selected": { backgroundColor: "color-mix(in oklab, var(--ember) 45%, transparent)" },
  ".cm-deletedChunk": { backgroundColor: "var(--bad-soft)", paddingLeft: "0" },
  ".cm-deletedText, &.cm-merge-a .cm-changedText, .cm-deletedLine del": {
    background: "color-mix(in oklab, var(--bad) 22%, transparent)",
    textDecoration: "none",
  },
  "&.cm-merge-a .cm-changedLine, .cm-deletedLine": { backgroundColor: "var(--bad-soft)", textDecoration: "none" },
  "&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine": { backgroundColor: "var(--good-soft)" },
  "&.cm-merge-b .cm-changedText": { background: "color-mix(in oklab, var(--good) 22%, transparent)" },
  ".cm-collapsedLines": {
    backgroundImage: "none",
    backgroundColor: "var(--sunken)",
    color: "var(--muted)",
    fontSize: "13px",
    padding: "4px 12px",
    "&:before, &:after": { content: '""' },
  },
});

/** Denser, for texts beside each other and for differences. */
export const small = EditorView.theme({
  "&": { fontSize: "13px" },
  ".cm-content": { padding: "8px 0", maxWidth: "none" },
  ".cm-line": { padding: "0 12px" },
  ".cm-scroller": { lineHeight: "1.6" },
});

/** What every text area here has: wrapping, directions, our look. */
const plain: Extension = [
  EditorView.lineWrapping,
  EditorView.perLineTextDirection.of(true),
  EditorState.allowMultipleSelections.of(false),
  // Also where it only scrolls.
  EditorView.contentAttributes.of({ tabindex: "0" }),
  look,
];

/** What texts that are read, or edited in passing, have besides: Markdown and its colours. */
export const reading: Extension = [markdownLanguage, syntaxHighlighting(marks), plain];

/** What a text area that can be edited has besides. Tab leaves it, as everywhere else in the window. */
export const writing: Extension = [
  history(),
  search({ top: true }),
  keymap.of([...markdownKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
];

const setProblems = StateEffect.define<readonly number[]>();
const problemLine = Decoration.line({ class: "cm-problem" });

const problemLines = StateField.define({
  create: () => Decoration.none,
  update(lines, { changes, effects, newDoc }) {
    for (const effect of effects) {
      if (!effect.is(setProblems)) continue;
      const starts = effect.value.filter((line) => line >= 1 && line <= newDoc.lines).toSorted((a, b) => a - b);
      return Decoration.set(starts.map((line) => problemLine.range(newDoc.line(line).from)));
    }
    return lines.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Marks a replacement that did not come from the keyboard. */
const incoming = Annotation.define<boolean>();
const numbers = new Compartment();
const words = new Compartment();

export interface Words {
  label: string;
  placeholder: string;
  phrases: Record<string, string>;
}

const wordsOf = ({ label, placeholder: hint, phrases }: Words): Extension => [
  EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "true", autocorrect: "off" }),
  placeholder(hint),
  EditorState.phrases.of(phrases),
];

export interface Hooks {
  typed: (text: string) => void;
  composing: (going: boolean) => void;
  left: () => void;
}

/** How long an engine may take to hand over the last word of a composition. */
const settled = 50;

function hooked({ typed, composing, left }: Hooks): Extension {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return [
    EditorView.updateListener.of(({ docChanged, transactions, state }) => {
      if (docChanged && !transactions.some((step) => step.annotation(incoming))) typed(state.doc.toString());
    }),
    EditorView.domEventHandlers({
      compositionstart: () => {
        clearTimeout(timer);
        composing(true);
      },
      compositionend: () => {
        timer = setTimeout(() => composing(false), settled);
      },
      blur: () => {
        clearTimeout(timer);
        composing(false);
        left();
      },
    }),
  ];
}

export function newState(text: string, texts: Words, hooks: Hooks, numbered: boolean): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      plain,
      colouring(marks),
      writing,
      problemLines,
      hooked(hooks),
      words.of(wordsOf(texts)),
      numbers.of(numbered ? lineNumbers() : []),
    ],
  });
}

/** Takes a text from elsewhere; the cursor stays where it was among the lines that stay. */
export function takeText(view: EditorView, text: string): void {
  const old = view.state.doc.toString();
  if (old !== text) view.dispatch({ changes: [...changesBetween(old, text)], annotations: incoming.of(true) });
}

export const showProblems = (view: EditorView, lines: readonly number[]): void =>
  view.dispatch({ effects: setProblems.of(lines) });

export const showNumbers = (view: EditorView, on: boolean): void =>
  view.dispatch({ effects: numbers.reconfigure(on ? lineNumbers() : []) });

export const setWords = (view: EditorView, texts: Words): void =>
  view.dispatch({ effects: words.reconfigure(wordsOf(texts)) });

export const find = (view: EditorView): boolean => openSearchPanel(view);

export function goToLine(view: EditorView, line: number): void {
  const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines)).from;
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
  view.focus();
}
