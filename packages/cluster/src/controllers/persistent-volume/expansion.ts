// The growth of a simulated volume, in the steps of the CSI external-resizer and of a kubelet
// (https://github.com/kubernetes-csi/external-resizer, pkg/controller/resize_status.go):
//
//   Resizing ─┬─► finished                                  online (default)
//             ├─► FileSystemResizePending ─► finished       offline: when another pod mounts the volume
//             └─► ControllerResizeError, retried            error

import { type DeepReadonly, formatTime } from "@homeostat/core";
import type { PersistentVolumeClaimStatus, Pod } from "@homeostat/kubernetes/core/v1";
import type { Claim, Class } from "./volumes.ts";

/** The way in which the volume of a claim grows. */
export type Expansion =
  | { readonly type: "online" }
  | { readonly type: "offline" }
  | { readonly type: "error"; readonly message: string };

/** Annotation of a claim that selects its {@link Expansion}. It takes precedence over the storage class. */
export const expansionAnnotation = "homeostat.dev/expansion";
/** Parameter of a storage class that selects the {@link Expansion} of its volumes. */
const expansionParameter = "expansion";

type Status = DeepReadonly<PersistentVolumeClaimStatus>;
type Condition = NonNullable<Status["conditions"]>[number];

const resizeConditions = new Set(["Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError"]);
const defaultError = "rpc error: code = Internal desc = expansion failed";

/** Returns the way in which the volume of a claim grows; undefined for an unknown value. */
export function expansionOf({ metadata }: Claim, storageClass: Class | undefined): Expansion | undefined {
  const value =
    metadata.annotations?.[expansionAnnotation] ?? storageClass?.parameters?.[expansionParameter] ?? "online";
  if (value === "online" || value === "offline") return { type: value };
  const [, message] = /^error(?::\s*(.+))?$/s.exec(value) ?? [undefined, undefined];
  if (message !== undefined) return { type: "error", message };
  return value === "error" ? { type: "error", message: defaultError } : undefined;
}

/** Reports whether the resizer has started to grow the volume of a claim to a size. */
export function isResizing({ status }: Claim, size: string): boolean {
  return status?.allocatedResources?.["storage"] === size && hasCondition(status, "Resizing");
}

/** Reports whether the volume has grown and its file system has not. */
export function isPending({ status }: Claim): boolean {
  return status?.allocatedResourceStatuses?.["storage"] === "NodeResizePending";
}

/** Returns the status of a claim whose volume starts to grow. */
export function resizing({ status = {} }: Claim, size: string, now: number): Status {
  return {
    ...status,
    allocatedResources: { ...status.allocatedResources, storage: size },
    allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: "ControllerResizeInProgress" },
    conditions: [...others(status), condition("Resizing", now)],
  };
}

/** Returns the status of a claim whose volume could not grow. */
export function resizeFailed({ status = {} }: Claim, message: string, now: number): Status {
  const error = condition("ControllerResizeError", now, `failed to expand pvc with ${message}`);
  return { ...status, conditions: withCondition(status, error) };
}

/** Returns the status of a claim whose file system grows when another pod mounts the volume. */
export function fileSystemPending({ status = {} }: Claim, now: number): Status {
  const message = "Waiting for user to (re-)start a pod to finish file system resize of volume on node.";
  return {
    ...status,
    allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: "NodeResizePending" },
    conditions: withCondition(status, condition("FileSystemResizePending", now, message)),
  };
}

/** Returns the status of a claim whose volume has grown. */
export function resized({ status = {} }: Claim, size: string): Status {
  const { conditions: _conditions, allocatedResourceStatuses: statuses = {}, ...rest } = status;
  const { storage: _storage, ...kept } = statuses;
  const left = others(status);
  return {
    ...rest,
    capacity: { ...status.capacity, storage: size },
    ...(Object.keys(kept).length === 0 ? {} : { allocatedResourceStatuses: kept }),
    ...(left.length === 0 ? {} : { conditions: left }),
  };
}

/**
 * Returns a running pod that mounted the volume of a claim after its file system was marked as pending. `before` has
 * the uids of the pods that used the claim then; without it, the start time of a pod decides.
 */
export function podThatMounted(
  { status }: Claim,
  pods: readonly DeepReadonly<Pod>[],
  before: ReadonlySet<string> | undefined,
): DeepReadonly<Pod> | undefined {
  const since = status?.conditions?.find(({ type }) => type === "FileSystemResizePending")?.lastTransitionTime ?? "";
  return pods.find(({ metadata: { uid = "" }, status: of }) => {
    if (of?.phase !== "Running") return false;
    return before === undefined ? (of.startTime ?? "") > since : !before.has(uid);
  });
}

function hasCondition({ conditions = [] }: Status, type: string): boolean {
  return conditions.some((one) => one.type === type && one.status === "True");
}

function condition(type: string, now: number, message?: string): Condition {
  return { type, status: "True", lastTransitionTime: formatTime(now), ...(message === undefined ? {} : { message }) };
}

/** Returns the conditions that are not about resizing. */
function others({ conditions = [] }: Status): readonly Condition[] {
  return conditions.filter(({ type }) => !resizeConditions.has(type));
}

function withCondition({ conditions = [] }: Status, next: Condition): readonly Condition[] {
  const hasType = conditions.some(({ type }) => type === next.type);
  return hasType ? conditions.map((one) => (one.type === next.type ? next : one)) : [...conditions, next];
}
