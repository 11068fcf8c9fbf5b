// The main window: rail, page, inspector. Owns which page is shown and the shortcuts that lead there.

import { lazy, Suspense, useEffect } from "react";
import { InspectorSlot } from "@/shared/components/Inspector";
import { Skeleton } from "@/shared/components/State";
import { isKeys } from "@/shared/keys";
import { go, pathOf, useParts } from "@/shared/route";
import { useSettings } from "@/shared/settings";
import { PageBoundary } from "./PageBoundary";
import { fetchPagesWhenIdle, pages } from "./pages";
import { Overlays } from "./palette/Overlays";
import { Rail } from "./Rail";
import { Tour } from "./tour/Tour";

const FirstStart = lazy(() =>
  import("@/features/first-start/FirstStart").then((part) => ({ default: part.FirstStart })),
);

export function App() {
  const [first] = useParts();
  const settings = useSettings().data;
  const page = pages.find(({ id }) => id === first) ?? pages[0];
  usePageKeys();
  useEffect(fetchPagesWhenIdle, []);
  if (!page) return null;
  if (first === "first-start" || settings?.first_start_done === false) {
    return (
      <PageBoundary>
        <Suspense fallback={<Skeleton className="h-full bg-surface p-10" />}>
          <FirstStart />
        </Suspense>
      </PageBoundary>
    );
  }
  return (
    <div className="flex h-full">
      <Rail pages={pages} current={page.id} />
      <div className="relative flex min-w-0 flex-1">
        {/* The outer one holds what goes wrong while a page, and its own with it, is taken down. */}
        <PageBoundary>
          <PageBoundary key={page.id}>
            <Suspense fallback={<Skeleton className="flex-1 bg-surface p-8" />}>
              <page.Content />
            </Suspense>
          </PageBoundary>
        </PageBoundary>
        <InspectorSlot />
      </div>
      <Tour />
      <Overlays />
    </div>
  );
}

/** Mod+1, Mod+2, … go to the pages. */
function usePageKeys() {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const at = pages.findIndex((_, index) => isKeys(event, `Mod+${index + 1}`));
      const page = pages[at];
      if (!page) return;
      event.preventDefault();
      go(pathOf(page.id));
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}
