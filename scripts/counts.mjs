// Reads how many tests passed, failed and were skipped from what each runner prints. A run that shows no test is a failure.

const none = { passed: 0, failed: 0, skipped: 0 };

/** Adds counts up. */
export const sum = (all) => all.reduce((left, right) => ({
  passed: left.passed + right.passed,
  failed: left.failed + right.failed,
  skipped: left.skipped + right.skipped,
}), none);

/** The closing line, in the form that machines read. */
export const line = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** A check that is no test: it counts only when it fails. */
export const check = (status = 0) => ({ ...none, failed: status === 0 ? 0 : 1 });

/** cargo nextest's summary: `Summary [ 1.2s] 3 tests run: 2 passed, 1 failed, 4 skipped`. */
export function nextest(output, status) {
  const summary = plain(output).split("\n").findLast((text) => /Summary \[.*\brun:/.test(text)) ?? "";
  const tail = summary.replace(/\([^)]*\)/g, "");
  const number = (kind) => Number(tail.match(new RegExp(`(\\d+) ${kind}\\b`))?.[1] ?? 0);
  const failed = number("failed") + number("timed out") + number("exec failed");
  return honest({ passed: number("passed"), failed, skipped: number("skipped") }, status);
}

/** Node's test runner: lines such as `ℹ pass 3` or `# pass 3`. */
export function node(output, status) {
  const number = (kind) => Number(plain(output).match(new RegExp(`^(?:#|ℹ) ${kind} (\\d+)$`, "m"))?.[1] ?? 0);
  const counts = { passed: number("pass"), failed: number("fail") + number("cancelled"), skipped: number("skipped") + number("todo") };
  return honest(counts, status);
}

/** Python's unittest: `Ran 9 tests in 1.2s`, then `OK (skipped=1)` or `FAILED (failures=1, errors=2)`. */
export function unittest(output, status) {
  const ran = Number(plain(output).match(/^Ran (\d+) tests? in /m)?.[1] ?? 0);
  const verdict = plain(output).match(/^(?:OK|FAILED)(?: \((.*)\))?\s*$/m)?.[1] ?? "";
  const number = (kind) => Number(verdict.match(new RegExp(`\\b${kind}=(\\d+)`))?.[1] ?? 0);
  const failed = number("failures") + number("errors") + number("unexpected successes");
  const skipped = number("skipped") + number("expected failures");
  return honest({ passed: Math.max(0, ran - failed - skipped), failed, skipped }, status);
}

/** Vitest's JSON report, or null when it wrote none. */
export function vitest(report, status) {
  const counts = report && {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  };
  return honest(counts ?? none, status);
}

/** A bad status without a failed test, and a run without any test, are failures too. */
function honest(counts, status) {
  const ran = counts.passed + counts.failed > 0;
  return counts.failed === 0 && (status !== 0 || !ran) ? { ...counts, failed: 1 } : counts;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes are control characters
const plain = (output) => output.replace(/\u001b\[[0-9;]*m/g, "");
