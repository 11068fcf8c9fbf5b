// A formula as MathML, which the webview draws itself: no fonts and no styles to load. The converter is fetched when the
// first formula appears; until then, and for what it cannot read, the source is shown.

import { Suspense, use } from "react";

let converter: Promise<(text: string, display: boolean) => string> | undefined;

function load() {
  converter ??= Promise.all([import("temml"), import("dompurify")]).then(
    ([{ default: temml }, { default: purify }]) =>
      (text, display) => {
        const math = temml.renderToString(text, {
          displayMode: display,
          throwOnError: true,
          annotate: true,
          maxSize: [40, 40],
          maxExpand: 500,
        });
        return purify.sanitize(math, {
          USE_PROFILES: { mathMl: true },
          ADD_TAGS: ["semantics", "annotation"],
          ADD_ATTR: ["encoding"],
        });
      },
  );
  return converter;
}

interface FormulaProps {
  text: string;
  display: boolean;
}

export function Formula({ text, display }: FormulaProps) {
  const source = <code>{text}</code>;
  return (
    <Suspense fallback={source}>
      <Converted text={text} display={display} />
    </Suspense>
  );
}

function Converted({ text, display }: FormulaProps) {
  const convert = use(load());
  const math = attempt(() => convert(text, display));
  if (math === null) return <code className="text-bad">{text}</code>;
  const Tag = display ? "div" : "span";
  // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised by the converter above
  return <Tag className={display ? "formula" : undefined} dangerouslySetInnerHTML={{ __html: math }} />;
}

function attempt(convert: () => string): string | null {
  try {
    return convert();
  } catch {
    return null;
  }
}
