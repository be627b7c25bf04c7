import { cpuMs } from "./cpu-time.ts";

/** Reports whether work takes more than 100 ms of CPU time in each of three attempts; garbage collection may slow one. */
export function isSlow(work: () => void): boolean {
  return [1, 2, 3].every(() => cpuMs(work) > 100);
}
