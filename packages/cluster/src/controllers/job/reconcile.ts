import { asStored, type DeepReadonly, formatTime, isEqual, keyOf } from "@homeostat/core";
import type { Job, JobCondition } from "@homeostat/kubernetes/batch/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import type { EventNote, ReconcileResult } from "@homeostat/runtime";
import { WorkloadRefusedError } from "../pods/errors.ts";
import { isReady, type StoredPod } from "../pods/pod-state.ts";
import { isNamespaceTerminating } from "../common/namespace-terminating.ts";
import { messageOf } from "../pods/pod-writer.ts";
import { slowStart } from "../pods/slow-start.ts";
import { isComplete, msToDeadline, planPods, type PodPlan, trueCondition, decideOutcome } from "./decide.ts";
import { isTracked, type StoredJob } from "./job.ts";
import { jobPod } from "./pod-template.ts";
import { startedStatus, suspension, withCondition, withCounts } from "./status.ts";
import { type DraftStatus, settle, track, uncounted } from "./track.ts";
import type { JobView } from "./view.ts";

/** Writes of one Job reconcile. */
export interface JobActions {
  event(this: void, event: EventNote): void;
  createPod(this: void, pod: DeepReadonly<Pod>): Promise<DeepReadonly<Pod>>;
  deletePod(this: void, pod: StoredPod): Promise<{ readonly wasFound: boolean }>;
  /** Removes the tracking finalizer. A pod that does not exist counts as released. */
  releasePod(this: void, pod: StoredPod): Promise<void>;
  writeStatus(this: void, job: StoredJob, status: DraftStatus): Promise<Job>;
}

/**
 * One reconcile of one Job: decides, creates or deletes pods, and counts finished ones. The process may stop after
 * any of the writes; the next reconcile continues from the status.
 */
export class JobReconcile {
  readonly #actions: JobActions;
  #job: StoredJob | undefined;
  #status: DraftStatus = {};
  /** Pod counts as of now: those observed plus the effects of this reconcile. */
  #counts = { active: 0, ready: 0, terminating: 0 };
  #hasDeleted = false;
  #failure: unknown;

  constructor(actions: JobActions) {
    this.#actions = actions;
  }

