// Provision hooks: Jobs that prepare what the forks need. The outputs of a hook are kept in a Secret, which is also the record that the
// hook has run: its Job and the pod with the termination message may be deleted at any time.

import type { DeepReadonly } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { jobEndOf } from "@homeostat/runtime";

/** The observed objects of one hook. */
export interface ObservedHook {
  readonly name: string;
  /** Keys that the hook must write. */
  readonly outputs: readonly string[];
  /** Keys of the Secret with its outputs; undefined if there is no Secret. */
  readonly secretKeys: readonly string[] | undefined;
  readonly job: DeepReadonly<Job> | undefined;
  readonly pods: readonly DeepReadonly<Pod>[];
}

export type HookStep =
  | { readonly type: "done" }
  | { readonly type: "createJob" }
  | { readonly type: "wait"; readonly message: string }
  | { readonly type: "storeOutputs"; readonly outputs: Readonly<Record<string, string>> }
  | { readonly type: "failed"; readonly message: string };

/** Maximum length of a termination message in Kubernetes, in bytes. */
const messageBytesMax = 4096;

/** Maximum number of characters of the output of a failed hook that a status shows. */
const tailLength = 400;

/** Decides the next step of a create hook. */
export function decideHook(hook: ObservedHook): HookStep {
  const { name, secretKeys, job, pods, outputs } = hook;
  if (secretKeys !== undefined) return { type: "done" };
  if (job === undefined) return { type: "createJob" };
  const end = jobEndOf(job);
  if (end === undefined) return { type: "wait", message: `Provision hook ${name} is running` };
  const message = terminationMessage(pods, end.type === "Complete" ? 0 : undefined);
  if (end.type === "Failed") {
    const tail = message === undefined ? end.message : lastCharacters(message, tailLength);
    return { type: "failed", message: `Provision hook ${name} failed (${end.reason}): ${tail}` };
  }
  const parsed = parseOutputs(message ?? "");
  const missing = outputs.filter((key) => !Object.hasOwn(parsed, key));
  if (missing.length > 0) {
    const why = `Provision hook ${name} ended without the outputs ${missing.join(", ")}`;
    return { type: "failed", message: `${why}; write KEY=VALUE lines to /dev/termination-log` };
  }
  return { type: "storeOutputs", outputs: parsed };
}

/** Returns the termination message of the newest pod with the given exit code, or with any code other than 0. */
function terminationMessage(pods: readonly DeepReadonly<Pod>[], exitCode: 0 | undefined): string | undefined {
  const ends = pods.flatMap(({ status }) =>
    (status?.containerStatuses ?? []).flatMap(({ state }) =>
      state?.terminated === undefined ? [] : [state.terminated],
    ),
  );
  const fitting = ends.filter((end) => (exitCode === 0 ? end.exitCode === 0 : end.exitCode !== 0));
  const [newest] = fitting.toSorted((left, right) => (right.finishedAt ?? "").localeCompare(left.finishedAt ?? ""));
  return newest?.message;
}

/**
 * Parses the KEY=VALUE lines of a termination message. Lines of another form are ignored: a hook may print other text as well.
 *
 * @example
 * parseOutputs("URL=postgres://db\nUSER=pr-42"); // { URL: "postgres://db", USER: "pr-42" }
 */
export function parseOutputs(message: string): Readonly<Record<string, string>> {
  const outputs = new Map<string, string>();
  for (const line of message.slice(0, messageBytesMax).split("\n")) {
    const [, key, value] = /^([A-Za-z_][-._A-Za-z0-9]*)=(.*)$/.exec(line.replace(/\r$/, "")) ?? [];
    if (key !== undefined && value !== undefined) outputs.set(key, value);
  }
  return Object.fromEntries(outputs);
}

function lastCharacters(text: string, count: number): string {
  return text.length <= count ? text : `...${text.slice(-count)}`;
}
