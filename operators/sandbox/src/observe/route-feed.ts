// The compiled routes of the cluster, kept current by the watch events of the controllers.
//
// All controllers share one feed. Each of them calls `update` in the map functions of its watches, before its reconciles read results, so a reconcile
// never sees routes that are older than the event that caused it. `update` reads the current object from the cache and is idempotent: it does not
// matter how many controllers report an event, nor in which order.

import { type Clock, type DeepReadonly, keyOf, type KubeObject, type ResourceType } from "@homeostat/core";
import { Service } from "@homeostat/kubernetes/core/v1";
import type { CacheReader } from "@homeostat/runtime";
import { fieldManager, labels } from "../api/identity.ts";
import { type CachedLocalWorkload, LocalWorkload } from "../api/local-workload.ts";
import { RouteGroup } from "../api/route-group.ts";
import { RouteTable } from "../api/route-table.ts";
import { Sandbox } from "../api/sandbox.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { localPortFor } from "../build/local-objects.ts";
import { type ServiceView, type TargetedService, viewService } from "../build/service-view.ts";
import { ineligibility } from "../decide/eligible-service.ts";
import { compileAll, type CompiledRoutes } from "../routes/compile-all.ts";
import { RouteCompiler } from "../routes/compiler.ts";
import type { GroupReport, SandboxReport } from "../routes/reports.ts";
import type { CompiledTable } from "../routes/table.ts";
import { localWorkloadView, routeGroupView, sandboxView, serviceView } from "../routes/object-views.ts";
import type { RouteViews } from "../routes/views.ts";
import { type Contributor, InputRevisions } from "./input-revisions.ts";
import { modeOf, resolveAuto } from "./interception.ts";

/** The kinds that routes are compiled from. A policy decides how requests of the Services of its namespace are intercepted. */
export type RoutedKind = "Sandbox" | "RouteGroup" | "LocalWorkload" | "Service" | "SandboxPolicy";

/** The kinds that the compiler keeps. */
type CompiledKind = Exclude<RoutedKind, "SandboxPolicy">;

/** Results that a controller can follow: the keys of tables, groups or sandboxes that changed. */
export type RouteResult = "tables" | "groups" | "sandboxes";

/** Time for which changes are collected before routes are compiled, so a burst of changes causes a single compilation. */
const collectMs = 100;

interface Follower {
  readonly result: RouteResult;
  readonly keys: Set<string>;
  wake: () => void;
}

/** Dependencies of {@link RouteFeed}. */
export interface RouteFeedOptions {
  readonly clock: Clock;
  /** Reports whether a mesh accepts routes in a namespace; undefined while that is unknown. Decides about the mode Auto. */
  readonly acceptsRoutes: (namespace: string) => boolean | undefined;
  /** Reports whether a mesh can accept routes at all; undefined while that is unknown. */
  readonly mayAcceptRoutes: () => boolean | undefined;
  /** Reports whether all ready pods behind a Service have a sidecar; undefined while that is unknown. */
  readonly hasSidecars: (service: string) => boolean | undefined;
}

/** The compiled routes of the cluster. */
export class RouteFeed {
  readonly #options: RouteFeedOptions;
  readonly #followers = new Set<Follower>();
  /** Kept after a loss of leadership, because a revision must never decrease. */
  readonly #inputs = new InputRevisions();
  #compiler = new RouteCompiler();
  #isPrimed = false;
  #isDirty = false;

  constructor(options: RouteFeedOptions) {
    this.#options = options;
  }