  /** Reconciles a Job that is not finished. */
  async perform(view: JobView): Promise<ReconcileResult> {
    const { job, now, active, ready, terminating } = view;
    this.#job = job;
    this.#status = startedStatus(job, now);
    this.#counts = { active: active.length, ready, terminating };
    let outcome = decideOutcome(view);
    let waitMs: number | undefined;
    if (outcome === undefined) {
      const plan = planPods(view);
      waitMs = plan.type === "wait" ? plan.ms : undefined;
      await this.#carryOut(view, plan);
      if (isComplete(view, this.#counts.active)) {
        const message = "Reached expected number of succeeded pods";
        outcome = trueCondition("SuccessCriteriaMet", { reason: "CompletionsReached", message, now });
      } else this.#recordSuspension(view);
    } else {
      const deleted = await this.#deleteAll(active, { isReleased: false });
      // The Job is not over while it has active pods that could not be deleted.
      if (deleted < active.length) outcome = undefined;
    }
    this.#status = withCounts(this.#status, this.#counts);
    const isFull = await this.#countFinished(view, outcome);
    if (this.#failure !== undefined) {
      const owner = `Job ${keyOf(job)}`;
      throw new WorkloadRefusedError({ owner, refusal: messageOf(this.#failure) }, { cause: this.#failure });
    }
    const deadlineMs = outcome === undefined ? msToDeadline({ job: { ...job, status: this.#status }, now }) : undefined;
    const waits = [waitMs, deadlineMs].filter((ms) => ms !== undefined);
    if (this.#hasDeleted || isFull) return { requeueAfterMs: 0 };
    return { requeueAfterMs: waits.length === 0 ? undefined : Math.min(...waits) };
  }

  async #carryOut(view: JobView, plan: PodPlan): Promise<void> {
    switch (plan.type) {
      case "nothing":
      case "wait":
        return;
      case "delete":
        await this.#deleteAll(plan.pods, { isReleased: true });
        return;
      case "create": {
        const { count, indexes } = plan;
        const { successes, failure } = await slowStart(count, async (place) => {
          const index = indexes?.[place];
          await this.#create(jobPod(view.job, index, index === undefined ? undefined : view.held.get(index)));
        });
        this.#counts.active += successes;
        this.#failure ??= failure;
        return;
      }
    }
  }

  async #create(pod: DeepReadonly<Pod>): Promise<void> {
    const { event, createPod } = this.#actions;
    try {
      const { metadata } = await createPod(pod);
      event({ reason: "SuccessfulCreate", note: `Created pod: ${metadata.name}` });
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      event({ type: "Warning", reason: "FailedCreate", note: `Error creating: ${messageOf(error)}` });
      throw error;
    }
  }

  /**
   * Deletes pods. With `isReleased` the finalizer is removed first, so that the pods are not counted as failed: they
   * were surplus.
   */
  async #deleteAll(pods: readonly StoredPod[], { isReleased }: { readonly isReleased: boolean }): Promise<number> {
    const results = await Promise.allSettled(pods.map((pod) => this.#delete(pod, isReleased)));
    const deleted = pods.filter((_, index) => results[index]?.status === "fulfilled");
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) this.#failure ??= failed.reason;
    this.#hasDeleted ||= deleted.length > 0;
    this.#counts.active -= deleted.length;
    this.#counts.terminating += deleted.length;
    this.#counts.ready -= deleted.filter(isReady).length;
    return deleted.length;
  }

  async #delete(pod: StoredPod, isReleased: boolean): Promise<void> {
    const { event, deletePod, releasePod } = this.#actions;
    if (isReleased && isTracked(pod)) await releasePod(pod);
    try {
      const { wasFound } = await deletePod(pod);
      if (wasFound) event({ reason: "SuccessfulDelete", note: `Deleted pod: ${pod.metadata.name}` });
    } catch (error) {
      event({ type: "Warning", reason: "FailedDelete", note: `Error deleting: ${messageOf(error)}` });
      throw error;
    }
  }

  #recordSuspension({ job, now }: JobView): void {
    const change = suspension(job, this.#status, now);
    if (change === undefined) return;
    this.#status = change.status;
    this.#actions.event(change.event);
  }

  /**
   * Counts finished pods in the three steps described in track.ts. Returns true if more pods are left than fit into
   * the status.
   */
  async #countFinished(view: JobView, outcome: DeepReadonly<JobCondition> | undefined): Promise<boolean> {
    const held = new Set(view.pods.filter(isTracked).map(({ metadata }) => metadata.uid));
    // `settle` first counts pods that an earlier reconcile released and did not get to count.
    const { status, release, isFull } = track(view, settle(this.#status, held), outcome);
    this.#status = withInterim(status, outcome);
    await this.#flush();
    const results = await Promise.allSettled(release.map((pod) => this.#actions.releasePod(pod)));
    for (const [index, pod] of release.entries()) {
      if (results[index]?.status === "fulfilled") held.delete(pod.metadata.uid);
    }
    this.#status = settle(this.#status, held);
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) this.#failure ??= failed.reason;
    else if (outcome !== undefined && !isFull) {
      await this.#finish(outcome, view.now);
      return false;
    }
    await this.#flush();
    return isFull;
  }

  /** Writes the final condition once all pods are counted and no pod is terminating. */
  async #finish(outcome: DeepReadonly<JobCondition>, now: number): Promise<void> {
    if (uncounted(this.#status) > 0 || this.#counts.terminating > 0) return this.#flush();
    const isSuccess = outcome.type === "SuccessCriteriaMet";
    const { reason = "", message = "" } = outcome;
    const type = isSuccess ? "Complete" : "Failed";
    const conditions = withCondition(this.#status.conditions ?? [], { type, status: "True", reason, message }, now);
    this.#status = {
      ...this.#status,
      conditions: conditions ?? this.#status.conditions ?? [],
      ...(isSuccess ? { completionTime: formatTime(now) } : {}),
    };
    await this.#flush();
    const { event } = this.#actions;
    if (!isSuccess) return event({ type: "Warning", reason, note: message });
    const { completions } = this.#job?.spec ?? {};
    if (completions !== undefined && (this.#status.succeeded ?? 0) > completions) {
      const note = "Too many succeeded pods running after completion count reached";
      event({ type: "Warning", reason: "TooManySucceededPods", note });
    }
    event({ reason: "Completed", note: "Job completed" });
  }

  /** Updates the status if it changed. */
  async #flush(): Promise<void> {
    if (this.#job === undefined || isEqual(this.#job.status ?? {}, this.#status)) return;
    const written = await this.#actions.writeStatus(this.#job, this.#status);
    this.#job = asStored(written);
    this.#status = this.#job.status ?? {};
  }
}

/**
 * Adds the interim condition (`FailureTarget`, `SuccessCriteriaMet`) to the status. It is written before finalizers
 * are removed: the pods that led to the decision may be deleted after that, and a restarted controller could not
 * reach the same decision from what is left.
 */
function withInterim(status: DraftStatus, outcome: DeepReadonly<JobCondition> | undefined): DraftStatus {
  const isNews = outcome?.type === "FailureTarget" || outcome?.type === "SuccessCriteriaMet";
  if (outcome === undefined || !isNews || status.conditions?.some(({ type }) => type === outcome.type)) return status;
  return { ...status, conditions: [...(status.conditions ?? []), outcome] };
}
