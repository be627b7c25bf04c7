import type { Client } from "@homeostat/client";
import { isEqual, keyOf } from "@homeostat/core";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import type { Informer, WorkQueue } from "@homeostat/runtime";
import type { CoreEvent } from "../../events/core-events.ts";
import { type ControlLoop, type ControlParts, fieldManager } from "../common/parts.ts";
import { combineDisposables } from "../common/combine-disposables.ts";
import { controlQueue, type WorkResult, processQueue } from "../common/work.ts";
import { type ClaimStep, decideClaim } from "./decide-claim.ts";
import { decideVolume, reclaim, unbound } from "./decide-volume.ts";
import { boundClaim, boundVolume, claimStatus, podClaims } from "./bound.ts";
import { type Claim, annotation, type Volume } from "./volumes.ts";

const component = "persistentvolume-controller";
const claimPrefix = "claim:";
const volumePrefix = "volume:";

/**
 * Builds the persistent volume controller, which binds claims to volumes and requests provisioning where no volume
 * fits.
 */
export function volumeBinder(parts: ControlParts): ControlLoop {
  return { name: "persistentvolume-binder-controller", when: "leading", run: (signal) => run(parts, signal) };
}

async function run(parts: ControlParts, signal: AbortSignal): Promise<void> {
  const { cache, clock, log } = parts;
  const queue = controlQueue("persistentvolume", clock);
  using claims = cache.informer(PersistentVolumeClaim);
  using volumes = cache.informer(PersistentVolume).index("claim", volumeClaim);
  using classes = cache.informer(StorageClass);
  using pods = cache.informer(Pod).index("claim", podClaims);
  using _ = subscribeAll({ claims, volumes, classes, pods }, queue);
  await Promise.all([claims, volumes, classes, pods].map((informer) => informer.ready(signal))).catch(() => undefined);
  const binder = new Binder(parts, { claims, volumes, classes, pods }, queue);
  await processQueue({ queue, log }, (key, stop) => binder.work(key, stop), signal);
}

interface Informers {
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly volumes: Informer<PersistentVolume, "claim">;
  readonly classes: Informer<StorageClass>;
  readonly pods: Informer<Pod, "claim">;
}

/** Index value of volumes without a claim reference. No claim has this key. */
const unclaimed = "";

/** Returns the key of the claim that a volume is reserved for. */
function volumeClaim({ spec }: Volume): string {
  const { claimRef } = spec ?? {};
  return claimRef === undefined ? unclaimed : `${claimRef.namespace}/${claimRef.name}`;
}

/** Queues the claims and volumes that a change can affect. */
function subscribeAll({ claims, volumes, classes, pods }: Informers, queue: WorkQueue): Disposable {
  const everyOpenClaim = (): void => {
    for (const claim of claims.list()) {
      if (claim.status?.phase !== "Bound") queue.add(claimPrefix + keyOf(claim));
    }
  };
  return combineDisposables(
    claims.subscribe(({ key, object }) => {
      queue.add(claimPrefix + key);
      const { volumeName = "" } = object.spec ?? {};
      if (volumeName !== "") queue.add(volumePrefix + volumeName);
      for (const volume of volumes.by("claim", key)) queue.add(volumePrefix + volume.metadata.name);
    }),
    volumes.subscribe(({ key, object: { spec } }) => {
      queue.add(volumePrefix + key);
      if (spec?.claimRef === undefined) everyOpenClaim();
      else queue.add(`${claimPrefix}${spec.claimRef.namespace}/${spec.claimRef.name}`);
    }),
    classes.subscribe(everyOpenClaim),
    pods.subscribe(({ object }) => {
      for (const key of podClaims(object))
        if (claims.get(key)?.status?.phase === "Pending") queue.add(claimPrefix + key);
    }),
  );
}

class Binder {
  readonly #parts: ControlParts;
  readonly #client: Client;
  readonly #informers: Informers;
  readonly #queue: WorkQueue;

  constructor(parts: ControlParts, informers: Informers, queue: WorkQueue) {
    this.#parts = parts;
    this.#client = parts.client;
    this.#informers = informers;
    this.#queue = queue;
  }

  async work(key: string, signal: AbortSignal): Promise<WorkResult> {
    if (key.startsWith(claimPrefix)) return this.#claim(key.slice(claimPrefix.length), signal);
    return this.#volume(key.slice(volumePrefix.length), signal);
  }

