// The aggregation layer: maintains the Available condition of APIServices that refer to a Service, and forwards their
// requests.
//
// A change of an APIService, of its Service or of its EndpointSlices starts a check. A problem with these objects is
// written to the condition immediately. Without one, the check requests the discovery document of the remote server: a
// failure is retried with exponential backoff, and a success is checked again after `recheckMs`, to notice a server
// that fails later.

import { type Clock, formatTime, isEqual, isRecord, type JsonRecord, type Timer } from "@homeostat/core";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import type { ServiceResolver } from "../admission/webhooks/webhook-client.ts";
import { goConnectionText } from "../admission/webhooks/webhook-errors.ts";
import { managedFieldsOf, withManagedFields } from "../apply/object-managed-fields.ts";
import { wellKnown } from "../auth/user.ts";
import { compareBytes } from "../codec/go-text.ts";
import type { ServedGroup } from "../discovery/served.ts";
import type { AuthorizedRequest } from "../handlers/context.ts";
import { type HandlerResponse, type ServerRequest, textError } from "../http/handler.ts";
import { keyPrefix } from "../registry/keys.ts";
import { encodeAtRevision } from "../registry/stored-object.ts";
import { whileWritable } from "../own-objects/while-writable.ts";
import type { Entry } from "../storage/entry.ts";
import { lostKey, type Store } from "../storage/store.ts";
import { listAt, numberAt, textAt } from "../values/fields.ts";
import { type Availability, failedDiscovery, passed, serviceProblem } from "./availability.ts";
import { forwardedHeaders, returnedHeaders, userHeaders } from "./proxy-headers.ts";
import { aggregatedResources, mergedGroups, type VersionDiscovery } from "./remote-discovery.ts";
import { pathOf, type RemoteVersion, remoteVersionOf } from "./remote-version.ts";
import { resolveEndpoint } from "./resolve-endpoint.ts";
import { readWhole, type SendUpstream, type UpstreamRequest } from "./upstream.ts";

const group = "apiregistration.k8s.io";
const prefix = keyPrefix(group, "apiservices");
const servicePrefix = keyPrefix("", "services");
const slicePrefix = keyPrefix("discovery.k8s.io", "endpointslices");

const checkTimeoutMs = 5_000;
const discoveryBytesMax = 4 * 1024 * 1024;
const retryMsMin = 5;
const retryMsMax = 30_000;
const recheckMs = 30_000;

/** User for discovery requests to remote servers. Its group may read everything. */
const aggregatorUser = { name: "system:kube-aggregator", uid: "", groups: [wellKnown.masters], extra: {} };

/** Options of an {@link Aggregator}. */
export interface AggregatorOptions {
  readonly store: Store<JsonRecord>;
  readonly reader: ClusterReader;
  readonly clock: Clock;
  readonly send: SendUpstream;
  readonly resolveService?: ServiceResolver | undefined;
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
export class Aggregator implements Disposable {
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
  }

