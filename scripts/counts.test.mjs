import assert from "node:assert/strict";
import test from "node:test";
import { check, line, nextest, node, sum, unittest, vitest } from "./counts.mjs";

const counts = (passed, failed, skipped) => ({ passed, failed, skipped });

test("nextest: a good run, slow and leaky tests named in brackets", () => {
  const output = "     Summary [   3.209s] 7 tests run: 7 passed (2 slow, 1 leaky), 3 skipped\n";
  assert.deepEqual(nextest(output, 0), counts(7, 0, 3));
});

test("nextest: failures and time-outs are summed, colour is ignored", () => {
  const output = "\u001b[31m     Summary\u001b[0m [   3.2s] 7/9 tests run: 4 passed, \u001b[1m2\u001b[0m failed, 1 timed out, 3 skipped\n";
  assert.deepEqual(nextest(output, 100), counts(4, 3, 3));
});

test("nextest: a build that fails is one failure, and so is a run without tests", () => {
  assert.deepEqual(nextest("error: could not compile `x`\n", 101), counts(0, 1, 0));
  assert.deepEqual(nextest("     Summary [   0.0s] 0 tests run: 0 passed, 5 skipped\n", 0), counts(0, 1, 5));
});

test("node: both forms of the closing lines", () => {
  for (const mark of ["ℹ", "#"]) {
    const output = ["tests 6", "suites 0", "pass 3", "fail 1", "cancelled 1", "skipped 1", "todo 0"].map((text) => `${mark} ${text}\n`).join("");
    assert.deepEqual(node(output, 1), counts(3, 2, 1));
  }
});

test("unittest: good, with skips, failed, and without any test", () => {
  assert.deepEqual(unittest("..\nRan 2 tests in 0.1s\n\nOK\n", 0), counts(2, 0, 0));
  assert.deepEqual(unittest("Ran 9 tests in 3.0s\n\nOK (skipped=4)\n", 0), counts(5, 0, 4));
  assert.deepEqual(unittest("Ran 9 tests in 3.0s\n\nFAILED (failures=1, errors=2, skipped=1)\n", 1), counts(5, 3, 1));
  assert.deepEqual(unittest("Ran 0 tests in 0.0s\n\nFAILED (errors=1)\n", 1), counts(0, 1, 0));
  assert.deepEqual(unittest("Ran 0 tests in 0.0s\n\nOK\n", 0), counts(0, 1, 0));
  assert.deepEqual(unittest("python3: no such file\n", 127), counts(0, 1, 0));
});

test("vitest: from its report; a missing report is a failure", () => {
  const report = { numPassedTests: 5, numFailedTests: 0, numPendingTests: 1, numTodoTests: 1 };
  assert.deepEqual(vitest(report, 0), counts(5, 0, 2));
  assert.deepEqual(vitest(report, 1), counts(5, 1, 2));
  assert.deepEqual(vitest(null, 1), counts(0, 1, 0));
});

test("checks count only when they fail; the closing line", () => {
  assert.equal(line(sum([check(0), check(2), counts(3, 0, 1)])), "3 passed, 1 failed, 1 skipped");
});
