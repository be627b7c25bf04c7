import type { ObservedSearchPod, ObservedSlot } from "../observe/observed.ts";

/** A search pod with its slot. */
export interface SlotAssignment {
  readonly slot: number;
  readonly pod: ObservedSearchPod;
}

/**
 * Assigns slots to ready search pods, by ascending slot. Slots give the pods of a Deployment stable DNS names.
 *
 * A pod keeps its slot while it is ready. Other pods take the lowest free slots, the oldest pod first. The EndpointSlice is the only record, so a
 * restarted operator assigns the same slots.
 */
export function assignSlots(
  pods: readonly ObservedSearchPod[],
  slots: readonly ObservedSlot[],
): readonly SlotAssignment[] {
  const ready = pods.filter(({ isReady, isTerminating, ip }) => isReady && !isTerminating && ip !== undefined);
  const assigned = new Map<number, ObservedSearchPod>();
  const placed = new Set<string>();
  for (const { slot, podUid } of slots) {
    const pod = ready.find(({ uid }) => uid === podUid);
    // A slice that was edited by hand may contain a slot or a pod twice; the first entry counts.
    if (pod === undefined || placed.has(podUid) || assigned.has(slot)) continue;
    assigned.set(slot, pod);
    placed.add(podUid);
  }
  const others = ready
    .filter(({ uid }) => !placed.has(uid))
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.podName < b.podName ? -1 : 1));
  let next = 0;
  for (const pod of others) {
    while (assigned.has(next)) next += 1;
    assigned.set(next, pod);
  }
  return [...assigned].map(([slot, pod]) => ({ slot, pod })).toSorted((a, b) => a.slot - b.slot);
}
