import type { ResourceType } from "@homeostat/core";
import { Counter } from "../metrics/counter.ts";
import { Gauge } from "../metrics/gauge.ts";
import type { Registry } from "../metrics/registry.ts";
import type { Cache, InformerStats } from "./cache.ts";
import type { CacheNote, CacheObserver } from "./observer.ts";

type Label = "group" | "version" | "resource";

const labels = ["group", "version", "resource"] as const;

/**
 * What caches hold and what they go through, by resource: of informers of the same resource, the sum. Make one for each
 * registry; it is the observer of its caches, too.
 *
 * @example
 * const metrics = new CacheMetrics(registry);
 * const cache = new Cache({ ...options, observer: metrics });
 * using reading = metrics.measure(cache);
 */
export class CacheMetrics implements CacheObserver {
  readonly #informers = new Gauge({
    name: "cache_informers",
    help: "Selections that are kept up to date, by resource.",
    labels,
  });
  readonly #synced = new Gauge({
    name: "cache_synced",
    help: "Whether all informers of a resource have had everything once (1) or not (0).",
    labels,
  });
  readonly #objects = new Gauge({ name: "cache_objects", help: "Objects in the cache, by resource.", labels });
  readonly #bytes = new Gauge({
    name: "cache_bytes",
    help: "Bytes of the objects in the cache, without what was dropped of them.",
    labels,
  });
  readonly #heldBytes = new Gauge({
    name: "cache_held_bytes",
    help: "Memory that the objects take outside the JavaScript heap, gaps between them included.",
    labels,
  });
  readonly #lists = new Counter({
    name: "cache_lists_total",
    help: "Lists that were taken in. After the first of an informer, each was forced by something.",
    labels,
  });
  readonly #refusedLists = new Counter({
    name: "cache_lists_refused_total",
    help: "Lists that were not believed: older than what was seen (stale), or at odds with it (suspect, ambiguous).",
    labels: [...labels, "reason"],
  });
  readonly #watches = new Counter({
    name: "cache_watches_total",
    help: "Watches that were opened. All but the first of an informer go on from where the one before ended.",
    labels,
  });
  readonly #endings = new Counter({
    name: "cache_watches_ended_total",
    help: "Watches that ended: closed by the server as usual, silent, gone (410), busy (429), suspicious or failed.",
    labels: [...labels, "reason"],
  });
  readonly #gone = new Counter({
    name: "cache_gone_total",
    help: "How often the server had forgotten what to go on from (410), so that everything was listed again.",
    labels,
  });
  readonly #retries = new Counter({
    name: "cache_retries_total",
    help: "Failures of lists and watches that were waited for and tried again.",
    labels,
  });
  readonly #errors = new Counter({
    name: "cache_program_errors_total",
    help: "Errors thrown by functions of the program: handlers, indexes, transformations.",
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

  /** Begins to show what a cache holds. Dispose of the result to end that. */
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

/** Informers by resource. Of one resource there may be two descriptions. */
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
