import type { Client } from "@homeostat/client";
import {
  type Clock,
  isList,
  isRecord,
  type JsonRecord,
  type KubeObject,
  type Random,
  type Stored,
} from "@homeostat/core";
import type { Cache } from "../cache/cache.ts";
import type { Logger } from "../log/logger.ts";
import type { ApplyMemory } from "../writes/apply-memory.ts";
import type { HotLoops } from "../writes/hot-loops.ts";
import type { ReconcileJournal } from "../writes/journal.ts";
import { watchForLoops } from "../writes/loop-watch.ts";
import { ownedHandle } from "../writes/owned-handle.ts";
import { type RecordedClient, recordedClient } from "../writes/recorded-client.ts";
import type { ReconcileScope, WriteReport } from "../writes/reconcile-scope.ts";
import { StatusDraft } from "../writes/status-draft.ts";
import { writeStatus } from "../writes/write-status.ts";
import type { SaveStatusOptions } from "./context.ts";
import type { OwnedHandle } from "../writes/handles.ts";
import type { ConditionValue, StatusPlan } from "../writes/status-change.ts";
import type { Controller } from "./definition.ts";
import { writerOf } from "./follow.ts";
import type { ControllerInformers } from "./informers.ts";
import type { ReconcileNotes } from "./reconcile-notes.ts";
import type { ManagedObjects } from "../managed/managed-objects.ts";
import { ManagedSet } from "../managed/managed-set.ts";
import type { ReapplySchedule } from "../managed/reapply.ts";
import type { SettledSets } from "../managed/settled-sets.ts";
import { isManaged, type OwnedKind } from "../kinds/kinds.ts";

/** Dependencies for writing that all reconciles of a controller share. */
export interface WriteParts {
  readonly controller: Controller;
  readonly informers: ControllerInformers;
  readonly client: Client;
  readonly cache: Pick<Cache, "write">;
  readonly clock: Clock;
  readonly serverClock: Clock;
  readonly random: Random;
  readonly memory: ApplyMemory;
  readonly reapplies: ReapplySchedule;
  readonly settledSets: SettledSets;
  readonly hotLoops: HotLoops;
}

/** The part of a {@link ReconcileScope} that belongs to one reconcile. */
export interface ScopeInput {
  readonly object: Stored<KubeObject>;
  readonly key: string;
  readonly journal: ReconcileJournal;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Called when a write notices something that users should know of: drift, a field conflict, a hot loop. */
  readonly report: (report: WriteReport) => void;
}

/** Builds the scope of one reconcile, with a client that records its writes in the cache and the journal, and detects hot loops. */
export function scopeOf(parts: WriteParts, { object, key, journal, signal, log, report }: ScopeInput): ReconcileScope {
  const { controller, informers, client, cache, clock, serverClock, random, memory, hotLoops } = parts;
  return {
    object,
    type: controller.definition.for,
    key,
    fieldManager: controller.fieldManager,
    client: recordedClient(client, {
      cache,
      writer: writerOf(controller.name, key),
      journal,
      clock,
      random,
      before: (type, name) => informers.reader.find(type, name),
      onChange: watchForLoops({
        key,
        object,
        type: controller.definition.for,
        hotLoops,
        log,
        report,
        inputVersion: () => controller.definition.inputVersion?.(object),
      }),
    }),
    journal,
    memory,
    hotLoops,
    signal,
    log,
    clock,
    serverClock,
    random,
    report,
  };
}

/** The objects through which one reconcile writes: the client, handles of owned kinds, the managed set and the status draft. */
export class ReconcileTools {
  readonly client: RecordedClient;
  readonly owned: Readonly<Record<string, OwnedHandle<OwnedKind>>>;
  readonly managed: ManagedObjects;
  readonly draft: StatusDraft;
  readonly #scope: ReconcileScope;
  readonly #informers: ControllerInformers;
  /** Types of the conditions that this reconcile has set or removed. */
  readonly #conditionsSet = new Set<string>();
  /** Revision of the draft that was written last. */
  #savedRevision = 0;
  readonly #notes: ReconcileNotes;
  #failedSave: { readonly error: unknown; readonly purpose: string } | undefined;

