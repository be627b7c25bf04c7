import type { PodCondition, PodStatus } from "@homeostat/kubernetes/core/v1";

type Fields = Record<string, unknown>;

/**
 * The change that brings a pod's status to what the node shows, as a strategic merge patch.
 *
 * It leaves what others write: their conditions stay, and the node's stand in its own order. The uid makes the server refuse it
 * for another pod of the same name.
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

/** A condition in which what is absent is taken away. */
function wholeCondition({ reason, message, ...rest }: PodCondition): Fields {
  return { ...rest, reason: reason ?? null, message: message ?? null };
}
