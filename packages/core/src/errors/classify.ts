import { type ErrorClass, HomeostatError } from "./error.ts";
import type { WriteOutcome } from "./failure-row.ts";
import { rowOfSocketCode } from "./socket-table.ts";

/**
 * Whether it helps to try again after an error, whatever was thrown.
 *
 * Errors of this project know it. Others are judged by their socket code, then by what they were caused by. Of
 * several errors at once (an `AggregateError`) all must be terminal for the whole to be: the others deserve their retry.
 * What nothing is known about is `unknown`, a mistake in a program included.
 */
export function classify(error: unknown): ErrorClass {
  return judge({ verdictOn: classOf, order: ["transient", "unknown", "terminal"], fallback: "unknown" }, error);
}

/**
 * What became of a request that failed: certainly nothing, or not known.
 *
 * Apart from whether to retry: a connection that breaks after a create was sent is worth a retry, but the object may
 * exist. On `unknown`, read the live object first. A request that only reads changes nothing.
 *
 * @param method The HTTP method of the request, or Kubernetes' verb for it.
 */
export function outcomeOf(error: unknown, method: string): WriteOutcome {
  if (readingMethods.has(method.toUpperCase())) return "not-applied";
  return judge({ verdictOn: writeOutcomeOf, order: ["unknown", "not-applied"], fallback: "unknown" }, error);
}

/** How long an error asks to wait before the next try, in milliseconds; of several, the longest. */
export function retryAfterMsOf(error: unknown): number | undefined {
  let longest: number | undefined;
  const look = (value: object): undefined => {
    const ms = "retryAfterMs" in value ? value.retryAfterMs : undefined;
    if (typeof ms === "number" && Number.isFinite(ms) && ms >= 0) longest = Math.max(longest ?? 0, ms);
  };
  judge<undefined>({ verdictOn: look, order: [], fallback: undefined }, error);
  return longest;
}

const readingMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "LIST", "WATCH"]);

/** More errors than this in one are a loop somebody built. */
const visitsMax = 1000;

/** How to judge an error. */
interface Judgement<V> {
  /** What one error says by itself. */
  readonly verdictOn: (error: object) => V | undefined;
  /** Of the verdicts on several errors, the first in this order counts. */
  readonly order: readonly V[];
  /** The verdict when nothing says anything. */
  readonly fallback: V;
}

/** The verdict on an error: its own, or that of the errors it is made of, or that of its cause. */
function judge<V>(judgement: Judgement<V>, error: unknown, known: Map<object, V> = new Map()): V {
  const { verdictOn, fallback } = judgement;
  if (typeof error !== "object" || error === null || known.size === visitsMax) return fallback;
  const before = known.get(error);
  if (before !== undefined || known.has(error)) return before ?? fallback;
  // Until it is judged: what an error says that is its own cause.
  known.set(error, fallback);
  const verdict = verdictOn(error) ?? judgeInside(judgement, error, known);
  known.set(error, verdict);
  return verdict;
}

function judgeInside<V>(judgement: Judgement<V>, error: object, known: Map<object, V>): V {
  if ("errors" in error && Array.isArray(error.errors) && error.errors.length > 0) {
    const parts = new Set(error.errors.map((part: unknown) => judge(judgement, part, known)));
    return judgement.order.find((verdict) => parts.has(verdict)) ?? judgement.fallback;
  }
  return "cause" in error ? judge(judgement, error.cause, known) : judgement.fallback;
}

function classOf(error: object): ErrorClass | undefined {
  if (error instanceof HomeostatError) return error.errorClass;
  return rowOf(error)?.errorClass;
}

function writeOutcomeOf(error: object): WriteOutcome | undefined {
  // Every error of ours that knows says so, whichever package it comes from.
  if (error instanceof HomeostatError && "outcome" in error) {
    return error.outcome === "not-applied" ? "not-applied" : "unknown";
  }
  return rowOf(error)?.outcome;
}

function rowOf(error: object): ReturnType<typeof rowOfSocketCode> {
  if ("code" in error && typeof error.code === "string") return rowOfSocketCode(error.code);
  // The errors of AbortSignal have a number for a code and tell what they are by name.
  const name = "name" in error ? error.name : undefined;
  return name === "AbortError" || name === "TimeoutError" ? rowOfSocketCode("ABORT_ERR") : undefined;
}
