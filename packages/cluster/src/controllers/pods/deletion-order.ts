import { isReady, readySince, sidecarNames, type SomePod, timeOf } from "./pod-state.ts";

/** Options of the order in which pods are deleted. */
export interface DeletionOrder {
  /**
   * Returns the number of related pods on the same node; pods with more are deleted first. Default: node and deletion
   * cost are ignored.
   */
  readonly rank?: (pod: SomePod) => number;
  /** Current time in milliseconds since the epoch. If set, ages are compared by their logarithm, otherwise exactly. */
  readonly now?: number;
}

/** Order of phases; an unknown phase counts as Pending. */
const phases: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * Sorts pods for deletion, those first whose loss costs least (`ActivePodsWithRanks` in controller_utils.go): without
 * a node, pending, not ready, low deletion cost, on a node with many related pods, ready for a short time, often
 * restarted, young.
 */
export function inDeletionOrder<P extends SomePod>(pods: readonly P[], order: DeletionOrder = {}): P[] {
  return pods.toSorted((a, b) => compareForDeletion(a, b, order));
}

/** Compares two pods: negative when `a` is deleted first. */
export function compareForDeletion(a: SomePod, b: SomePod, { rank, now }: DeletionOrder): number {
  return (
    compare(hasNode(a), hasNode(b)) ||
    compare(phaseOf(a), phaseOf(b)) ||
    compare(Number(isReady(a)), Number(isReady(b))) ||
    (rank === undefined ? 0 : compare(deletionCost(a), deletionCost(b)) || compare(rank(b), rank(a))) ||
    compareAges(a, b, { ages: [readySince(a), readySince(b)], now, isCounted: isReady(a) && isReady(b) }) ||
    compareRestarts(a, b) ||
    compareAges(a, b, { ages: [createdAt(a), createdAt(b)], now, isCounted: true })
  );
}

/** Returns the value of `controller.kubernetes.io/pod-deletion-cost`; 0 when it is not an int32. */
export function deletionCost({ metadata }: SomePod): number {
  const text = metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? "";
  // Kubernetes rejects a plus sign and leading zeros.
  if (!/^(?:0|-?[1-9]\d{0,9})$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}

interface Ages {
  readonly ages: readonly [number | undefined, number | undefined];
  readonly now: number | undefined;
  readonly isCounted: boolean;
}

/**
 * Compares ages, younger first. With `now` ages are compared by their logarithm and equal ones by uid, a
 * pseudo-random order: always deleting the youngest pod would concentrate scale-downs in one place (KEP-2185).
 */
function compareAges(a: SomePod, b: SomePod, { ages: [first, second], now, isCounted }: Ages): number {
  if (!isCounted || first === second) return 0;
  if (first === undefined || second === undefined) return first === undefined ? -1 : 1;
  if (now === undefined) return compare(second, first);
  return (
    compare(logarithm(now - first), logarithm(now - second)) || compareTexts(a.metadata.uid ?? "", b.metadata.uid ?? "")
  );
}

/** Returns the binary logarithm of an age in nanoseconds, rounded down. */
function logarithm(ms: number): number {
  return ms > 0 ? Math.floor(Math.log2(ms * 1e6)) : -1;
}

/** Compares restarts, more first: containers, then sidecars. */
function compareRestarts(a: SomePod, b: SomePod): number {
  return compare(restarts(b), restarts(a)) || compare(sidecarRestarts(b), sidecarRestarts(a));
}

function restarts({ status }: SomePod): number {
  return Math.max(0, ...(status?.containerStatuses?.map(({ restartCount }) => restartCount) ?? []));
}

function sidecarRestarts(pod: SomePod): number {
  const names = sidecarNames(pod);
  const statuses = pod.status?.initContainerStatuses?.filter(({ name }) => names.has(name)) ?? [];
  return Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
}

function hasNode({ spec }: SomePod): number {
  return spec.nodeName === undefined || spec.nodeName === "" ? 0 : 1;
}

function phaseOf({ status }: SomePod): number {
  return phases[status?.phase ?? ""] ?? 0;
}

function createdAt({ metadata }: SomePod): number | undefined {
  return timeOf(metadata.creationTimestamp);
}

function compare(a: number, b: number): number {
  return a - b;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
