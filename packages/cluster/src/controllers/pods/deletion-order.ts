import { isReady, readySince, sidecarNames, type SomePod, timeOf } from "./pod-state.ts";

/** What the order in which pods are deleted depends on, beside the pods themselves. */
export interface DeletionOrder {
  /** How many others are on the node of a pod; of two, that with more goes first. Default: not looked at. */
  readonly rank?: (pod: SomePod) => number;
  /** Compare ages roughly, by their logarithm; default: exactly. In milliseconds since 1970. */
  readonly now?: number;
}

/** How far a phase is. One that nobody knows counts as none. */
const phases: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * Sorts pods such that those come first which are the least loss: without a node, pending, not ready, cheap, on a node
 * with others, ready for a short time, restarted often, young.
 */
export function inDeletionOrder<P extends SomePod>(pods: readonly P[], order: DeletionOrder = {}): P[] {
  return pods.toSorted((a, b) => compareForDeletion(a, b, order));
}

/** Which of two pods goes first: the first when negative, the second when positive. */
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

/** What `controller.kubernetes.io/pod-deletion-cost` says, when that is a whole number of 32 bits; else 0. */
export function deletionCost({ metadata }: SomePod): number {
  const text = metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? "";
  // As Go parses it: a sign may only be a minus, and zeros may not lead.
  if (!/^(?:0|-?[1-9]\d{0,9})$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}

interface Ages {
  readonly ages: readonly [number | undefined, number | undefined];
  readonly now: number | undefined;
  readonly isCounted: boolean;
}

/** What is younger goes first; with `now`, by the logarithm of its age, and in no meaningful order when that is the same. */
function compareAges(a: SomePod, b: SomePod, { ages: [first, second], now, isCounted }: Ages): number {
  if (!isCounted || first === second) return 0;
  if (first === undefined || second === undefined) return first === undefined ? -1 : 1;
  if (now === undefined) return compare(second, first);
  return (
    compare(logarithm(now - first), logarithm(now - second)) || compareTexts(a.metadata.uid ?? "", b.metadata.uid ?? "")
  );
}

/** The binary logarithm of an age in nanoseconds, rounded down. */
function logarithm(ms: number): number {
  return ms > 0 ? Math.floor(Math.log2(ms * 1e6)) : -1;
}

/** Those with more restarts go first; of their containers, then of their sidecars. */
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
