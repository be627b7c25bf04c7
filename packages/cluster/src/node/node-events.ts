import type { Client } from "@homeostat/client";
import { type Clock, type DeepReadonly, formatTime, type KubeObject, NotFoundError } from "@homeostat/core";
import { Event } from "@homeostat/kubernetes/core/v1";
import type { Logger } from "@homeostat/runtime";

/** What happened to an object on a node. */
export interface NodeEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** Where in the object: `spec.containers{web}`. */
  readonly fieldPath?: string | undefined;
}

/** What {@link NodeEvents} needs. */
export interface NodeEventsParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly node: string;
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly object: DeepReadonly<KubeObject>;
  readonly event: NodeEvent;
  readonly at: number;
}

interface Remembered {
  readonly name: string;
  readonly namespace: string;
  count: number;
}

/** How many different events are remembered, so that another of the same is counted and not made anew. */
const rememberedMax = 4_096;
/** How many events about one object there may be at once; then one more every 5 minutes. */
const burst = 25;
const refillMs = 300_000;
/** How many may wait to be sent; what comes beyond that is lost. */
const waitingMax = 10_000;

/** Records events as a kubelet does: objects of `v1`, counted up when the same happens again. */
export class NodeEvents {
  readonly #parts: NodeEventsParts;
  readonly #remembered = new Map<string, Remembered>();
  readonly #budgets = new Map<string, { tokens: number; at: number }>();
  readonly #queues = new Map<string, Waiting[]>();
  readonly #sending = new Set<Promise<void>>();
  #waiting = 0;
  #last = 0n;

  constructor(parts: NodeEventsParts) {
    this.#parts = parts;
  }

  /** Records an event. It is sent when those before it about the same object are. */
  record(object: DeepReadonly<KubeObject>, event: NodeEvent): void {
    if (this.#parts.signal.aborted || this.#waiting >= waitingMax || !this.#hasBudget(object)) return;
    const key = JSON.stringify([object.kind, object.metadata.namespace, object.metadata.name, object.metadata.uid]);
    const waiting = { object, event, at: this.#parts.clock.now() };
    this.#waiting += 1;
    const queue = this.#queues.get(key);
    if (queue !== undefined) return void queue.push(waiting);
    const own = [waiting];
    this.#queues.set(key, own);
    const sending = this.#sendAll(own).finally(() => {
      this.#queues.delete(key);
      this.#sending.delete(sending);
    });
    this.#sending.add(sending);
  }

  /** Resolves when everything recorded so far is sent or given up. */
  async flush(): Promise<void> {
    await Promise.all(this.#sending);
  }

  async #sendAll(queue: Waiting[]): Promise<void> {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { metadata } = next.object;
      const key = JSON.stringify([metadata.uid, metadata.name, next.event]);
      this.#waiting -= 1;
      if (this.#parts.signal.aborted) continue;
      try {
        const known = this.#remembered.get(key);
        if (known !== undefined && (await this.#count(known, next.at))) continue;
        remember(this.#remembered, key, await this.#create(next.object, next.event, next.at));
      } catch (error) {
        if (this.#parts.signal.aborted) continue;
        this.#parts.log.debug("An event could not be recorded", { reason: next.event.reason, error });
      }
    }
  }

  async #count(known: Remembered, at: number): Promise<boolean> {
    const { client, signal } = this.#parts;
    known.count += 1;
    const merge = { count: known.count, lastTimestamp: formatTime(at) };
    try {
      await client.patch(Event, known, { merge }, { fieldManager: "kubelet", signal });
      return true;
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      throw error;
    }
  }

  async #create(
    { apiVersion, kind, metadata }: DeepReadonly<KubeObject>,
    event: NodeEvent,
    at: number,
  ): Promise<Remembered> {
    const { client, node, signal } = this.#parts;
    const { type, reason, message, fieldPath } = event;
    const namespace = metadata.namespace ?? "default";
    const name = `${metadata.name ?? ""}.${this.#nanoseconds(at).toString(16)}`;
    const time = formatTime(at);
    await client.create(
      Event,
      {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name, namespace },
        involvedObject: {
          apiVersion,
          kind,
          ...(metadata.name === undefined ? {} : { name: metadata.name }),
          ...(metadata.namespace === undefined ? {} : { namespace }),
          ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
          ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
          ...(fieldPath === undefined ? {} : { fieldPath }),
        },
        type,
        reason,
        message,
        source: { component: "kubelet", host: node },
        reportingComponent: "kubelet",
        reportingInstance: node,
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
      },
      { fieldManager: "kubelet", signal },
    );
    return { name, namespace, count: 1 };
  }

  #hasBudget({ kind, metadata }: DeepReadonly<KubeObject>): boolean {
    const key = JSON.stringify([kind, metadata.namespace, metadata.name, metadata.uid]);
    const now = this.#parts.clock.monotonic();
    const { tokens, at } = this.#budgets.get(key) ?? { tokens: burst, at: now };
    const left = Math.min(burst, tokens + (now - at) / refillMs);
    remember(this.#budgets, key, { tokens: left < 1 ? left : left - 1, at: now });
    return left >= 1;
  }

  /** A time for a name, never the same twice. */
  #nanoseconds(at: number): bigint {
    const now = BigInt(Math.trunc(at)) * 1_000_000n;
    this.#last = now > this.#last ? now : this.#last + 1n;
    return this.#last;
  }
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= rememberedMax) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
