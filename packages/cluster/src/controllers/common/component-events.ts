import type { Client } from "@homeostat/client";
import { type Clock, formatTime, type KubeObject, NotFoundError, type DeepReadonly } from "@homeostat/core";
import { Event } from "@homeostat/kubernetes/core/v1";
import type { EventOutlet, Logger } from "@homeostat/runtime";
import { fieldManager } from "./parts.ts";

/** What happened to an object, as Kubernetes' own controllers tell it. */
export interface ComponentEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** The object that an event is about. */
export type EventTarget = DeepReadonly<KubeObject>;

/** What {@link ComponentEvents} needs. */
export interface ComponentEventsParts {
  readonly client: Pick<Client, "create" | "patch">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How many different events are remembered, so that another of the same kind is counted and not made anew. */
const rememberedMax = 4096;
/** How many events of one component about one object there may be at once; then one more every 5 minutes. */
const burst = 25;
const refillMs = 300_000;

interface Remembered {
  readonly name: string;
  readonly namespace: string;
  count: number;
}

/**
 * Records events the way the controllers of Kubernetes do it still: objects of `v1` with a source, a first and a last
 * time, and a count that grows when the same happens again.
 */
export class ComponentEvents {
  readonly #parts: ComponentEventsParts;
  readonly #remembered = new Map<string, Remembered>();
  readonly #budgets = new Map<string, { tokens: number; at: number }>();
  /** What is being sent, by object: events about one object are sent one after the other. */
  readonly #tails = new Map<string, Promise<void>>();
  #last = 0n;

  constructor(parts: ComponentEventsParts) {
    this.#parts = parts;
  }

  /** Records an event; it is sent when those about the same object are. Whatever goes wrong is logged and forgotten. */
  record(component: string, object: EventTarget, event: ComponentEvent): void {
    if (!this.#hasBudget(component, object)) return;
    const { metadata, kind } = object;
    const key = JSON.stringify([kind, metadata.namespace, metadata.name, metadata.uid]);
    const before = this.#tails.get(key) ?? Promise.resolve();
    const tail = before
      .then(() => this.#send(component, object, event))
      .finally(() => {
        if (this.#tails.get(key) === tail) this.#tails.delete(key);
      });
    this.#tails.set(key, tail);
  }

  /** Returns a recorder bound to one component, for controllers built with `defineController`. */
  outlet(component: string): EventOutlet {
    return {
      record: (object, { type, reason, note }) => this.record(component, object, { type, reason, message: note }),
    };
  }

  /** Resolves when everything recorded so far is sent or given up. */
  async flush(): Promise<void> {
    await Promise.all(this.#tails.values());
  }

  #hasBudget(component: string, { metadata, kind }: EventTarget): boolean {
    const key = JSON.stringify([component, kind, metadata.namespace, metadata.name, metadata.uid]);
    const now = this.#parts.clock.monotonic();
    const budget = this.#budgets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, budget.tokens + (now - budget.at) / refillMs);
    remember(this.#budgets, key, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
    return tokens >= 1;
  }

  async #send(component: string, object: EventTarget, event: ComponentEvent): Promise<void> {
    const { log } = this.#parts;
    const { kind, metadata } = object;
    const key = JSON.stringify([component, kind, metadata.namespace, metadata.name, metadata.uid, event]);
    try {
      const known = this.#remembered.get(key);
      if (known !== undefined && (await this.#count(known))) return;
      const made = await this.#create(component, object, event);
      remember(this.#remembered, key, made);
    } catch (error) {
      log.debug("An event could not be recorded", { reason: event.reason, error });
    }
  }

  /** Counts the event once more; false when the server has it no more. */
  async #count(known: Remembered): Promise<boolean> {
    const { client, clock } = this.#parts;
    try {
      known.count += 1;
      const merge = { count: known.count, lastTimestamp: formatTime(clock.now()) };
      await client.patch(Event, known, { merge }, { fieldManager });
      return true;
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      throw error;
    }
  }

  async #create(
    component: string,
    { apiVersion, kind, metadata }: EventTarget,
    event: ComponentEvent,
  ): Promise<Remembered> {
    const { client, clock } = this.#parts;
    const { name = "", namespace, uid, resourceVersion } = metadata;
    const now = formatTime(clock.now());
    const created = await client.create(
      Event,
      {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: `${name}.${this.#nanoseconds().toString(16)}`, namespace: namespace ?? "default" },
        involvedObject: {
          apiVersion,
          kind,
          name,
          ...(namespace === undefined ? {} : { namespace }),
          ...(uid === undefined ? {} : { uid }),
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
        },
        ...event,
        source: { component },
        reportingComponent: component,
        reportingInstance: "",
        firstTimestamp: now,
        lastTimestamp: now,
        count: 1,
      },
      { fieldManager },
    );
    return { name: created.metadata.name ?? "", namespace: namespace ?? "default", count: 1 };
  }

  /** The time, and never the same twice. */
  #nanoseconds(): bigint {
    const now = BigInt(Math.trunc(this.#parts.clock.now())) * 1_000_000n;
    this.#last = now > this.#last ? now : this.#last + 1n;
    return this.#last;
  }
}

/** Puts a value to the end of a map that forgets what was put there longest ago. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= rememberedMax) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
