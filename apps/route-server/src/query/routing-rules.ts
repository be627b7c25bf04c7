// Routing rules for programs that evaluate routing keys themselves, such as message consumers.

import type { RouteTable } from "@homeostat/routing";
import { type JsonResponse, refusal } from "../http/response.ts";

/** Assigns messages with a routing key to a sandbox. */
export interface RoutingRule {
  readonly routingKey: string;
  readonly baseline: { readonly kind: "Service"; readonly namespace: string; readonly name: string };
  readonly destinationSandbox: { readonly name: string };
  readonly mappings: readonly {
    readonly workloadPort: number;
    readonly destinations: readonly { readonly host: string; readonly port: number }[];
  }[];
}

/** Filters of rules. An undefined filter selects all rules. */
export interface RuleFilter {
  readonly baselineNamespace: string | undefined;
  readonly baselineName: string | undefined;
  readonly routingKey: string | undefined;
  readonly destinationSandboxName: string | undefined;
}

export interface RulesRequest {
  readonly filter: RuleFilter;
  readonly isWatch: boolean;
}

const parameters = new Set([
  "baselineKind",
  "baselineNamespace",
  "baselineName",
  "routingKey",
  "destinationSandboxName",
  "watch",
]);

/** Reads the filters of a request. An unknown filter is refused: ignoring it would return rules of other consumers. */
export function readRulesRequest(
  query: URLSearchParams,
): { readonly request: RulesRequest } | { readonly refused: JsonResponse } {
  const problems = [...query.keys()]
    .filter((name) => !parameters.has(name))
    .map((name) => `${name} is not a known filter; use ${[...parameters].join(", ")}`);
  const kind = query.get("baselineKind") ?? "Service";
  if (kind !== "Service") problems.push("baselineKind must be Service: routes belong to Services of the baseline");
  const watch = query.get("watch") ?? "false";
  if (watch !== "true" && watch !== "false") problems.push("watch must be true or false");
  if (problems.length > 0) return { refused: refusal(400, ...problems) };
  const text = (name: string): string | undefined => query.get(name) ?? undefined;
  const filter = {
    baselineNamespace: text("baselineNamespace"),
    baselineName: text("baselineName"),
    routingKey: text("routingKey"),
    destinationSandboxName: text("destinationSandboxName"),
  };
  return { request: { filter, isWatch: watch === "true" } };
}

/** Returns the rules of tables that a filter selects, sorted by namespace, Service and key. */
export function routingRules(tables: Iterable<RouteTable>, filter: RuleFilter): readonly RoutingRule[] {
  const selects = (expected: string | undefined, value: string): boolean =>
    expected === undefined || expected === value;
  const rules: RoutingRule[] = [];
  for (const { namespace, service, entries } of tables) {
    if (!selects(filter.baselineNamespace, namespace) || !selects(filter.baselineName, service)) continue;
    for (const { routingKey, sandbox, ports } of entries) {
      if (!selects(filter.routingKey, routingKey) || !selects(filter.destinationSandboxName, sandbox)) continue;
      rules.push({
        routingKey,
        baseline: { kind: "Service", namespace, name: service },
        destinationSandbox: { name: sandbox },
        mappings: ports.map(({ port, targetService, targetPort }) => ({
          workloadPort: port,
          destinations: [{ host: `${targetService}.${namespace}.svc`, port: targetPort }],
        })),
      });
    }
  }
  return rules.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

function orderOf({ routingKey, baseline, destinationSandbox }: RoutingRule): string {
  return `${baseline.namespace}/${baseline.name}/${routingKey}/${destinationSandbox.name}`;
}