  constructor(
    scope: ReconcileScope,
    { informers, reapplies, settledSets }: Pick<WriteParts, "informers" | "reapplies" | "settledSets">,
    notes: ReconcileNotes,
  ) {
    this.#notes = notes;
    this.#scope = scope;
    this.#informers = informers;
    this.client = scope.client;
    this.draft = new StatusDraft(scope.object);
    const { ownership } = informers;
    const managedScope = { ...scope, ownership, reapplies, settledSets, newestOwner: () => this.#newest() };
    this.managed = new ManagedSet(managedScope, informers.managed);
    this.owned = Object.fromEntries(
      informers.owned.map(({ name, kind, informer, deleted }) => [
        name,
        ownedHandle(kind, { ...scope, informer, deleted, ...(isManaged(kind) ? { ownership } : {}) }),
      ]),
    );
  }

  /** True if the draft has changes that were not written yet. */
  get hasUnsaved(): boolean {
    return !this.draft.isEmpty && this.draft.revision !== this.#savedRevision;
  }

  /** Sets a condition in the draft; undefined removes it. */
  setCondition(type: string, value: ConditionValue | undefined): void {
    this.#conditionsSet.add(type);
    this.#recordCondition(type, value);
    if (value === undefined) this.draft.removeCondition(type);
    else this.draft.setCondition(type, value, this.#scope.serverClock.now());
  }

  /** Records a condition whose status or reason differs from that at the start of the reconcile. */
  #recordCondition(type: string, value: ConditionValue | undefined): void {
    const about = `condition ${type}`;
    const before = conditionText(conditionIn(this.#scope.object, type));
    const after = conditionText(value);
    if (before === after) this.#notes.undecided(about);
    else this.#notes.decided(about, `${before} → ${after}`);
  }

  /** Adds the fields and conditions of a plan to the draft. */
  setStatusPlan({ fields, conditions }: StatusPlan<KubeObject>): void {
    this.draft.set(fields);
    for (const [type, value] of Object.entries(conditions)) this.setCondition(type, value);
  }

  /** Sets a condition to true that an earlier reconcile has left false, unless this reconcile has set or removed it. */
  clearCondition(type: string): void {
    if (!this.#conditionsSet.has(type) && hasFalse(this.#newest(), type)) {
      this.setCondition(type, { status: true, reason: "Reconciled" });
    }
  }

  /** Writes the status if that changes its content. */
  async saveStatus(signal: AbortSignal, { purpose }: SaveStatusOptions = {}): Promise<void> {
    const { revision } = this.draft;
    try {
      const saved = await writeStatus({ ...this.#scope, object: this.#newest(), signal }, this.draft);
      if (saved.result !== "gone") this.#savedRevision = revision;
    } catch (error) {
      if (purpose !== undefined) this.#failedSave = { error, purpose };
      throw error;
    }
  }

  /** Returns the purpose of the status write that threw the error; undefined when it had none or the error has another origin. */
  savePurposeOf(error: unknown): string | undefined {
    return this.#failedSave?.error === error ? this.#failedSave?.purpose : undefined;
  }

  /** Returns the object including all writes of this process, from the cache; the given one if it was deleted or recreated. */
  #newest(): Stored<KubeObject> {
    const { key, object } = this.#scope;
    const known = this.#informers.primary.get(key);
    return known === undefined || known.metadata.uid !== object.metadata.uid ? object : known;
  }
}

/** Reports whether an object has a condition of a type with the status `False`. */
function hasFalse(object: object, type: string): boolean {
  return conditionIn(object, type)?.["status"] === "False";
}

/** Returns the condition of a type; undefined if the object has none. */
function conditionIn(object: object, type: string): Readonly<JsonRecord> | undefined {
  const status = isRecord(object) ? object["status"] : undefined;
  const conditions = isRecord(status) ? status["conditions"] : undefined;
  if (!isList(conditions)) return undefined;
  return conditions.filter(isRecord).find((other) => other["type"] === type);
}

/** Returns status and reason of a condition as text, without its message. */
function conditionText(condition: { readonly status?: unknown; readonly reason?: unknown } | undefined): string {
  if (condition === undefined) return "none";
  const { status, reason } = condition;
  const word = typeof status === "boolean" ? (status ? "True" : "False") : String(status);
  return typeof reason === "string" && reason !== "" ? `${word} (${reason})` : word;
}
