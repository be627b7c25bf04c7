import { readFileSync } from "node:fs";
import { sourceOf } from "./find-tests.ts";

/** A reason why a test file runs in a process of its own, by what its source contains. */
interface Reason {
  readonly pattern: RegExp;
  readonly because: string;
}

const reasons: readonly Reason[] = [
  { pattern: /"node:(?:child_process|worker_threads|cluster)"/, because: "starts processes or threads" },
  {
    pattern: /\b(?:memoryUsage|cpuUsage|getHeapStatistics|setFlagsFromString|resourceUsage)\b/,
    because: "measures the process",
  },
  { pattern: /\bglobalThis\.gc\b|\bFinalizationRegistry\b|\bWeakRef\b/, because: "depends on garbage collection" },
  { pattern: /\bprocess\.(?:chdir|exit|kill|umask)\(/, because: "changes the process" },
];

/** Returns why the source of a test file needs a process of its own; undefined if it can share one. */
export function ownProcessReason(text: string): string | undefined {
  return reasons.find(({ pattern }) => pattern.test(text))?.because;
}

/** Files that share a process. */
export type Batch = readonly string[];

/** Options of {@link planProcesses}. */
export interface PlanOptions {
  /** Reports whether a file needs a process of its own. */
  readonly isAlone: (file: string) => boolean;
  /** Number of files per process. */
  readonly filesMax: number;
}

/**
 * Divides test files into processes, in their order.
 *
 * Neighbours share a process, because files of one folder load the same modules. Files that need a process of their own
 * come first: the long ones are among them, and short processes at the end keep all jobs busy until the last moment.
 */
export function planProcesses(files: readonly string[], { isAlone, filesMax }: PlanOptions): Batch[] {
  const alone = files.filter(isAlone);
  const together = files.filter((file) => !isAlone(file));
  const count = Math.ceil(together.length / filesMax);
  // Equal sizes instead of a small rest.
  const size = Math.ceil(together.length / Math.max(count, 1));
  return [
    ...alone.map((file) => [file]),
    ...Array.from({ length: count }, (_, index) => together.slice(index * size, (index + 1) * size)),
  ];
}

/** Reports whether a compiled test file needs a process of its own, by its source. */
export function needsOwnProcess(compiled: string): boolean {
  return ownProcessReason(readFileSync(sourceOf(compiled), "utf8")) !== undefined;
}
