// The aggregation layer: tracks the APIServices that refer to a Service. It maintains their Available condition
// (available-condition.ts) and forwards their requests (forward-request.ts).
//
// A change of an APIService, of its Service or of its EndpointSlices starts a check. A problem with these objects is
// written to the condition immediately. Without one, the check requests the discovery document of the remote server (probe-discovery.ts): a
// failure is retried with exponential backoff, and a success is checked again after `recheckMs`, to notice a server
// that fails later.

import { type Clock, isEqual, type JsonRecord, type Timer } from "@homeostat/core";
import type { ServedGroup } from "../discovery/served.ts";
import type { AuthorizedRequest } from "../handlers/context.ts";
import type { RemoteVersions, VersionDiscovery } from "../handlers/discovery.ts";
import type { RequestForwarder } from "../handlers/routes.ts";
import type { HandlerResponse } from "../http/handler.ts";
import { keyPrefix } from "../resources/keys.ts";
import { lostKey, type Store } from "../storage/store.ts";
import { numberAt, textAt } from "../values/fields.ts";
import { type Availability, passed, serviceProblem } from "./availability.ts";
import { hasCondition, writeCondition } from "./available-condition.ts";
import { forwardRequest } from "./forward-request.ts";
import { type LocalVersion, type LocalVersions, respondLocally } from "./local-version.ts";
import { type DiscoveryProbe, probeDiscovery } from "./probe-discovery.ts";
import { aggregatedResources, mergedGroups } from "./remote-discovery.ts";
import { type RemoteVersion, remoteVersionOf } from "./remote-version.ts";
import type { EndpointOptions } from "./resolve-endpoint.ts";
import type { SendUpstream } from "./upstream.ts";

const group = "apiregistration.k8s.io";
const prefix = keyPrefix(group, "apiservices");
const servicePrefix = keyPrefix("", "services");
const slicePrefix = keyPrefix("discovery.k8s.io", "endpointslices");

const retryMsMin = 5;
const retryMsMax = 30_000;
const recheckMs = 30_000;

/** Options of an {@link Aggregator}. */
export interface AggregatorOptions extends EndpointOptions {
  readonly store: Store<JsonRecord>;
  readonly clock: Clock;
  readonly send: SendUpstream;
  /** Versions that code in this process serves. An APIService for the same version takes precedence. */
  readonly local?: LocalVersions | undefined;
}

/** State of one remote version. */
interface Tracked {
  version: RemoteVersion;
  failures: number;
  isChecking: boolean;
  /** True if an object changed during a check, so that its result is outdated. */
  isStale: boolean;
  timer: Timer | undefined;
  resources: readonly unknown[] | undefined;
  /** The condition that was written last. */
  written: Availability | undefined;
}

/** Serves API versions of remote servers by forwarding requests to them. */
export class Aggregator implements RemoteVersions, RequestForwarder, Disposable {
  readonly #options: AggregatorOptions;
  readonly #tracked = new Map<string, Tracked>();
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #seen: number;

  constructor(options: AggregatorOptions) {
    const { store } = options;
    this.#options = options;
    this.#seen = store.visibleRevision;
    this.#unsubscribe = store.subscribe((visible) => this.#follow(visible));
  }

  /** Starts the checks of APIServices that are already stored, for example after a restart. */
  start(): void {
    for (const entry of this.#options.store.view().entries({ prefix })) this.#refresh(entry.key);
  }

  /** Calls a function when discovery changes. */
  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
    this.#options.local?.subscribe(listener);
  }

