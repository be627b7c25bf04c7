import type { Client } from "@homeostat/client";
import { withoutUndefined } from "@homeostat/core";
import {
  explain,
  type Explanation,
  headerSource,
  KeyReader,
  parseRoutingSettings,
  parseTable,
} from "@homeostat/routing";
import { RouteTable } from "@homeostat/sandbox-operator";
import { readConfig } from "../command/cluster.ts";
import type { CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import type { explainFlags } from "./definitions.ts";
import { type ExplainArguments, readExplainArguments } from "./explain-arguments.ts";
import { explanationLines } from "./explanation-lines.ts";
import { askRouteServer } from "./route-server.ts";

/** Explains where a request goes, and prints it. Returns the exit code. */
export async function explainCommand(
  input: CommandInput<typeof explainFlags>,
  context: CommandContext,
): Promise<number> {
  const args = readExplainArguments(input);
  const explanation =
    args.server === undefined ? await explainByTable(args, context) : await explainByServer(args, context);
  if (input.output === "json") context.print(JSON.stringify(explanation, undefined, 2));
  else for (const line of explanationLines(explanation)) context.print(line);
  return exitCodes.done;
}

async function explainByServer(args: ExplainArguments, { signal }: CommandContext): Promise<Explanation> {
  const { service, port, method, path, headers, server } = args;
  const namespace = service.namespace ?? args.connection.namespace ?? "default";
  const body = withoutUndefined({ namespace, service: service.name, port, method, path, headers: grouped(headers) });
  return askRouteServer(server ?? new URL("http://127.0.0.1:7778"), body, signal);
}

/** Reads the RouteTable of the Service. Ready addresses are known to the route server only; every target counts as ready here. */
async function explainByTable(args: ExplainArguments, context: CommandContext): Promise<Explanation> {
  using cluster = await context.connect(args.connection);
  const { client } = cluster;
  const { signal, note } = context;
  const { name } = args.service;
  const namespace = args.service.namespace ?? cluster.namespace;
  const object = await client.get(RouteTable, { namespace, name }, { signal });
  if (object === undefined) throw noTable(namespace, name);
  const { spec } = object;
  const { table, problems } = parseTable({ ...spec, namespace });
  for (const { field, reason } of problems) note(`note: ${field} ${reason}; proxies ignore it`);
  if (table === undefined) {
    throw new CommandError(`RouteTable ${namespace}/${name} is not valid; see the notes`, exitCodes.error);
  }
  const [only] = table.ports;
  if (args.port === undefined && table.ports.length !== 1) {
    const ports = table.ports.map(({ port }) => port).join(", ");
    throw new CommandError(
      `Service ${namespace}/${name} has the ports ${ports}; choose one with --port`,
      exitCodes.usage,
    );
  }
  const config = await readConfig(client, context);
  const { settings } = parseRoutingSettings(config.routing);
  return explain({
    table,
    port: args.port ?? only?.port ?? 0,
    request: {
      method: args.method,
      path: args.path,
      headers: headerSource(args.headers.map(([key, value]) => [key, value])),
    },
    keys: new KeyReader({ role: "takeover", settings }),
    random: context.random,
    knownKeys: await readKeys(client, signal),
  });
}

/** Returns all keys of the tables that the user may read, to tell unknown keys from keys without a route. */
async function readKeys(client: Client, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { items } = await client.list(RouteTable, { signal });
  return new Set(items.flatMap(({ spec }) => spec.entries.map(({ routingKey }) => routingKey)));
}

/** Returns the error for a Service without a table. */
export function noTable(namespace: string, name: string): CommandError {
  return new CommandError(
    `Service ${namespace}/${name} has no route table: every request reaches the baseline. Check the name, or see kubectl get routetables -n ${namespace}`,
    exitCodes.notFound,
  );
}

/** Returns the values of each header, as the route server reads them. */
function grouped(headers: ExplainArguments["headers"]): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of headers) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
}
