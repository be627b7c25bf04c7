import { ForbiddenError, findCondition } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import { annotations, isTakenOver, RouteTable, systemNamespace } from "@homeostat/sandbox-operator";
import type { Cluster, CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { Flags } from "../command/flags.ts";
import type { CommandInput } from "../command/input.ts";
import { tableLines } from "../output/table-lines.ts";

interface Row {
  readonly [field: string]: string;
}

/** Parts of the status; undefined for those that the user may not list. */
interface AdminStatus {
  readonly programs: readonly Row[] | undefined;
  readonly routeTables: readonly Row[] | undefined;
  readonly takenOverServices: readonly Row[] | undefined;
}

/** Shows programs, route tables and Services that are taken over. */
export async function adminStatus(input: CommandInput<Flags>, context: CommandContext): Promise<number> {
  const { print, signal } = context;
  using cluster = await context.connect(input.connection);
  const status: AdminStatus = {
    programs: await readable(() => readPrograms(cluster, signal)),
    routeTables: await readable(() => readTables(cluster, signal)),
    takenOverServices: await readable(() => readServices(cluster, signal)),
  };
  if (input.output === "json") {
    print(JSON.stringify(status, undefined, 2));
    return exitCodes.done;
  }
  const parts = [
    { title: `Programs in ${systemNamespace}`, rows: status.programs, right: "list Deployments there" },
    { title: "Route tables", rows: status.routeTables, right: "list RouteTables of all namespaces" },
    { title: "Services that are taken over", rows: status.takenOverServices, right: "list Services of all namespaces" },
  ];
  for (const { title, rows, right } of parts) {
    print(`${title}:${rows === undefined ? ` unknown; you may not ${right}` : rows.length === 0 ? " none" : ""}`);
    const [first] = rows ?? [];
    if (first === undefined) continue;
    const table = [
      Object.keys(first).map((key) => key.toUpperCase()),
      ...(rows ?? []).map((row) => Object.values(row)),
    ];
    for (const line of tableLines(table)) print(`  ${line}`);
  }
  return exitCodes.done;
}

async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ForbiddenError) return undefined;
    throw error;
  }
}

async function readPrograms({ client }: Cluster, signal: AbortSignal): Promise<readonly Row[]> {
  const { items } = await client.list(Deployment, { namespace: systemNamespace, signal });
  return items.map(({ metadata, spec, status }) => ({
    name: metadata.name ?? "",
    ready: `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 1}`,
    version: metadata.labels?.["app.kubernetes.io/version"] ?? "",
  }));
}

async function readTables({ client }: Cluster, signal: AbortSignal): Promise<readonly Row[]> {
  const { items } = await client.list(RouteTable, { signal });
  return items.map(({ metadata, status }) => {
    const programmed = findCondition(status.conditions ?? [], "Programmed");
    return {
      namespace: metadata.namespace ?? "",
      name: metadata.name ?? "",
      programmed: programmed?.status ?? "Unknown",
      reason: programmed?.reason ?? "",
      message: programmed?.message ?? "",
    };
  });
}

async function readServices({ client }: Cluster, signal: AbortSignal): Promise<readonly Row[]> {
  const found: Row[] = [];
  for await (const service of client.items(Service, { signal })) {
    if (!isTakenOver(service)) continue;
    const { namespace = "", name = "" } = service.metadata;
    const isRecorded = service.metadata.annotations?.[annotations.original] !== undefined;
    found.push({
      namespace,
      name,
      restore: isRecorded ? `sandboxctl admin restore ${name} -n ${namespace}` : "original selector is not recorded",
    });
  }
  return found;
}
