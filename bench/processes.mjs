// What the system says of running processes: who began whom, what each thread did.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

function tries(body) {
  try {
    return body();
  } catch {
    return undefined; // it ended meanwhile
  }
}

const uptime = () => Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
const processes = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));
const statOf = (pid) => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");

/** Seconds since a process began, in steps of 10 ms. */
export const ageOf = (pid) => uptime() - Number(statOf(pid)[19]) / 100;

/** The process that runs a program. */
export const pidOf = (path) => processes().find((pid) => tries(() => readlinkSync(`/proc/${pid}/exe`)) === path);

export const nameOf = (pid) => tries(() => readFileSync(`/proc/${pid}/comm`, "utf8").trim()) ?? "";

/** A process and all that it began. */
export function treeOf(top) {
  const parents = new Map(processes().map((pid) => [pid, tries(() => statOf(pid)[1])]));
  const within = (pid) => pid === top || (parents.has(pid) && within(parents.get(pid)));
  return [...parents.keys()].filter(within);
}

/** Proportional set size of some processes. */
export function megabytes(pids) {
  const kilobytes = pids.map((pid) => tries(() => readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? "");
  return kilobytes.reduce((sum, text) => sum + Number(text.match(/^Pss:\s+(\d+)/m)?.[1] ?? 0), 0) / 1024;
}

const ofTask = (pid, task, file) => tries(() => readFileSync(`/proc/${pid}/task/${task}/${file}`, "utf8")) ?? "";

/** Nanoseconds that a thread ran. (The ticks of `stat` charge a whole tick to who happens to run at one.) */
export const ran = (pid, task = pid) => Number(ofTask(pid, task, "schedstat").split(" ")[0]);

/** What each thread of a process did so far: times it woke, nanoseconds it ran. */
export function threads(pid) {
  return (tries(() => readdirSync(`/proc/${pid}/task`)) ?? []).map((task) => {
    const status = ofTask(pid, task, "status");
    return {
      task,
      name: `${status.match(/^Name:\s+(.*)$/m)?.[1]} ${task}`,
      wakes: Number(status.match(/^voluntary_ctxt_switches:\s+(\d+)/m)?.[1] ?? 0),
      ran: ran(pid, task),
    };
  });
}
