import type { DeepReadonly } from "@homeostat/core";
import type { ContainerStateTerminated } from "@homeostat/kubernetes/core/v1";
import type { JobEnd } from "../observe/jobs.ts";

/** What the codes that Locust itself exits with mean. */
const meanings: Readonly<Record<number, string>> = {
  1: "request failures or errors",
  2: "unhandled error in Locust",
};

/** Reasons that say no more than the code does. */
const plainReasons: ReadonlySet<string> = new Set(["", "Error", "Completed"]);

/** Why a master failed, in a few words: its exit code and what that means; else what the Job says. */
export function failureCause(
  exit: DeepReadonly<ContainerStateTerminated> | undefined,
  end: JobEnd | undefined,
): string | undefined {
  if (exit !== undefined && exit.exitCode !== 0) {
    const { exitCode, reason = "" } = exit;
    const meaning = plainReasons.has(reason) ? meanings[exitCode] : reason;
    return `master exited with code ${exitCode}${meaning === undefined ? "" : ` (${meaning})`}`;
  }
  return end === undefined || end.reason === "" ? undefined : `master Job failed: ${end.reason}`;
}
