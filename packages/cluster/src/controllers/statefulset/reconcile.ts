import { AlreadyExistsError, asStored, type DeepReadonly, keyOf } from "@homeostat/core";
import type { ControllerRevision } from "@homeostat/kubernetes/apps/v1";
import type { PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import type { EventNote } from "@homeostat/runtime";
import { WorkloadRefusedError } from "../pods/errors.ts";
import { isAvailable, type SomePod, type StoredPod } from "../pods/pod-state.ts";
import { messageOf } from "../pods/pod-writer.ts";
import { slowStart } from "../pods/slow-start.ts";
import {
  claimName,
  claimOwners,
  claimsOf,
  hasClaims,
  hasOtherController,
  isOfEarlierPod,
  withClaims,
} from "./claims.ts";
import { isInRange, isParallel, ordinalOf, replicasOf, revisionOf, startOf, type StoredStateful } from "./ordinals.ts";
import { inOrder, isSameRevision, revisionFor, type StoredRevision, surplusRevisions } from "./revisions.ts";
import { hasIdentity, type Revisions, statefulPod, withIdentity } from "./stateful-pod.ts";
import {
  type DraftStatus,
  finalStatus,
  isCreated,
  hasStatusChanged,
  isRunningAndReady,
  isUnavailable,
  statefulStatus,
} from "./status.ts";

/** Reads and writes of one StatefulSet reconcile. */
export interface StatefulActions {
  readonly now: number;
  event(this: void, event: EventNote): void;
  claim(this: void, name: string): DeepReadonly<PersistentVolumeClaim> | undefined;
  createClaim(this: void, claim: DeepReadonly<PersistentVolumeClaim>): Promise<unknown>;
  updateClaim(this: void, claim: DeepReadonly<PersistentVolumeClaim>): Promise<unknown>;
  createPod(this: void, pod: DeepReadonly<Pod>): Promise<Pod>;
  updatePod(this: void, pod: DeepReadonly<Pod>): Promise<unknown>;
  deletePod(this: void, pod: StoredPod): Promise<unknown>;
  readRevision(this: void, name: string): Promise<ControllerRevision | undefined>;
  createRevision(this: void, revision: DeepReadonly<ControllerRevision>): Promise<ControllerRevision>;
  updateRevision(this: void, revision: DeepReadonly<ControllerRevision>): Promise<ControllerRevision>;
  deleteRevision(this: void, revision: StoredRevision): Promise<unknown>;
  writeStatus(this: void, status: DraftStatus): Promise<unknown>;
}

/** The result of processing one pod: continue with the next one, or stop and wait. */
type Step = "next" | "stop";

/**
 * One reconcile of one StatefulSet. `perform` returns true if it wrote anything but the status, so that more may be
 * left to do.
 *
 * A pod of a StatefulSet is an identity: name, ordinal and volumes. The guarantee is that at most one pod has an identity at any time,
 * because two pods on one volume, or two members with one name in a quorum, destroy data. Three rules follow:
 *
 * - A pod is never created beside one of its name. The name is fixed, so the API server rejects it, and a pod that is being deleted
 *   keeps its name until the kubelet has confirmed that its containers ended. A pod on an unreachable node therefore blocks its
 *   ordinal until the node returns, the Node object is deleted, or a user deletes the pod by force.
 * - With `OrderedReady`, pods are created in ascending order, each after all before it are available, and deleted in descending order,
 *   one at a time: a new member finds its peers, and the members with the lowest ordinals, which often seed the others, go last.
 * - An update deletes one pod and waits until its successor is available before it deletes the next one, from the highest ordinal to
 *   the partition. A template that never becomes available stops after the first pod.
 *
 *     replicas (ascending): create, wait ──▶ surplus (descending): delete ──▶ old revision (descending): delete
 */
export class StatefulSetReconcile {
  readonly #set: StoredStateful;
  readonly #actions: StatefulActions;
  #hasChanged = false;
  #collisionCount: number;

  constructor(set: StoredStateful, actions: StatefulActions) {
    this.#set = set;
    this.#actions = actions;
    this.#collisionCount = set.status?.collisionCount ?? 0;
  }

  async perform(pods: readonly StoredPod[], found: readonly StoredRevision[]): Promise<boolean> {
    const set = this.#set;
    const revisions = inOrder(found);
    const update = await this.#updateRevision(revisions);
    const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
    const failure = await this.#manage(pods, { current, update });
    const live = new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionOf)]);
    for (const revision of surplusRevisions(set, revisions, live)) await this.#actions.deleteRevision(revision);
    if (failure !== undefined) {
      const owner = `StatefulSet ${keyOf(set)}`;
      throw new WorkloadRefusedError({ owner, refusal: messageOf(failure.error) }, { cause: failure.error });
    }
    return this.#hasChanged;
  }

  /**
   * Processes the pods in the order of `updateStatefulSet` in stateful_set_control.go and writes the status, also
   * after a failure. Surplus pods are deleted only when all desired ones are up, and pods of an old revision are
   * replaced only when no surplus pod is left.
   */
  async #manage(pods: readonly StoredPod[], revisions: Revisions): Promise<{ readonly error: unknown } | undefined> {
    const set = this.#set;
    const start = startOf(set);
    const existing = new Map(pods.filter((pod) => isInRange(pod, set)).map((pod) => [ordinalOf(pod), pod]));
    const replicas: SomePod[] = Array.from({ length: replicasOf(set) }, (_, index) => {
      return existing.get(start + index) ?? statefulPod(set, start + index, revisions);
    });
    const condemned = pods
      .filter((pod) => !isInRange(pod, set) && ordinalOf(pod) >= 0)
      .toSorted((a, b) => ordinalOf(b) - ordinalOf(a));
    let failure: { readonly error: unknown } | undefined;
    let updating = 0;
    try {
      const isDone =
        (await this.#forAll(replicas, (pod, index) => this.#processReplica(pod, replicas, index))) &&
        (await this.#forAll(condemned, (pod) => this.#updateClaimOwners(pod).then((): Step => "next"))) &&
        (await this.#forAll(condemned, (pod) => this.#processSurplus(pod, { replicas, condemned })));
      if (isDone) updating = await this.#replaceOld(replicas, revisions);
    } catch (error) {
      failure = { error };
    }
    const { now } = this.#actions;
    const all = [...replicas, ...condemned];
    const counted = statefulStatus(set, { ...revisions, pods: all, collisionCount: this.#collisionCount, now });
    const currentReplicas = Math.max(0, (counted.currentReplicas ?? 0) - updating);
    const status = finalStatus(set, { ...counted, currentReplicas });
    if (hasStatusChanged(set.status, status)) await this.#actions.writeStatus(status);
    return failure;
  }

  /**
   * Processes pods in order until one must be waited for, or all in parallel with `podManagementPolicy: Parallel`.
   * Returns true if all were processed.
   */
  async #forAll<P>(pods: readonly P[], work: (pod: P, index: number) => Promise<Step>): Promise<boolean> {
    if (isParallel(this.#set)) {
      const { failure } = await slowStart(pods.length, async (index) => {
        const pod = pods[index];
        if (pod !== undefined) await work(pod, index);
      });
      if (failure instanceof Error) throw failure;
      return true;
    }
    for (const [index, pod] of pods.entries()) if ((await work(pod, index)) === "stop") return false;
    return true;
  }

  /** Processes a desired pod. In order, the next one is processed only when this one is available. */
  async #processReplica(pod: SomePod, replicas: SomePod[], index: number): Promise<Step> {
    const isOrdered = !isParallel(this.#set);
    const { phase } = pod.status ?? {};
    if (phase === "Failed" || phase === "Succeeded") {
      // It is created again once it is deleted. A failed pod is not restarted by the kubelet (eviction, for example), and its name
      // blocks the successor.
      if (pod.metadata.deletionTimestamp === undefined) await this.#delete(asStored(pod));
      return "stop";
    }
    let current = pod;
    if (!isCreated(pod)) {
      // With `whenScaled: Delete`, the garbage collector is deleting the claims of the former pod with this ordinal. A pod
      // created now would start with the old volume and lose it while it runs.
      if (this.#hasStaleClaim(pod)) return "stop";
      current = await this.#create(pod);
      replicas[index] = current;
      if (isOrdered) return "stop";
    }
    if (current.status?.phase === "Pending") {
      await this.#createClaims(current);
      await this.#updateClaimOwners(current);
    }
    const { minReadySeconds = 0 } = this.#set.spec ?? {};
    if (isOrdered) {
      const isBeingDeleted = current.metadata.deletionTimestamp !== undefined;
      const isHealthy = isRunningAndReady(current) && isAvailable(current, minReadySeconds, this.#actions.now);
      if (isBeingDeleted || !isHealthy) return "stop";
    }
    await this.#repair(current);
    return "next";
  }

  /**
   * Processes a surplus pod (`processCondemned`). In order, one pod is deleted at a time, the highest ordinal first. A
   * pod that is not available is deleted only if it is the first such pod of the set; otherwise that one must recover first.
   */
  async #processSurplus(
    pod: StoredPod,
    { replicas, condemned }: { readonly replicas: readonly SomePod[]; readonly condemned: readonly StoredPod[] },
  ): Promise<Step> {
    const isOrdered = !isParallel(this.#set);
    if (pod.metadata.deletionTimestamp !== undefined) return isOrdered ? "stop" : "next";
    const { minReadySeconds = 0 } = this.#set.spec ?? {};
    const { now } = this.#actions;
    const isHealthy = isRunningAndReady(pod) && isAvailable(pod, minReadySeconds, now);
    const first = [...replicas, ...condemned.toReversed()].find((one) => isUnavailable(one, minReadySeconds, now));
    if (isOrdered && !isHealthy && pod !== first) return "stop";
    await this.#delete(pod);
    return "stop";
  }

  /**
   * Deletes the pod with the highest ordinal that has an old revision, at or above the partition, if all pods above
   * it are available. Returns the number of deleted pods.
   */
  async #replaceOld(replicas: readonly SomePod[], { update }: Revisions): Promise<number> {
    const { type = "RollingUpdate", rollingUpdate } = this.#set.spec?.updateStrategy ?? {};
    if (type === "OnDelete") return 0;
    const { minReadySeconds = 0 } = this.#set.spec ?? {};
    for (const pod of replicas.slice(rollingUpdate?.partition ?? 0).toReversed()) {
      if (revisionOf(pod) !== update.metadata.name && pod.metadata.deletionTimestamp === undefined) {
        await this.#delete(asStored(pod));
        return 1;
      }
      if (isUnavailable(pod, minReadySeconds, this.#actions.now)) return 0;
    }
    return 0;
  }

  async #create(pod: SomePod): Promise<SomePod> {
    try {
      await this.#createClaims(pod);
      const created = await this.#actions.createPod(pod);
      this.#hasChanged = true;
      await this.#updateClaimOwners(created);
      this.#recordEvent("Create", pod);
      return created;
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) this.#recordEvent("Create", pod, error);
      throw error;
    }
  }

  async #delete(pod: StoredPod): Promise<void> {
    try {
      await this.#actions.deletePod(pod);
      this.#hasChanged = true;
    } catch (error) {
      this.#recordEvent("Delete", pod, error);
      throw error;
    }
    this.#recordEvent("Delete", pod);
  }

  /** Restores what other writers changed on a pod: its labels, its volumes, and the owners of its claims. */
  async #repair(pod: SomePod): Promise<void> {
    const set = this.#set;
    const isWhole = hasIdentity(set, pod) && hasClaims(set, pod);
    const hasNewOwners = await this.#updateClaimOwners(pod);
    if (isWhole && !hasNewOwners) return;
    if (!hasClaims(set, pod)) await this.#createClaims(pod);
    try {
      await this.#actions.updatePod(withClaims(set, withIdentity(pod)));
      this.#hasChanged = true;
    } catch (error) {
      this.#recordEvent("Update", pod, error);
      throw error;
    }
    this.#recordEvent("Update", pod);
  }

  async #createClaims(pod: SomePod): Promise<void> {
    const { event, claim, createClaim } = this.#actions;
    const problems: string[] = [];
    for (const desired of claimsOf(this.#set, pod).values()) {
      const { name = "" } = desired.metadata;
      const existing = claim(name);
      if (existing?.metadata.deletionTimestamp !== undefined) problems.push(`pvc ${name} is being deleted`);
      if (existing !== undefined) continue;
      const about = `${name} Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name}`;
      try {
        await createClaim(desired);
        this.#hasChanged = true;
        event({ reason: "SuccessfulCreate", note: `Create Claim ${about} success` });
      } catch (error) {
        problems.push(`failed to create PVC ${name}: ${messageOf(error)}`);
        if (error instanceof AlreadyExistsError) continue;
        const note = `Create Claim ${name} for Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name} failed error: ${messageOf(error)}`;
        event({ type: "Warning", reason: "FailedCreate", note });
      }
    }
    if (problems.length === 0) return;
    const refusal = problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`;
    throw new WorkloadRefusedError({ owner: `StatefulSet ${keyOf(this.#set)}`, refusal });
  }

  /** Sets the owners of a pod's claims by the retention policy. Returns true if any changed. */
  async #updateClaimOwners(pod: SomePod): Promise<boolean> {
    const set = this.#set;
    let hasChanged = false;
    for (const { metadata } of set.spec?.volumeClaimTemplates ?? []) {
      const name = claimName(metadata.name ?? "", set, ordinalOf(pod));
      const claim = this.#actions.claim(name);
      if (claim === undefined) continue;
      const context = { set, pod };
      if (hasOtherController(claim.metadata.ownerReferences ?? [], context)) {
        const note = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
        this.#actions.event({ type: "Warning", reason: "ConflictingController", note });
      }
      const owners = claimOwners(claim, context);
      if (owners === undefined) continue;
      await this.#actions.updateClaim({ ...claim, metadata: { ...claim.metadata, ownerReferences: owners } });
      hasChanged = true;
    }
    this.#hasChanged ||= hasChanged;
    return hasChanged;
  }

  #hasStaleClaim(pod: SomePod): boolean {
    const set = this.#set;
    if ((set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled ?? "Retain") === "Retain") return false;
    return [...claimsOf(set, pod).values()].some(({ metadata }) => {
      const claim = this.#actions.claim(metadata.name ?? "");
      return claim !== undefined && isOfEarlierPod(claim, pod);
    });
  }

  /**
   * Returns the revision of the current template: the latest one if it is equal, an older equal one moved to the end,
   * or a new one. If the name is taken by a different revision, the collision count increases until the name is free.
   *
   * Pods refer to their revision by a label. Both revisions are needed during an update: pods below the partition that are lost are
   * created again from the current one, not from the new one, so that a failure of a node does not advance a staged rollout.
   */
  async #updateRevision(revisions: readonly StoredRevision[]): Promise<StoredRevision> {
    const set = this.#set;
    const last = revisions.at(-1);
    const revision = (last?.revision ?? 0) + 1;
    for (;;) {
      const desired = revisionFor(set, { revision, collisionCount: this.#collisionCount });
      const same = revisions.findLast((one) => isSameRevision(one, desired));
      if (same !== undefined && last !== undefined && isSameRevision(last, same)) return last;
      if (same !== undefined) return asStored(await this.#actions.updateRevision({ ...same, revision }));
      try {
        return asStored(await this.#actions.createRevision(desired));
      } catch (error) {
        if (!(error instanceof AlreadyExistsError)) throw error;
        const existing = await this.#actions.readRevision(desired.metadata.name ?? "");
        if (existing === undefined) throw error;
        if (isSameRevision(existing, desired)) return asStored(existing);
        this.#collisionCount += 1;
      }
    }
  }

  #recordEvent(verb: "Create" | "Update" | "Delete", pod: SomePod, error?: unknown): void {
    const about = `${verb} Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name}`;
    if (error === undefined) this.#actions.event({ reason: `Successful${verb}`, note: `${about} successful` });
    else {
      const refusal = error instanceof WorkloadRefusedError ? error.refusal : messageOf(error);
      const note = `${about} failed error: ${refusal}`;
      this.#actions.event({ type: "Warning", reason: `Failed${verb}`, note });
    }
  }
}
