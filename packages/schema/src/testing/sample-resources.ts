import type { Resource } from "../resource/resource.ts";
import { defaults, immutables } from "./default-samples.ts";
import { embedded } from "./embedded-samples.ts";
import { clusterWide, scalable, versioned } from "./kind-samples.ts";
import { rules } from "./rule-samples.ts";
import { lists, maps, names, opaque, unions } from "./collection-samples.ts";
import { formats, nullables, quantities, scalars, times } from "./scalar-samples.ts";

/**
 * Resources that together use every feature of the builder. The e2e suites create them on a real API server and compare
 * its responses with ours.
 */
export const sampleResources: readonly Resource[] = [
  scalars,
  formats,
  quantities,
  times,
  nullables,
  lists,
  maps,
  unions,
  opaque,
  names,
  embedded,
  defaults,
  immutables,
  rules,
  scalable,
  clusterWide,
  versioned,
];
