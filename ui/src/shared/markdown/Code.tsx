// A block of code: its language, a button to copy it, and colours that follow while it is being written.

import { Check, Copy } from "lucide-react";
import { Fragment, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ThemedToken } from "shiki/core";
import { IconButton } from "../components/Button";
import { useCopy } from "../useCopy";
import { highlight, languageOf } from "./highlight";

export function Code({ text, lang }: { text: string; lang: string }) {
  const { t } = useTranslation();
  const [copied, copy] = useCopy();
  const icon = copied ? <Check className="size-4 text-good" /> : <Copy className="size-4" />;
  return (
    <figure className="code">
      <figcaption>
        <span>{lang.trim().split(/\s/)[0] || "text"}</span>
        <IconButton size="sm" label={t(copied ? "copied" : "copy")} icon={icon} onClick={() => copy(text)} />
      </figcaption>
      <pre tabIndex={0}>
        <code>
          <Coloured text={text} language={languageOf(lang)} />
        </code>
      </pre>
    </figure>
  );
}

interface Colours {
  text: string;
  lines: ThemedToken[][];
}

/** Lines that have not changed since they were coloured keep their colours; the rest is plain until it is read. */
function Coloured({ text, language }: { text: string; language: string }) {
  const colours = useColours(text, language);
  if (!colours) return text;
  const lines = text.split("\n");
  const known = colours.text.split("\n");
  return lines.map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line's place is its identity
    <Fragment key={at}>
      {known[at] === line ? colours.lines[at]?.map(piece) : line}
      {at < lines.length - 1 && "\n"}
    </Fragment>
  ));
}

function piece({ content, color, offset }: ThemedToken) {
  return (
    <span key={offset} style={{ color }}>
      {content}
    </span>
  );
}

function useColours(text: string, language: string): Colours | null {
  const [colours, setColours] = useState<Colours | null>(null);
  useEffect(() => {
    let current = true;
    const read = async () => {
      const lines = await highlight(text, language);
      if (current) setColours(lines && { text, lines });
    };
    const timer = setTimeout(() => void read().catch(() => undefined), 60);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, language]);
  return colours;
}
