import { type DeepReadonly, parseQuantity } from "@homeostat/core";
import type { Container, Pod, ResourceRequirements } from "@homeostat/kubernetes/core/v1";

/** Amounts by resource name: CPU in thousandths, everything else in whole units, rounded up. */
export type Amounts = ReadonlyMap<string, bigint>;

/** Parses a list of quantities. */
export function amountsOf(quantities: Readonly<Record<string, string | number>> | undefined): Amounts {
  const entries = Object.entries(quantities ?? {});
  return new Map(
    entries.map(([name, text]) => {
      const quantity = parseQuantity(String(text));
      return [name, name === "cpu" ? quantity.milliValue() : quantity.value()];
    }),
  );
}

/**
 * Returns the effective requests of a pod, by the rules for sidecars (KEP-753): the sum of containers and sidecars,
 * or an init container with the sidecars before it, whichever is larger, plus the pod overhead.
 */
export function requestsOf({ spec }: DeepReadonly<Pod>): Amounts {
  let running = sum(spec.containers.map(containerRequests));
  let sidecars: Amounts = new Map();
  let starting: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const needs = containerRequests(container);
    if (container.restartPolicy === "Always") {
      running = sum([running, needs]);
      sidecars = sum([sidecars, needs]);
      starting = maxOf(starting, sidecars);
    } else starting = maxOf(starting, sum([sidecars, needs]));
  }
  const whole = new Map([...maxOf(running, starting), ...containerRequests(spec)]);
  return sum([whole, amountsOf(spec.overhead)]);
}

/** Adds amounts per resource. */
export function sum(amounts: readonly Amounts[]): Amounts {
  const total = new Map<string, bigint>();
  for (const [name, amount] of amounts.flatMap((one) => [...one])) total.set(name, (total.get(name) ?? 0n) + amount);
  return total;
}

function maxOf(a: Amounts, b: Amounts): Amounts {
  const result = new Map(a);
  for (const [name, amount] of b) if (amount > (result.get(name) ?? 0n)) result.set(name, amount);
  return result;
}

function containerRequests({
  resources,
}: Pick<DeepReadonly<Container>, "resources"> | { resources?: DeepReadonly<ResourceRequirements> }): Amounts {
  return amountsOf(resources?.requests);
}
