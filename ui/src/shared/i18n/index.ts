// Languages: every text of the interface, in English and Chinese. A namespace is a page; `common` is shared.
//
// Keys are checked by the compiler against English, and by a test against Chinese. Switching needs no restart.

import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import enActivity from "./locales/en/activity.json";
import enApprovals from "./locales/en/approvals.json";
import enChat from "./locales/en/chat.json";
import enCommon from "./locales/en/common.json";
import enErrors from "./locales/en/errors.json";
import enFaults from "./locales/en/faults.json";
import enFirstStart from "./locales/en/firstStart.json";
import enGuard from "./locales/en/guard.json";
import enHeartbeat from "./locales/en/heartbeat.json";
import enMcp from "./locales/en/mcp.json";
import enMemory from "./locales/en/memory.json";
import enModels from "./locales/en/models.json";
import enPersona from "./locales/en/persona.json";
import enPrivacy from "./locales/en/privacy.json";
import enQuick from "./locales/en/quick.json";
import enSaid from "./locales/en/said.json";
import enSettings from "./locales/en/settings.json";
import enSkills from "./locales/en/skills.json";
import enTour from "./locales/en/tour.json";
import enTransfer from "./locales/en/transfer.json";
import enUpdates from "./locales/en/updates.json";
import enUsage from "./locales/en/usage.json";
import zhActivity from "./locales/zh-CN/activity.json";
import zhApprovals from "./locales/zh-CN/approvals.json";
import zhChat from "./locales/zh-CN/chat.json";
import zhCommon from "./locales/zh-CN/common.json";
import zhErrors from "./locales/zh-CN/errors.json";
import zhFaults from "./locales/zh-CN/faults.json";
import zhFirstStart from "./locales/zh-CN/firstStart.json";
import zhGuard from "./locales/zh-CN/guard.json";
import zhHeartbeat from "./locales/zh-CN/heartbeat.json";
import zhMcp from "./locales/zh-CN/mcp.json";
import zhMemory from "./locales/zh-CN/memory.json";
import zhModels from "./locales/zh-CN/models.json";
import zhPersona from "./locales/zh-CN/persona.json";
import zhPrivacy from "./locales/zh-CN/privacy.json";
import zhQuick from "./locales/zh-CN/quick.json";
import zhSaid from "./locales/zh-CN/said.json";
import zhSettings from "./locales/zh-CN/settings.json";
import zhSkills from "./locales/zh-CN/skills.json";
import zhTour from "./locales/zh-CN/tour.json";
import zhTransfer from "./locales/zh-CN/transfer.json";
import zhUpdates from "./locales/zh-CN/updates.json";
import zhUsage from "./locales/zh-CN/usage.json";
import { partsOfSaid } from "./said";

const en = {
  common: enCommon,
  chat: enChat,
  activity: enActivity,
  approvals: enApprovals,
  persona: enPersona,
  settings: enSettings,
  guard: enGuard,
  heartbeat: enHeartbeat,
  mcp: enMcp,
  memory: enMemory,
  models: enModels,
  firstStart: enFirstStart,
  privacy: enPrivacy,
  quick: enQuick,
  skills: enSkills,
  tour: enTour,
  transfer: enTransfer,
  updates: enUpdates,
  usage: enUsage,
  errors: enErrors,
  said: enSaid,
  faults: enFaults,
};
const zh = {
  common: zhCommon,
  chat: zhChat,
  activity: zhActivity,
  approvals: zhApprovals,
  persona: zhPersona,
  settings: zhSettings,
  guard: zhGuard,
  heartbeat: zhHeartbeat,
  mcp: zhMcp,
  memory: zhMemory,
  models: zhModels,
  firstStart: zhFirstStart,
  privacy: zhPrivacy,
  quick: zhQuick,
  skills: zhSkills,
  tour: zhTour,
  transfer: zhTransfer,
  updates: zhUpdates,
  usage: zhUsage,
  errors: zhErrors,
  said: zhSaid,
  faults: zhFaults,
};

type Language = "en" | "zh-CN";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "common";
    resources: typeof en;
  }
}

/** The language for a setting (`system`, `en`, `zh-CN`) on this machine. */
export function languageFor(setting: string, system: readonly string[] = navigator.languages): Language {
  if (setting === "en" || setting === "zh-CN") return setting;
  const first = system.find((tag) => /^(zh|en)\b/i.test(tag));
  return first && /^zh/i.test(first) ? "zh-CN" : "en";
}

/** Starts with the system's language; the settings may change it later. */
export function startLanguage(setting = "system"): void {
  void i18next.use(initReactI18next).init({
    lng: languageFor(setting),
    fallbackLng: "en",
    resources: { en, "zh-CN": zh },
    defaultNS: "common",
    interpolation: { escapeValue: false },
    initAsync: false,
  });
  partsOfSaid((name, format) => i18next.services.formatter?.add(name, format));
  const mark = (language: string) => {
    document.documentElement.lang = language;
  };
  mark(i18next.language);
  i18next.on("languageChanged", mark);
}

export function setLanguage(setting: string): void {
  const language = languageFor(setting);
  if (i18next.language !== language) void i18next.changeLanguage(language);
}
