import type { ModeName, PeerOptions } from "./arguments.ts";

/** One table to make: a mode, and how many objects there are. */
export interface Step {
  readonly mode: ModeName;
  readonly objects: number;
}

/**
 * What to measure in which order: objects are only ever added, so small sizes go first; and a mode that restarts the server
 * goes last among those of its size.
 */
export function planOf({ modes, sizes }: Pick<PeerOptions, "modes" | "sizes">): readonly Step[] {
  const steps: Step[] = [];
  if (modes.includes("throughput")) steps.push({ mode: "throughput", objects: 0 });
  // The modes other than sync are about the size that was named first.
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
