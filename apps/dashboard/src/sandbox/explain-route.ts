import type { Random, Stored } from "@homeostat/core";
import { explain, KeyReader, parseTable, type RoutingSettings } from "@homeostat/routing";
import type { RouteTable } from "@homeostat/sandbox-operator";
import type { ExplainView } from "../api/sandbox-types.ts";
import type { ExplainQuery } from "./explain-query.ts";

/**
 * Explains where a request goes with the decision function of the proxies and the RouteTable of the cluster. The ready addresses of targets are known to
 * the route server only, so that every target counts as ready.
 */
export function explainRoute(
  { namespace, service, port, request }: ExplainQuery,
  {
    tables,
    settings,
    random,
  }: {
    /** Tables that the user may read. Their keys tell unknown keys from keys without a route. */
    readonly tables: readonly Stored<RouteTable>[];
    readonly settings: RoutingSettings;
    readonly random: Random;
  },
): Omit<ExplainView, "notes"> {
  const object = tables.find(({ metadata }) => metadata.namespace === namespace && metadata.name === service);
  if (object === undefined)
    return {
      problem: `There is no RouteTable ${namespace}/${service} that you may read. Requests to a Service without a RouteTable reach the baseline.`,
    };
  const { table, problems } = parseTable({ ...object.spec, namespace });
  if (table === undefined) {
    const details = problems.map(({ field, reason }) => `${field} ${reason}`).join("; ");
    return { problem: `RouteTable ${namespace}/${service} is not valid: ${details}.` };
  }
  const [only] = table.ports;
  if (port === undefined && (only === undefined || table.ports.length > 1))
    return {
      problem: `The Service has the ports ${table.ports.map((one) => one.port).join(", ")}. Enter one of them.`,
    };
  const explanation = explain({
    table,
    port: port ?? only?.port ?? 0,
    request,
    keys: new KeyReader({ role: "takeover", settings }),
    random,
    knownKeys: new Set(tables.flatMap(({ spec }) => spec.entries.map(({ routingKey }) => routingKey))),
  });
  return { explanation };
}
