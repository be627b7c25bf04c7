import type { Clock } from "@homeostat/core";
import { Node } from "@homeostat/kubernetes/core/v1";
import type { Context } from "./kinds.ts";
import { zoneLabel } from "./nodes.ts";

/** Age after which the nodes are listed again. Zones rarely change. */
const ageMaxMs = 600_000;

/** Counts the zones of the nodes, and remembers the number for some minutes. */
export class ZoneCounter {
  #known: { readonly zones: number; readonly at: number } | undefined;

  /** Returns the number of zones that have nodes. */
  async count({
    client,
    signal,
    clock,
  }: Pick<Context, "client" | "signal"> & { readonly clock: Pick<Clock, "monotonic"> }): Promise<number> {
    const now = clock.monotonic();
    if (this.#known !== undefined && now - this.#known.at < ageMaxMs) return this.#known.zones;
    const { items } = await client.list(Node, { signal });
    const zones = new Set(
      items.map(({ metadata }) => metadata.labels?.[zoneLabel]).filter((zone) => zone !== undefined),
    ).size;
    this.#known = { zones, at: now };
    return zones;
  }
}
