/** How many notes are remembered of a tenant. */
const notesMax = 200;

/** How often a correction of one kind of object is worth an event. */
const driftPauseMs = 600_000;

/** What is remembered of one tenant. */
interface Notes {
  readonly once: Set<string>;
  readonly driftAt: Map<string, number>;
}

/**
 * What people were told of lately, so that they are not told again and again.
 *
 * It is kept in memory only: after a restart something may be told once more, and nothing is missed.
 */
export class Told {
  readonly #tenants = new Map<string, Notes>();

  /** Whether something is new for a generation of a tenant. */
  isNew({
    uid,
    generation,
    text,
  }: {
    readonly uid: string;
    readonly generation: number;
    readonly text: string;
  }): boolean {
    const { once } = this.#of(uid);
    const key = `${generation} ${text}`;
    if (once.has(key)) return false;
    if (once.size >= notesMax) once.clear();
    once.add(key);
    return true;
  }

  /** Whether a correction of an object of this kind is worth telling. */
  isDriftNew({ uid, kind, now }: { readonly uid: string; readonly kind: string; readonly now: number }): boolean {
    const { driftAt } = this.#of(uid);
    const last = driftAt.get(kind);
    if (last !== undefined && now - last < driftPauseMs) return false;
    driftAt.set(kind, now);
    return true;
  }

  /** Forgets a tenant that is gone. */
  forget(uid: string): void {
    this.#tenants.delete(uid);
  }

  #of(uid: string): Notes {
    const known = this.#tenants.get(uid);
    if (known !== undefined) return known;
    const notes: Notes = { once: new Set(), driftAt: new Map() };
    this.#tenants.set(uid, notes);
    return notes;
  }
}
