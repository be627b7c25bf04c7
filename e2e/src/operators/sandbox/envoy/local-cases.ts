// Equivalence cases with addresses of the loopback interface.

import type { RoutingSettings, RouteTable, TablePort } from "@homeostat/routing";
import { type EquivalenceCase, equivalenceCases } from "@homeostat/routing/equivalence";
import type { Upstreams } from "./upstreams.ts";

/** Cases with the same table and settings, which share their listeners. */
export interface LocalGroup {
  /** The table in a namespace of its own, with loopback addresses. */
  readonly table: RouteTable;
  readonly settings: RoutingSettings;
  readonly cases: readonly EquivalenceCase[];
}

/** Returns all cases, grouped by table and settings. Each group has a namespace, because clusters are named by namespace and Service. */
export async function localGroups(upstreams: Upstreams): Promise<readonly LocalGroup[]> {
  const groups = new Map<string, EquivalenceCase[]>();
  for (const each of equivalenceCases) {
    const key = JSON.stringify([each.table, each.settings]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return Promise.all(
    [...groups.values()].map(async (cases, index) => {
      const [first] = cases;
      if (first === undefined) throw new Error("a group has a case");
      const table = await localTable({ ...first.table, namespace: `case-${index}` }, upstreams);
      return { table, settings: first.settings, cases };
    }),
  );
}

/** Returns a table with the ports of servers that stand for its addresses. Listeners get free ports. */
async function localTable(table: RouteTable, upstreams: Upstreams): Promise<RouteTable> {
  const isHttp2 = (port: number): boolean => table.ports.some((each) => each.port === port && isGrpc(each));
  const local = async (address: string, port: number): Promise<number> =>
    upstreams.portOf(address, { isHttp2: isHttp2(port) });
  const ports = table.ports.map(async (port) => {
    const localPort = await local(port.baselineTarget, port.port);
    return { ...port, listen: 0, baselineTarget: `baseline.${table.namespace}.svc:${localPort}` };
  });
  const entries = table.entries.map(async (entry) => ({
    ...entry,
    ports: await Promise.all(
      entry.ports.map(async ({ addresses, ...port }) => {
        const service = `${port.targetService}.shop.svc:${port.targetPort}`;
        if (addresses === undefined) return { ...port, targetPort: await local(service, port.port) };
        const known = addresses.map(async (address) => `127.0.0.1:${await local(address, port.port)}`);
        return { ...port, addresses: await Promise.all(known) };
      }),
    ),
  }));
  return { ...table, ports: await Promise.all(ports), entries: await Promise.all(entries) };
}

function isGrpc({ appProtocol }: TablePort): boolean {
  return appProtocol === "grpc";
}

/** Returns the addresses that a case allows; empty if the request must fail. */
export function expectedAddresses({ table, port, expected }: EquivalenceCase): readonly string[] {
  if (expected.type === "entry") return expected.targets;
  const own = table.ports.find((each) => each.port === port);
  return expected.type === "baseline" && own !== undefined ? [own.baselineTarget] : [];
}
