import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** What a process has used, read from /proc. */
export interface Usage {
  /** Of all its threads, in user and kernel mode. */
  readonly cpuSeconds: number;
  readonly rssBytes: number;
  readonly peakRssBytes: number;
}

let ticks: number | undefined;

/** What a process has used so far; throws when it is gone. */
export function usageOf(pid: number): Usage {
  ticks ??= ticksPerSecond();
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return { cpuSeconds: cpuTicks(stat) / ticks, ...memoryOf(readFileSync(`/proc/${pid}/status`, "utf8")) };
}

/**
 * The CPU time of the threads that a process has now, to the nanosecond.
 *
 * {@link usageOf} counts in ticks of 10 ms, which is too coarse for a process that does nothing.
 */
export function threadSeconds(pid: number): number {
  let total = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      total += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    } catch {
      // The thread has ended in the meantime.
    }
  }
  return total / 1e9;
}

/** User and system ticks out of the text of `/proc/<pid>/stat`, whose second field may hold spaces and parentheses. */
export function cpuTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** The resident memory and its peak out of the text of `/proc/<pid>/status`. */
export function memoryOf(status: string): Pick<Usage, "rssBytes" | "peakRssBytes"> {
  const kilobytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? Number.NaN);
  return { rssBytes: kilobytes("VmRSS") * 1024, peakRssBytes: kilobytes("VmHWM") * 1024 };
}

function ticksPerSecond(): number {
  try {
    return Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" })) || 100;
  } catch {
    return 100;
  }
}
