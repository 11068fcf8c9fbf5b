// The editor of one open file. Its undo history outlives a change of page.

import type { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import { useTranslation } from "react-i18next";
import { find, goToLine, newState, setWords, showNumbers, showProblems, takeText, type Words } from "./codemirror";
import { composing, save, typed, useDocuments } from "./documents";

export interface EditorHandle {
  find: () => void;
  goToLine: (line: number) => void;
}

interface EditorProps {
  path: string;
  numbered: boolean;
  placeholder: string;
  handle: Ref<EditorHandle>;
}

const states = new Map<string, EditorState>();

export function Editor({ path, numbered, placeholder, handle }: EditorProps) {
  const { t, i18n } = useTranslation("persona");
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const problems = useDocuments((all) => all[path]?.problems);
  const words: Words = {
    label: t("editorLabel", { path }),
    placeholder,
    phrases: t("find", { returnObjects: true }),
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: later words come by the effect below
  useEffect(() => {
    const parent = host.current;
    if (!parent) return;
    const made = new EditorView({ parent, state: states.get(path) ?? stateOf(path, words) });
    view.current = made;
    return () => {
      states.set(path, made.state);
      made.destroy();
      view.current = null;
      composing(path, false);
      void save(path);
    };
  }, [path]);
  // What came from elsewhere. Past React: a key press, which changes the text too, draws nothing here.
  useEffect(() => {
    const take = (text: string | undefined) => view.current && takeText(view.current, text ?? "");
    take(useDocuments.getState()[path]?.text);
    return useDocuments.subscribe((all, before) => {
      if (all[path]?.text !== before[path]?.text) take(all[path]?.text);
    });
  }, [path]);
  useEffect(() => {
    if (view.current) showProblems(view.current, problems?.map(({ line }) => line) ?? []);
  }, [problems]);
  useEffect(() => {
    if (view.current) showNumbers(view.current, numbered);
  }, [numbered]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words follow the language and the file
  useEffect(() => {
    if (view.current) setWords(view.current, words);
  }, [i18n.language, path, placeholder]);
  useImperativeHandle(handle, () => ({
    find: () => view.current && find(view.current),
    goToLine: (line) => view.current && goToLine(view.current, line),
  }));
  return <div ref={host} className="selectable h-full min-w-0 [contain:strict]" />;
}

function stateOf(path: string, words: Words): EditorState {
  const hooks = {
    typed: (text: string) => typed(path, text),
    composing: (going: boolean) => composing(path, going),
    left: () => void save(path),
  };
  return newState(useDocuments.getState()[path]?.text ?? "", words, hooks, false);
}
