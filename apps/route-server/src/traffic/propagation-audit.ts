// Finds services that do not propagate the routing key.
//
// Proxies report a sample of the requests with a trace ID. A trace that had a key at Service A but later has none at Service B has lost it between
// them. If the client of the second request is a pod of a Service that had the key, that Service has lost it; if the client is not known, the last
// Service with the key has lost it. Reports arrive in any order, so requests without a key are kept as well.
//
// Requests with a key that another replica reports are remote. Their times are from another clock, so they count as earlier within a tolerance, and
// only if the client is known: without it, only the order of the requests would show a loss, and two clocks do not show the order.

/** A request of a trace, as a proxy has seen it. */
export interface SeenRequest {
  readonly traceId: string;
  readonly namespace: string;
  readonly service: string;
  readonly key: string | undefined;
  /** Service whose pod has sent the request, in the same namespace; undefined if it is not known. */
  readonly caller: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** True if another replica has reported the request. It then has a key. */
  readonly isRemote?: boolean | undefined;
}

/** A request with a key, for other replicas. */
export interface KeyedRequest {
  readonly traceId: string;
  readonly key: string;
  readonly at: number;
}

/** Requests without a key from one Service to another, in traces that had one. */
export interface LostKeys {
  readonly namespace: string;
  /** Service that has lost the key. */
  readonly from: string;
  /** Service that it called without the key. */
  readonly to: string;
  count: number;
  lastAt: number;
  /** Keys of the traces, newest last. */
  readonly keys: Set<string>;
  /** IDs of the last traces. */
  samples: string[];
}

export interface AuditLimits {
  /** Maximum number of remembered traces with a key, and of those without a key. */
  readonly tracesMax: number;
  /** Maximum number of remembered requests of one trace. */
  readonly requestsMax: number;
  /** Maximum number of remembered pairs of Services. */
  readonly hopsMax: number;
  /** Time for which the requests of a trace are compared. */
  readonly traceMs: number;
  /** Difference of the clocks of two replicas that is tolerated. */
  readonly skewMs: number;
  /** Time after which a loss that has not recurred is forgotten. */
  readonly lossMs: number;
}

export const defaultAuditLimits: AuditLimits = {
  tracesMax: 10_000,
  requestsMax: 32,
  hopsMax: 1_000,
  traceMs: 60_000,
  skewMs: 5_000,
  lossMs: 3_600_000,
};

const samplesMax = 5;
const keysMax = 20;

interface Trace {
  readonly requests: SeenRequest[];
  /** Requests without a key that were counted. */
  readonly counted: Set<SeenRequest>;
  lastAt: number;
}

/** Joins the requests of traces and counts lost keys. Memory is bounded: the oldest traces and losses make room for new ones. */
export class PropagationAudit {
  readonly #limits: AuditLimits;
  readonly #onLost: (lost: LostKeys) => void;
  /** Traces with a request that has a key, and those without, oldest first. Most traffic has no key and must not push the others out. */
  readonly #keyed = new Map<string, Trace>();
  readonly #keyless = new Map<string, Trace>();
  readonly #lost = new Map<string, LostKeys>();

  constructor({
    limits = defaultAuditLimits,
    onLost = () => undefined,
  }: { readonly limits?: AuditLimits; readonly onLost?: (lost: LostKeys) => void } = {}) {
    this.#limits = limits;
    this.#onLost = onLost;
  }

  /** Number of traces that are kept. */
  get size(): number {
    return this.#keyed.size + this.#keyless.size;
  }

