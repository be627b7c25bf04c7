import type { Refusal } from "../failures/refusal.ts";

/**
 * Reasons why pods are not ready.
 *
 * - `Unschedulable`: the scheduler found no node.
 * - `ImagePull`: the kubelet cannot pull an image.
 * - `MissingReference`: a ConfigMap, a Secret, a key of one, or a ServiceAccount does not exist; `missing` names it.
 * - `InvalidConfiguration`: the kubelet rejects the configuration of a container for another reason.
 * - `StartFailed`: the container runtime cannot create or start a container.
 * - `CrashLoop`: a container fails repeatedly, and the kubelet backs off before it restarts it.
 * - `ContainerFailed`: a container exited with an error; it may be restarted.
 * - `InitFailed`: an init container exited with an error.
 * - `OutOfMemory`: a container exceeded its memory limit. Follows the `CrashLoop`, `ContainerFailed` or `InitFailed` that it explains.
 * - `Volume`: a claim is not bound, or a volume cannot be attached or mounted.
 * - `Evicted`: the pod was evicted, preempted or otherwise disrupted.
 * - `AdmissionRefused`: the API server rejects the pods of a workload; `refusal` names the quota or admission step if it is known.
 * - `ProgressDeadlineExceeded`: a Deployment did not progress within its deadline.
 */
export type PodProblemReason =
  | "Unschedulable"
  | "ImagePull"
  | "MissingReference"
  | "InvalidConfiguration"
  | "StartFailed"
  | "CrashLoop"
  | "ContainerFailed"
  | "InitFailed"
  | "OutOfMemory"
  | "Volume"
  | "Evicted"
  | "AdmissionRefused"
  | "ProgressDeadlineExceeded";

/** An object that a pod refers to and that does not exist. */
export interface MissingObject {
  readonly kind: "ConfigMap" | "Secret" | "ServiceAccount" | "PersistentVolumeClaim";
  readonly name: string;
  /** The key that the object lacks; undefined when the object itself is missing. */
  readonly key?: string;
}

/** One reason why a pod is not ready. */
export interface PodProblem {
  readonly reason: PodProblemReason;
  /** One sentence for users: location and kind of the problem. */
  readonly sentence: string;
  /** The name of the pod; undefined for a problem of a claim or a workload. */
  readonly pod?: string;
  readonly container?: string;
  /** True if the container is an init container or a sidecar. */
  readonly isInit?: boolean;
  /** The name of the claim that is not bound. */
  readonly claim?: string;
  /** The name of the workload whose pods cannot be created. */
  readonly workload?: string;
  /**
   * True if the problem persists until a user or a change of the spec resolves it. False if waiting may be enough: for a pull that failed once, or a pod
   * that has waited for a node for less than `patienceMs`.
   */
  readonly isBlocking: boolean;
  /** The message of the scheduler, the kubelet or the API server, unchanged; undefined when there is none. */
  readonly detail?: string;
  /** Reason as given by that component: `ImagePullBackOff`, `Unschedulable`, `OOMKilled`. */
  readonly source?: string;
  /** Number of restarts of the container. */
  readonly restarts?: number;
  /** Exit code of a failed container. */
  readonly exitCode?: number;
  /** The missing object, if the message names it. */
  readonly missing?: MissingObject;
  /** The quota or admission step that rejects the pods, if the message names it. */
  readonly refusal?: Refusal;
}
