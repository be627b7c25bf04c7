import { classify, type ErrorClass, type Random } from "@homeostat/core";
import type { ErrorPolicy } from "./definition.ts";

/** The names of error classes in a policy. */
const names = { transient: "transient", terminal: "permanent", unknown: "unknown" } as const satisfies Record<
  ErrorClass,
  keyof ErrorPolicy
>;

/** Returns how long to wait before an error is retried, or undefined when the policy does not name its class. */
export function policyDelayMs(error: unknown, policy: ErrorPolicy | undefined, random: Random): number | undefined {
  const interval = policy?.[names[classify(error)]];
  if (interval === undefined) return undefined;
  return Math.round(interval.minMs + (interval.maxMs - interval.minMs) * random.next());
}

/** Returns what is wrong with a policy, a sentence each. */
export function* errorPolicyProblems(policy: ErrorPolicy): Generator<string> {
  for (const [name, { minMs, maxMs }] of Object.entries(policy)) {
    if (minMs >= 0 && maxMs >= minMs && maxMs < Infinity) continue;
    yield `has an errorPolicy.${name} from ${minMs} to ${maxMs} ms; both must be finite and not negative, the second at least the first.`;
  }
}
