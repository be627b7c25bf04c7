import type { Clock } from "@homeostat/core";
import type { TokenObjects } from "../auth/service-account-tokens.ts";
import type { SpecialEndpoint } from "../handlers/special-endpoints.ts";
import { builtInKinds } from "./built-in-kinds.ts";
import { builtInTable } from "./built-in-table.ts";
import { selectableValue, selectorProblem } from "./field-selectors.ts";
import type { BuiltInKind } from "../resources/resource.ts";
import { strategyOf } from "./strategies.ts";
import type { ServedKind } from "../resources/served-kind.ts";
import { unstoredKind } from "../endpoints/unstored-kind.ts";
import type { SpecialTools } from "../endpoints/endpoint-tools.ts";
import { type NodeProvider, noNodes } from "../endpoints/node-provider.ts";
import { scaleEndpoint } from "./autoscaling/scale-endpoint.ts";

/**
 * Builds the special endpoints: those declared by the strategies of built-in kinds, and `scale`. `nodes` are the kubelets of the cluster.
 */
export function specialEndpoints(
  tools: SpecialTools,
  {
    objects,
    nodes = noNodes,
    hasControllers = false,
  }: {
    readonly objects: TokenObjects;
    readonly nodes?: NodeProvider;
    /** True if controllers and a scheduler run in the cluster. */
    readonly hasControllers?: boolean;
  },
): SpecialEndpoint[] {
  const { clock } = tools;
  const ofKinds = builtInKinds.flatMap((kind) => {
    const { endpoints } = strategyOf(kind);
    const built = endpoints?.({ ...tools, objects, nodes, hasControllers }, unstoredBuiltIn(kind, clock)) ?? [];
    return built.map((endpoint) => ({ group: kind.group, resource: kind.plural, ...endpoint }));
  });
  return [...ofKinds, scaleEndpoint(clock)];
}

/** Returns a built-in kind that is not stored, for its endpoints: with the Table and the field selectors of its lists. */
function unstoredBuiltIn(kind: BuiltInKind, clock: Pick<Clock, "now">): ServedKind {
  const table = builtInTable(kind.group, kind.plural);
  return {
    ...unstoredKind(kind, clock),
    ...(table === undefined ? {} : { table }),
    selectorProblem: (selector) => selectorProblem(kind, selector),
    fieldValue: (object, field) => selectableValue(kind, object, field),
  };
}
