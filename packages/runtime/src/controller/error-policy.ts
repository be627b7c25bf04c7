import { classify, type ErrorClass, type Random } from "@homeostat/core";
import type { ErrorPolicy } from "./definition.ts";

/** Property of an {@link ErrorPolicy} for each error class. */
const names = { transient: "transient", terminal: "permanent", unknown: "unknown" } as const satisfies Record<
  ErrorClass,
  keyof ErrorPolicy
>;

/** Returns a random retry delay from the interval of the error's class; undefined when the policy has none for it. */
export function policyDelayMs(error: unknown, policy: ErrorPolicy | undefined, random: Random): number | undefined {
  const interval = policy?.[names[classify(error)]];
  if (interval === undefined) return undefined;
  return Math.round(interval.minMs + (interval.maxMs - interval.minMs) * random.next());
}

/** Yields one sentence per invalid interval of a policy. */
export function* errorPolicyProblems({ events, ...policy }: ErrorPolicy): Generator<string> {
  if (events !== undefined && !(events.minMs >= 0 && events.minMs < Infinity))
    yield `has an errorPolicy.events.minMs of ${events.minMs} ms; it must be finite and not negative.`;
  for (const [name, { minMs, maxMs }] of Object.entries(policy)) {
    if (minMs >= 0 && maxMs >= minMs && maxMs < Infinity) continue;
    yield `has an errorPolicy.${name} from ${minMs} to ${maxMs} ms; minMs and maxMs must be finite, not negative, and in ascending order.`;
  }
}
