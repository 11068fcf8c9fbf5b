// What became of each item of an import, or would; what needs a look comes first.

import { Check, CircleAlert, CircleDashed, CircleMinus } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { ImportItem } from "@/bindings/ImportItem";
import { useSaid } from "@/shared/i18n/said";
import { inOrder } from "./imports";

/** More are counted: nobody reads thousands of lines here, `hearth import --json` has them all. */
const most = 200;

export function ImportItems({ items }: { items: readonly ImportItem[] }) {
  const { t } = useTranslation("transfer");
  const shown = inOrder(items).slice(0, most);
  const rest = items.length - shown.length;
  return (
    <div tabIndex={0} className="max-h-80 overflow-y-auto rounded-md bg-sunken px-3 py-1">
      <ul className="flex flex-col divide-y divide-line">
        {shown.map((item, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an export may name two alike; the list never changes
          <Item key={at} item={item} />
        ))}
      </ul>
      {rest > 0 && <p className="py-2 text-sm text-muted">{t("moreItems", { count: rest })}</p>}
    </div>
  );
}

const icons = {
  added: <Check aria-hidden className="mt-0.5 size-4 shrink-0 text-good" />,
  already_there: <CircleDashed aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />,
  skipped: <CircleMinus aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />,
  failed: <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />,
};

function Item({ item }: { item: ImportItem }) {
  const { t } = useTranslation("transfer");
  const { kind, name, state, reason, detail, target } = item;
  const speak = useSaid();
  const what = useLeftOut(reason === "left_out" ? detail : "");
  const told = ["refused", "unreadable", "not_stored"].includes(reason) || (reason === "new" && kind === "skill");
  return (
    <li className="flex items-start gap-2 py-2">
      {icons[state]}
      <div className="selectable min-w-0 flex-1">
        <p className="truncate" title={name}>
          <span className="text-muted">{t(`kind.${kind}`)}</span> {name}
        </p>
        <p className="text-sm break-words text-muted">
          {t(`reason.${reason}`, { detail, target, what })}
          {told && detail && t("because", { why: speak(detail) })}
        </p>
      </div>
    </li>
  );
}

/** `pictures: 2, files: 1` in the person's language. */
function useLeftOut(detail: string): string {
  const { t, i18n } = useTranslation("transfer");
  const pieces = detail.split(", ").map((piece) => {
    const [what = "", number = ""] = piece.split(": ");
    const key = what.replaceAll(" ", "_");
    const word = i18n.exists(`transfer:leftOut.${key}`) ? t(`leftOut.${key}` as "leftOut.files") : what;
    return number ? `${word} (${number})` : word;
  });
  return new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(pieces.filter(Boolean));
}
