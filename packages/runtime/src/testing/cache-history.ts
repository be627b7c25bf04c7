// One random history: a model of a server, a cache connected to it, writers of this process and of other clients, and
// many faults. After every step the history checks everything that a reader, a subscriber and a writer could have
// seen. Longer than most files: it lists everything that can happen and everything that must never be seen.

import assert from "node:assert/strict";
import type { KubeObject, ResourceType } from "@homeostat/core";
import { SeededRandom } from "@homeostat/core";
import { SeededRandom as SmallRandom } from "@homeostat/fuzz";
import {
  ApiModel,
  broken,
  type Call,
  type Entry,
  ModelSource,
  refusal,
  statusText,
  type Stored,
  toJson,
} from "./api-model.ts";
import type { ObjectEvent } from "../cache/event.ts";
import { Informer } from "../cache/informer.ts";
import { Selection } from "../cache/selection.ts";
import { type DecisionParts, SharedInformer } from "../cache/shared-informer.ts";
import type { Source } from "../cache/source.ts";
import { StepClock } from "./step-clock.ts";
import { openTicket } from "../cache/ticket.ts";
import type { WriteEvidence, WriteTicket } from "../cache/writes.ts";

interface Thing extends KubeObject {
  readonly spec: { readonly mode: string; readonly value: string };
}

const thing: ResourceType<Thing> = {
  group: "test.dev",
  version: "v1",
  kind: "Thing",
  plural: "things",
  scope: "Cluster",
};
const keys = ["a", "b", "c", "d"] as const;
const writers = ["alice", "bob"] as const;

const hasEnded = new Error("the history has ended");

/** The random source of a history. Seeds are mixed first: xorshift starts alike for seeds that follow each other. */
class HistoryRandom extends SmallRandom {
  constructor(seed: number) {
    super(Math.imul(seed, 2654435761) ^ 0x9e3779b9);
    for (let i = 0; i < 4; i += 1) this.int(2);
  }
}

/** Options of a history. */
export interface HistoryOptions {
  readonly decisionParts?: (() => DecisionParts) | undefined;
  /** Wraps the connection between the cache and the server, to plant faults. */
  readonly wrap?: ((source: Source) => Source) | undefined;
  /** True for no other clients and no faults: all changes are own writes. */
  readonly isCalm?: boolean;
}

/** A subscriber, and the state it has derived from events. */
interface Follower {
  readonly state: Map<string, { version: number; uid: string }>;
  /** Highest version received of each object. */
  readonly high: Map<string, number>;
  /** Revision of the server when it subscribed. */
  readonly since: number;
  /** For each writer and key, the highest version delivered in events that were not marked as known to the writer. */
  readonly notified: Map<string, number>;
  readonly subscription: Disposable;
  isReplayed: boolean;
}

/** The properties of an object that are compared. */
type Content = Pick<Stored, "uid" | "rev" | "isOn" | "value" | "hasFinalizer" | "isDeleting">;

/** The last state of an object that a writer was notified of; content is undefined for a deletion. */
interface NotifiedState {
  readonly rev: number;
  readonly content: Content | undefined;
}

/** A writer's knowledge of its own write: its revision, and its effect on the previous content. */
interface CompletedWrite {
  readonly rev: number;
  readonly apply: (before: Content | undefined) => Content | undefined;
}

/** An own write in progress. */
interface OwnWriteInProgress {
  readonly ticket: WriteTicket;
  readonly writer: string;
  readonly key: string;
  readonly what: "put" | "update" | "delete";
  readonly change: Partial<Pick<Stored, "isOn" | "value" | "hasFinalizer">>;
  readonly basedOn: number | undefined;
  readonly uid: string | undefined;
  /** True if the sent fields are passed to the cache as evidence. */
  readonly providesSent: boolean;
  /** Step at which it was started. */
  readonly begunAt: number;
  /** Number of lists at that time. */
  readonly lists: number;
  isDone: boolean;
  /** Revision of the server when it was executed. */
  doneAt: number;
  isNew: boolean;
  result: OwnResult | undefined;
}

/** `removed`: the object of the request, which the server responds with when a write removes the last finalizer. */
type OwnResult = { readonly object: Stored } | { readonly uid: string; readonly removed?: Stored } | "failed";

/** The result of the last own write to a key. */
interface Known {
  readonly rev: number;
  readonly incarnation: number;
  readonly writer: string;
}

