import { AlreadyExistsError, asStored, type DeepReadonly, isEqual, keyOf } from "@homeostat/core";
import type { Deployment, ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import type { ReconcileResult } from "@homeostat/runtime";
import { WorkloadRefusedError } from "../pods/errors.ts";
import { controllerOf } from "../pods/ownership.ts";
import { isTerminal, type SomePod } from "../pods/pod-state.ts";
import { isNamespaceTerminating } from "../common/namespace-terminating.ts";
import { messageOf } from "../pods/pod-writer.ts";
import { newReplicaSet } from "./new-replica-set.ts";
import { type ConditionText, conditionAt, findIn, withCondition } from "./conditions.ts";
import {
  byRevision,
  currentAnnotations,
  divide,
  isSameTemplate,
  maxRevision,
  revisionAnnotation,
  sizeAnnotations,
} from "./replica-sets.ts";
import { type RollbackActions, rollBack, rollbackTarget } from "./rollback.ts";
import { currentSize, isScaling, type Resize, scaleAll, shrinkOld } from "./scale.ts";
import { countedStatus, isComplete, msToTimeout, rolloutStatus } from "./status.ts";
import {
  desired,
  hasDeadline,
  historyLimit,
  sizeOf,
  type StoredDeployment,
  type StoredSet,
  totalSize,
} from "./strategy.ts";

/** Reads and writes of one Deployment reconcile. */
export interface RolloutActions extends RollbackActions {
  readonly now: number;
  podsOf(this: void, set: StoredSet): readonly SomePod[];
  readSet(this: void, name: string): Promise<ReplicaSet | undefined>;
  createSet(this: void, set: DeepReadonly<ReplicaSet>): Promise<ReplicaSet>;
  updateSet(this: void, set: DeepReadonly<ReplicaSet>): Promise<ReplicaSet>;
  deleteSet(this: void, set: StoredSet): Promise<void>;
  /**
   * Updates the status. The API server also stores changed annotations of a request to the status subresource, so the
   * revision is written in the same request.
   */
  writeStatus(this: void, deployment: DeepReadonly<Deployment>): Promise<Deployment>;
}

/**
 * One reconcile of one Deployment. It follows `syncDeployment` of kube-controller-manager, which decides in this order:
 *
 *     paused?            resize only: replicas may change during a pause, the template is not rolled out
 *     rollback asked?    copy the old template into the spec; the next reconcile rolls it out as any other change
 *     replicas changed?  resize all ReplicaSets in proportion, before the rollout goes on
 *     otherwise          one step of the strategy, then the status
 *
 * The order matters. If a rollout went on before a change of `spec.replicas` was distributed, the surge would be computed for a size
 * that the ReplicaSets do not have: scaling from 10 to 100 in the middle of a rollout would create all 90 pods from the new template,
 * which may be the broken one.
 *
 * The state of a rollout is in the sizes and annotations of its ReplicaSets and nowhere else. Each reconcile derives the next step from
 * them, so a crash, a new leader or another change of the template in the middle needs no special treatment.
 *
 * A reconcile that wrote something requests another one at once: the next step depends on what the write led to, and the
 * runtime does not trigger a reconcile for the controller's own writes.
 */
export class Rollout {
  readonly #actions: RolloutActions;
  readonly #sets = new Map<string, StoredSet>();
  #hasChanged = false;

  constructor(actions: RolloutActions) {
    this.#actions = actions;
  }

  async perform(found: StoredDeployment, sets: readonly StoredSet[]): Promise<ReconcileResult> {
    for (const set of sets) this.#sets.set(set.metadata.uid, set);
    let deployment = await this.#recordPause(found);
    if (deployment.spec?.paused === true) {
      deployment = await this.#syncCurrent(deployment);
      await this.#resize(deployment, scaleAll(deployment, this.#divide(deployment)), { isForced: true });
      await this.#cleanUp(deployment);
      return this.#end(await this.#writeCounts(deployment));
    }
    const target = rollbackTarget(deployment);
    if (target !== undefined) {
      deployment = await this.#ensureCurrent(await this.#syncCurrent(deployment));
      await rollBack(deployment, { requested: target, sets: [...this.#sets.values()], actions: this.#actions });
      return { requeueAfterMs: 0 };
    }
    deployment = await this.#syncCurrent(deployment);
    const divided = this.#divide(deployment);
    if (isScaling(deployment, divided)) {
      await this.#resize(deployment, scaleAll(deployment, divided), { isForced: true });
      return this.#end(await this.#writeCounts(deployment));
    }
    deployment =
      deployment.spec?.strategy?.type === "Recreate" ? await this.#recreate(deployment) : await this.#roll(deployment);
    return this.#end(await this.#writeProgress(deployment));
  }

  /**
   * Performs one step of a rolling update: scales the current ReplicaSet up within `maxSurge`, else the old ones down
   * within `maxUnavailable` (rolling.go).
   *
   * One direction per reconcile. Scaling up first uses the surge before availability is given up, and the decision to scale down has to
   * wait until the status of the ReplicaSets shows which of the new pods became available. Validation rejects a strategy in which both
   * limits are 0: no step would be possible.
   */
  async #roll(before: StoredDeployment): Promise<StoredDeployment> {
    const deployment = await this.#ensureCurrent(before);
    const { current, old } = this.#divide(deployment);
    if (current === undefined) return deployment;
    const size = sizeOf(current);
    const total = totalSize([...old, current]);
    const next = size > desired(deployment) ? desired(deployment) : currentSize(deployment, { size, total });
    if (await this.#resize(deployment, [{ set: current, size: next }])) return deployment;
    if (await this.#resize(deployment, shrinkOld(deployment, current, old))) return deployment;
    if (isComplete(deployment, deployment.status)) await this.#cleanUp(deployment);
    return deployment;
  }

  /**
   * Performs one step of the Recreate strategy: new pods are created only after all old pods are deleted or terminal
   * (recreate.go).
   *
   * The size of the old ReplicaSets is not enough to know that: a pod that is being deleted no longer counts but its containers may run
   * until the grace period ends. Users choose Recreate because two versions must not run at the same time, for example on one volume.
   */
  async #recreate(before: StoredDeployment): Promise<StoredDeployment> {
    const { current, old } = this.#divide(before);
    if (
      await this.#resize(
        before,
        old.map((set) => ({ set, size: 0 })),
      )
    )
      return before;
    const hasOldPods =
      old.some(({ status }) => (status?.replicas ?? 0) > 0) ||
      old.some((set) => this.#actions.podsOf(set).some((pod) => !isTerminal(pod)));
    if (hasOldPods) return before;
    const deployment = current === undefined ? await this.#ensureCurrent(before) : before;
    const made = this.#divide(deployment).current;
    if (made !== undefined) await this.#resize(deployment, [{ set: made, size: desired(deployment) }]);
    if (isComplete(deployment, deployment.status)) await this.#cleanUp(deployment);
    return deployment;
  }

  /**
   * Records pause and resume in the Progressing condition (`checkPausedConditions`). The new `lastUpdateTime`
   * restarts the progress deadline, so the time of the pause does not count. An exceeded deadline stays visible.
   */
  async #recordPause(deployment: StoredDeployment): Promise<StoredDeployment> {
    if (!hasDeadline(deployment)) return deployment;
    const reason = findIn(deployment.status?.conditions, "Progressing")?.reason;
    const isPaused = deployment.spec?.paused === true;
    if (reason === "ProgressDeadlineExceeded" || isPaused === (reason === "DeploymentPaused")) return deployment;
    return this.#setProgressing(deployment, {
      status: "Unknown",
      ...(isPaused
        ? { reason: "DeploymentPaused", message: "Deployment is paused" }
        : { reason: "DeploymentResumed", message: "Deployment is resumed" }),
    });
  }

  /**
   * Updates annotations, revision and `minReadySeconds` of the current ReplicaSet, and copies the revision to the
   * Deployment.
   *
   * The revision is the highest of the others plus one, not a counter: after a rollback the old ReplicaSet becomes the current one
   * again and must get a new, highest revision. `kubectl rollout undo` goes back to the second highest, and would choose the wrong one.
   */
  async #syncCurrent(deployment: StoredDeployment): Promise<StoredDeployment> {
    const { current, old } = this.#divide(deployment);
    if (current === undefined) return deployment;
    const annotations = currentAnnotations(deployment, current.metadata.annotations, maxRevision(old) + 1);
    const { minReadySeconds = 0 } = deployment.spec ?? {};
    const isSame = isEqual(annotations, current.metadata.annotations ?? {});
    if (!isSame || (current.spec?.minReadySeconds ?? 0) !== minReadySeconds) {
      await this.#updateSet({
        ...current,
        metadata: { ...current.metadata, annotations },
        spec: { ...current.spec, minReadySeconds },
      });
    }
    const found =
      hasDeadline(deployment) && findIn(deployment.status?.conditions, "Progressing") === undefined
        ? ({ reason: "FoundNewReplicaSet", message: `Found new replica set "${current.metadata.name}"` } as const)
        : undefined;
    return this.#setRevision(deployment, annotations[revisionAnnotation] ?? "", found);
  }

  /** Creates the ReplicaSet for the template of a Deployment if it does not exist. */
  async #ensureCurrent(deployment: StoredDeployment): Promise<StoredDeployment> {
    const { current, old } = this.#divide(deployment);
    if (current !== undefined) return deployment;
    const revision = maxRevision(old) + 1;
    const set = newReplicaSet(deployment, { old, revision });
    const { event, createSet } = this.#actions;
    try {
      const created = await createSet(set);
      this.#keep(created);
      const size = sizeOf(created);
      if (size > 0) {
        event({ reason: "ScalingReplicaSet", note: `Scaled up replica set ${set.metadata.name} from 0 to ${size}` });
      }
    } catch (error) {
      if (error instanceof AlreadyExistsError) return this.#afterCollision(deployment, set, error);
      return this.#afterRefusal(deployment, set, error);
    }
    const progress = {
      reason: "NewReplicaSetCreated",
      message: `Created new replica set "${set.metadata.name}"`,
    } as const;
    return this.#setRevision(deployment, String(revision), hasDeadline(deployment) ? progress : undefined);
  }

  /**
   * Handles a ReplicaSet name that is taken. If the ReplicaSet is ours and has our template, the cache was stale and
   * it is used. Otherwise two templates have the same hash: the collision count is increased, which changes the hash,
   * and the retry uses another name.
   */
  async #afterCollision(
    deployment: StoredDeployment,
    requested: DeepReadonly<ReplicaSet>,
    error: unknown,
  ): Promise<StoredDeployment> {
    const existing = await this.#actions.readSet(requested.metadata.name ?? "");
    if (existing === undefined) throw error;
    const isOurs = controllerOf(existing)?.uid === deployment.metadata.uid;
    if (isOurs && isSameTemplate(existing.spec?.template, deployment.spec?.template)) {
      this.#keep(existing);
      return deployment;
    }
    const { status } = deployment;
    const collisionCount = (status?.collisionCount ?? 0) + 1;
    await this.#write({ ...deployment, status: { ...status, collisionCount } });
    throw new WorkloadRefusedError(
      { owner: `Deployment ${keyOf(deployment)}`, refusal: messageOf(error) },
      { cause: error },
    );
  }

  async #afterRefusal(
    deployment: StoredDeployment,
    requested: DeepReadonly<ReplicaSet>,
    error: unknown,
  ): Promise<StoredDeployment> {
    if (!isNamespaceTerminating(error)) {
      const message = `Failed to create new replica set "${requested.metadata.name}": ${messageOf(error)}`;
      if (hasDeadline(deployment)) {
        await this.#setProgressing(deployment, { status: "False", reason: "ReplicaSetCreateError", message });
      }
      this.#actions.event({ type: "Warning", reason: "ReplicaSetCreateError", note: message });
    }
    throw new WorkloadRefusedError(
      { owner: `Deployment ${keyOf(deployment)}`, refusal: messageOf(error) },
      { cause: error },
    );
  }

  /**
   * Scales ReplicaSets. Returns true if the size of any of them changed. `isForced` also updates outdated size
   * annotations.
   */
  async #resize(
    deployment: StoredDeployment,
    steps: readonly Resize[],
    { isForced = false }: { readonly isForced?: boolean } = {},
  ): Promise<boolean> {
    let hasResized = false;
    for (const { set: planned, size } of steps) {
      const set = this.#sets.get(planned.metadata.uid) ?? planned;
      const before = sizeOf(set);
      const annotations = { ...set.metadata.annotations, ...sizeAnnotations(deployment) };
      const hasSizeAnnotations = isEqual(annotations, set.metadata.annotations ?? {});
      if (before === size && (!isForced || hasSizeAnnotations)) continue;
      await this.#updateSet({
        ...set,
        metadata: { ...set.metadata, annotations },
        spec: { ...set.spec, replicas: size },
      });
      if (before === size) continue;
      hasResized = true;
      const direction = before < size ? "up" : "down";
      const note = `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${size}`;
      this.#actions.event({ reason: "ScalingReplicaSet", note });
    }
    return hasResized;
  }

  /**
   * Deletes the ReplicaSets without pods that have the lowest revisions, beyond `revisionHistoryLimit`. A ReplicaSet
   * whose controller has not observed its latest generation may still create pods and is kept.
   */
  async #cleanUp(deployment: StoredDeployment): Promise<void> {
    const limit = historyLimit(deployment);
    if (limit === undefined) return;
    const old = this.#divide(deployment).old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const surplus = byRevision(old).slice(0, Math.max(0, old.length - limit));
    for (const set of surplus) {
      const { status, metadata } = set;
      const isObserved = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
      if ((status?.replicas ?? 0) === 0 && sizeOf(set) === 0 && isObserved) await this.#actions.deleteSet(set);
    }
  }

  #divide(deployment: StoredDeployment): ReturnType<typeof divide> {
    return divide(deployment, [...this.#sets.values()]);
  }

  #setProgressing(deployment: StoredDeployment, text: Omit<ConditionText, "type">): Promise<StoredDeployment> {
    const { status } = deployment;
    const condition = conditionAt({ type: "Progressing", ...text }, this.#actions.now);
    return this.#write({
      ...deployment,
      status: { ...status, conditions: withCondition(status?.conditions ?? [], condition) },
    });
  }

  async #setRevision(
    deployment: StoredDeployment,
    revision: string,
    progress: Pick<ConditionText, "reason" | "message"> | undefined,
  ): Promise<StoredDeployment> {
    const { metadata, status } = deployment;
    const isKnown = metadata.annotations?.[revisionAnnotation] === revision;
    if (isKnown && progress === undefined) return deployment;
    const annotations = { ...metadata.annotations, [revisionAnnotation]: revision };
    const before = status?.conditions ?? [];
    const condition = progress && conditionAt({ type: "Progressing", status: "True", ...progress }, this.#actions.now);
    const conditions = condition === undefined ? before : withCondition(before, condition);
    return this.#write({
      ...deployment,
      metadata: { ...metadata, annotations },
      status: { ...status, ...(conditions.length === 0 ? {} : { conditions }) },
    });
  }

  #writeCounts(deployment: StoredDeployment): Promise<StoredDeployment> {
    const status = countedStatus({ deployment, ...this.#divide(deployment), now: this.#actions.now });
    return this.#writeIfNew(deployment, status);
  }

  #writeProgress(deployment: StoredDeployment): Promise<StoredDeployment> {
    const status = rolloutStatus({ deployment, ...this.#divide(deployment), now: this.#actions.now });
    return this.#writeIfNew(deployment, status);
  }

  async #writeIfNew(deployment: StoredDeployment, status: StoredDeployment["status"]): Promise<StoredDeployment> {
    if (isEqual(deployment.status, status)) return deployment;
    return this.#write({ ...deployment, ...(status === undefined ? {} : { status }) });
  }

  async #write(deployment: DeepReadonly<Deployment>): Promise<StoredDeployment> {
    this.#hasChanged = true;
    return asStored(await this.#actions.writeStatus(deployment));
  }

  async #updateSet(set: DeepReadonly<ReplicaSet>): Promise<void> {
    this.#keep(await this.#actions.updateSet(set));
    this.#hasChanged = true;
  }

  #keep(set: ReplicaSet): void {
    const stored = asStored(set);
    this.#sets.set(stored.metadata.uid, stored);
  }

  #end(deployment: StoredDeployment): ReconcileResult {
    if (this.#hasChanged) return { requeueAfterMs: 0 };
    return { requeueAfterMs: msToTimeout(deployment, deployment.status ?? {}, this.#actions.now) };
  }
}
