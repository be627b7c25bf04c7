import type { Resource } from "../resource/resource.ts";
import { defaults, immutables } from "./changes.ts";
import { embedded } from "./embedded.ts";
import { clusterWide, scalable, versioned } from "./kinds.ts";
import { rules } from "./rules.ts";
import { lists, maps, names, opaque, unions } from "./structures.ts";
import { formats, nullables, quantities, scalars, times } from "./values.ts";

/** Resources that together use everything the builder has, to compare our verdicts with those of a real API server. */
export const gallery: readonly Resource[] = [
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
