import type { CompiledRoute } from "./compile-table.ts";
import type { RouteEntry } from "./route-table.ts";

/** The target addresses of an entry. */
export interface EntryTargets {
  readonly key: string;
  readonly entry: RouteEntry;
  readonly targets: readonly string[];
}

/** Functions that know the port of a {@link RouteLookup}. */
export interface RouteLookupOptions {
  /** Returns the targets of an entry, or undefined if it has none: the workload does not serve the port. */
  readonly targetsOf: (entry: RouteEntry) => readonly string[] | undefined;
  /** Returns the route of an entry, or undefined if it has no targets. */
  readonly compile: (entry: RouteEntry) => CompiledRoute | undefined;
}

/**
 * The routes of a port by key, in the order in which they are tried; usually one per key. One lookup finds them, so the cost of a decision does not
 * depend on the number of sandboxes.
 *
 * A route is compiled when its key is asked for the first time: most keys of a large table get no requests from one proxy, and their compiled routes
 * would be a third of the memory of the table.
 */
export class RouteLookup {
  readonly #options: RouteLookupOptions;
  /** Entries that have targets. A list only for keys with several entries. */
  readonly #entries = new Map<string, RouteEntry | RouteEntry[]>();
  readonly #compiled = new Map<string, readonly CompiledRoute[]>();

  /** @param entries Entries in the order in which they are tried. */
  constructor(entries: readonly RouteEntry[], options: RouteLookupOptions) {
    this.#options = options;
    for (const entry of entries) {
      if (options.targetsOf(entry) === undefined) continue;
      const others = this.#entries.get(entry.routingKey);
      if (others === undefined) this.#entries.set(entry.routingKey, entry);
      else if (Array.isArray(others)) others.push(entry);
      else this.#entries.set(entry.routingKey, [others, entry]);
    }
  }

  /** Number of keys. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns the routes of a key. The same routes for every call. */
  get(key: string): readonly CompiledRoute[] | undefined {
    const compiled = this.#compiled.get(key);
    return compiled ?? this.#compile(key);
  }

  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Returns the targets of all entries, without compiling their routes. */
  *targets(): Generator<EntryTargets> {
    for (const key of this.#entries.keys())
      for (const entry of this.#entriesOf(key)) {
        const targets = this.#options.targetsOf(entry);
        if (targets !== undefined) yield { key, entry, targets };
      }
  }

  #entriesOf(key: string): readonly RouteEntry[] {
    const entries = this.#entries.get(key);
    if (entries === undefined) return [];
    return Array.isArray(entries) ? entries : [entries];
  }

  #compile(key: string): readonly CompiledRoute[] | undefined {
    const routes = this.#entriesOf(key).flatMap((entry) => this.#options.compile(entry) ?? []);
    if (routes.length === 0) return undefined;
    this.#compiled.set(key, routes);
    return routes;
  }
}
