import type { Client } from "@homeostat/client";
import { type Clock, type DeepReadonly, formatTime, type KubeObject, NotFoundError } from "@homeostat/core";
import { Event } from "@homeostat/kubernetes/core/v1";
import type { Logger } from "@homeostat/runtime";
// Internal: kube-controller-manager records core/v1 events, so its controllers do not use the recorder of a manager.
import type { EventOutlet } from "@homeostat/runtime/internal";

/** An event about an object, as a component of the control plane or a kubelet records it. */
export interface CoreEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** Part of the object: `spec.containers{web}`. */
  readonly fieldPath?: string | undefined;
}

/** Records events of one component. */
export interface ObjectEvents {
  record(object: DeepReadonly<KubeObject>, event: CoreEvent): void;
}

/** Dependencies of {@link CoreEvents}. */
export interface CoreEventsParts {
  readonly client: Pick<Client, "create" | "patch">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Field manager of the Event objects. */
  readonly fieldManager: string;
  /** Node of the component, for events of a kubelet. */
  readonly host?: string | undefined;
  /** Once it aborts, events are dropped. */
  readonly signal?: AbortSignal | undefined;
}

/** Number of distinct events that are remembered, so that a repeated one increases a count instead of creating an object. */
const rememberedMax = 4_096;
/** Events of one component about one object that may be sent at once; after that one every 5 minutes. */
const burst = 25;
const refillMs = 300_000;
/** Most events that wait to be sent; further ones are dropped. */
const waitingMax = 10_000;

interface Waiting {
  readonly component: string;
  readonly object: DeepReadonly<KubeObject>;
  readonly event: CoreEvent;
  /** Time of the event, which is earlier than the time of its request. */
  readonly at: number;
}

interface Sent {
  readonly name: string;
  readonly namespace: string;
  count: number;
}

/**
 * Records events as core/v1 objects, the way kube-controller-manager and the kubelet still do (client-go's `tools/record`).
 *
 * A repeated event increases the count of the existing object, as the event correlator of client-go does. Events of one
 * component about one object are limited with the burst and rate of client-go's `EventSourceObjectSpamFilter`, because
 * a controller that fails in a loop would otherwise fill the store with events. Recording never fails for the caller:
 * errors are logged and the event is dropped.
 */
export class CoreEvents {
  readonly #parts: CoreEventsParts;
  readonly #sent = new Map<string, Sent>();
  readonly #budgets = new Map<string, { tokens: number; at: number }>();
  /** Events that wait, by object. Events about one object are sent in order, those about different ones in parallel. */
  readonly #queues = new Map<string, Waiting[]>();
  readonly #sending = new Set<Promise<void>>();
  #waiting = 0;
  #lastName = 0n;

  constructor(parts: CoreEventsParts) {
    this.#parts = parts;
  }

  /** Records an event of a component. It is sent after earlier events about the same object. */
  record(component: string, object: DeepReadonly<KubeObject>, event: CoreEvent): void {
    if (this.#isStopped || this.#waiting >= waitingMax || !this.#hasBudget(component, object)) return;
    const key = objectKey(object);
    const waiting = { component, object, event, at: this.#parts.clock.now() };
    this.#waiting += 1;
    const queue = this.#queues.get(key);
    if (queue !== undefined) return void queue.push(waiting);
    const own = [waiting];
    this.#queues.set(key, own);
    const sending = this.#sendAll(key, own).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Returns a recorder bound to one component. */
  of(component: string): ObjectEvents {
    return { record: (object, event) => this.record(component, object, event) };
  }

  /** Returns a recorder bound to one component, for controllers built with `defineController`. */
  outlet(component: string): EventOutlet {
    return {
      record: (object, { type, reason, note }) => this.record(component, object, { type, reason, message: note }),
    };
  }

  /** Resolves when all events recorded so far are sent or dropped. */
  async flush(): Promise<void> {
    await Promise.all(this.#sending);
  }

  async #sendAll(key: string, queue: Waiting[]): Promise<void> {
    const { log } = this.#parts;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      this.#waiting -= 1;
      if (this.#isStopped) continue;
      try {
        await this.#send(next);
      } catch (error) {
        if (!this.#isStopped) log.debug("Failed to record event", { reason: next.event.reason, error });
      }
    }
    // In the same tick as the last shift: an event that is recorded from now on must start a new queue, not wait in one
    // that is no longer read.
    this.#queues.delete(key);
  }

  async #send(waiting: Waiting): Promise<void> {
    const key = JSON.stringify([waiting.component, objectKey(waiting.object), waiting.event]);
    const sent = this.#sent.get(key);
    if (sent !== undefined && (await this.#count(sent, waiting.at))) return;
    keepNewest(this.#sent, key, await this.#create(waiting));
  }

  /** Increases the count of an event. Returns false when the object is deleted, for example because it expired. */
  async #count(sent: Sent, at: number): Promise<boolean> {
    sent.count += 1;
    const merge = { count: sent.count, lastTimestamp: formatTime(at) };
    try {
      await this.#parts.client.patch(Event, sent, { merge }, this.#options);
      return true;
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      throw error;
    }
  }

  async #create({ component, object, event, at }: Waiting): Promise<Sent> {
    const { client, host } = this.#parts;
    const { apiVersion, kind, metadata } = object;
    const { type, reason, message, fieldPath } = event;
    const namespace = metadata.namespace ?? "default";
    const name = `${metadata.name ?? ""}.${this.#nameSuffix(at)}`;
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
        source: { component, ...(host === undefined ? {} : { host }) },
        reportingComponent: component,
        reportingInstance: host ?? "",
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
      },
      this.#options,
    );
    return { name, namespace, count: 1 };
  }

  get #isStopped(): boolean {
    return this.#parts.signal?.aborted === true;
  }

  get #options(): { readonly fieldManager: string; readonly signal?: AbortSignal } {
    const { fieldManager, signal } = this.#parts;
    return { fieldManager, ...(signal === undefined ? {} : { signal }) };
  }

  #hasBudget(component: string, object: DeepReadonly<KubeObject>): boolean {
    const key = JSON.stringify([component, objectKey(object)]);
    const now = this.#parts.clock.monotonic();
    const { tokens, at } = this.#budgets.get(key) ?? { tokens: burst, at: now };
    const left = Math.min(burst, tokens + (now - at) / refillMs);
    keepNewest(this.#budgets, key, { tokens: left < 1 ? left : left - 1, at: now });
    return left >= 1;
  }

  /** Returns the time in nanoseconds as hexadecimal digits, increased where needed so that no two names are equal. */
  #nameSuffix(at: number): string {
    const now = BigInt(Math.trunc(at)) * 1_000_000n;
    this.#lastName = now > this.#lastName ? now : this.#lastName + 1n;
    return this.#lastName.toString(16);
  }
}

function objectKey({ kind, metadata }: DeepReadonly<KubeObject>): string {
  return JSON.stringify([kind, metadata.namespace, metadata.name, metadata.uid]);
}

/** Sets an entry and moves it to the end of the map; drops the first entry when the map is full. */
function keepNewest<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= rememberedMax) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
