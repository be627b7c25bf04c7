import type { ResourceType } from "@homeostat/core";
import { Counter } from "../metrics/counter.ts";
import { Gauge } from "../metrics/gauge.ts";
import type { Registry } from "../metrics/registry.ts";
import type { Cache, InformerStats } from "./cache.ts";
import type { CacheNote, CacheObserver } from "./observer.ts";

type Label = "group" | "version" | "resource";

const labels = ["group", "version", "resource"] as const;

/**
 * Metrics of caches by resource; informers of the same resource are added up. Create one per registry and pass it to
 * the caches as their observer.
 *
 * @example
 * const metrics = new CacheMetrics(registry);
 * const cache = new Cache({ ...options, observer: metrics });
 * using reading = metrics.measure(cache);
 */
export class CacheMetrics implements CacheObserver {
  readonly #informers = new Gauge({
    name: "cache_informers",
    help: "Number of informers by resource.",
    labels,
  });
  readonly #synced = new Gauge({
    name: "cache_synced",
    help: "Whether all informers of a resource have completed their first list (1) or not (0).",
    labels,
  });
  readonly #objects = new Gauge({ name: "cache_objects", help: "Number of cached objects by resource.", labels });
  readonly #bytes = new Gauge({
    name: "cache_bytes",
    help: "Size of the cached objects in bytes, without dropped fields.",
    labels,
  });
  readonly #heldBytes = new Gauge({
    name: "cache_held_bytes",
    help: "Memory in bytes allocated for cached objects outside the JavaScript heap, including free and dead space.",
    labels,
  });
  readonly #lists = new Counter({
    name: "cache_lists_total",
    help: "Accepted lists. An informer lists once at the start and again only after a 410 or an inconsistency.",
    labels,
  });
  readonly #refusedLists = new Counter({
    name: "cache_lists_refused_total",
    help: "Refused lists: older than what was seen before (stale) or contradicting it (suspect, ambiguous).",
    labels: [...labels, "reason"],
  });
  readonly #watches = new Counter({
    name: "cache_watches_total",
    help: "Opened watches. Each resumes where the previous watch of the informer ended.",
    labels,
  });
  readonly #endings = new Counter({
    name: "cache_watches_ended_total",
    help: "Ended watches by reason: closed by the server as usual, silent (no data), gone (410), busy (429), suspicious (inconsistent) or failed.",
    labels: [...labels, "reason"],
  });
  readonly #gone = new Counter({
    name: "cache_gone_total",
    help: "Expired resource versions and continue tokens (410), each followed by a new list.",
    labels,
  });
  readonly #retries = new Counter({
    name: "cache_retries_total",
    help: "Failed list and watch requests that were retried after a delay.",
    labels,
  });
  readonly #errors = new Counter({
    name: "cache_program_errors_total",
    help: "Errors thrown by event handlers, index functions and transformations.",
    labels,
  });

  constructor(registry: Registry) {
    registry.register(this.#informers);
    registry.register(this.#synced);
    registry.register(this.#objects);
    registry.register(this.#bytes);
    registry.register(this.#heldBytes);
    registry.register(this.#lists);
    registry.register(this.#refusedLists);
    registry.register(this.#watches);
    registry.register(this.#endings);
    registry.register(this.#gone);
    registry.register(this.#retries);
    registry.register(this.#errors);
  }

  /** Adds a cache to the gauges. Dispose of the result to remove it. */
  measure(cache: Pick<Cache, "stats">): Disposable {
    const show = (gauge: Gauge<Label>, valueOf: (stats: readonly InformerStats[]) => number): Disposable =>
      gauge.read((set) => {
        for (const [type, stats] of byType(cache.stats())) set(labelsOf(type), valueOf(stats));
      });
    const readings = [
      show(this.#informers, (stats) => stats.length),
      show(this.#synced, (stats) => (stats.every(({ health }) => health.isSynced) ? 1 : 0)),
      show(this.#objects, (stats) => sum(stats, ({ objects }) => objects)),
      show(this.#bytes, (stats) => sum(stats, ({ bytes }) => bytes)),
      show(this.#heldBytes, (stats) => sum(stats, ({ heldBytes }) => heldBytes)),
    ];
    return {
      [Symbol.dispose]: () => {
        for (const reading of readings) reading[Symbol.dispose]();
      },
    };
  }

  note(_informer: string, note: CacheNote, type: ResourceType): void {
    const of = labelsOf(type);
    switch (note.type) {
      case "listed":
        return this.#lists.inc(of);
      case "refused":
        return this.#refusedLists.inc({ ...of, reason: note.outcome });
      case "watching":
        return this.#watches.inc(of);
      case "ended":
        return this.#endings.inc({ ...of, reason: note.ending });
      case "gone":
        return this.#gone.inc(of);
      case "retrying":
        return this.#retries.inc(of);
      case "error":
        return this.#errors.inc(of);
    }
  }
}

function labelsOf({ group, version, plural }: ResourceType): Record<Label, string> {
  return { group, version, resource: plural };
}

/** Groups informers by resource. Two `ResourceType` values may describe the same resource. */
function byType(stats: readonly InformerStats[]): Iterable<readonly [ResourceType, readonly InformerStats[]]> {
  const found = new Map<string, [ResourceType, InformerStats[]]>();
  for (const informer of stats) {
    const { group, version, plural } = informer.type;
    const key = `${group}/${version}/${plural}`;
    const entry = found.get(key);
    if (entry === undefined) found.set(key, [informer.type, [informer]]);
    else entry[1].push(informer);
  }
  return found.values();
}

function sum(stats: readonly InformerStats[], valueOf: (informer: InformerStats) => number): number {
  return stats.reduce((total, informer) => total + valueOf(informer), 0);
}
