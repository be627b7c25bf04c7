import type { Refusal } from "../failures/refusal.ts";

/**
 * Why pods are not ready.
 *
 * - `Unschedulable`: the scheduler found no node.
 * - `ImagePull`: the kubelet cannot get an image.
 * - `MissingReference`: a ConfigMap, a Secret, a key of one, or a ServiceAccount does not exist; `missing` names it.
 * - `InvalidConfiguration`: the kubelet refuses the configuration of a container for another reason.
 * - `StartFailed`: the container runtime cannot create or start a container.
 * - `CrashLoop`: a container fails again and again, and the kubelet waits before it restarts it.
 * - `ContainerFailed`: a container exited with an error; it may be restarted.
 * - `InitFailed`: an init container exited with an error.
 * - `OutOfMemory`: a container exceeded its memory limit. Follows the `CrashLoop`, `ContainerFailed` or `InitFailed` that it explains.
 * - `Volume`: a claim is not bound, or a volume cannot be attached or mounted.
 * - `Evicted`: the pod was evicted, preempted or otherwise disrupted.
 * - `AdmissionRefused`: the API server rejects the pods of a workload; `refusal` names the quota or admission step where it is known.
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
  /** A sentence for people: where the problem is and what it is. */
  readonly sentence: string;
  /** The name of the pod; undefined for a problem of a claim or a workload. */
  readonly pod?: string;
  readonly container?: string;
  /** Whether the container is an init container, sidecars included. */
  readonly isInit?: boolean;
  /** The name of the claim that is not bound. */
  readonly claim?: string;
  /** The name of the workload whose pods cannot be created. */
  readonly workload?: string;
  /**
   * Whether it stays until a person, or a change of the spec, resolves it. Otherwise waiting may be enough: a pull that failed once,
   * a pod that has waited for a node for less than the time that was allowed.
   */
  readonly isBlocking: boolean;
  /** The message of the scheduler, the kubelet or the API server, unchanged; undefined when there is none. */
  readonly detail?: string;
  /** Their own word for it: `ImagePullBackOff`, `Unschedulable`, `OOMKilled`. */
  readonly source?: string;
  /** How often the container was restarted. */
  readonly restarts?: number;
  /** The exit code of a container that failed. */
  readonly exitCode?: number;
  /** The object that is missing, where the message names it. */
  readonly missing?: MissingObject;
  /** The quota or admission step that rejects pods, where the message names it. */
  readonly refusal?: Refusal;
}
