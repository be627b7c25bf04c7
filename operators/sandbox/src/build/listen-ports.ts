// Ports on which the proxy of a namespace listens. Each port identifies one port of one Service, because a Host header cannot be trusted.

import { ownValue } from "@homeostat/core";
import { hash8 } from "../api/names.ts";

/** Listening ports by port of the Service, as text. */
export type ListenPorts = Readonly<Record<string, number>>;

const firstPort = 21_000;
const lastPort = 28_999;

/** Reports whether a target port is in the range that only proxies use. */
export function isListenPort(targetPort: string | number | undefined): boolean {
  return typeof targetPort === "number" && targetPort >= firstPort && targetPort <= lastPort;
}

/**
 * Returns the listening ports of a Service: existing ones are kept, and new ones are the lowest free ports of the namespace. A port that was removed
 * from the Service keeps its listener until the release. Returns undefined if the range is exhausted.
 */
export function allocatePorts(
  ports: readonly number[],
  present: ListenPorts,
  ofOthers: Iterable<ListenPorts>,
): ListenPorts | undefined {
  const used = new Set([...ofOthers, present].flatMap((each) => Object.values(each)));
  const all: Record<string, number> = { ...present };
  let next = firstPort;
  for (const port of ports) {
    if (listenPortOf(present, port) !== undefined) continue;
    while (used.has(next)) next += 1;
    if (next > lastPort) return undefined;
    all[String(port)] = next;
    used.add(next);
  }
  return all;
}

export function listenPortOf(ports: ListenPorts, port: number): number | undefined {
  const found = ownValue({ ...ports }, String(port));
  return typeof found === "number" ? found : undefined;
}

/**
 * Returns the version of a table that is published with its listening ports. Proxies confirm a table by its version: a confirmation of
 * this one includes the ports, one of the version without ports does not.
 */
export function versionWithPorts(version: string, ports: ListenPorts | undefined): string {
  const entries = Object.entries(ports ?? {}).toSorted(([a], [b]) => Number(a) - Number(b));
  return entries.length === 0 ? version : `${version}-${hash8(entries.map(([port, listen]) => `${port}:${listen}`))}`;
}

/** Reports whether a published version is one with these listening ports. */
export function isPublishedWith(version: string, ports: ListenPorts): boolean {
  return Object.keys(ports).length > 0 && version.endsWith(versionWithPorts("", ports));
}
