// What both windows do first: find their shell, read language and theme, follow signals, draw.

import { Tooltip } from "@base-ui/react/tooltip";
import { QueryClientProvider } from "@tanstack/react-query";
import i18next from "i18next";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { call, connect, openUrl, type Shell } from "@/bridge";
import { sayProblem, Toasts } from "@/shared/components/Toasts";
import { followTurns } from "@/shared/conversation/store";
import { setLanguage, startLanguage } from "@/shared/i18n";
import { keys, queries } from "@/shared/queries";
import { Lost } from "./Lost";
import { followSignals } from "./signals";
import { setTheme } from "./theme";
import "./styles.css";

async function shell(): Promise<Shell | null> {
  if ("__TAURI_INTERNALS__" in window) return (await import("@/bridge/tauri")).tauri;
  if (import.meta.env.DEV || import.meta.env.MODE === "mock") return (await import("@/bridge/mock")).browserShell();
  return null;
}

async function followSettings(): Promise<void> {
  const settings = await queries.fetchQuery({ queryKey: keys.settings, queryFn: () => call("settings_get") });
  setLanguage(settings.language);
  setTheme(settings.theme);
}

/** Links of a reply open in the person's browser, never in the window. */
function openLinksOutside(): void {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
    if (!link || link.getAttribute("href")?.startsWith("#")) return;
    event.preventDefault();
    void openUrl(link.href).catch(sayProblem);
  });
}

export async function start(content: ReactNode): Promise<void> {
  startLanguage();
  const place = document.getElementById("root");
  if (!place) return;
  const found = await shell();
  if (!found) {
    place.textContent = i18next.t("disconnected");
    return;
  }
  await connect(found);
  followSignals();
  followTurns();
  openLinksOutside();
  await followSettings().catch(() => undefined);
  queries.getQueryCache().subscribe(({ query, type }) => {
    if (type !== "updated" || query.queryKey[0] !== "settings" || !query.state.data) return;
    const { language, theme } = query.state.data as { language: string; theme: string };
    setLanguage(language);
    setTheme(theme);
  });
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <Tooltip.Provider delay={500}>
          <Toasts>
            <div className="flex h-full flex-col">
              <Lost />
              <div className="min-h-0 flex-1">{content}</div>
            </div>
          </Toasts>
        </Tooltip.Provider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
