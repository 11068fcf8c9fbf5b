// A line of the log, taken apart. Pure.

export interface LogLine {
  /** As written; empty for a line that goes on from the one before. */
  at: string;
  level: "ERROR" | "WARN" | "INFO" | "DEBUG" | "TRACE" | null;
  target: string;
  text: string;
}

const form = /^(\d{4}-\d\d-\d\dT\S+)\s+(ERROR|WARN|INFO|DEBUG|TRACE)\s+([\w:]+):\s?(.*)$/;

export function logLine(line: string): LogLine {
  const [, at, level, target, text] = form.exec(line) ?? [];
  if (at === undefined) return { at: "", level: null, target: "", text: line };
  return { at, level: level as LogLine["level"], target: target ?? "", text: text ?? "" };
}