  async #claim(key: string, signal: AbortSignal): Promise<void> {
    const { claims, classes, pods } = this.#informers;
    const claim = claims.get(key);
    if (claim === undefined) return;
    const users = pods.by("claim", key);
    const waiting = users.filter(({ spec }) => (spec?.nodeName ?? "") === "");
    const step = decideClaim({
      claim,
      volumes: this.#candidates(key, claim),
      classes: classes.list(),
      waitingPods: waiting.map(({ metadata }) => metadata.name),
      isScheduled: waiting.length < users.length,
    });
    await this.#carryOut(step, claim, signal);
  }

  /**
   * Returns the volumes that a claim can bind to: the one it names, those reserved for it, and those without a claim.
   */
  #candidates(key: string, claim: Claim): readonly Volume[] {
    const { volumes } = this.#informers;
    const { volumeName = "" } = claim.spec ?? {};
    const named = volumeName === "" ? undefined : volumes.get(volumeName);
    const others = [...volumes.by("claim", key), ...volumes.by("claim", unclaimed)];
    return named === undefined
      ? others
      : [named, ...others.filter(({ metadata }) => metadata.name !== named.metadata.name)];
  }

  async #carryOut(step: ClaimStep, claim: Claim, signal: AbortSignal): Promise<void> {
    const options = { fieldManager, signal };
    switch (step.type) {
      case "bind":
        return this.#bind(step.volume, claim, signal);
      case "assign-class": {
        const next = { ...claim, spec: { ...claim.spec, storageClassName: step.name } };
        await this.#client.update(PersistentVolumeClaim, next, options);
        return;
      }
      case "provision": {
        const { provisioner } = step;
        const annotations = {
          ...claim.metadata.annotations,
          [annotation.betaProvisioner]: provisioner,
          [annotation.provisioner]: provisioner,
        };
        const next = { ...claim, metadata: { ...claim.metadata, annotations } };
        const isRequested = isEqual(annotations, claim.metadata.annotations);
        const requested = isRequested ? claim : await this.#client.update(PersistentVolumeClaim, next, options);
        this.#recordEvent(requested, step.event);
        return;
      }
      case "phase": {
        const isNew = claim.status?.phase !== step.phase;
        if (step.isOnce === true && !isNew) return;
        if (step.event !== undefined && step.isOnce !== true) this.#recordEvent(claim, step.event);
        const shown = await this.#writeClaimStatus(claim, { phase: step.phase }, signal);
        if (step.event !== undefined && step.isOnce === true) this.#recordEvent(shown, step.event);
        return;
      }
      case "event":
        this.#recordEvent(claim, step.event);
    }
  }

  /**
   * Binds in four writes (`bind` in pv_controller.go): volume spec, volume status, claim spec, claim status. Each is
   * skipped when it is done already, so a binding that a crash interrupted continues. The volume comes first: its
   * `claimRef` reserves it, so that two claims cannot get the same volume.
   */
  async #bind(volume: Volume, claim: Claim, signal: AbortSignal): Promise<void> {
    const options = { fieldManager, signal };
    const reserved = boundVolume(volume, claim);
    const taken = reserved === volume ? volume : await this.#client.update(PersistentVolume, reserved, options);
    const bound = await this.#writeVolumeStatus(taken, "Bound", signal);
    const chosen = boundClaim(claim, bound);
    const chooser = chosen === claim ? claim : await this.#client.update(PersistentVolumeClaim, chosen, options);
    await this.#writeClaimStatus(chooser, { phase: "Bound", volume: bound }, signal);
  }

  async #volume(name: string, signal: AbortSignal): Promise<void> {
    const { claims, volumes } = this.#informers;
    const volume = volumes.get(name);
    if (volume === undefined) return;
    const reference = volume.spec?.claimRef;
    const key = { namespace: reference?.namespace ?? "", name: reference?.name ?? "" };
    let claim: Claim | undefined = reference === undefined ? undefined : claims.get(key);
    const isUnreleased = volume.status?.phase !== "Released" && volume.status?.phase !== "Failed";
    if (
      reference !== undefined &&
      (reference.uid ?? "") !== "" &&
      claim?.metadata.uid !== reference.uid &&
      isUnreleased
    ) {
      // A released volume may be deleted with its data: read the claim from the API server instead of trusting the
      // cache.
      claim = await this.#client.get(PersistentVolumeClaim, key, { signal });
    }
    const step = decideVolume(volume, claim);
    switch (step.type) {
      case "phase":
        await this.#writeVolumeStatus(volume, step.phase, signal);
        return;
      case "release": {
        const released = isUnreleased ? await this.#writeVolumeStatus(volume, "Released", signal) : volume;
        const decision = reclaim(released);
        if (decision.type === "delete") {
          const preconditions = { uid: released.metadata.uid };
          await this.#client.delete(PersistentVolume, { name }, { preconditions, signal });
          return;
        }
        if (decision.type === "keep" || released.status?.phase === "Failed") return;
        const failed = await this.#writeVolumeStatus(released, "Failed", signal, decision.event.message);
        this.#parts.events.record(component, failed, decision.event);
        return;
      }
      case "unbind": {
        const next = await this.#client.update(PersistentVolume, unbound(volume), { fieldManager, signal });
        await this.#writeVolumeStatus(next, "Available", signal);
        return;
      }
      case "queue-claim":
        this.#queue.add(`${claimPrefix}${key.namespace}/${key.name}`);
        return;
      case "mismatch":
        this.#parts.events.record(component, volume, step.forVolume);
        if (claim !== undefined) this.#recordEvent(claim, step.forClaim);
    }
  }

  async #writeClaimStatus(
    claim: Claim,
    desired: { readonly phase: "Pending" | "Bound" | "Lost"; readonly volume?: Volume },
    signal: AbortSignal,
  ): Promise<Claim> {
    const status = claimStatus(claim, desired);
    if (isEqual(status, claim.status)) return claim;
    const options = { subresource: "status", fieldManager, signal };
    return this.#client.update(PersistentVolumeClaim, { ...claim, status }, options);
  }

  async #writeVolumeStatus(
    volume: Volume,
    phase: "Available" | "Bound" | "Released" | "Failed",
    signal: AbortSignal,
    message?: string,
  ): Promise<Volume> {
    if (volume.status?.phase === phase) return volume;
    const { message: _, ...before } = volume.status ?? {};
    const status = { ...before, phase, ...(message === undefined ? {} : { message }) };
    const options = { subresource: "status", fieldManager, signal };
    return this.#client.update(PersistentVolume, { ...volume, status }, options);
  }

  #recordEvent(claim: Claim, event: CoreEvent): void {
    this.#parts.events.record(component, claim, event);
  }
}
