import type { Client } from "@homeostat/client";
import { type Clock, isList, isRecord, type KubeObject, type Random, type Stored } from "@homeostat/core";
import type { Cache } from "../cache/cache.ts";
import type { Logger } from "../log/logger.ts";
import type { ApplyMemory } from "../writes/apply-memory.ts";
import type { HotLoops } from "../writes/hot-loops.ts";
import type { RunJournal } from "../writes/journal.ts";
import { watchForLoops } from "../writes/loop-watch.ts";
import { ownedHandle } from "../writes/owned-handle.ts";
import { type RecordedClient, recordedClient } from "../writes/recorded-client.ts";
import type { RunScope, WriteReport } from "../writes/run-scope.ts";
import { StatusDraft } from "../writes/status-draft.ts";
import { writeStatus } from "../writes/write-status.ts";
import type { ConditionValue, OwnedHandle, SaveStatusOptions, StatusPlan } from "./context.ts";
import type { Controller } from "./definition.ts";
import { writerOf } from "./follow.ts";
import type { ControllerInformers } from "./informers.ts";
import type { ManagedObjects } from "../managed/managed-objects.ts";
import { ManagedSet } from "../managed/managed-set.ts";
import { isManaged, type OwnedKind } from "./kinds.ts";

/** What all runs of a controller write with. */
export interface WriteParts {
  readonly controller: Controller;
  readonly informers: ControllerInformers;
  readonly client: Client;
  readonly cache: Pick<Cache, "write">;
  readonly clock: Clock;
  readonly serverClock: Clock;
  readonly random: Random;
  readonly memory: ApplyMemory;
  readonly hotLoops: HotLoops;
}

/** What is different from run to run. */
export interface RunBounds {
  readonly object: Stored<KubeObject>;
  readonly key: string;
  readonly journal: RunJournal;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Told of what people should hear of. */
  readonly report: (report: WriteReport) => void;
}

/** All that a run needs in order to write: the client that is recorded, and what goes with it. */
export function scopeOf(parts: WriteParts, { object, key, journal, signal, log, report }: RunBounds): RunScope {
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
      onChange: watchForLoops({ key, hotLoops, log, report }),
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

/** What a reconciler writes with in one run. */
export class RunTools {
  readonly client: RecordedClient;
  readonly owned: Readonly<Record<string, OwnedHandle<OwnedKind>>>;
  readonly managed: ManagedObjects;
  readonly draft: StatusDraft;
  readonly #scope: RunScope;
  readonly #informers: ControllerInformers;
  /** The types of condition that this run has said something about. */
  readonly #told = new Set<string>();
  /** The state of the draft that was saved last. */
  #savedRevision = 0;
  #failedSave: { readonly error: unknown; readonly purpose: string } | undefined;

  constructor(scope: RunScope, informers: ControllerInformers) {
    this.#scope = scope;
    this.#informers = informers;
    this.client = scope.client;
    this.draft = new StatusDraft(scope.object);
    const { ownership } = informers;
    this.managed = new ManagedSet({ ...scope, ownership, newestOwner: () => this.#newest() }, informers.managed);
    this.owned = Object.fromEntries(
      informers.owned.map(({ name, kind, informer, deleted }) => [
        name,
        ownedHandle(kind, { ...scope, informer, deleted, ...(isManaged(kind) ? { ownership } : {}) }),
      ]),
    );
  }

  /** Whether anything has been said about the status since it was last saved. */
  get hasUnsaved(): boolean {
    return !this.draft.isEmpty && this.draft.revision !== this.#savedRevision;
  }

  /** Says what a condition is to be, or with undefined that it is to go. */
  setCondition(type: string, value: ConditionValue | undefined): void {
    this.#told.add(type);
    if (value === undefined) this.draft.removeCondition(type);
    else this.draft.setCondition(type, value, this.#scope.serverClock.now());
  }

  /** Adds the fields and conditions of a plan to the draft. */
  setStatusPlan({ fields, conditions }: StatusPlan<KubeObject>): void {
    this.draft.set(fields);
    for (const [type, value] of Object.entries(conditions)) this.setCondition(type, value);
  }

  /** Makes a condition true that an earlier run has left false, unless this one has said something about it. */
  clearCondition(type: string): void {
    if (!this.#told.has(type) && hasFalse(this.#newest(), type)) {
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

  /** The purpose of the status write that threw an error; undefined when it had none or the error came from elsewhere. */
  savePurposeOf(error: unknown): string | undefined {
    return this.#failedSave?.error === error ? this.#failedSave?.purpose : undefined;
  }

  /** The object with whatever was written to it since. */
  #newest(): Stored<KubeObject> {
    const { key, object } = this.#scope;
    const known = this.#informers.primary.get(key);
    return known === undefined || known.metadata.uid !== object.metadata.uid ? object : known;
  }
}

/** Whether an object has a condition that is false. */
function hasFalse(object: object, type: string): boolean {
  const status = isRecord(object) ? object["status"] : undefined;
  const conditions = isRecord(status) ? status["conditions"] : undefined;
  if (!isList(conditions)) return false;
  return conditions.some((other) => isRecord(other) && other["type"] === type && other["status"] === "False");
}
