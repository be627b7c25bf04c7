import type { CoreEvent } from "../../events/core-events.ts";
import {
  type Claim,
  type Class,
  classOf,
  defaultClass,
  findVolume,
  hasClass,
  hasAnnotation,
  isReservedFor,
  mismatch,
  annotation,
  type Volume,
} from "./volumes.ts";

/** Observed state that the decision about a claim is based on. */
export interface ClaimView {
  readonly claim: Claim;
  /** Volumes that the claim can bind to. */
  readonly volumes: readonly Volume[];
  readonly classes: readonly Class[];
  /** Names of pods that use the claim and have no node yet. */
  readonly waitingPods: readonly string[];
  /** True if a pod that uses the claim has a node. */
  readonly isScheduled: boolean;
}

/** The next step for a claim. */
export type ClaimStep =
  /** Let claim and volume reference each other. */
  | { readonly type: "bind"; readonly volume: Volume }
  /** Set the default storage class on a claim that names none. */
  | { readonly type: "assign-class"; readonly name: string }
  /** Set the annotations that request a volume from a provisioner. */
  | { readonly type: "provision"; readonly provisioner: string; readonly event: CoreEvent }
  /** Set the phase. With `isOnce` the event is only recorded when the phase changes. */
  | {
      readonly type: "phase";
      readonly phase: "Pending" | "Lost";
      readonly event?: CoreEvent;
      readonly isOnce?: boolean;
    }
  /** Only record an event. */
  | { readonly type: "event"; readonly event: CoreEvent };

const warning = (reason: string, message: string): CoreEvent => ({ type: "Warning", reason, message });
const normal = (reason: string, message: string): CoreEvent => ({ type: "Normal", reason, message });

/** Decides the next step for a claim (`syncClaim` in pv_controller.go). */
export function decideClaim(view: ClaimView): ClaimStep {
  if (hasAnnotation(view.claim, annotation.bindCompleted)) return decideBound(view);
  return (view.claim.spec?.volumeName ?? "") === "" ? decideUnbound(view) : decideChosen(view);
}

/** Decides about a claim that was bound before. */
function decideBound({ claim, volumes }: ClaimView): ClaimStep {
  const lost = (reason: string, message: string): ClaimStep => ({
    type: "phase",
    phase: "Lost",
    event: warning(reason, message),
    isOnce: true,
  });
  const name = claim.spec?.volumeName ?? "";
  if (name === "")
    return lost("ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  const volume = volumes.find(({ metadata }) => metadata.name === name);
  if (volume === undefined)
    return lost("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  const owner = volume.spec?.claimRef;
  if (owner === undefined || owner.uid === claim.metadata.uid) return { type: "bind", volume };
  return lost("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
}

/** Decides about a claim that names its volume. */
function decideChosen({ claim, volumes }: ClaimView): ClaimStep {
  const name = claim.spec?.volumeName ?? "";
  const volume = volumes.find(({ metadata }) => metadata.name === name);
  if (volume === undefined) return { type: "phase", phase: "Pending" };
  if (volume.spec?.claimRef === undefined) {
    const problem = mismatch(volume, claim);
    if (problem === undefined) return { type: "bind", volume };
    const event = warning("VolumeMismatch", `Cannot bind to requested volume "${name}": ${problem}`);
    return { type: "phase", phase: "Pending", event };
  }
  if (isReservedFor(volume, claim)) return { type: "bind", volume };
  const event = warning("FailedBinding", `volume "${name}" already bound to a different claim.`);
  return { type: "phase", phase: "Pending", event };
}

/** Decides about a claim without a volume: find one, else provision one. */
function decideUnbound(view: ClaimView): ClaimStep {
  const { claim, volumes, classes } = view;
  const name = classOf(claim);
  const found = classes.find(({ metadata }) => metadata.name === name);
  const isDelayed = found?.volumeBindingMode === "WaitForFirstConsumer";
  const volume = findVolume(claim, volumes, { isDelayed });
  if (volume !== undefined) return { type: "bind", volume };
  const fallback = hasClass(claim) ? undefined : defaultClass(classes);
  if (fallback !== undefined) return { type: "assign-class", name: fallback.metadata.name ?? "" };
  if (isDelayed && !hasAnnotation(claim, annotation.selectedNode) && !view.isScheduled) {
    return { type: "phase", phase: "Pending", event: waitingFor(view.waitingPods) };
  }
  if (name === "") {
    const message = "no persistent volumes available for this claim and no storage class is set";
    return { type: "phase", phase: "Pending", event: normal("FailedBinding", message) };
  }
  return provision(name, found);
}

function waitingFor(pods: readonly string[]): CoreEvent {
  if (pods.length === 0) {
    return normal("WaitForFirstConsumer", "waiting for first consumer to be created before binding");
  }
  const what = pods.length > 1 ? "pods" : "pod";
  return normal("WaitForPodScheduled", `waiting for ${what} ${pods.join(",")} to be scheduled`);
}

function provision(name: string, found: Class | undefined): ClaimStep {
  if (found === undefined) {
    return { type: "event", event: warning("ProvisioningFailed", `storageclass.storage.k8s.io "${name}" not found`) };
  }
  const { provisioner } = found;
  if (provisioner.startsWith("kubernetes.io/")) {
    return { type: "event", event: warning("ProvisioningFailed", `no volume plugin matched name: ${provisioner}`) };
  }
  const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
  return { type: "provision", provisioner, event: normal("ExternalProvisioning", message) };
}
