import { type ErrorClass, HomeostatError } from "../errors/error.ts";
import type { WriteOutcome } from "./failure-row.ts";
import { rowOfSocketCode } from "./socket-table.ts";

/**
 * Returns whether a retry can help after an error. Accepts any thrown value.
 *
 * Errors of this project have a class. Others are classified by their socket code, then by their cause. An `AggregateError` is
 * terminal only if all of its errors are, because the others deserve a retry. Anything else is `unknown`, including programming
 * errors such as a `TypeError`.
 */
export function classify(error: unknown): ErrorClass {
  return evaluate({ valueOf: classOf, order: ["transient", "unknown", "terminal"], fallback: "unknown" }, error);
}

/**
 * Returns whether a failed request may have taken effect: certainly not, or unknown.
 *
 * This is independent of whether to retry: if the connection breaks after a create was sent, a retry makes sense, but the object
 * may exist. On `unknown`, read the live object first. A read never has an effect.
 *
 * @param method The HTTP method of the request, or its Kubernetes verb.
 */
export function outcomeOf(error: unknown, method: string): WriteOutcome {
  if (readingMethods.has(method.toUpperCase())) return "not-applied";
  return evaluate({ valueOf: writeOutcomeOf, order: ["unknown", "not-applied"], fallback: "unknown" }, error);
}

/** Returns how long an error asks to wait before a retry, in milliseconds; of several errors, the longest. */
export function retryAfterMsOf(error: unknown): number | undefined {
  let longest: number | undefined;
  const visit = (value: object): undefined => {
    const ms = "retryAfterMs" in value ? value.retryAfterMs : undefined;
    if (typeof ms === "number" && Number.isFinite(ms) && ms >= 0) longest = Math.max(longest ?? 0, ms);
  };
  evaluate<undefined>({ valueOf: visit, order: [], fallback: undefined }, error);
  return longest;
}

const readingMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "LIST", "WATCH"]);

/** Limits the number of visited errors, in case a chain of causes is endless. */
const visitsMax = 1000;

/** The rules for evaluating an error and its causes. */
interface Evaluation<V> {
  /** Returns the value of one error without its causes, undefined if it has none. */
  readonly valueOf: (error: object) => V | undefined;
  /** The precedence of the values of several errors. */
  readonly order: readonly V[];
  /** The value if no error has one. */
  readonly fallback: V;
}

/** Returns the value of an error: its own, or that of the errors it aggregates, or that of its cause. */
function evaluate<V>(evaluation: Evaluation<V>, error: unknown, known: Map<object, V> = new Map()): V {
  const { valueOf, fallback } = evaluation;
  if (typeof error !== "object" || error === null || known.size === visitsMax) return fallback;
  const before = known.get(error);
  if (before !== undefined || known.has(error)) return before ?? fallback;
  // Guards against an error that is its own cause: the inner visit returns the fallback.
  known.set(error, fallback);
  const value = valueOf(error) ?? evaluateInner(evaluation, error, known);
  known.set(error, value);
  return value;
}

function evaluateInner<V>(evaluation: Evaluation<V>, error: object, known: Map<object, V>): V {
  if ("errors" in error && Array.isArray(error.errors) && error.errors.length > 0) {
    const values = new Set(error.errors.map((part: unknown) => evaluate(evaluation, part, known)));
    return evaluation.order.find((value) => values.has(value)) ?? evaluation.fallback;
  }
  return "cause" in error ? evaluate(evaluation, error.cause, known) : evaluation.fallback;
}

function classOf(error: object): ErrorClass | undefined {
  if (error instanceof HomeostatError) return error.errorClass;
  return rowOf(error)?.errorClass;
}

function writeOutcomeOf(error: object): WriteOutcome | undefined {
  // Errors of any package of this project have the property if they know the outcome.
  if (error instanceof HomeostatError && "outcome" in error) {
    return error.outcome === "not-applied" ? "not-applied" : "unknown";
  }
  return rowOf(error)?.outcome;
}

function rowOf(error: object): ReturnType<typeof rowOfSocketCode> {
  if ("code" in error && typeof error.code === "string") return rowOfSocketCode(error.code);
  // The DOMExceptions of AbortSignal have a numeric code and are recognized by name.
  const name = "name" in error ? error.name : undefined;
  return name === "AbortError" || name === "TimeoutError" ? rowOfSocketCode("ABORT_ERR") : undefined;
}
