// Counts changes by users to the objects from which tables are compiled.
//
// The compiler reads specs and statuses. A table that changes because of a new spec is a response to a user; one that changes again and again while
// all specs stay the same is a hot loop. Hot-loop detection must distinguish the two.

import type { DeepReadonly, KubeObject } from "@homeostat/core";
import { annotations } from "../api/identity.ts";

/** Maximum number of objects that are remembered, deleted ones included. */
const objectsMax = 50_000;
/** Maximum number of contributors that are remembered per table. */
const contributorsMax = 10_000;

/** An object that contributes to a table. */
export interface Contributor {
  readonly kind: "Sandbox" | "RouteGroup" | "Service";
  readonly key: string;
}

/**
 * Revisions of objects and of tables. The revision of a table never decreases: deleted contributors keep their count, and the counts of forgotten
 * objects are added to all tables.
 */
export class InputRevisions {
  readonly #objects = new Map<string, { readonly state: string; readonly count: number }>();
  /** Keys of sandboxes by UID. */
  readonly #sandboxes = new Map<string, string>();
  /** Objects that contributed to a table at some time, by key of the table. */
  readonly #contributors = new Map<string, Set<string>>();
  #forgotten = 0;

  /** Records the current state of an object; undefined if it does not exist. Reports whether a user changed it. */
  update(kind: string, key: string, object: DeepReadonly<KubeObject> | undefined): boolean {
    const id = `${kind}/${key}`;
    const known = this.#objects.get(id);
    const state = object === undefined ? "" : stateOf(object);
    if (kind === "Sandbox" && object?.metadata.uid !== undefined) this.#name(object.metadata.uid, key);
    if (known?.state === state) return false;
    this.#set(id, state, (known?.count ?? 0) + 1);
    return true;
  }

  /** Counts a change of another object that affects this one. */
  touch({ kind, key }: Contributor): void {
    const id = `${kind}/${key}`;
    const { state = "", count = 0 } = this.#objects.get(id) ?? {};
    this.#set(id, state, count + 1);
  }

  /** Returns the key of a sandbox. */
  sandboxKey(uid: string): string | undefined {
    return this.#sandboxes.get(uid);
  }

  /** Records objects that contribute to a table. */
  contribute(table: string, contributors: Iterable<Contributor>): void {
    const known = this.#contributors.get(table) ?? new Set();
    for (const { kind, key } of contributors) known.add(`${kind}/${key}`);
    this.#contributors.set(table, known);
    for (const id of known) {
      if (known.size <= contributorsMax) break;
      known.delete(id);
      this.#forgotten += this.#objects.get(id)?.count ?? 0;
    }
  }

  /** Returns the revision of a table: it grows whenever a user changes an object that contributes, or has contributed, to it. */
  of(table: string): string {
    let sum = this.#forgotten;
    for (const id of this.#contributors.get(table) ?? []) sum += this.#objects.get(id)?.count ?? 0;
    return String(sum);
  }

  #set(id: string, state: string, count: number): void {
    // Maps keep insertion order, so the least recently changed object is forgotten first.
    this.#objects.delete(id);
    this.#objects.set(id, { state, count });
    const [oldest] = this.#objects;
    if (this.#objects.size <= objectsMax || oldest === undefined) return;
    this.#objects.delete(oldest[0]);
    this.#forgotten += oldest[1].count;
  }

  /** Remembers the key of a sandbox. A sandbox that is created again under its name has another UID, so the oldest UIDs are forgotten. */
  #name(uid: string, key: string): void {
    this.#sandboxes.delete(uid);
    this.#sandboxes.set(uid, key);
    const [oldest] = this.#sandboxes.keys();
    if (this.#sandboxes.size > objectsMax && oldest !== undefined) this.#sandboxes.delete(oldest);
  }
}

/** Returns the fields that users set. It excludes the annotations and the selector of a Service, which a takeover changes too. */
function stateOf({ metadata }: DeepReadonly<KubeObject>): string {
  const { uid, generation, labels, deletionTimestamp } = metadata;
  const notes = [annotations.interception, annotations.restoreKeys, annotations.accessLog];
  return JSON.stringify([
    uid,
    generation,
    deletionTimestamp,
    labels,
    notes.map((each) => metadata.annotations?.[each]),
  ]);
}