  /** Returns the groups of this server merged with those of remote servers. */
  groups(own: readonly ServedGroup[]): readonly ServedGroup[] {
    return mergedGroups(own, this.versions(), (name) => this.#priorityOf(name));
  }

  /** Returns the aggregated discovery of a version; undefined if this server serves it. */
  discoveryOf(groupName: string, version: string): VersionDiscovery | undefined {
    const found = this.#find(groupName, version);
    if (found === undefined) return undefined;
    const { resources } = found;
    if (!found.version.isAvailable || resources === undefined) return { version, freshness: "Stale" };
    return { version, resources, freshness: "Current" };
  }

  /** Returns all versions that remote servers serve. */
  versions(): RemoteVersion[] {
    return [...this.#tracked.values()].map(({ version }) => version);
  }

  /** Forwards a request to the server of its version; undefined if this server serves it. */
  async forward(authorized: AuthorizedRequest): Promise<HandlerResponse | undefined> {
    if (this.#tracked.size === 0) return undefined;
    const [root, groupName, name] = authorized.request.info.path.split("/").filter((step) => step !== "");
    if (root !== "apis" || groupName === undefined || name === undefined) return undefined;
    const found = this.#find(groupName, name);
    return found === undefined ? undefined : this.#forwardTo(found.version, authorized);
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
      existing !== undefined && isSameTarget(existing.version, version) && isWritten(existing, entry, store);
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
    void this.#requestDiscovery(tracked.version).then((outcome) => this.#finishCheck(tracked, outcome));
  }

  #finishCheck(
    tracked: Tracked,
    outcome: { readonly availability: Availability; readonly resources?: unknown[] },
  ): void {
    tracked.isChecking = false;
    if (this.#stop.signal.aborted || this.#tracked.get(tracked.version.name) !== tracked) return;
    if (tracked.isStale) return this.#check(tracked);
    const { availability, resources } = outcome;
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

  /** Requests the discovery document of a version. Never rejects: a failure is a result. */
  async #requestDiscovery(version: RemoteVersion): Promise<{ availability: Availability; resources?: unknown[] }> {
    using timeout = this.#options.clock.timeout(checkTimeoutMs);
    const endpoint = await resolveEndpoint(version, this.#options).catch(() => undefined);
    const path = pathOf(version);
    const host = endpoint === undefined ? "" : `${endpoint.host}:${endpoint.port}`;
    const url = `https://${host}${path}`;
    if (endpoint === undefined) {
      const { namespace, name } = version.service;
      return { availability: failedDiscovery(`no endpoints available for service "${namespace}/${name}"`) };
    }
    const failed = (text: string): { availability: Availability } => ({
      availability: failedDiscovery(`failing or missing response from ${url}: ${text}`),
    });
    const headers = { host, accept: "application/json", ...userHeaders(aggregatorUser) };
    try {
      const signal = AbortSignal.any([timeout.signal, this.#stop.signal]);
      const response = await this.#options.send(
        { ...targetOf(version), endpoint, method: "GET", path, headers },
        signal,
      );
      const text = (await readWhole(response, discoveryBytesMax)).toString("utf8");
      if (response.status < 200 || response.status >= 300) return failed(`bad status from ${url}: ${response.status}`);
      return { availability: passed, resources: aggregatedResources(parsed(text)) };
    } catch (error) {
      const text = timeout.signal.aborted
        ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
        : goConnectionText(error, endpoint);
      return failed(`Get "${url}": ${text}`);
    }
  }

  /** Writes the condition `Available` unless it is already up to date. */
  #write(tracked: Tracked, availability: Availability): void {
    const { store, clock } = this.#options;
    const { version } = tracked;
    const { status, reason, message } = availability;
    tracked.written = availability;
    const entry = store.get(prefix + version.name);
    if (entry === undefined) return;
    const object = store.read(entry);
    const conditions = listAt(object, "status", "conditions");
    const current = conditions.find((each) => textAt(each, "type") === "Available");
    if (isSameCondition(current, availability)) return;
    const hasSameStatus = textAt(current, "status") === status;
    const time = formatTime(clock.now());
    const lastTransitionTime = hasSameStatus ? textAt(current, "lastTransitionTime") : time;
    const condition = { type: "Available", status, lastTransitionTime, reason, message };
    const next =
      current === undefined
        ? [...conditions, condition]
        : conditions.map((each) => (each === current ? condition : each));
    const kept = isRecord(object["status"]) ? object["status"] : {};
    const updated = { ...object, status: { ...kept, conditions: next } };
    const managers = managedFieldsOf(object).filter(
      (each) => textAt(each, "manager") !== "kube-apiserver" || textAt(each, "subresource") !== "status",
    );
    const sealedObject = encodeAtRevision(withManagedFields(updated, [statusManager(time), ...managers]));
    whileWritable(() => store.update(entry.key, sealedObject, { ifRevision: entry.revision }));
  }

  async #forwardTo(version: RemoteVersion, { request, user, signal }: AuthorizedRequest): Promise<HandlerResponse> {
    const unavailable = textError(503, "service unavailable");
    if (!version.isAvailable) return unavailable;
    const endpoint = await resolveEndpoint(version, this.#options);
    if (endpoint === undefined) return unavailable;
    const body = hasBody(request.method) ? await request.body() : undefined;
    const { address } = request.peer;
    const headers = {
      ...forwardedHeaders(request.headers, { user, address, bodyBytes: body?.length ?? 0 }),
      host: `${endpoint.host}:${endpoint.port}`,
    };
    const upstream: UpstreamRequest = {
      ...targetOf(version),
      endpoint,
      method: request.method,
      path: pathWithQuery(request),
      headers,
      ...(body === undefined ? {} : { body }),
    };
    try {
      const response = await this.#options.send(upstream, AbortSignal.any([signal, this.#stop.signal]));
      return { status: response.status, headers: returnedHeaders(response.rawHeaders), stream: response.body };
    } catch (error) {
      if (signal.aborted) throw error;
      return textError(503, `error trying to reach service: ${goConnectionText(error, endpoint)}`);
    }
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function targetOf({
  service,
  caBundle,
  skipsVerification,
}: RemoteVersion): Pick<UpstreamRequest, "serverName" | "caBundle" | "skipsVerification"> {
  return { serverName: `${service.name}.${service.namespace}.svc`, caBundle, skipsVerification };
}

/** Reports whether two versions of an APIService refer to the same server. */
function isSameTarget(a: RemoteVersion, b: RemoteVersion): boolean {
  return isEqual({ ...a, isAvailable: true }, { ...b, isAvailable: true });
}

function isSameCondition(condition: unknown, { status, reason, message }: Availability): boolean {
  return (
    textAt(condition, "status") === status &&
    textAt(condition, "reason") === reason &&
    textAt(condition, "message") === message
  );
}

/** Reports whether the stored condition is the one that the aggregator wrote. */
function isWritten(
  { written }: Tracked,
  entry: Entry<JsonRecord> | undefined,
  store: Pick<Store<JsonRecord>, "read">,
): boolean {
  if (written === undefined || entry === undefined) return false;
  const conditions = listAt(store.read(entry), "status", "conditions");
  return isSameCondition(
    conditions.find((each) => textAt(each, "type") === "Available"),
    written,
  );
}

/** Returns path and query as kube-apiserver forwards them: parameters sorted by name. */
function pathWithQuery({ uri }: Pick<ServerRequest, "uri">): string {
  const at = uri.indexOf("?");
  if (at < 0) return uri;
  const pairs = [...new URLSearchParams(uri.slice(at + 1))];
  const sorted = pairs.toSorted(([a], [b]) => compareBytes(a, b));
  const query = sorted.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join("&");
  return query === "" ? uri.slice(0, at) : `${uri.slice(0, at)}?${query}`;
}

/** Escapes as Go's `url.QueryEscape` does. */
function escaped(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
}

function hasBody(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function statusManager(time: string): JsonRecord {
  const fields = ["lastTransitionTime", "message", "reason", "status", "type"].map((name) => [`f:${name}`, {}]);
  return {
    manager: "kube-apiserver",
    operation: "Update",
    apiVersion: `${group}/v1`,
    time,
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:status": {
        "f:conditions": { ".": {}, 'k:{"type":"Available"}': { ".": {}, ...Object.fromEntries(fields) } },
      },
    },
    subresource: "status",
  };
}
