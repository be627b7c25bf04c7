import type { ModeName, PeerOptions } from "./arguments.ts";

/** One step, which results in one table: a mode and a number of objects. */
export interface Step {
  readonly mode: ModeName;
  readonly objects: number;
}

/**
 * Returns the steps in order. Objects are only added, so small sizes come first; modes that restart the server come last within
 * their size.
 */
export function planOf({ modes, sizes }: Pick<PeerOptions, "modes" | "sizes">): readonly Step[] {
  const steps: Step[] = [];
  if (modes.includes("throughput")) steps.push({ mode: "throughput", objects: 0 });
  // Modes other than sync use the first size.
  const [usual = 10_000] = sizes;
  for (const objects of sizes.toSorted((a, b) => a - b)) {
    if (modes.includes("sync")) steps.push({ mode: "sync", objects });
    if (objects !== usual) continue;
    for (const mode of ["latency", "idle", "restart", "relist"] as const) {
      if (modes.includes(mode)) steps.push({ mode, objects });
    }
  }
  return steps;
}
