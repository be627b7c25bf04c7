import { UsageError } from "@homeostat/core";
import type { Baseline } from "@homeostat/sandbox-operator";

/** A container of the baseline. */
export type BaselineContainer = Baseline["template"]["spec"]["containers"][number];

/** Returns a container of a workload, by default the first. Throws a {@link UsageError} if it has no container of that name. */
export function containerOf(
  { kind, namespace, name, template }: Baseline,
  container: string | undefined,
): BaselineContainer {
  const { containers } = template.spec;
  const found = container === undefined ? containers[0] : containers.find((each) => each.name === container);
  if (found !== undefined) return found;
  const names = containers.map((each) => each.name).join(", ");
  throw new UsageError(`${kind} ${namespace}/${name} has no container ${container ?? ""}; it has ${names}.`);
}
