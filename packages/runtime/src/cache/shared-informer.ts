import { WriteAnswer } from "@homeostat/client";
import type { Clock, KubeObject, Random, ResourceType } from "@homeostat/core";
import { Dispatcher } from "./dispatcher.ts";
import { Indexes } from "./indexes.ts";
import { Intake, type Shape } from "./intake.ts";
import { Ledger, type OwnDeletion } from "./ledger.ts";
import { ObjectStore } from "./object-store.ts";
import type { CacheNote, CacheObserver } from "./observer.ts";
import type { OwnWrite, OwnWrites } from "./own-writes.ts";
import { Pacer } from "./pacer.ts";
import { Reflector, type ReflectorSettings } from "./reflector.ts";
import type { Rules } from "./rules.ts";
import type { Selection } from "./selection.ts";
import type { Sources } from "./source.ts";
import type { Tombstones } from "./tombstones.ts";
import type { MemoLimits } from "./memo.ts";
import type { WriteReceiver } from "./ticket.ts";
import type { WriteEvidence } from "./writes.ts";

/** Made once: an error takes its time to find out where it was made. */
const hasStopped = new Error("The informer has stopped.");

/** What all informers of a cache have in common. */
export interface InformerContext {
  readonly sources: Sources;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer?: CacheObserver | undefined;
  readonly settings?: ReflectorSettings | undefined;
  readonly memo?: MemoLimits | undefined;
  /** Makes the parts in which the decisions are, for each informer. */
  readonly judgement?: (() => Judgement) | undefined;
}

/** The parts of an informer in which its decisions are made. */
export interface Judgement {
  readonly rules?: Rules;
  readonly tombstones?: Tombstones;
  readonly ownWrites?: OwnWrites;
}

/** One selection of one kind, kept for everybody who asked for it. */
export class SharedInformer<S, T> implements WriteReceiver {
  readonly type: ResourceType;
  readonly selection: Selection;
  readonly shape: Shape<S>;
  readonly store: ObjectStore<T>;
  readonly indexes: Indexes<T>;
  readonly dispatcher: Dispatcher<T>;
  readonly ledger: Ledger<T>;
  readonly reflector: Reflector<S, T>;
  /** Resolves when everything is there for the first time. */
  readonly synced: Promise<void>;
  readonly #intake: Intake<S, T>;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  /** How many handles there are. */
  users = 0;

  constructor(selection: Selection, shape: Shape<S>, context: InformerContext) {
    const { clock, random, observer, sources, settings, memo, judgement } = context;
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
      ...judgement?.(),
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

  /** A signal that aborts when the last user has gone. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  stop(): void {
    this.#stop.abort(hasStopped);
  }

  /** Runs until the signal aborts or the last user has gone. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.stop();
    if (signal.aborted) return;
    signal.addEventListener("abort", stop, { once: true });
    await this.reflector.run(this.#stop.signal);
    signal.removeEventListener("abort", stop);
  }

  newPacer(): Pacer {
    return new Pacer(this.#clock);
  }

  covers(namespace: string): boolean {
    return this.selection.namespace === undefined || this.selection.namespace === namespace;
  }

  beginWrite(...parameters: Parameters<Ledger<T>["beginWrite"]>): OwnWrite {
    return this.ledger.beginWrite(...parameters);
  }

  wrote(write: OwnWrite, answer: KubeObject | WriteAnswer, evidence: WriteEvidence): void {
    const isUnread = answer instanceof WriteAnswer;
    const item = isUnread ? this.#intake.fromAnswer(answer) : this.#intake.fromObject(answer);
    // Where all are selected, there is nothing to look for in it.
    const isSelected =
      this.selection.selectsAll && this.covers(item.namespace)
        ? true
        : this.selection.has(isUnread ? answer.object : answer);
    this.ledger.wrote(write, item, { isSelected, evidence });
  }

  deleted(write: OwnWrite, deletion: OwnDeletion): void {
    this.ledger.deleted(write, deletion);
  }

  failed(write: OwnWrite): void {
    this.ledger.failed(write);
  }
}