export class History {
  readonly api: ApiModel = new ApiModel();
  readonly clock: StepClock = new StepClock();
  readonly trace: string[] = [];
  /** Number of random steps before the history is brought to rest. */
  readonly steps: number;
  readonly #random: HistoryRandom;
  readonly #options: HistoryOptions;
  readonly #mode: "whole" | "pages" | "stream";
  readonly #selects: "all" | "labels" | "fields";
  #incarnation = 0;
  #stop = new AbortController();
  #source = new ModelSource();
  #shared: SharedInformer<Thing, Thing>;
  #things: Informer<Thing, "value">;
  #running: Promise<void> = Promise.resolve();
  #ops: OwnWriteInProgress[] = [];
  #followers: Follower[] = [];
  /** By key, the last own write that got a response; and the objects deleted by own writes. */
  readonly #written = new Map<string, Known>();
  readonly #deleted = new Set<string>();
  readonly #deletedAt = new Map<string, number>();
  /** By key, the step of the last response to an own write other than a deletion. */
  readonly #respondedAt = new Map<string, number>();
  /** Steps at which responses to own deletions arrived. */
  readonly #deletions: { readonly key: string; readonly step: number }[] = [];
  #step = 0;
  #listReads = 0;
  /** For each writer and object, the last state in an event that was not known to it. */
  #notifiedStates = new Map<string, NotifiedState>();
  /** For each writer and object, its own writes that got a response. */
  #completedWrites = new Map<string, CompletedWrite[]>();
  /** Revisions in the responses to each writer. */
  readonly #responses = new Set<string>();
  /** Versions seen by reading since the last restart. */
  #seen = new Map<string, { version: number; isPresent: boolean }>();
  #staleInRow = 0;
  /** Version at which the cache synced after the last restart. */
  #syncedAt: number | undefined;
  #isHealing = false;
  /** The first violation found in an event handler. */
  #wrong: Error | undefined;
  #echoes = 0;

