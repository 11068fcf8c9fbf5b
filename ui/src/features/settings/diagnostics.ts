// What a person can paste into a report: the checks and the settings, without secrets and without names of folders.

import type { DoctorRow } from "@/bindings/DoctorRow";
import type { SettingsView } from "@/bindings/SettingsView";

/** Where a text could hold a key in spite of everything: a user or a query in an address, a long token. */
function harmless(text: string, { home, workspace }: SettingsView): string {
  const user = /^(\/home\/[^/]+|\/Users\/[^/]+|[A-Za-z]:\\Users\\[^\\]+)/.exec(home)?.[0];
  let out = text.replaceAll(workspace, "<workspace>").replaceAll(home, "<home>");
  if (user) out = out.replaceAll(user, "~");
  return out
    .replaceAll(/(https?:\/\/)[^\s/@]+@/g, "$1")
    .replaceAll(/(https?:\/\/[^\s?]+)\?\S+/g, "$1")
    .replaceAll(/\b(?:sk|pk|key|AIza)[-_A-Za-z0-9]{16,}/g, "<removed>")
    .replaceAll(/\bBearer\s+\S+/gi, "<removed>");
}

export function diagnostics(rows: readonly DoctorRow[], settings: SettingsView): string {
  const checks = rows.map(({ check, ok, detail, fix }) =>
    [`${ok ? "ok  " : "FAIL"} ${check}: ${detail}`, fix && `     ${fix}`].filter(Boolean).join("\n"),
  );
  const { model_default, model_fallback, providers, problems, language, theme, busy, secrets } = settings;
  const facts = [
    `model: ${model_default}${model_fallback.map((id) => `, ${id}`).join("")}`,
    ...providers.map(({ id, kind, base_url, has_key }) => `provider: ${id} ${kind} ${base_url} key: ${has_key}`),
    ...problems.map(({ line, key, message }) => `hearth.toml:${line} ${key}: ${message}`),
    `language: ${language}, theme: ${theme}, busy: ${busy}, secrets: ${secrets}`,
    `window: ${navigator.userAgent}`,
  ];
  return harmless(["Hearth", ...checks, ...facts, ""].join("\n"), settings);
}
