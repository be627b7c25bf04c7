import { WriteResponse } from "@homeostat/client";
import type { Clock, KubeObject, Random, ResourceType } from "@homeostat/core";
import { Dispatcher } from "./dispatcher.ts";
import { Indexes } from "./indexes.ts";
import { Intake, type Shape } from "./intake.ts";
import { Ledger, type OwnDeletion } from "./ledger.ts";
import { ObjectStore } from "./object-store.ts";
import type { CacheNote, CacheObserver } from "./observer.ts";
import type { OwnWrite, OwnWrites } from "./own-writes.ts";
import { EventLoopYielder } from "../performance/event-loop-yielder.ts";
import { Reflector, type ReflectorSettings, turnMsMax } from "./reflector.ts";
import type { Rules } from "./rules.ts";
import type { Selection } from "./selection.ts";
import type { Sources } from "./source.ts";
import type { Tombstones } from "./tombstones.ts";
import type { MemoLimits } from "./memo.ts";
import type { WriteReceiver } from "./ticket.ts";
import type { WriteEvidence } from "./writes.ts";

/** Created once: capturing a stack trace for every informer that stops is slow. */
const hasStopped = new Error("The informer has stopped.");

/** Dependencies and settings shared by all informers of a cache. */
export interface InformerContext {
  readonly sources: Sources;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer?: CacheObserver | undefined;
  readonly settings?: ReflectorSettings | undefined;
  readonly memo?: MemoLimits | undefined;
  /**
   * Creates the replaceable decision parts for each informer. Tests use it to plant faults; undefined means the
   * standard parts.
   */
  readonly decisionParts?: (() => DecisionParts) | undefined;
}

/** The parts of an informer that decide what to do with a list item, an event or a write response. */
export interface DecisionParts {
  readonly rules?: Rules;
  readonly tombstones?: Tombstones;
  readonly ownWrites?: OwnWrites;
}

/** The store, indexes, watch and write overlay of one selection, shared by all {@link Informer} handles on it. */
export class SharedInformer<S, T> implements WriteReceiver {
  readonly type: ResourceType;
  readonly selection: Selection;
  readonly shape: Shape<S>;
  readonly store: ObjectStore<T>;
  readonly indexes: Indexes<T>;
  readonly dispatcher: Dispatcher<T>;
  readonly ledger: Ledger<T>;
  readonly reflector: Reflector<S, T>;
  /** Resolves when the first list was accepted. */
  readonly synced: Promise<void>;
  readonly #intake: Intake<S, T>;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  /** Number of open handles. The cache stops the informer when it becomes 0. */
  users = 0;

  constructor(selection: Selection, shape: Shape<S>, context: InformerContext) {
    const { clock, random, observer, sources, settings, memo, decisionParts } = context;
    const name = selection.toString();
    const onNote = (note: CacheNote): void => observer?.note(name, note, selection.type);
    const onError = (error: unknown): void => onNote({ type: "error", error });
    this.type = selection.type;
    this.selection = selection;
    this.shape = shape;
    this.#clock = clock;
    this.#intake = new Intake<S, T>({ type: selection.type, shape, onError });
    this.store = new ObjectStore<T>({
      parse: (text) => this.#intake.parse(text),
      ...(memo === undefined ? {} : { memo }),
    });
    this.indexes = new Indexes(this.store, onError);
    this.dispatcher = new Dispatcher(this.store, onError);
    this.ledger = new Ledger({
      store: this.store,
      dispatcher: this.dispatcher,
      indexes: this.indexes,
      selectsAll: selection.selectsAll,
      onNeedsList: () => this.reflector.interrupt(),
      ...decisionParts?.(),
    });
    let onSynced = (): void => undefined;
    this.synced = new Promise((resolve) => {
      onSynced = resolve;
    });
    this.reflector = new Reflector<S, T>({
      ...settings,
      source: sources(selection.request(shape.metadataOnly === true)),
      ledger: this.ledger,
      intake: this.#intake,
      clock,
      random,
      onSynced,
      onNote,
    });
  }

  /** Aborts when the last handle is disposed of, or when the cache stops. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  stop(): void {
    this.#stop.abort(hasStopped);
  }

  /** Lists and watches until the signal aborts or the last handle is disposed of. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.stop();
    if (signal.aborted) return;
    signal.addEventListener("abort", stop, { once: true });
    await this.reflector.run(this.#stop.signal);
    signal.removeEventListener("abort", stop);
  }

  /** Drops memory that the next read or event allocates again: parsed objects, and the bytes of the last event. */
  release(): void {
    this.store.releaseParsed();
    this.#intake.release();
  }

  newYielder(): EventLoopYielder {
    return new EventLoopYielder(this.#clock, { turnMsMax });
  }

  covers(namespace: string): boolean {
    return this.selection.namespace === undefined || this.selection.namespace === namespace;
  }

  beginWrite(...parameters: Parameters<Ledger<T>["beginWrite"]>): OwnWrite {
    return this.ledger.beginWrite(...parameters);
  }

  wrote(write: OwnWrite, response: KubeObject | WriteResponse, evidence: WriteEvidence): void {
    const isUnparsed = response instanceof WriteResponse;
    const item = isUnparsed ? this.#intake.fromResponse(response) : this.#intake.fromObject(response);
    // Without selectors there is nothing to match, so the response need not be parsed.
    const isSelected =
      this.selection.selectsAll && this.covers(item.namespace)
        ? true
        : this.selection.has(isUnparsed ? response.object : response);
    this.ledger.wrote(write, item, { isSelected, evidence });
  }

  deleted(write: OwnWrite, deletion: OwnDeletion): void {
    this.ledger.deleted(write, deletion);
  }

  failed(write: OwnWrite): void {
    this.ledger.failed(write);
  }
}