  /** Returns the groups of this server merged with those of remote servers and of code in this process. */
  groups(own: readonly ServedGroup[]): readonly ServedGroup[] {
    const versions = [...this.versions(), ...(this.#options.local?.list() ?? [])];
    return mergedGroups(own, versions, (name) => this.#priorityOf(name));
  }

  /** Returns the aggregated discovery of a version; undefined if this server serves it. */
  discoveryOf(groupName: string, version: string): VersionDiscovery | undefined {
    const found = this.#find(groupName, version);
    if (found === undefined) {
      const rows = this.#findLocal(groupName, version)?.resources();
      if (rows === undefined) return undefined;
      return { version, resources: aggregatedResources({ resources: rows }), freshness: "Current" };
    }
    const { resources } = found;
    if (!found.version.isAvailable || resources === undefined) return { version, freshness: "Stale" };
    return { version, resources, freshness: "Current" };
  }

  /** Returns all versions that remote servers serve. */
  versions(): RemoteVersion[] {
    return [...this.#tracked.values()].map(({ version }) => version);
  }

  /** Passes a request to the server or to the code that serves its version; undefined if this server does. */
  async forward(authorized: AuthorizedRequest): Promise<HandlerResponse | undefined> {
    if (this.#tracked.size === 0 && (this.#options.local?.list() ?? []).length === 0) return undefined;
    const [root, groupName, name] = authorized.request.info.path.split("/").filter((step) => step !== "");
    if (root !== "apis" || groupName === undefined || name === undefined) return undefined;
    const found = this.#find(groupName, name);
    if (found === undefined) {
      const local = this.#findLocal(groupName, name);
      return local === undefined ? undefined : respondLocally(local, authorized);
    }
    return forwardRequest(found.version, authorized, { ...this.#options, stop: this.#stop.signal });
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#stop.abort();
    for (const { timer } of this.#tracked.values()) timer?.[Symbol.dispose]();
    this.#tracked.clear();
  }

  #find(groupName: string, version: string): Tracked | undefined {
    return this.#tracked.get(`${version}.${groupName}`);
  }

  #findLocal(groupName: string, version: string): LocalVersion | undefined {
    return this.#options.local?.list().find((each) => each.group === groupName && each.version === version);
  }

  #priorityOf(name: string): number {
    // The aggregation layer's own group has no APIService and comes first.
    if (name === group) return Infinity;
    const services = this.#options.reader.list({ group, resource: "apiservices", namespace: "" });
    const own = services.filter((service) => textAt(service, "spec", "group") === name);
    return Math.max(0, ...own.map((service) => numberAt(service, "spec", "groupPriorityMinimum")));
  }

  #follow(visible: number): void {
    const { store } = this.#options;
    const changed = new Set<string>();
    const affected = new Set<string>();
    for (; this.#seen < visible; this.#seen += 1) {
      const key = store.change(this.#seen + 1)?.key;
      if (key === undefined) continue;
      // The status of an APIService may be among the lost writes.
      if (key === lostKey) for (const entry of store.view().entries({ prefix })) changed.add(entry.key);
      if (key.startsWith(prefix)) changed.add(key);
      else if (this.#tracked.size > 0 && (key.startsWith(servicePrefix) || key.startsWith(slicePrefix))) {
        for (const name of this.#dependentsOf(key)) affected.add(name);
      }
    }
    for (const key of changed) this.#refresh(key);
    for (const name of affected) {
      const tracked = this.#tracked.get(name);
      if (tracked !== undefined) this.#check(tracked);
    }
  }

  /** Returns the APIServices that depend on a Service or an EndpointSlice. */
  #dependentsOf(key: string): string[] {
    const isSlice = key.startsWith(slicePrefix);
    const [namespace, name] = key.slice((isSlice ? slicePrefix : servicePrefix).length).split("/");
    return this.versions()
      .filter(({ service }) => service.namespace === namespace && (isSlice || service.name === name))
      .map((version) => version.name);
  }

  /** Parses an APIService again and checks it. */
  #refresh(key: string): void {
    const { store } = this.#options;
    const entry = store.get(key);
    const version = entry === undefined ? undefined : remoteVersionOf(store.read(entry));
    const name = key.slice(prefix.length);
    const existing = this.#tracked.get(name);
    if (version === undefined) {
      existing?.timer?.[Symbol.dispose]();
      if (this.#tracked.delete(name)) this.#notify();
      return;
    }
    const fresh = { version, failures: 0, isChecking: false, isStale: false, timer: undefined };
    const tracked: Tracked = existing ?? { ...fresh, resources: undefined, written: undefined };
    const isOwnWrite =
      existing?.written !== undefined &&
      entry !== undefined &&
      isSameTarget(existing.version, version) &&
      hasCondition(store.read(entry), existing.written);
    tracked.version = version;
    this.#tracked.set(name, tracked);
    this.#notify();
    // The condition is part of the APIService, so writing it triggers this method; that must not start another check.
    if (!isOwnWrite) this.#check(tracked);
  }

  #check(tracked: Tracked): void {
    tracked.timer?.[Symbol.dispose]();
    tracked.timer = undefined;
    if (tracked.isChecking) {
      tracked.isStale = true;
      return;
    }
    const problem = serviceProblem(tracked.version, this.#options.reader);
    if (problem !== undefined) {
      tracked.resources = undefined;
      this.#write(tracked, problem);
      return;
    }
    tracked.isChecking = true;
    tracked.isStale = false;
    void probeDiscovery(tracked.version, { ...this.#options, stop: this.#stop.signal }).then((outcome) =>
      this.#finishCheck(tracked, outcome),
    );
  }

  #finishCheck(tracked: Tracked, { availability, resources }: DiscoveryProbe): void {
    tracked.isChecking = false;
    if (this.#stop.signal.aborted || this.#tracked.get(tracked.version.name) !== tracked) return;
    if (tracked.isStale) return this.#check(tracked);
    const isPassed = availability === passed;
    tracked.failures = isPassed ? 0 : tracked.failures + 1;
    tracked.resources = resources;
    const retryMs = Math.min(retryMsMax, retryMsMin * 2 ** Math.min(tracked.failures, 20));
    tracked.timer = this.#options.clock.schedule(isPassed ? recheckMs : retryMs, () => {
      tracked.timer = undefined;
      this.#check(tracked);
    });
    this.#write(tracked, availability);
    this.#notify();
  }

  #write(tracked: Tracked, availability: Availability): void {
    tracked.written = availability;
    writeCondition(prefix + tracked.version.name, availability, this.#options);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Reports whether two versions of an APIService refer to the same server. */
function isSameTarget(a: RemoteVersion, b: RemoteVersion): boolean {
  return isEqual({ ...a, isAvailable: true }, { ...b, isAvailable: true });
}
