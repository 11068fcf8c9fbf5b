import { expect, test } from "vitest";
import { reasonOf, wordOf } from "./ended";

const ended = (ok: boolean, result: string) => ({ ok, result, ms: null });

test("a call that never ran is not called failed", () => {
  expect(wordOf(null)).toBeNull();
  expect(wordOf(ended(true, "Saved a.md."))).toBeNull();
  expect(wordOf(ended(false, "There is no file a.md."))).toBe("toolFailed");
  expect(wordOf(ended(false, "denied: the user said no"))).toBe("toolNotRun");
  expect(wordOf(ended(false, "[not run: the turn ended first]"))).toBe("toolNotRun");
  expect(wordOf(ended(false, "[interrupted: this call was stopped before its result; it may have run in part]"))).toBe(
    "toolFailed",
  );
});

test("a no is said once", () => {
  expect(reasonOf("denied", "denied")).toBe("");
  expect(reasonOf("expired", "nobody answered in time")).toBe("");
  expect(reasonOf("expired", "the turn ended")).toBe("the turn ended");
  expect(reasonOf("allowed", "allowed once")).toBe("allowed once");
});
