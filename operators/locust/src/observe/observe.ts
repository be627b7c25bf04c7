import { type DeepReadonly, ForbiddenError, parseTime } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import { Event, type Pod } from "@homeostat/kubernetes/core/v1";
import type { Role } from "../api/identity.ts";
import { hangingPods, type Health, judgeHealth } from "../decide/health.ts";
import { podsOf, type TestPod } from "./pods.ts";
import type { Pass } from "../reconcile/scope.ts";

/** The two Jobs of a run, as far as they are known. */
export type Jobs = Readonly<Record<Role, DeepReadonly<Job> | undefined>>;

/** The pods of a run, and how they are. */
export interface Observed {
  readonly pods: readonly TestPod[];
  readonly health: Health;
}

/** How soon to ask again about pods that hang, or are not made, of which no event has told yet. */
const askAgainMs = 15_000;

/** Looks at the pods of a run, and at the events of those that get nowhere. */
export async function observe(pass: Pass, jobs: Jobs): Promise<Observed> {
  const { config } = pass.parts;
  const { spec } = pass.test;
  const { now } = pass;
  const graceMs = config.podStartupGraceSeconds * 1_000;
  const pods = podsOf(jobs, (uid) => pass.context.watched.pods.by("job", uid));
  const mountProblems = await mountProblemsOf(pass, hangingPods({ pods, now, graceMs }));
  const barren = barrenJobs(jobs, pods, { now, graceMs });
  const refusal = await refusalOf(pass, barren.old);
  const health = judgeHealth({
    pods,
    now,
    graceMs,
    refusal,
    masterContainer: pass.nodeName("master"),
    expectedConfigMap: spec.testFiles?.configMapRef ?? spec.testFiles?.libConfigMapRef,
    ignoresDisruptions: spec.worker.ignoreDisruptions,
    mountProblemOf: (pod) => mountProblems.get(pod.metadata.uid ?? ""),
  });
  const again = health.isHanging || barren.old.length > 0 ? askAgainMs : undefined;
  return { pods, health: { ...health, requeueAfterMs: soonest(health.requeueAfterMs, barren.inMs, again) } };
}

/** The sooner of several times; undefined when there is none. */
export function soonest(...times: readonly (number | undefined)[]): number | undefined {
  const given = times.filter((time) => time !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}

/** The Jobs that have made no pod, though they had the time; and in how long those that had not will have had it. */
function barrenJobs(
  jobs: Jobs,
  pods: readonly TestPod[],
  { now, graceMs }: { readonly now: number; readonly graceMs: number },
): { readonly old: readonly DeepReadonly<Job>[]; readonly inMs: number | undefined } {
  const old: DeepReadonly<Job>[] = [];
  let inMs: number | undefined;
  for (const role of ["master", "worker"] as const) {
    const job = jobs[role];
    const { active = 0, succeeded = 0, failed = 0 } = job?.status ?? {};
    const { creationTimestamp } = job?.metadata ?? {};
    const hasPods = active + succeeded + failed > 0 || pods.some((each) => each.role === role);
    if (job === undefined || hasPods || creationTimestamp === undefined) continue;
    const leftMs = parseTime(creationTimestamp) + graceMs - now;
    if (leftMs <= 0) old.push(job);
    else inMs = soonest(inMs, leftMs);
  }
  return { old, inMs };
}

/** What the newest events of pods say about volumes that cannot be mounted, by the uid of the pod. */
async function mountProblemsOf(pass: Pass, pods: readonly DeepReadonly<Pod>[]): Promise<ReadonlyMap<string, string>> {
  if (pods.length === 0) return new Map();
  return newestEvents(pass, "Pod", ["FailedMount", "FailedAttachVolume"]);
}

/** Why the API server takes no pod of a Job, as the Job controller was told last. */
async function refusalOf(pass: Pass, jobs: readonly DeepReadonly<Job>[]): Promise<string | undefined> {
  if (jobs.length === 0) return undefined;
  const told = await newestEvents(pass, "Job", ["FailedCreate"]);
  return jobs.map(({ metadata }) => told.get(metadata.uid ?? "")).find((text) => text !== undefined);
}

/** The newest Warning of each object of a kind, for some reasons, by its uid. Nothing where events may not be read. */
async function newestEvents(
  pass: Pass,
  kind: string,
  reasons: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { client, namespace, signal } = pass.context;
  const newest = new Map<string, { readonly at: number; readonly text: string }>();
  for (const reason of reasons) {
    const fieldSelector = `involvedObject.kind=${kind},type=Warning,reason=${reason}`;
    try {
      for await (const event of client.items(Event, { namespace, fieldSelector, signal })) {
        const { involvedObject, message: text = "" } = event;
        const uid = involvedObject.uid ?? "";
        const at = timeOf(event);
        if (at >= (newest.get(uid)?.at ?? -Infinity)) newest.set(uid, { at, text });
      }
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
      pass.context.log.debug("Events may not be read; pods that hang are taken for slow", { error });
      return new Map();
    }
  }
  return new Map([...newest].map(([uid, { text }]) => [uid, text]));
}

function timeOf({ lastTimestamp, eventTime, series, metadata }: DeepReadonly<Event>): number {
  const text = lastTimestamp ?? series?.lastObservedTime ?? eventTime ?? metadata.creationTimestamp;
  return text === undefined ? 0 : parseTime(text);
}
