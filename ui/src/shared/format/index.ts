// Numbers, money, sizes, durations and dates, by the language of the interface and, in English, by the country.

import i18next from "i18next";

/** English is written differently from country to country; the system says from which the person is. */
function language(): string {
  const own = i18next.language || "en";
  return navigator.languages.find((tag) => own === "en" && /^en-[a-z]{2}$/i.test(tag)) ?? own;
}

/** 1,234 or 12.3k. */
export function count(value: number): string {
  const compact = value >= 10_000;
  return new Intl.NumberFormat(language(), compact ? { notation: "compact", maximumFractionDigits: 1 } : {}).format(
    value,
  );
}

/** US dollars; small amounts with the digits that matter. */
export function money(usd: number): string {
  const digits = usd === 0 || usd >= 1 ? 2 : 4;
  return new Intl.NumberFormat(language(), {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(usd);
}

const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** 1.1 GB. */
export function bytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), units.length - 1);
  const unit = units[power] ?? "byte";
  return new Intl.NumberFormat(language(), {
    style: "unit",
    unit,
    // The short form of a byte has no plural.
    unitDisplay: power > 0 ? "short" : "long",
    maximumFractionDigits: power > 1 ? 1 : 0,
  }).format(value / 1000 ** power);
}

/** 320 ms, 4.2 s, 2 min. */
export function duration(ms: number): string {
  const [value, unit, digits] =
    ms < 1000 ? [ms, "millisecond", 0] : ms < 60_000 ? [ms / 1000, "second", 1] : [ms / 60_000, "minute", 0];
  return new Intl.NumberFormat(language(), {
    style: "unit",
    unit: String(unit),
    unitDisplay: "short",
    maximumFractionDigits: Number(digits),
  }).format(Number(value));
}

/** A share of 1, as per cent. */
export function percent(share: number): string {
  return new Intl.NumberFormat(language(), { style: "percent", maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(
    share,
  );
}

/** The full date and time of Unix seconds. */
export function dateTime(seconds: number): string {
  return new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" }).format(seconds * 1000);
}

/** Unix seconds as a person would say them in a list: the time today, else the day. */
export function when(seconds: number, now = Date.now()): string {
  const date = new Date(seconds * 1000);
  const today = new Date(now);
  const sameDay = date.toDateString() === today.toDateString();
  if (sameDay) return new Intl.DateTimeFormat(language(), { timeStyle: "short" }).format(date);
  const sameYear = date.getFullYear() === today.getFullYear();
  const options: Intl.DateTimeFormatOptions = {
    month: "short",
    day: "numeric",
    ...(sameYear ? {} : { year: "numeric" }),
  };
  return new Intl.DateTimeFormat(language(), options).format(date);
}

/** Which part of a list of the past a moment falls in. */
export function period(seconds: number, now = Date.now()): "today" | "yesterday" | "week" | "older" {
  const midnight = new Date(now).setHours(0, 0, 0, 0) / 1000;
  const day = 86_400;
  if (seconds >= midnight) return "today";
  if (seconds >= midnight - day) return "yesterday";
  return seconds >= midnight - 6 * day ? "week" : "older";
}

/** The time of day of Unix seconds. */
export function clock(seconds: number): string {
  return new Intl.DateTimeFormat(language(), { timeStyle: "short" }).format(seconds * 1000);
}

/** A day named `2026-11-30` in full, with its weekday. */
export function longDay(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const options: Intl.DateTimeFormatOptions = { weekday: "long", year: "numeric", month: "long", day: "numeric" };
  return new Intl.DateTimeFormat(language(), options).format(new Date(year, month - 1, date));
}

/** 9:30 AM, but 09:30 where the day has 24 hours. */
function moments(): Intl.DateTimeFormatOptions {
  const { hour12 } = new Intl.DateTimeFormat(language(), { hour: "numeric" }).resolvedOptions();
  return { hour: hour12 ? "numeric" : "2-digit", minute: "2-digit" };
}
const days: Intl.DateTimeFormatOptions = { weekday: "short", month: "short", day: "numeric" };

/** A moment to come, or of the last days, in a zone: the time, and the day where it is not today. */
export function moment(seconds: number, zone?: string, now = Date.now()): string {
  const timeZone = known(zone);
  const day = (at: number) => new Intl.DateTimeFormat("sv-SE", { timeZone }).format(at);
  const options = day(seconds * 1000) === day(now) ? moments() : { ...days, ...moments() };
  return new Intl.DateTimeFormat(language(), { timeZone, ...options }).format(seconds * 1000);
}

/** A zone that this machine knows; else its own. */
function known(zone: string | undefined): string | undefined {
  try {
    if (zone) new Intl.DateTimeFormat("en", { timeZone: zone });
    return zone || undefined;
  } catch {
    return undefined;
  }
}

/** What a clock on the wall shows, of a time written with its offset: `2027-03-28T03:00:00+02:00`. With seconds where `exact`. */
export function wallClock(local: string, exact = false): string {
  const second = exact ? ({ second: "2-digit" } as const) : {};
  const options: Intl.DateTimeFormatOptions = { timeZone: "UTC", ...days, year: "numeric", ...moments(), ...second };
  const at = Date.parse(`${local.slice(0, 19)}Z`);
  return Number.isNaN(at) ? local : new Intl.DateTimeFormat(language(), options).format(at);
}

/** Whether times differ in their seconds, so that these say something. */
export const differ = (locals: readonly string[]): boolean =>
  new Set(locals.map((local) => local.slice(17, 19))).size > 1;

/** `22:30-07:30` as two times of day. */
export function timesOfDay(stretch: string): string {
  const time = (part: string) => {
    const [hour = 0, minute = 0] = part.split(":").map(Number);
    const at = Date.UTC(2000, 0, 1, hour, minute);
    return Number.isNaN(at) ? part : new Intl.DateTimeFormat(language(), { timeZone: "UTC", ...moments() }).format(at);
  };
  return stretch.split(/[-–]/).map(time).join(" – ");
}

/** How far off something is: "in 12 minutes", "2 hours ago". */
export function distance(seconds: number, now = Date.now()): string {
  const away = seconds - now / 1000;
  const size = Math.abs(away);
  const [value, unit]: [number, Intl.RelativeTimeFormatUnit] =
    size < 3600 ? [away / 60, "minute"] : size < 86_400 ? [away / 3600, "hour"] : [away / 86_400, "day"];
  return new Intl.RelativeTimeFormat(language(), { numeric: "auto" }).format(Math.round(value), unit);
}
