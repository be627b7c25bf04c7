/** How many events are remembered per tenant. */
const eventsMax = 200;

/** Minimum time between two drift events for one kind of object of a tenant. */
const driftPauseMs = 600_000;

interface Reported {
  readonly events: Set<string>;
  readonly driftAt: Map<string, number>;
}

/** Remembers which events were recorded, in memory only: after a restart an event may be recorded once more. */
export class EventDeduplicator {
  readonly #tenants = new Map<string, Reported>();

  /** Reports whether an event is new for this generation of a tenant, and remembers it. */
  isNew({
    uid,
    generation,
    text,
  }: {
    readonly uid: string;
    readonly generation: number;
    readonly text: string;
  }): boolean {
    const { events } = this.#of(uid);
    const key = `${generation} ${text}`;
    if (events.has(key)) return false;
    if (events.size >= eventsMax) events.clear();
    events.add(key);
    return true;
  }

  /** Reports whether drift of a kind is due for an event, and remembers the time. */
  isDriftDue({ uid, kind, now }: { readonly uid: string; readonly kind: string; readonly now: number }): boolean {
    const { driftAt } = this.#of(uid);
    const last = driftAt.get(kind);
    if (last !== undefined && now - last < driftPauseMs) return false;
    driftAt.set(kind, now);
    return true;
  }

  /** Forgets a deleted tenant. */
  forget(uid: string): void {
    this.#tenants.delete(uid);
  }

  #of(uid: string): Reported {
    let reported = this.#tenants.get(uid);
    if (reported === undefined) {
      reported = { events: new Set(), driftAt: new Map() };
      this.#tenants.set(uid, reported);
    }
    return reported;
  }
}
