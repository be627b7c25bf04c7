// The ports of the application beside a sidecar, and the routes that apply to them.

import { UsageError } from "@homeostat/core";
import { type CompiledTable, compileTable, type RouteEntry, type RouteTable, type TablePort } from "@homeostat/routing";

/** A port of the application, and the port on which the sidecar listens for it. */
export interface ApplicationPort {
  /** Name by which Services find the port of the sidecar. */
  readonly name: string;
  readonly port: number;
  readonly listen: number;
}

const form = /^([a-z0-9-]{1,15})=([1-9]\d{0,4}):([1-9]\d{0,4})$/;

/** Reads `http=8080:19100,grpc=9000:19101`. Throws a `UsageError` that names the invalid part. */
export function parseApplicationPorts(text: string): readonly ApplicationPort[] {
  const parts = text === "" ? [] : text.split(",");
  return parts.map((part) => {
    const [, name = "", port, listen] = form.exec(part) ?? [];
    const found = { name, port: Number(port), listen: Number(listen) };
    if (found.port <= 65_535 && found.listen <= 65_535) return found;
    const expected = "it must be NAME=PORT:LISTENER with ports up to 65535, such as http=8080:19100";
    throw new UsageError(`--application-ports contains ${JSON.stringify(part)}; ${expected}.`);
  });
}

/**
 * Returns one table for each port of the application: the routes of the Services that lead to it, and the application itself, on
 * loopback, as the baseline. A port without routes gets a table without entries.
 *
 * Several Services may lead to one port. The sidecar cannot tell their requests apart, and need not: all of them select this pod, so that
 * a key means the same workload. Their routes are joined, those of the first Service by name first.
 */
export function sidecarTables(
  tables: Iterable<RouteTable>,
  { ports, namespace }: { readonly ports: readonly ApplicationPort[]; readonly namespace: string },
): readonly CompiledTable[] {
  const sorted = [...tables]
    .filter(({ interception }) => interception === "Sidecar")
    .toSorted((a, b) => (a.service < b.service ? -1 : 1));
  return ports.map((application) => {
    const found = sorted.flatMap((table) => portsNamed(table, application.name).map((port) => ({ table, port })));
    const [first] = found;
    const target = { listen: application.listen, baselineTarget: `127.0.0.1:${application.port}` };
    if (first === undefined) {
      const port = { port: application.port, name: application.name, ...target };
      return compileTable({ namespace, service: "", version: "none", ports: [port], entries: [] });
    }
    const entries = found.flatMap(({ table, port }) => entriesFor(table, port.port, first.port.port));
    return compileTable({ ...first.table, ports: [{ ...first.port, ...target }], entries });
  });
}

function portsNamed({ ports }: RouteTable, name: string): readonly TablePort[] {
  return ports.filter(({ targetPort }) => targetPort === name);
}

/** Returns the entries of a table for one of its ports, as entries for another port. */
function entriesFor({ entries }: RouteTable, port: number, as: number): readonly RouteEntry[] {
  return entries.flatMap((entry) => {
    const own = entry.ports.filter((each) => each.port === port).map((each) => ({ ...each, port: as }));
    return own.length === 0 && entry.mode !== "Virtual" ? [] : [{ ...entry, ports: own }];
  });
}
