// Every shortcut of the window, as this system writes it.

import { useTranslation } from "react-i18next";
import { Dialog } from "@/shared/components/Dialog";
import { keysText } from "@/shared/keys";
import { useSettings } from "@/shared/settings";
import { pages } from "../pages";

export function Shortcuts({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const quick = useSettings().data?.shortcut.replace("CmdOrCtrl", "Mod");
  const groups = [
    {
      title: t("keys.everywhere"),
      rows: [
        ...(quick ? [[quick, t("keys.quick")]] : []),
        ["Mod+K", t("palette.title")],
        ["Mod+/", t("palette.shortcuts")],
        ...pages.map(({ id }, at) => [`Mod+${at + 1}`, t(id)]),
      ],
    },
    {
      title: t("chat"),
      rows: [
        ["Mod+N", t("palette.newSession")],
        ["Enter", t("keys.send")],
        ["Shift+Enter", t("keys.newLine")],
        ["/", t("keys.commands")],
        ["Esc", t("keys.stop")],
      ],
    },
    { title: t("persona"), rows: [["Mod+F", t("keys.find")]] },
  ];
  return (
    <Dialog open onClose={onClose} title={t("palette.shortcuts")}>
      <div className="flex flex-col gap-5">
        {groups.map(({ title, rows }) => (
          <section key={title} aria-label={title}>
            <h3 className="pb-1 text-sm text-muted">{title}</h3>
            <dl className="flex flex-col divide-y divide-line">
              {rows.map(([keys = "", name]) => (
                <div key={keys} className="flex items-center justify-between gap-4 py-1.5">
                  <dt>{name}</dt>
                  <dd>
                    <kbd className="rounded-sm border border-line bg-raised px-2 py-0.5 font-sans text-sm text-muted">
                      {keysText(keys)}
                    </kbd>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
