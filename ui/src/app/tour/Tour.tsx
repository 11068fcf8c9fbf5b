// A minute's look around: one card for each page, beside its place in the rail, with the page itself in view. It takes
// nothing away: whoever wants to do something meanwhile does it.

import { X } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/shared/components/Button";
import { keysText } from "@/shared/keys";
import { go, pathOf } from "@/shared/route";
import { useSettings } from "@/shared/settings";
import { endTour, showTourAt, useTour } from "@/shared/tour";

/** In the order of the rail; the last one is about the keys. */
const stops = ["chat", "memory", "persona", "skills", "heartbeat", "activity", "settings"] as const;
type Stop = (typeof stops)[number];

export function Tour() {
  const { at } = useTour();
  if (at === "off") return null;
  const stop = at === "offered" ? undefined : stops[at];
  return stop && typeof at === "number" ? <Step key={stop} stop={stop} at={at} /> : <Offer />;
}

const card =
  "fixed z-30 rounded-lg border border-line bg-raised p-4 shadow-lg outline-none max-h-[calc(100vh-24px)] overflow-y-auto";

/** It stands over the list of conversations, never over the field to write in. */
function Offer() {
  const { t } = useTranslation("tour");
  const id = useId();
  return (
    <section aria-labelledby={id} className={`${card} bottom-4 left-16 w-60 max-[760px]:bottom-36`}>
      <h2 id={id} className="font-semibold">
        {t("offer")}
      </h2>
      <p className="mt-1 text-muted">{t("offerBody")}</p>
      <div className="mt-3 flex gap-2">
        <Button size="sm" kind="primary" onClick={() => showTourAt(0)}>
          {t("begin")}
        </Button>
        <Button size="sm" kind="quiet" onClick={endTour}>
          {t("notNow")}
        </Button>
      </div>
    </section>
  );
}

/** Where a page's place in the rail is, and how far down the card beside it stands. */
function usePlace(stop: Stop, card: RefObject<HTMLElement | null>) {
  const [place, setPlace] = useState<{ ring: DOMRect | null; top: number }>({ ring: null, top: 12 });
  useLayoutEffect(() => {
    const look = () => {
      const ring = document.querySelector(`nav a[href="#${pathOf(stop)}"]`)?.getBoundingClientRect() ?? null;
      const lowest = window.innerHeight - (card.current?.offsetHeight ?? 0) - 12;
      setPlace({ ring, top: Math.max(12, Math.min((ring?.top ?? 12) - 8, lowest)) });
    };
    look();
    window.addEventListener("resize", look);
    return () => window.removeEventListener("resize", look);
  }, [stop, card]);
  return place;
}

function Step({ stop, at }: { stop: Stop; at: number }) {
  const { t } = useTranslation("tour");
  const quick = useSettings().data?.shortcut.replace("CmdOrCtrl", "Mod");
  const box = useRef<HTMLElement>(null);
  const { ring, top } = usePlace(stop, box);
  const next = useRef<HTMLButtonElement>(null);
  const id = useId();
  const last = at === stops.length - 1;
  useEffect(() => {
    if (stop !== "settings") go(pathOf(stop));
    // After the page took the focus for itself.
    const timer = setTimeout(() => next.current?.focus());
    return () => clearTimeout(timer);
  }, [stop]);
  const end = () => {
    endTour();
    go(pathOf("chat"));
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape") end();
    else if (event.key === "ArrowRight" && !last) showTourAt(at + 1);
    else if (event.key === "ArrowLeft" && at > 0) showTourAt(at - 1);
    else return;
    event.stopPropagation();
    event.preventDefault();
  };
  return (
    <>
      {ring && (
        <div
          aria-hidden
          className="pointer-events-none fixed z-30 rounded-lg ring-2 ring-ember"
          style={{ top: ring.top, left: ring.left, width: ring.width, height: ring.height }}
        />
      )}
      <section
        ref={box}
        role="dialog"
        aria-labelledby={id}
        aria-describedby={`${id}-body`}
        tabIndex={-1}
        onKeyDown={press}
        className={`${card} w-80`}
        style={{ top, left: 68 }}
      >
        <div className="flex items-start justify-between gap-2">
          <h2 id={id} className="font-semibold">
            {t(`stop.${stop}.title`)}
          </h2>
          <IconButton size="sm" label={t("end")} keys="Esc" icon={<X className="size-4" />} onClick={end} />
        </div>
        <p id={`${id}-body`} className="mt-1 text-muted">
          {t(`stop.${stop}.body`)}
        </p>
        {last && (
          <dl className="mt-3 flex flex-col gap-2">
            {quick && <Keys keys={quick} name={t("quick")} />}
            <Keys keys="Mod+K" name={t("palette")} />
            <Keys keys="Mod+/" name={t("shortcuts")} />
          </dl>
        )}
        <div className="mt-4 flex items-center gap-2">
          <Steps at={at} />
          {at > 0 && (
            <Button size="sm" kind="quiet" onClick={() => showTourAt(at - 1)}>
              {t("back")}
            </Button>
          )}
          <Button ref={next} size="sm" kind="primary" onClick={() => (last ? end() : showTourAt(at + 1))}>
            {t(last ? "done" : "next")}
          </Button>
        </div>
      </section>
    </>
  );
}

function Keys({ keys, name }: { keys: string; name: string }) {
  return (
    <div className="flex items-center justify-between gap-4">
      <dt>{name}</dt>
      <dd>
        <kbd className="rounded-sm border border-line bg-surface px-2 py-0.5 font-sans text-sm whitespace-nowrap text-muted">
          {keysText(keys)}
        </kbd>
      </dd>
    </div>
  );
}

function Steps({ at }: { at: number }) {
  const { t } = useTranslation("tour");
  return (
    <p className="flex flex-1 items-center gap-1.5">
      <span className="sr-only">{t("step", { step: at + 1, steps: stops.length })}</span>
      {stops.map((stop, place) => (
        <span
          key={stop}
          aria-hidden
          className={place === at ? "h-1.5 w-4 rounded-full bg-ember" : "size-1.5 rounded-full bg-line-strong"}
        />
      ))}
    </p>
  );
}