  /**
   * Reads and compiles all objects once per term of leadership.
   *
   * The first results are not reported to followers: every reconcile that reads results calls this first, and every controller reconciles all of its
   * objects when it starts. Reporting them would reconcile each sandbox twice after a restart.
   */
  prime(cache: CacheReader): void {
    if (this.#isPrimed) return;
    this.#readAll(cache);
    this.#isDirty = false;
    this.#compiler.compile();
  }

  /** Reads the current state of an object from the cache. Has no effect before `prime`, which reads all objects. */
  update(kind: RoutedKind, key: string, cache: CacheReader): void {
    if (!this.#isPrimed) return;
    this.#apply(kind, key, cache);
    this.#changed();
  }

  /**
   * Removes objects that are no longer in the cache.
   *
   * A controller that starts later than the one that called `prime` gets an event for every object that exists, but none for an object that
   * was deleted in between.
   */
  dropDeleted(cache: CacheReader): void {
    if (!this.#isPrimed) return;
    for (const [name, type] of Object.entries(routedTypes)) {
      const kind = kindOf(name);
      for (const key of this.#compiler.keys(kind))
        if (cache.get(type, key) === undefined) this.update(kind, key, cache);
    }
  }

  /** Forgets everything, when this process stops leading. */
  reset(): void {
    this.#compiler = new RouteCompiler();
    this.#isPrimed = false;
    this.#isDirty = false;
  }

  /**
   * Returns the revision of what users have set of the objects behind a table, for the detection of hot loops: of its Service, and of the
   * sandboxes and groups that have or had entries or preview hosts in it.
   */
  inputVersion(table: string): string {
    const entries = this.table(table)?.table?.entries ?? [];
    const contributors = entries.flatMap(({ sandboxUid = "", routeGroup }): readonly Contributor[] => {
      const key = this.#inputs.sandboxKey(sandboxUid);
      if (key === undefined) return [];
      const group = `${key.split("/")[0] ?? ""}/${routeGroup ?? ""}`;
      return [
        { kind: "Sandbox", key },
        ...(routeGroup === undefined ? [] : [{ kind: "RouteGroup", key: group } as const]),
      ];
    });
    this.#inputs.contribute(table, [{ kind: "Service", key: table }, ...contributors]);
    return this.#inputs.of(table);
  }

  /** Records the objects whose preview hosts a table has. */
  contribute(table: string, owners: Iterable<Contributor>): void {
    this.#inputs.contribute(table, owners);
  }

  /** Counts a change of an object that affects another one, such as a PreviewLink its target. */
  touch(contributor: Contributor): void {
    this.#inputs.touch(contributor);
  }

  table(key: string): CompiledTable | undefined {
    return this.#compiled().table(key);
  }

  group(key: string): GroupReport | undefined {
    return this.#compiled().group(key);
  }

  sandbox(key: string): SandboxReport | undefined {
    return this.#compiled().sandbox(key);
  }

  /** Compiles all routes again from all objects and returns both results, which must be equal. */
  compare(cache: CacheReader): { readonly incremental: CompiledRoutes; readonly full: CompiledRoutes } {
    return { incremental: this.#compiled().snapshot(), full: compileAll(this.#views(cache)) };
  }

  /** Replaces the compiled routes with those of a full compilation. */
  recompile(cache: CacheReader): void {
    this.reset();
    this.#readAll(cache);
    this.#changed();
  }

  /** Yields the keys of changed results, until the signal aborts. */
  async *follow(result: RouteResult, signal: AbortSignal): AsyncGenerator<readonly string[]> {
    const follower: Follower = { result, keys: new Set(), wake: () => undefined };
    this.#followers.add(follower);
    try {
      while (!signal.aborted) {
        if (!this.#isDirty && follower.keys.size === 0) await this.#untilChanged(follower, signal);
        if (signal.aborted) return;
        await this.#options.clock.sleep(collectMs, signal);
        this.#compiled();
        const keys = [...follower.keys];
        follower.keys.clear();
        if (keys.length > 0) yield keys;
      }
    } finally {
      this.#followers.delete(follower);
    }
  }

  #readAll(cache: CacheReader): void {
    this.#isPrimed = true;
    for (const [kind, type] of Object.entries(routedTypes)) {
      for (const object of cache.list(type)) this.#apply(kindOf(kind), keyOf(object), cache);
    }
  }

  async #untilChanged(follower: Follower, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        signal.removeEventListener("abort", end);
        resolve();
      };
      follower.wake = end;
      signal.addEventListener("abort", end, { once: true });
    });
  }

  #changed(): void {
    this.#isDirty = true;
    for (const { wake } of this.#followers) wake();
  }

  /** Returns the compiler after it has compiled all changes. */
  #compiled(): RouteCompiler {
    if (!this.#isDirty) return this.#compiler;
    this.#isDirty = false;
    const { tables, groups, sandboxes } = this.#compiler.compile();
    const changes = { tables: tables.map(({ key }) => key), groups, sandboxes };
    for (const follower of this.#followers) {
      for (const key of changes[follower.result]) follower.keys.add(key);
      if (follower.keys.size > 0) follower.wake();
    }
    return this.#compiler;
  }

  #apply(kind: RoutedKind, key: string, cache: CacheReader): void {
    switch (kind) {
      case "Sandbox": {
        const sandbox = cache.get(Sandbox, key);
        this.#inputs.update(kind, key, sandbox);
        this.#compiler.apply({ kind, key, view: sandbox && sandboxView(sandbox) });
        // The targets of a LocalWorkload depend on the entries of its sandbox.
        for (const workload of cache.by(LocalWorkload, "sandbox", key))
          this.#apply("LocalWorkload", keyOf(workload), cache);
        return;
      }
      case "RouteGroup": {
        const group = cache.get(RouteGroup, key);
        this.#inputs.update(kind, key, group);
        this.#compiler.apply({ kind, key, view: group && routeGroupView(group) });
        return;
      }
      case "LocalWorkload": {
        const workload = cache.get(LocalWorkload, key);
        if (this.#inputs.update(kind, key, workload) && workload !== undefined)
          this.touch({ kind: "Sandbox", key: `${workload.metadata.namespace ?? ""}/${workload.spec.sandboxRef.name}` });
        const view = workload && localWorkloadView(workload, servicesOfWorkload(workload, cache));
        this.#compiler.apply({ kind, key, view });
        return;
      }
      case "Service":
        this.#inputs.update(kind, key, cache.get(Service, key));
        this.#compiler.apply({ kind, key, view: this.#serviceViewOf(key, cache) });
        return;
      case "SandboxPolicy": {
        const [namespace = ""] = key.split("/");
        const isChanged = this.#inputs.update(kind, key, cache.get(SandboxPolicy, key));
        for (const service of cache.list(Service, { namespace })) {
          if (isChanged) this.touch({ kind: "Service", key: keyOf(service) });
          this.#apply("Service", keyOf(service), cache);
        }
      }
    }
  }

  /** Returns the view of a Service; undefined for Services of forks, which are targets and never a baseline. */
  #serviceViewOf(key: string, cache: CacheReader): ReturnType<typeof serviceView> | undefined {
    const service = cache.get(Service, key);
    if (service === undefined || service.metadata.labels?.[labels.managedBy] === fieldManager) return undefined;
    const { namespace = "" } = service.metadata;
    const mode = modeOf(service, cache.list(SandboxPolicy, { namespace }));
    if (mode !== "Auto") return serviceView(service, mode);
    const { acceptsRoutes, mayAcceptRoutes, hasSidecars } = this.#options;
    const resolved = resolveAuto({
      acceptsRoutes: acceptsRoutes(namespace),
      mayAcceptRoutes: mayAcceptRoutes(),
      hasSidecars: hasSidecars(key),
      namesPorts: viewService(service).ports.every(({ targetPort }) => typeof targetPort === "string"),
      isEligible: ineligibility(service) === undefined,
      published: cache.get(RouteTable, key)?.spec.interception,
    });
    return serviceView(service, resolved);
  }

