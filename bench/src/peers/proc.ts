import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Resource usage of a process, read from /proc. */
export interface Usage {
  /** CPU time of all threads in user and kernel mode. */
  readonly cpuSeconds: number;
  readonly rssBytes: number;
  readonly peakRssBytes: number;
}

let ticks: number | undefined;

/** Returns the usage of a process. Throws when it has exited. */
export function usageOf(pid: number): Usage {
  ticks ??= ticksPerSecond();
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return { cpuSeconds: cpuTicks(stat) / ticks, ...memoryOf(readFileSync(`/proc/${pid}/status`, "utf8")) };
}

/**
 * Returns the CPU time of the current threads of a process, in seconds with nanosecond resolution.
 *
 * {@link usageOf} counts ticks of 10 ms, which is too coarse for an idle process.
 */
export function threadSeconds(pid: number): number {
  let total = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      total += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    } catch {
      // The thread has exited in the meantime.
    }
  }
  return total / 1e9;
}

/** Returns user and system ticks from the text of `/proc/<pid>/stat`, whose second field may contain spaces and parentheses. */
export function cpuTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** Returns the resident memory and its peak from the text of `/proc/<pid>/status`. */
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
