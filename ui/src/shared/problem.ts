// An error in the person's language: a sentence for what happened by its code, then the engine's words and hint.

import i18next from "i18next";
import type { ErrorCode } from "@/bindings/ErrorCode";
import { saidTogether } from "./i18n/said";

export interface Problem {
  code: ErrorCode;
  title: string;
  /** The engine's words and what to do. */
  detail: string;
}

export function asProblem(error: unknown): Problem {
  const { code, message, hint } = wire(error);
  const title = i18next.t(`errors:${code}`);
  return { code, title, detail: saidTogether([message, hint]) };
}

function wire(error: unknown): { code: ErrorCode; message: string; hint: string } {
  if (typeof error === "object" && error !== null && "code" in error) {
    const { code, message = "", hint = "" } = error as { code: ErrorCode; message?: string; hint?: string };
    return { code, message, hint };
  }
  return { code: "internal", message: error instanceof Error ? error.message : String(error), hint: "" };
}