  constructor(seed: number, options: HistoryOptions = {}) {
    this.#random = new HistoryRandom(seed);
    this.#options = options;
    this.steps = 10 + this.#random.int(stepsMax - 9);
    this.#mode = this.#random.pick(["whole", "whole", "whole", "pages", "stream"]);
    this.#selects = options.isCalm === true ? "all" : this.#random.pick(["all", "all", "labels", "labels", "fields"]);
    for (const key of keys) if (this.#random.int(2) === 0) this.#foreignPut(key);
    this.#shared = this.#start(seed);
    this.#things = handleOn(this.#shared);
    this.#follow();
  }

  /** Number of own results delivered as events to their own writers. */
  get echoes(): number {
    return this.#echoes;
  }

  get isSynced(): boolean {
    return this.#things.isSynced;
  }

  // ── steps ──

  /** Performs one random step. */
  act(): void {
    this.#step += 1;
    const roll = this.#random.int(100);
    if (roll < 22) this.#serve();
    else if (roll < 40) this.#deliver();
    else if (roll < 58) this.#beginOwn();
    else if (roll < 70) this.#finishOwn();
    else if (roll < 74) this.clock.advance(this.#random.pick([10, 1000, 5000]));
    else if (this.#options.isCalm === true) this.#deliver();
    else if (roll < 88) this.#foreign();
    else if (roll < 93) this.#breakSomething();
    else if (roll < 95) this.#compact();
    else if (roll < 97) this.clock.advance(this.#random.pick([1000, 31_000, 91_000]));
    else if (roll < 98) this.#follow();
    else if (roll < 99) this.api.noise();
    else if (this.#random.int(3) === 0) this.#restart();
  }

  /**
   * Ends all faults so that everything comes to rest. Call it several times, with turns of the event loop in between.
   */
  heal(): void {
    this.#isHealing = true;
    for (const op of this.#ops) this.#advanceOwn(op, true);
    this.#ops = [];
    for (const call of this.#source.open.slice()) {
      if (!call.hasResponded) this.#respond(call);
      while (call.kind === "watch" && !call.body.isClosed && this.#sendNext(call));
      if (call.kind === "watch" && call.hasResponded) this.#bookmark(call);
    }
    this.clock.advance(31_000);
  }

  async stop(): Promise<void> {
    this.#stop.abort(hasEnded);
    await this.#running;
    assert.equal(this.clock.pending, 0, "no timer is left");
  }

  #start(seed: number): SharedInformer<Thing, Thing> {
    const { decisionParts, wrap } = this.#options;
    const source = wrap?.(this.#source) ?? this.#source;
    const selector = { all: {}, labels: { labels: "on=yes" }, fields: { fields: "spec.mode=on" } }[this.#selects];
    const shared = new SharedInformer<Thing, Thing>(
      new Selection(thing, selector),
      {},
      {
        sources: () => source,
        clock: this.clock,
        random: new SeededRandom(seed),
        settings: { list: this.#mode, pageSize: 2 },
        memo: { countMax: seed % 8 === 0 ? 2 : 100 },
        decisionParts,
      },
    );
    this.#running = shared.run(this.#stop.signal);
    return shared;
  }

  #restart(): void {
    this.#note("restart");
    for (const op of this.#ops) op.ticket.failed();
    this.#ops = [];
    this.#stop.abort(hasEnded);
    this.#stop = new AbortController();
    this.#source = new ModelSource();
    this.#followers = [];
    this.#seen = new Map();
    this.#notifiedStates = new Map();
    this.#completedWrites = new Map();
    this.#incarnation += 1;
    this.#syncedAt = undefined;
    this.#staleInRow = 0;
    this.#shared = this.#start(this.#random.int(1000));
    this.#things = handleOn(this.#shared);
    this.#follow();
  }

  #foreign(): void {
    const key = this.#random.pick(keys);
    const roll = this.#random.int(6);
    if (roll === 0) this.api.delete(key, "foreign");
    else if (roll === 1 && this.#selects !== "all") this.api.put(key, { isOn: this.#random.int(2) === 0 }, "foreign");
    else if (roll === 2) this.api.put(key, { hasFinalizer: false }, "foreign");
    else if (roll === 3) {
      this.api.delete(key, "foreign");
      this.#foreignPut(key);
    } else this.#foreignPut(key);
    this.#note(`foreign ${roll} ${key}`);
  }

  #foreignPut(key: string): void {
    this.api.put(
      key,
      { value: this.#random.int(5), ...(this.#random.int(4) === 0 ? { hasFinalizer: true } : {}) },
      "foreign",
    );
  }

  // ── own writes ──

  #beginOwn(): void {
    const isCalm = this.#options.isCalm === true;
    if (this.#ops.length > 3 || (isCalm && !this.#things.isSynced)) return;
    const writer = isCalm ? "alice" : this.#random.pick(writers);
    const key = this.#random.pick(keys);
    // One write at a time per object, like a reconciler; and no change that removes a field.
    if (isCalm && this.#ops.some((op) => op.key === key)) return;
    const roll = this.#random.int(isCalm ? 6 : 8);
    const cached = this.#things.get(key);
    const ticket = openTicket({ type: thing, key: { name: key }, writer, receivers: () => [this.#shared] });
    const op: OwnWriteInProgress = {
      ticket,
      writer,
      key,
      what: roll < 2 ? "delete" : roll < 4 && cached !== undefined ? "update" : "put",
      change:
        roll === 7 && this.#selects !== "all"
          ? { isOn: this.#random.int(2) === 0 }
          : roll === 6
            ? { hasFinalizer: this.#random.int(2) === 0 }
            : { value: this.#random.int(5) },
      basedOn: roll < 4 && cached !== undefined ? Number(cached.metadata.resourceVersion) : undefined,
      uid: this.#random.int(2) === 0 ? cached?.metadata.uid : undefined,
      providesSent: isCalm || this.#random.int(4) > 0,
      begunAt: this.#step,
      lists: this.#listsSoFar,
      isDone: false,
      doneAt: 0,
      isNew: false,
      result: undefined,
    };
    this.#ops.push(op);
    this.#note(`${writer} begins ${op.what} ${key}`);
    if (this.#random.int(2) === 0) this.#advanceOwn(op, false);
  }

  /** Number of lists so far; a different number on each read while a list is in progress, so that no two are equal. */
  get #listsSoFar(): number {
    const { state, lists } = this.#things.health;
    this.#listReads += 1;
    return state === "watching" ? lists : -this.#listReads;
  }

  #finishOwn(): void {
    if (this.#ops.length === 0) return;
    this.#advanceOwn(this.#random.pick(this.#ops), false);
  }

  /** Advances a write: the server executes it; then the response arrives or is lost. */
  #advanceOwn(op: OwnWriteInProgress, isFinal: boolean): void {
    const isNew = op.result === undefined;
    const result = op.result ?? this.#execute(op);
    op.result = result;
    if (isNew) op.doneAt = this.api.revision;
    if (isNew) this.#note(`${op.writer} has done ${op.what} ${op.key} at ${this.api.revision}`);
    if ((isNew && !isFinal) || op.isDone) return;
    op.isDone = true;
    this.#ops = this.#ops.filter((other) => other !== op);
    const isLost = this.#options.isCalm !== true && this.#random.int(10) === 0;
    if (result === "failed" || isLost) {
      this.#note(`${op.writer} gets no response to ${op.what} ${op.key}`);
      return op.ticket.failed();
    }
    this.#note(`${op.writer} gets the response to ${op.what} ${op.key}: ${JSON.stringify(result)}`);
    if ("uid" in result) {
      this.#deleted.add(result.uid);
      this.#deletions.push({ key: op.key, step: this.#step });
      // If a list was in progress, it is undecidable whether its items are from before or after the deletion.
      const isAlone = (this.#respondedAt.get(op.key) ?? -1) < op.begunAt && op.lists === this.#listsSoFar;
      if (isAlone) this.#deletedAt.set(op.key, Math.max(op.doneAt, this.#deletedAt.get(op.key) ?? 0));
      this.#recordWrite(op, op.doneAt, () => undefined);
      if (result.removed !== undefined) {
        return op.ticket.wrote(JSON.parse(toJson(result.removed)) as KubeObject, evidenceOf(op, result.removed));
      }
      return op.ticket.deleted({ kind: "Status", apiVersion: "v1", details: { uid: result.uid } });
    }
    const { object } = result;
    const before = this.#written.get(op.key);
    this.#respondedAt.set(op.key, this.#step);
    // Of a deletion and a concurrent write, only the watch can tell which came last.
    const isAlone = !this.#deletions.some(({ key, step }) => key === op.key && step >= op.begunAt);
    if (isAlone && (before === undefined || before.rev < object.rev)) {
      this.#written.set(op.key, { rev: object.rev, incarnation: this.#incarnation, writer: op.writer });
    }
    this.#responses.add(`${op.writer} ${object.rev}`);
    this.#recordWrite(op, object.rev, (was) => this.#expect(op, object, was));
    const response = JSON.parse(toJson(object)) as KubeObject;
    if (op.what === "delete") op.ticket.deleted(response);
    else op.ticket.wrote(response, evidenceOf(op, object));
  }

  /** Returns the state that a writer expects after its own write. */
  #expect(
    { what, change, isNew }: OwnWriteInProgress,
    result: Stored,
    before: Content | undefined,
  ): Content | undefined {
    if (isNew || what === "update") return result;
    if (before === undefined) return undefined;
    const { rev } = result;
    return what === "delete" ? { ...before, rev, isDeleting: true } : { ...before, ...change, rev };
  }

  #execute(op: OwnWriteInProgress): OwnResult {
    const { what, key, change, basedOn, uid, writer } = op;
    const object = this.api.objects.get(key);
    if (this.#options.isCalm !== true && this.#random.int(12) === 0) return "failed";
    if (what === "delete") {
      if (object === undefined || (uid !== undefined && object.uid !== uid)) return "failed";
      return this.api.delete(key, writer) ?? "failed";
    }
    if (what === "update" && object?.rev !== basedOn) return "failed";
    op.isNew = object === undefined;
    const result = this.api.put(key, change, writer);
    if (result !== undefined) return { object: result };
    assert.ok(object !== undefined, "only an object that exists can be removed");
    return { uid: object.uid, removed: { ...object, ...change } };
  }

  // ── the server ──

  /** Responds to a request of the cache, successfully or with a fault. */
  #serve(): void {
    const call = this.#source.open.find(({ hasResponded }) => !hasResponded);
    if (call === undefined) return this.#deliver();
    const roll = this.#options.isCalm === true ? 99 : this.#random.int(24);
    if (roll === 0) return call.refuse(broken());
    if (roll === 1) return call.refuse(refusal(500));
    if (roll === 2) return call.refuse(refusal(429, "1"));
    if (roll === 3) return call.refuse(refusal(410));
    if (roll === 4 && call.watch?.sendInitialEvents === true) return call.refuse(refusal(422));
    this.#respond(call);
  }

  #respond(call: Call): void {
    if (call.kind === "list") this.#respondToList(call);
    else if (call.watch?.sendInitialEvents === true) this.#respondToStream(call);
    else this.#respondToWatch(call);
  }

  #respondToList(call: Call): void {
    const { continue: token, limit } = call.list ?? {};
    const [at = "", from = ""] = token?.split(":") ?? [];
    const isStale = token === undefined && this.#isStaleListDue();
    const revision = token === undefined ? (isStale ? this.#oldRevision() : this.api.revision) : Number(at);
    if (token !== undefined && revision < this.api.floor) return call.refuse(refusal(410));
    this.#note(`list at ${revision}${isStale ? " (stale)" : ""}${token === undefined ? "" : " continued"}`);
    const all = this.api.at(revision).filter((object) => this.#isSelected(object));
    const rest = all.filter(({ key }) => key > from);
    const page = limit === undefined ? rest : rest.slice(0, limit);
    const next = page.length < rest.length ? `${revision}:${page.at(-1)?.key}` : "";
    const items = page.map((object) => toJson(object)).join(",");
    const text = `{"apiVersion":"test.dev/v1","items":[${items}],"kind":"ThingList","metadata":{"continue":"${next}","resourceVersion":"${revision}"}}`;
    call.respond();
    const cut = this.#random.int(text.length);
    call.body.push(text.slice(0, cut));
    if (!this.#isHealing && this.#options.isCalm !== true && this.#random.int(12) === 0)
      return call.body.fail(broken());
    // The rest of the body may be sent later.
    if (this.#isHealing || this.#random.int(3) > 0) this.#finishList(call, text.slice(cut));
    else this.#unfinished.set(call, text.slice(cut));
  }

  readonly #unfinished = new Map<Call, string>();

  #finishList(call: Call, rest: string): void {
    call.body.push(rest);
    call.body.end();
    this.#unfinished.delete(call);
  }

  /**
   * Reports whether to serve a stale list. Only a cache that has seen a newer state can detect one, so others never
   * get it.
   */
  #isStaleListDue(): boolean {
    const isDue =
      !this.#isHealing &&
      this.#things.isSynced &&
      this.#seenUpTo > 101 &&
      this.#staleInRow < 2 &&
      this.#options.isCalm !== true &&
      this.#random.int(4) === 0;
    this.#staleInRow = isDue ? this.#staleInRow + 1 : 0;
    return isDue;
  }

  #oldRevision(): number {
    return this.#seenUpTo - 1 - this.#random.int(this.#seenUpTo - 101);
  }

  get #seenUpTo(): number {
    return Number(this.#things.health.version ?? 0);
  }

  #respondToStream(call: Call): void {
    const revision = this.api.revision;
    // The objects may be slightly older; then the changes since are sent before the closing bookmark.
    const from = Math.max(100, revision - this.#random.int(4));
    this.#note(`stream at ${from}..${revision}`);
    call.respond();
    for (const object of this.api.at(from)) {
      if (this.#isSelected(object)) call.body.push(`{"type":"ADDED","object":${toJson(object)}}\n`);
    }
    call.cursor = from;
    while (call.cursor < revision && this.#sendNext(call));
    if (!this.#isHealing && this.#options.isCalm !== true && this.#random.int(8) === 0) return call.body.fail(broken());
    call.cursor = revision;
    call.body.push(
      `{"type":"BOOKMARK","object":{"kind":"Thing","metadata":{"resourceVersion":"${revision}","annotations":{"k8s.io/initial-events-end":"true"}}}}\n`,
    );
  }

  #respondToWatch(call: Call): void {
    this.#note(`watch from ${call.cursor}`);
    if (call.cursor < this.api.floor) {
      if (this.#random.int(2) === 0) return call.refuse(refusal(410));
      call.respond();
      call.body.push(`{"type":"ERROR","object":${statusText(410)}}\n`);
      return call.body.end();
    }
    // Some servers repeat a few events.
    if (!this.#isHealing && this.#options.isCalm !== true && this.#random.int(5) === 0)
      call.cursor = Math.max(100, call.cursor - this.#random.int(6));
    call.respond();
  }

  /** Sends a part of the pending data on an open response. */
  #deliver(): void {
    const call = this.#source.open.find(({ hasResponded }) => hasResponded);
    if (call === undefined) return;
    const rest = this.#unfinished.get(call);
    if (rest !== undefined) return this.#finishList(call, rest);
    if (call.kind !== "watch") return;
    for (let count = this.#random.int(4); count >= 0; count -= 1)
      if (!this.#sendNext(call)) return this.#bookmark(call);
  }

  /** Sends the next event of a watch. Returns false if there is none. */
  #sendNext(call: Call): boolean {
    const entry = this.api.log.find(({ rev }) => rev > call.cursor);
    if (entry === undefined) return false;
    call.cursor = entry.rev;
    const line = this.#lineOf(entry);
    if (line !== undefined) {
      this.#note(`event ${entry.rev}`);
      call.body.push(line);
    }
    return true;
  }

  #lineOf({ before, after, rev }: Entry): string | undefined {
    const was = before !== undefined && this.#isSelected(before);
    const is = after !== undefined && this.#isSelected(after);
    if (is) return `{"type":"${was ? "MODIFIED" : "ADDED"}","object":${toJson(after)}}\n`;
    return was ? `{"type":"DELETED","object":${toJson(before, rev)}}\n` : undefined;
  }

  #bookmark(call: Call): void {
    if (this.api.log.some(({ rev }) => rev > call.cursor)) return;
    call.cursor = this.api.revision;
    this.#note(`bookmark ${call.cursor}`);
    call.body.push(`{"type":"BOOKMARK","object":{"kind":"Thing","metadata":{"resourceVersion":"${call.cursor}"}}}\n`);
  }

  #breakSomething(): void {
    const call = this.#source.open.find(({ hasResponded }) => hasResponded);
    if (call === undefined) return;
    this.#unfinished.delete(call);
    const roll = this.#random.int(5);
    this.#note(`break ${roll}`);
    if (roll < 2 || call.kind === "list") call.body.fail(broken());
    else if (roll === 2) call.body.end();
    else if (roll === 3) call.body.push(`{"type":"ERROR","object":${statusText(410)}}\n`);
    else call.body.push(`{"type":"ERROR","object":${statusText(500)}}\n`);
  }

  #compact(): void {
    this.api.floor = this.api.revision - this.#random.int(3);
    this.#note(`compact ${this.api.floor}`);
  }

  #isSelected(object: Stored): boolean {
    return this.#selects === "all" || object.isOn;
  }

  // ── followers ──

  #follow(): void {
    if (this.#followers.length > 2) {
      const [, second] = this.#followers;
      second?.subscription[Symbol.dispose]();
      this.#followers = this.#followers.filter((follower) => follower !== second);
    }
    const state: Follower["state"] = new Map();
    const notified: Follower["notified"] = new Map();
    const incarnation = this.#incarnation;
    const subscription = this.#things.subscribe((event) => {
      try {
        assert.equal(incarnation, this.#incarnation, "an event was delivered after the end");
        this.#take(follower, event);
      } catch (error) {
        this.#wrong ??= error instanceof Error ? error : new Error(String(error));
      }
    });
    const follower: Follower = {
      state,
      notified,
      high: new Map(),
      since: this.api.revision,
      subscription,
      isReplayed: false,
    };
    void subscription.replayed.then(() => (follower.isReplayed = true));
    this.#followers.push(follower);
  }

  /** Returns the revision at which an object was deleted or left the selection. */
  #endOf(key: string, { metadata }: ObjectEvent<Thing>["object"], retold: string | undefined): number {
    const version = Number(metadata.resourceVersion);
    if (retold !== undefined) {
      // A repeated notification describes the current state, whatever was there before.
      const { rev = 0 } = this.#completedWrites.get(`${retold} ${key}`)?.at(-1) ?? {};
      return Math.max(rev, Number(this.#things.health.version ?? version));
    }
    const end = this.api.log.find(
      ({ rev, key: other, before, after }) =>
        other === key &&
        rev > version &&
        before?.uid === metadata.uid &&
        (after === undefined || !this.#isSelected(after)),
    );
    return end?.rev ?? version;
  }

  #recordWrite({ writer, key }: OwnWriteInProgress, rev: number, apply: CompletedWrite["apply"]): void {
    const completedWrites = this.#completedWrites.get(`${writer} ${key}`) ?? [];
    this.#completedWrites.set(
      `${writer} ${key}`,
      [...completedWrites, { rev, apply }].sort((a, b) => a.rev - b.rev),
    );
  }

  #take(follower: Follower, event: ObjectEvent<Thing>): void {
    const { state, notified, high } = follower;
    const isFirst = this.#followers[0] === follower;
    const { type, key, object, old } = event;
    const version = Number(object.metadata.resourceVersion);
    const isRepeat = event.isKnownTo("another writer");
    const before = state.get(key);
    for (const writer of writers) {
      if (event.isKnownTo(writer)) continue;
      const at = type === "delete" ? this.api.revision : version;
      notified.set(`${writer} ${key}`, Math.max(at, notified.get(`${writer} ${key}`) ?? 0));
      if (!isFirst) continue;
      const { rev = 0 } = this.#notifiedStates.get(`${writer} ${key}`) ?? {};
      this.#notifiedStates.set(
        `${writer} ${key}`,
        type === "delete"
          ? { rev: Math.max(rev, this.#endOf(key, object, isRepeat ? writer : undefined)), content: undefined }
          : { rev: version, content: contentOf(object) },
      );
      if (type !== "delete" && this.#written.get(key)?.rev === version && this.#written.get(key)?.writer === writer) {
        this.#echoes += 1;
        assert.ok(this.#options.isCalm !== true, `${writer} is notified of its own ${key}@${version}`);
      }
    }
    if (isRepeat && isFirst) this.#note(`  → repeated: ${type} ${key}@${version}`);
    if (isRepeat) return;
    this.#note(`  → ${type} ${key}@${version}`);
    if (type === "add") {
      assert.equal(before, undefined, `${key} is added although it exists`);
      assert.equal(old, undefined, `${key} is new but has an old state`);
    } else {
      assert.ok(before !== undefined, `${key} changes although it does not exist`);
      assert.equal(old?.metadata.uid, before.uid, `${key} has another old state than was delivered`);
      assert.equal(
        Number(old?.metadata.resourceVersion),
        before.version,
        `${key} has another old state than was delivered`,
      );
    }
    if (type === "delete") state.delete(key);
    else {
      assert.ok(version > (high.get(key) ?? 0), `${key} goes back from ${high.get(key)} to ${version}`);
      high.set(key, version);
      const uid = object.metadata.uid ?? "";
      // A restarted process does not know about its earlier deletion until it has synced.
      const isOurs = this.#deleted.has(uid) && (this.#incarnation === 0 || this.#things.isSynced);
      assert.ok(!isOurs, `${key} (${uid}) is delivered although this process deleted it`);
      this.#checkDeleted(key, version);
      if (type === "update") {
        assert.equal(uid, before?.uid, `${key} was recreated, but delivered as an update`);
        assert.ok(version > (before?.version ?? 0), `${key} goes back from ${before?.version} to ${version}`);
      }
      state.set(key, { version, uid });
    }
  }

  // ── checks ──

  /** Checks the invariants that hold after every step. */
  check(): void {
    if (this.#wrong !== undefined) throw this.#wrong;
    if (this.#things.isSynced) this.#syncedAt ??= Number(this.#things.health.version);
    const now = new Map(this.#things.list().map((object) => [object.metadata.name ?? "", object]));
    for (const key of keys) {
      const object = now.get(key);
      const version = object === undefined ? undefined : Number(object.metadata.resourceVersion);
      this.#checkTime(key, version);
      this.#checkOwnWrites(key, version, object?.metadata.uid);
      if (this.#selects === "labels") assert.notEqual(object?.spec.mode, "off", `${key} is not selected`);
      assert.equal(this.#things.get(key)?.metadata.resourceVersion, object?.metadata.resourceVersion);
    }
    let indexed = 0;
    for (const value of this.#things.valuesOf("value")) {
      for (const { metadata, spec } of this.#things.by("value", value)) {
        assert.equal(spec.value, value, `${metadata.name} is indexed under its previous value`);
        indexed += 1;
      }
    }
    assert.equal(indexed, now.size, "the index has other objects than the cache");
    for (const { state, isReplayed } of this.#followers) {
      if (!isReplayed) continue;
      assert.equal(state.size, now.size, "a subscriber has derived another state than the cache has");
      for (const [key, { version }] of state) {
        assert.equal(now.get(key)?.metadata.resourceVersion, String(version), `a subscriber has another ${key}`);
      }
    }
  }

  /** True if no write is in progress and the cache has caught up. */
  get isAtRest(): boolean {
    const { state, version, failures } = this.#things.health;
    return this.#ops.length === 0 && state === "watching" && failures === 0 && version === String(this.api.revision);
  }

  #checkTime(key: string, version: number | undefined): void {
    const before = this.#seen.get(key);
    if (version !== undefined && before !== undefined) {
      assert.ok(version >= before.version, `${key} was read at ${before.version}, and then at ${version}`);
      if (!before.isPresent) assert.ok(version > before.version, `${key}@${version} has come back`);
    }
    this.#seen.set(key, { version: version ?? before?.version ?? 0, isPresent: version !== undefined });
  }

  #checkOwnWrites(key: string, version: number | undefined, uid: string | undefined): void {
    if (uid !== undefined) {
      const isOurs = this.#deleted.has(uid) && (this.#incarnation === 0 || this.#things.isSynced);
      assert.ok(!isOurs, `${key} (${uid}) is read although this process deleted it`);
    }
    if (version !== undefined) this.#checkDeleted(key, version);
    const written = this.#written.get(key);
    if (written === undefined || this.#selects === "fields") return;
    if (written.incarnation !== this.#incarnation && !this.#things.isSynced) return;
    if (version !== undefined) {
      assert.ok(version >= written.rev, `${key} is read at ${version} although this process wrote ${written.rev}`);
      return;
    }
    const isGone = this.api.log.some(
      ({ rev, key: other, after }) =>
        other === key && rev >= written.rev && (after === undefined || !this.#isSelected(after)),
    );
    assert.ok(isGone, `${key} is not found although this process wrote ${written.rev}`);
  }

  /** Checks that no state from before an own deletion is shown after it. */
  #checkDeleted(key: string, version: number): void {
    const at = this.#deletedAt.get(key) ?? 0;
    if (this.#selects !== "all" || (this.#incarnation > 0 && !this.#things.isSynced)) return;
    assert.ok(version > at, `${key}@${version} is from before the own deletion at ${at}`);
  }

  /** Checks what must hold once everything has come to rest. */
  checkEnd(): void {
    this.check();
    assert.ok(this.#things.isSynced, "the cache never synced");
    const expected = [...this.api.objects.values()].filter((object) => this.#isSelected(object));
    assert.deepEqual(
      this.#things
        .list()
        .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion} ${metadata.uid}`)
        .sort(),
      expected.map(({ key, rev, uid }) => `${key}@${rev} ${uid}`).sort(),
      "the cache differs from the server",
    );
    for (const follower of this.#followers)
      for (const writer of writers) this.#checkNotified(follower, writer, expected);
    for (const writer of writers) for (const key of keys) this.#checkView(writer, key);
  }

  /** Checks that a writer that uses only its own writes and the events not known to it arrives at the actual state. */
  #checkView(writer: string, key: string): void {
    const is = this.api.objects.get(key);
    const isSelected = is !== undefined && this.#isSelected(is);
    const notified = this.#notifiedStates.get(`${writer} ${key}`);
    const completedWrites = this.#completedWrites.get(`${writer} ${key}`) ?? [];
    let view = notified?.content;
    for (const { rev, apply } of completedWrites) if (rev > (notified?.rev ?? 0)) view = apply(view);
    const isInView = view !== undefined && (this.#selects === "all" || view.isOn);
    assert.deepEqual(
      isInView && view !== undefined ? contentText(view) : undefined,
      isSelected ? contentText(is) : undefined,
      `${writer} has a wrong view of ${key}`,
    );
  }

  /** Checks that a writer was notified of every change of others to the objects that still exist. */
  #checkNotified({ notified, since: followedAt }: Follower, writer: string, expected: readonly Stored[]): void {
    const since = Math.max(followedAt, this.#syncedAt ?? 0);
    for (const { key, rev, uid } of expected) {
      // Earlier objects of the name do not matter to a writer that knows of the current one.
      const foreign = this.api.log.findLast(
        (entry) =>
          entry.key === key &&
          entry.after?.uid === uid &&
          entry.rev > since &&
          entry.rev <= rev &&
          entry.by !== writer &&
          this.#isVisible(entry) &&
          !this.#responses.has(`${writer} ${entry.rev}`),
      );
      if (foreign === undefined) continue;
      const upTo = notified.get(`${writer} ${key}`) ?? 0;
      assert.ok(
        upTo >= foreign.rev,
        `${writer} was not notified of ${foreign.by}'s ${key}@${foreign.rev}, only up to ${upTo}`,
      );
    }
  }

  #isVisible({ before, after }: Entry): boolean {
    return (before !== undefined && this.#isSelected(before)) || (after !== undefined && this.#isSelected(after));
  }

  #note(text: string): void {
    if (isTracing) this.trace.push(text);
  }
}

function handleOn(shared: SharedInformer<Thing, Thing>): Informer<Thing, "value"> {
  return new Informer<Thing>(shared, () => shared.stop()).index("value", ({ spec }) => spec.value);
}

function contentOf(object: ObjectEvent<Thing>["object"]): Content {
  const { metadata, spec } = object;
  return {
    uid: metadata.uid ?? "",
    rev: Number(metadata.resourceVersion),
    isOn: spec.mode === "on",
    value: Number(spec.value.slice(1)),
    hasFinalizer: metadata.finalizers !== undefined,
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

function contentText({ uid, isOn, value, hasFinalizer, isDeleting }: Content): string {
  return JSON.stringify({ uid, isOn, value, hasFinalizer, isDeleting });
}

/** Returns the evidence passed to the cache with a response. */
function evidenceOf({ what, basedOn, isNew, providesSent, change }: OwnWriteInProgress, result: Stored): WriteEvidence {
  if (isNew) return { isNew };
  if (what === "update") return { basedOn: String(basedOn) };
  if (!providesSent) return {};
  const { metadata, spec } = JSON.parse(toJson(result)) as Thing;
  if (change.value !== undefined) return { sent: { spec: { value: spec.value } } };
  if (change.hasFinalizer !== undefined) return { sent: { metadata: { finalizers: metadata.finalizers } } };
  return { sent: { metadata: { labels: metadata.labels }, spec: { mode: spec.mode } } };
}

/** True to record a trace of each history; slow, used to explain a failed one. */
let isTracing = false;

/** Waits for one turn of the event loop, in which all resolved promises are handled. */
async function turn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Maximum number of steps. */
const stepsMax = 40;

/** A failed history. */
export interface Failure {
  readonly seed: number;
  readonly error: unknown;
  readonly echoes: number;
  readonly trace: readonly string[];
}

/** Runs many histories in parallel, so that they share the turns of the event loop. Returns the failed ones. */
export async function runHistories(
  seeds: readonly number[],
  options: HistoryOptions = {},
): Promise<{ failures: Failure[]; echoes: number }> {
  const failures: Failure[] = [];
  let echoes = 0;
  const running = new Map(seeds.map((seed) => [seed, new History(seed, options)]));
  const each = (work: (history: History) => void): void => {
    for (const [seed, history] of running) {
      try {
        work(history);
      } catch (error) {
        failures.push({ seed, error, echoes: history.echoes, trace: history.trace });
        running.delete(seed);
      }
    }
  };
  for (let step = 0; step < stepsMax && failures.length === 0; step += 1) {
    // Histories have different lengths; short ones rest after their last step.
    each((history) => {
      if (step < history.steps) history.act();
    });
    await turn();
    each((history) => {
      if (step < history.steps) history.check();
    });
  }
  for (let round = 0; round < 14 && failures.length === 0; round += 1) {
    let isAtRest = true;
    each((history) => {
      if (history.isAtRest) return;
      isAtRest = false;
      history.heal();
    });
    if (isAtRest) break;
    await turn();
  }
  each((history) => {
    history.checkEnd();
    echoes += history.echoes;
  });
  for (const history of running.values()) await history.stop();
  return { failures, echoes };
}

/** Runs `count` histories starting at a seed, and throws with the seed and the trace of the first failure. */
export async function checkHistories(
  first: number,
  count: number,
  options: HistoryOptions = {},
): Promise<{ echoes: number }> {
  let echoes = 0;
  for (let from = first; from < first + count; from += batchSize) {
    const seeds = Array.from({ length: Math.min(batchSize, first + count - from) }, (_, i) => from + i);
    const result = await runHistories(seeds, options);
    echoes += result.echoes;
    const [failure] = result.failures;
    if (failure !== undefined) assert.fail(`history ${failure.seed}: ${await traceOf(failure.seed, options)}`);
  }
  return { echoes };
}

/** Returns the seed of the first history that fails, or undefined if none of `count` does. */
export async function findFailure(count: number, options: HistoryOptions): Promise<number | undefined> {
  for (let from = 0; from < count; from += batchSize) {
    const { failures } = await runHistories(
      Array.from({ length: batchSize }, (_, i) => from + i),
      options,
    );
    if (failures[0] !== undefined) return failures[0].seed;
  }
  return undefined;
}

/** Number of histories run in parallel. */
const batchSize = 200;

/** Runs a history again and returns its error and trace. */
async function traceOf(seed: number, options: HistoryOptions): Promise<string> {
  isTracing = true;
  const { failures } = await runHistories([seed], options);
  isTracing = false;
  const [failure] = failures;
  return failure === undefined ? "does not fail by itself" : `${String(failure.error)}\n${failure.trace.join("\n")}`;
}
