// A ConfigMap holds at most 1 MiB. The files of all members of a component are in one ConfigMap.

import { invalidField, type Problem } from "@homeostat/schema";
import { components } from "../api/identity.ts";
import { componentConfigMap } from "../build/config-maps.ts";
import { byComponent, type ResolvedCluster } from "../build/resolve.ts";

/** The limit of the API server, in bytes of keys and values. */
export const configBytesMax = 1_048_576;

/** Returns a problem for every component whose files exceed the limit at the largest number of members it may have. */
export function* configSizeProblems(resolved: ResolvedCluster): Iterable<Problem> {
  const largest = byComponent((component) =>
    Math.max(resolved.counts[component], resolved.autoscalers[component]?.maxReplicas ?? 0),
  );
  for (const component of components) {
    const isPerMember = component !== "search";
    const files = (count: number): number => bytesOf(resolved, component, count, largest.controller);
    // All files of a component have the same length, except for the digits of their ordinals.
    const one = files(1);
    const bytes = isPerMember ? one * largest[component] : one;
    if (bytes <= configBytesMax) continue;
    const detail = `the files of ${largest[component]} members would have ${bytes} bytes, but a ConfigMap holds at most ${configBytesMax}; use fewer or shorter keys`;
    yield invalidField(`spec.config.${component}`, largest[component], detail);
  }
}

function bytesOf(
  resolved: ResolvedCluster,
  component: "controller" | "ingest" | "search",
  count: number,
  controllers: number,
): number {
  const { data = {} } = componentConfigMap(resolved, component, {
    members: { controller: component === "controller" ? count : controllers, ingest: count },
    isBootstrapped: false,
    membership: { epoch: 1, voters: [], target: controllers },
    externalAddresses: {},
  });
  return Object.entries(data).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
}
