import type { KindTraits, ResourceRow } from "../resources/resource.ts";
import { strategyOf } from "./strategies.ts";

/** Returns the traits of a built-in resource: the behaviour of the server that discovery does not show. */
export function traitsOf(row: ResourceRow): KindTraits {
  const strategy = strategyOf(row);
  return {
    hasGeneration: strategy.hasGeneration === true,
    hasStatus: row.subresources.some((part) => part.name === "status"),
    deletesGracefully: strategy.gracePeriodSeconds !== undefined,
    allowsUnconditionalUpdate: strategy.requiresVersionOnUpdate !== true,
    allowsCreateOnUpdate: strategy.allowsCreateOnUpdate === true,
    returnsDeletedObject: strategy.returnsDeletedObject === true,
  };
}