  #views(cache: CacheReader): RouteViews {
    return {
      sandboxes: cache.list(Sandbox).map(sandboxView),
      groups: cache.list(RouteGroup).map(routeGroupView),
      workloads: cache
        .list(LocalWorkload)
        .map((workload) => localWorkloadView(workload, servicesOfWorkload(workload, cache))),
      services: cache.list(Service).flatMap((service) => this.#serviceViewOf(keyOf(service), cache) ?? []),
    };
  }
}

/**
 * Returns a map function of a watch that reports an object to the feed before it names the primary objects that the change concerns. By
 * default it names none: the feed triggers the reconciles that follow from changed routes.
 */
export function feeding<T extends DeepReadonly<KubeObject>>(
  feed: () => RouteFeed,
  kind: RoutedKind,
  map: (object: T, cache: CacheReader) => readonly string[] = () => [],
): (object: T, cache: CacheReader) => readonly string[] {
  return (object, cache) => {
    feed().update(kind, keyOf(object), cache);
    return map(object, cache);
  };
}

/** Policies are not listed: each Service reads those of its namespace. */
const routedTypes: Readonly<Record<CompiledKind, ResourceType>> = {
  Service,
  Sandbox,
  RouteGroup,
  LocalWorkload,
};

function kindOf(name: string): CompiledKind {
  return name === "Service" || name === "Sandbox" || name === "RouteGroup" ? name : "LocalWorkload";
}

/**
 * Returns the Services of the baseline that a LocalWorkload replaces, with their original selector and ports: those of the entry with the mode Local
 * that it names, or the one Service that it names.
 */
export function baselineServicesOf(
  { metadata, spec }: CachedLocalWorkload,
  cache: CacheReader,
): readonly ServiceView[] {
  const { namespace = "" } = metadata;
  const sandbox = cache.get(Sandbox, { namespace, name: spec.sandboxRef.name });
  const { name: asked } = spec.service;
  const entry = sandbox?.spec.services.find(({ name, mode }) => name === asked && mode === "Local");
  const state = sandbox?.status?.services?.find(({ name }) => name === asked);
  const names = entry === undefined ? [asked] : (state?.services ?? []).map(({ baseline }) => baseline);
  const home = entry?.targetRef.namespace ?? namespace;
  return names.flatMap((name) => {
    const service = cache.get(Service, { namespace: home, name });
    return service === undefined ? [] : [viewService(service)];
  });
}

/** Returns the Services of the baseline that a LocalWorkload replaces, with the ports that it serves. */
export function servicesOfWorkload(workload: CachedLocalWorkload, cache: CacheReader): readonly TargetedService[] {
  return baselineServicesOf(workload, cache).map(({ namespace, name, ports }) => ({
    namespace,
    name,
    ports: ports.flatMap((port) => {
      const containerPort = localPortFor(port, workload.spec.service.ports)?.containerPort;
      return containerPort === undefined ? [] : [{ port: port.port, containerPort }];
    }),
  }));
}
