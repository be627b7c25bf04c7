import type { PodCondition, PodStatus } from "@homeostat/kubernetes/core/v1";

type Fields = Record<string, unknown>;

/**
 * Builds the strategic merge patch that sets the status of a pod.
 *
 * Conditions of other writers are kept, with the node's conditions after them in kubelet order. The uid makes the API
 * server reject the patch for another pod of the same name.
 */
export function statusPatch(
  status: PodStatus,
  { uid, others }: { readonly uid: string; readonly others: readonly string[] },
): Fields {
  const { conditions = [], reason, message, ...rest } = status;
  const types = [...others, ...conditions.map(({ type }) => type)];
  return {
    metadata: { uid },
    status: {
      ...rest,
      reason: reason ?? null,
      message: message ?? null,
      conditions: conditions.map(wholeCondition),
      "$setElementOrder/conditions": types.map((type) => ({ type })),
    },
  };
}

/** Returns a condition in which absent fields are null, so that the patch removes them. */
function wholeCondition({ reason, message, ...rest }: PodCondition): Fields {
  return { ...rest, reason: reason ?? null, message: message ?? null };
}