  add(request: SeenRequest): void {
    const { traceId, key, at } = request;
    const before = this.#keyed.get(traceId) ?? this.#keyless.get(traceId);
    const isFresh = before !== undefined && at - before.lastAt < this.#limits.traceMs;
    const trace = isFresh ? before : { requests: [], counted: new Set<SeenRequest>(), lastAt: at };
    if (trace.requests.length >= this.#limits.requestsMax) return;
    // The status of a table is read again after each of its changes.
    if (request.isRemote === true && trace.requests.some((each) => isSame(each, request))) return;
    trace.requests.push(request);
    trace.lastAt = Math.max(trace.lastAt, at);
    const hasKey = key !== undefined || (isFresh && this.#keyed.has(traceId));
    this.#keyed.delete(traceId);
    this.#keyless.delete(traceId);
    const traces = hasKey ? this.#keyed : this.#keyless;
    traces.set(traceId, trace);
    if (traces.size > this.#limits.tracesMax) removeFirst(traces);
    if (hasKey) this.#compare(trace);
  }

  /** Returns the last requests with a key that this replica has seen, newest first, by Service as `namespace/service`. */
  keyedRequests({
    sinceMs,
    max,
  }: {
    readonly sinceMs: number;
    readonly max: number;
  }): ReadonlyMap<string, readonly KeyedRequest[]> {
    const found = new Map<string, KeyedRequest[]>();
    for (const { requests } of this.#keyed.values())
      for (const { key, at, traceId, namespace, service, isRemote } of requests) {
        if (key === undefined || isRemote === true || at < sinceMs) continue;
        const id = `${namespace}/${service}`;
        const own = found.get(id) ?? [];
        found.set(id, own);
        own.push({ traceId, key, at });
      }
    for (const [id, own] of found) found.set(id, own.sort((one, other) => other.at - one.at).slice(0, max));
    return found;
  }

  /** Returns the recent losses, most frequent first. */
  lost(now: number): readonly LostKeys[] {
    for (const [id, { lastAt }] of this.#lost) if (now - lastAt >= this.#limits.lossMs) this.#lost.delete(id);
    return [...this.#lost.values()].sort((a, b) => b.count - a.count);
  }

  #compare(trace: Trace): void {
    const withKey = trace.requests.filter(({ key }) => key !== undefined);
    // It is not known which key was lost if a trace has several keys.
    if (new Set(withKey.map(({ key }) => key)).size !== 1) return;
    for (const request of trace.requests) {
      if (request.key !== undefined || trace.counted.has(request)) continue;
      const earlier = withKey.filter((each) => this.#isEarlier(each, request) && isOther(each, request));
      const from =
        request.caller === undefined
          ? earlier.reduce<SeenRequest | undefined>(
              (last, each) => (last === undefined || each.at > last.at ? each : last),
              undefined,
            )
          : earlier.find(({ namespace, service }) => namespace === request.namespace && service === request.caller);
      if (from?.key === undefined) continue;
      trace.counted.add(request);
      this.#count(from.service, request, from.key);
    }
  }

  #isEarlier({ at, isRemote }: SeenRequest, request: SeenRequest): boolean {
    if (isRemote !== true) return at < request.at;
    return request.caller !== undefined && at < request.at + this.#limits.skewMs;
  }

  #count(from: string, { namespace, service, traceId, at }: SeenRequest, key: string): void {
    const id = `${namespace}/${from}/${service}`;
    const lost = this.#lost.get(id) ?? {
      namespace,
      from,
      to: service,
      count: 0,
      lastAt: at,
      keys: new Set(),
      samples: [],
    };
    // Sets and maps keep insertion order; an entry that is observed again moves to the end.
    this.#lost.delete(id);
    this.#lost.set(id, lost);
    if (this.#lost.size > this.#limits.hopsMax) removeFirst(this.#lost);
    lost.count += 1;
    lost.lastAt = Math.max(lost.lastAt, at);
    lost.keys.delete(key);
    lost.keys.add(key);
    if (lost.keys.size > keysMax)
      for (const oldest of lost.keys) {
        lost.keys.delete(oldest);
        break;
      }
    lost.samples = [...lost.samples, traceId].slice(-samplesMax);
    this.#onLost(lost);
  }
}

interface ServiceName {
  readonly namespace: string;
  readonly service: string;
}

function isOther(one: ServiceName, other: ServiceName): boolean {
  return one.service !== other.service || one.namespace !== other.namespace;
}

function isSame(one: SeenRequest, other: SeenRequest): boolean {
  return one.at === other.at && one.key === other.key && !isOther(one, other);
}

function removeFirst<K>(map: Map<K, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
