// One random history: a server model, a cache on it, foreign writers, own writers, and a server full of faults. After every
// step it is checked what a reader, a subscriber and a writer could have seen.
// Longer than most files: the list of what can happen, and of what must never be seen.

import assert from "node:assert/strict";
import type { KubeObject, ResourceType } from "@homeostat/core";
import { SeededRandom } from "@homeostat/core";
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
} from "./api-model.fixture.test.ts";
import type { ObjectEvent } from "./event.ts";
import { Informer } from "./informer.ts";
import { Selection } from "./selection.ts";
import { type DecisionParts, SharedInformer } from "./shared-informer.ts";
import type { Source } from "./source.ts";
import { StepClock } from "../internal/step-clock.fixture.test.ts";
import { openTicket } from "./ticket.ts";
import type { WriteEvidence, WriteTicket } from "./writes.ts";

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

/** Small numbers from a seed, fast. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 2654435761) ^ 0x9e3779b9) >>> 0 || 1;
    for (let i = 0; i < 4; i += 1) this.roll(2);
  }

  roll(below: number): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state % below;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.roll(items.length)];
    assert.ok(item !== undefined);
    return item;
  }
}

/** What a history may contain, and what it is tried on. */
export interface HistoryOptions {
  readonly decisionParts?: (() => DecisionParts) | undefined;
  /** Puts something between the cache and the server. */
  readonly wrap?: ((source: Source) => Source) | undefined;
  /** No foreign writers and no faults: the only changes are our own. */
  readonly isCalm?: boolean;
}

/** What somebody who follows events has put together from them. */
interface Follower {
  readonly fold: Map<string, { version: number; uid: string }>;
  /** The highest version of each object that it was told of. */
  readonly high: Map<string, number>;
  /** The revision of the server when it began to follow. */
  readonly since: number;
  /** For each writer and key, the highest version that it was told of although it might have known. */
  readonly told: Map<string, number>;
  readonly subscription: Disposable;
  isReplayed: boolean;
}

/** What an object is, without its version. */
type Content = Pick<Stored, "uid" | "rev" | "isOn" | "value" | "hasFinalizer" | "isDeleting">;

/** What a writer was told of an object: what it was at a revision, or that it was gone. */
interface Picture {
  readonly rev: number;
  readonly content: Content | undefined;
}

/** What a writer knows of its own write: at which revision it was done, and what it made of what was there. */
interface Deed {
  readonly rev: number;
  readonly apply: (before: Content | undefined) => Content | undefined;
}

/** A write of our own under way. */
interface OwnOp {
  readonly ticket: WriteTicket;
  readonly writer: string;
  readonly key: string;
  readonly what: "put" | "update" | "delete";
  readonly change: Partial<Pick<Stored, "isOn" | "value" | "hasFinalizer">>;
  readonly basedOn: number | undefined;
  readonly uid: string | undefined;
  /** Whether what was sent is told to the cache with the answer. */
  readonly tellsSent: boolean;
  /** The step at which it was begun. */
  readonly begunAt: number;
  /** How many lists there had been then. */
  readonly lists: number;
  isDone: boolean;
  /** The revision of the server when it was done. */
  doneAt: number;
  isNew: boolean;
  result: OwnResult | undefined;
}

/** `removed`: the object of the request, which the server responds with when a write removes the last finalizer. */
type OwnResult = { readonly object: Stored } | { readonly uid: string; readonly removed?: Stored } | "failed";

/** What a writer knows from the answer to its last write of a key. */
interface Known {
  readonly rev: number;
  readonly life: number;
  readonly writer: string;
}

export class History {
  readonly api: ApiModel = new ApiModel();
  readonly clock: StepClock = new StepClock();
  readonly trace: string[] = [];
  /** How many things happen in it before it is brought to rest. */
  readonly steps: number;
  readonly #dice: Dice;
  readonly #options: HistoryOptions;
  readonly #mode: "whole" | "pages" | "stream";
  readonly #selects: "all" | "labels" | "fields";
  #life = 0;
  #stop = new AbortController();
  #source = new ModelSource();
  #shared: SharedInformer<Thing, Thing>;
  #things: Informer<Thing, "value">;
  #running: Promise<void> = Promise.resolve();
  #ops: OwnOp[] = [];
  #followers: Follower[] = [];
  /** What the last answered own write to a key was, and which objects were deleted by us. */
  readonly #written = new Map<string, Known>();
  readonly #deleted = new Set<string>();
  readonly #deletedAt = new Map<string, number>();
  /** When the last answer to a write that was none came. */
  readonly #answered = new Map<string, number>();
  /** When the answers to deletions came. */
  readonly #deletions: { readonly key: string; readonly step: number }[] = [];
  #step = 0;
  #asked = 0;
  /** What each writer was last told of each object by events that are not known to it. */
  #pictures = new Map<string, Picture>();
  /** What each writer has done itself to each object, as far as it was answered. */
  #deeds = new Map<string, Deed[]>();
  /** The revisions that each writer was answered with. */
  readonly #answers = new Set<string>();
  /** The versions seen by reading, in this life. */
  #seen = new Map<string, { version: number; isPresent: boolean }>();
  #staleInRow = 0;
  /** What the server had shown when the cache was complete for the first time in this life. */
  #syncedAt: number | undefined;
  #isHealing = false;
  /** What was found wrong while handling an event. */
  #wrong: Error | undefined;
  #echoes = 0;

  constructor(seed: number, options: HistoryOptions = {}) {
    this.#dice = new Dice(seed);
    this.#options = options;
    this.steps = 10 + this.#dice.roll(stepsMax - 9);
    this.#mode = this.#dice.pick(["whole", "whole", "whole", "pages", "stream"]);
    this.#selects = options.isCalm === true ? "all" : this.#dice.pick(["all", "all", "labels", "labels", "fields"]);
    for (const key of keys) if (this.#dice.roll(2) === 0) this.#foreignPut(key);
    this.#shared = this.#start(seed);
    this.#things = handleOn(this.#shared);
    this.#follow();
  }

  /** How many own results came back as events to their own writers. */
  get echoes(): number {
    return this.#echoes;
  }

  get isSynced(): boolean {
    return this.#things.isSynced;
  }

  // ── steps ──

  /** Does one thing at random. */
  act(): void {
    this.#step += 1;
    const roll = this.#dice.roll(100);
    if (roll < 22) this.#serve();
    else if (roll < 40) this.#deliver();
    else if (roll < 58) this.#beginOwn();
    else if (roll < 70) this.#finishOwn();
    else if (roll < 74) this.clock.advance(this.#dice.pick([10, 1000, 5000]));
    else if (this.#options.isCalm === true) this.#deliver();
    else if (roll < 88) this.#foreign();
    else if (roll < 93) this.#breakSomething();
    else if (roll < 95) this.#compact();
    else if (roll < 97) this.clock.advance(this.#dice.pick([1000, 31_000, 91_000]));
    else if (roll < 98) this.#follow();
    else if (roll < 99) this.api.noise();
    else if (this.#dice.roll(3) === 0) this.#restart();
  }

  /** Ends all faults, so that everything comes to rest. Call it several times, with turns in between. */
  heal(): void {
    this.#isHealing = true;
    for (const op of this.#ops) this.#advanceOwn(op, true);
    this.#ops = [];
    for (const call of this.#source.open.slice()) {
      if (!call.isAnswered) this.#answer(call);
      while (call.kind === "watch" && !call.body.isClosed && this.#sendNext(call));
      if (call.kind === "watch" && call.isAnswered) this.#bookmark(call);
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
    this.#pictures = new Map();
    this.#deeds = new Map();
    this.#life += 1;
    this.#syncedAt = undefined;
    this.#staleInRow = 0;
    this.#shared = this.#start(this.#dice.roll(1000));
    this.#things = handleOn(this.#shared);
    this.#follow();
  }

  #foreign(): void {
    const key = this.#dice.pick(keys);
    const roll = this.#dice.roll(6);
    if (roll === 0) this.api.delete(key, "foreign");
    else if (roll === 1 && this.#selects !== "all") this.api.put(key, { isOn: this.#dice.roll(2) === 0 }, "foreign");
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
      { value: this.#dice.roll(5), ...(this.#dice.roll(4) === 0 ? { hasFinalizer: true } : {}) },
      "foreign",
    );
  }

  // ── own writes ──

  #beginOwn(): void {
    const isCalm = this.#options.isCalm === true;
    if (this.#ops.length > 3 || (isCalm && !this.#things.isSynced)) return;
    const writer = isCalm ? "alice" : this.#dice.pick(writers);
    const key = this.#dice.pick(keys);
    // One write at a time to an object, as a reconciler would; and no change that takes something away.
    if (isCalm && this.#ops.some((op) => op.key === key)) return;
    const roll = this.#dice.roll(isCalm ? 6 : 8);
    const cached = this.#things.get(key);
    const ticket = openTicket({ type: thing, key: { name: key }, writer, receivers: () => [this.#shared] });
    const op: OwnOp = {
      ticket,
      writer,
      key,
      what: roll < 2 ? "delete" : roll < 4 && cached !== undefined ? "update" : "put",
      change:
        roll === 7 && this.#selects !== "all"
          ? { isOn: this.#dice.roll(2) === 0 }
          : roll === 6
            ? { hasFinalizer: this.#dice.roll(2) === 0 }
            : { value: this.#dice.roll(5) },
      basedOn: roll < 4 && cached !== undefined ? Number(cached.metadata.resourceVersion) : undefined,
      uid: this.#dice.roll(2) === 0 ? cached?.metadata.uid : undefined,
      tellsSent: isCalm || this.#dice.roll(4) > 0,
      begunAt: this.#step,
      lists: this.#listsSoFar,
      isDone: false,
      doneAt: 0,
      isNew: false,
      result: undefined,
    };
    this.#ops.push(op);
    this.#note(`${writer} begins ${op.what} ${key}`);
    if (this.#dice.roll(2) === 0) this.#advanceOwn(op, false);
  }

  /** How many lists there were; another number each time it is asked while one is under way. */
  get #listsSoFar(): number {
    const { at, lists } = this.#things.health;
    this.#asked += 1;
    return at === "watching" ? lists : -this.#asked;
  }

  #finishOwn(): void {
    if (this.#ops.length === 0) return;
    this.#advanceOwn(this.#dice.pick(this.#ops), false);
  }

  /** The next stage of a write: the server does it, and then its answer arrives, or is lost. */
  #advanceOwn(op: OwnOp, isFinal: boolean): void {
    const isNew = op.result === undefined;
    const result = op.result ?? this.#execute(op);
    op.result = result;
    if (isNew) op.doneAt = this.api.revision;
    if (isNew) this.#note(`${op.writer} has done ${op.what} ${op.key} at ${this.api.revision}`);
    if ((isNew && !isFinal) || op.isDone) return;
    op.isDone = true;
    this.#ops = this.#ops.filter((other) => other !== op);
    const isLost = this.#options.isCalm !== true && this.#dice.roll(10) === 0;
    if (result === "failed" || isLost) {
      this.#note(`${op.writer} hears nothing of ${op.what} ${op.key}`);
      return op.ticket.failed();
    }
    this.#note(`${op.writer} hears of ${op.what} ${op.key}: ${JSON.stringify(result)}`);
    if ("uid" in result) {
      this.#deleted.add(result.uid);
      this.#deletions.push({ key: op.key, step: this.#step });
      // While a list was under way, nobody can say whether what it shows is from before or after.
      const isAlone = (this.#answered.get(op.key) ?? -1) < op.begunAt && op.lists === this.#listsSoFar;
      if (isAlone) this.#deletedAt.set(op.key, Math.max(op.doneAt, this.#deletedAt.get(op.key) ?? 0));
      this.#remember(op, op.doneAt, () => undefined);
      if (result.removed !== undefined) {
        return op.ticket.wrote(JSON.parse(toJson(result.removed)) as KubeObject, evidenceOf(op, result.removed));
      }
      return op.ticket.deleted({ kind: "Status", apiVersion: "v1", details: { uid: result.uid } });
    }
    const { object } = result;
    const before = this.#written.get(op.key);
    this.#answered.set(op.key, this.#step);
    // Of two writes at once, a deletion and another, nobody but the watch can say which was the later.
    const isAlone = !this.#deletions.some(({ key, step }) => key === op.key && step >= op.begunAt);
    if (isAlone && (before === undefined || before.rev < object.rev)) {
      this.#written.set(op.key, { rev: object.rev, life: this.#life, writer: op.writer });
    }
    this.#answers.add(`${op.writer} ${object.rev}`);
    this.#remember(op, object.rev, (was) => this.#expect(op, object, was));
    const answer = JSON.parse(toJson(object)) as KubeObject;
    if (op.what === "delete") op.ticket.deleted(answer);
    else op.ticket.wrote(answer, evidenceOf(op, object));
  }

  /** What a writer takes an object to be after its own write. */
  #expect({ what, change, isNew }: OwnOp, result: Stored, before: Content | undefined): Content | undefined {
    if (isNew || what === "update") return result;
    if (before === undefined) return undefined;
    const { rev } = result;
    return what === "delete" ? { ...before, rev, isDeleting: true } : { ...before, ...change, rev };
  }

  #execute(op: OwnOp): OwnResult {
    const { what, key, change, basedOn, uid, writer } = op;
    const object = this.api.objects.get(key);
    if (this.#options.isCalm !== true && this.#dice.roll(12) === 0) return "failed";
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

  /** Answers a call of the cache, well or badly. */
  #serve(): void {
    const call = this.#source.open.find(({ isAnswered }) => !isAnswered);
    if (call === undefined) return this.#deliver();
    const roll = this.#options.isCalm === true ? 99 : this.#dice.roll(24);
    if (roll === 0) return call.refuse(broken());
    if (roll === 1) return call.refuse(refusal(500));
    if (roll === 2) return call.refuse(refusal(429, "1"));
    if (roll === 3) return call.refuse(refusal(410));
    if (roll === 4 && call.watch?.sendInitialEvents === true) return call.refuse(refusal(422));
    this.#answer(call);
  }

  #answer(call: Call): void {
    if (call.kind === "list") this.#answerList(call);
    else if (call.watch?.sendInitialEvents === true) this.#answerStream(call);
    else this.#answerWatch(call);
  }

  #answerList(call: Call): void {
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
    call.answer();
    const cut = this.#dice.roll(text.length);
    call.body.push(text.slice(0, cut));
    if (!this.#isHealing && this.#options.isCalm !== true && this.#dice.roll(12) === 0) return call.body.fail(broken());
    // The rest of it may come later.
    if (this.#isHealing || this.#dice.roll(3) > 0) this.#finishList(call, text.slice(cut));
    else this.#unfinished.set(call, text.slice(cut));
  }

  readonly #unfinished = new Map<Call, string>();

  #finishList(call: Call, rest: string): void {
    call.body.push(rest);
    call.body.end();
    this.#unfinished.delete(call);
  }

  /** An old state is shown only to a cache that has seen a newer one: without that, nobody could know. */
  #isStaleListDue(): boolean {
    const isDue =
      !this.#isHealing &&
      this.#things.isSynced &&
      this.#seenUpTo > 101 &&
      this.#staleInRow < 2 &&
      this.#options.isCalm !== true &&
      this.#dice.roll(4) === 0;
    this.#staleInRow = isDue ? this.#staleInRow + 1 : 0;
    return isDue;
  }

  #oldRevision(): number {
    return this.#seenUpTo - 1 - this.#dice.roll(this.#seenUpTo - 101);
  }

  get #seenUpTo(): number {
    return Number(this.#things.health.version ?? 0);
  }

  #answerStream(call: Call): void {
    const revision = this.api.revision;
    // The objects may be from a little earlier; then the changes up to now come before the end is announced.
    const from = Math.max(100, revision - this.#dice.roll(4));
    this.#note(`stream at ${from}..${revision}`);
    call.answer();
    for (const object of this.api.at(from)) {
      if (this.#isSelected(object)) call.body.push(`{"type":"ADDED","object":${toJson(object)}}\n`);
    }
    call.cursor = from;
    while (call.cursor < revision && this.#sendNext(call));
    if (!this.#isHealing && this.#options.isCalm !== true && this.#dice.roll(8) === 0) return call.body.fail(broken());
    call.cursor = revision;
    call.body.push(
      `{"type":"BOOKMARK","object":{"kind":"Thing","metadata":{"resourceVersion":"${revision}","annotations":{"k8s.io/initial-events-end":"true"}}}}\n`,
    );
  }

  #answerWatch(call: Call): void {
    this.#note(`watch from ${call.cursor}`);
    if (call.cursor < this.api.floor) {
      if (this.#dice.roll(2) === 0) return call.refuse(refusal(410));
      call.answer();
      call.body.push(`{"type":"ERROR","object":${statusText(410)}}\n`);
      return call.body.end();
    }
    // Some servers begin a little too early.
    if (!this.#isHealing && this.#options.isCalm !== true && this.#dice.roll(5) === 0)
      call.cursor = Math.max(100, call.cursor - this.#dice.roll(6));
    call.answer();
  }

  /** Sends something of what is due on an open body. */
  #deliver(): void {
    const call = this.#source.open.find(({ isAnswered }) => isAnswered);
    if (call === undefined) return;
    const rest = this.#unfinished.get(call);
    if (rest !== undefined) return this.#finishList(call, rest);
    if (call.kind !== "watch") return;
    for (let count = this.#dice.roll(4); count >= 0; count -= 1) if (!this.#sendNext(call)) return this.#bookmark(call);
  }

  /** Sends the next event of a watch; false when there is none. */
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
    const call = this.#source.open.find(({ isAnswered }) => isAnswered);
    if (call === undefined) return;
    this.#unfinished.delete(call);
    const roll = this.#dice.roll(5);
    this.#note(`break ${roll}`);
    if (roll < 2 || call.kind === "list") call.body.fail(broken());
    else if (roll === 2) call.body.end();
    else if (roll === 3) call.body.push(`{"type":"ERROR","object":${statusText(410)}}\n`);
    else call.body.push(`{"type":"ERROR","object":${statusText(500)}}\n`);
  }

  #compact(): void {
    this.api.floor = this.api.revision - this.#dice.roll(3);
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
    const fold: Follower["fold"] = new Map();
    const told: Follower["told"] = new Map();
    const life = this.#life;
    const subscription = this.#things.subscribe((event) => {
      try {
        assert.equal(life, this.#life, "nothing comes after the end");
        this.#take(follower, event);
      } catch (error) {
        this.#wrong ??= error instanceof Error ? error : new Error(String(error));
      }
    });
    const follower: Follower = {
      fold,
      told,
      high: new Map(),
      since: this.api.revision,
      subscription,
      isReplayed: false,
    };
    void subscription.replayed.then(() => (follower.isReplayed = true));
    this.#followers.push(follower);
  }

  /** The revision at which an object went, or was no longer selected. */
  #endOf(key: string, { metadata }: ObjectEvent<Thing>["object"], retold: string | undefined): number {
    const version = Number(metadata.resourceVersion);
    if (retold !== undefined) {
      // Told once more, it is about how things are now, whatever was there before.
      const { rev = 0 } = this.#deeds.get(`${retold} ${key}`)?.at(-1) ?? {};
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

  #remember({ writer, key }: OwnOp, rev: number, apply: Deed["apply"]): void {
    const deeds = this.#deeds.get(`${writer} ${key}`) ?? [];
    this.#deeds.set(
      `${writer} ${key}`,
      [...deeds, { rev, apply }].sort((a, b) => a.rev - b.rev),
    );
  }

  #take(follower: Follower, event: ObjectEvent<Thing>): void {
    const { fold, told, high } = follower;
    const isFirst = this.#followers[0] === follower;
    const { type, key, object, old } = event;
    const version = Number(object.metadata.resourceVersion);
    const isRepeat = event.isKnownTo("nobody");
    const before = fold.get(key);
    for (const writer of writers) {
      if (event.isKnownTo(writer)) continue;
      const at = type === "delete" ? this.api.revision : version;
      told.set(`${writer} ${key}`, Math.max(at, told.get(`${writer} ${key}`) ?? 0));
      if (!isFirst) continue;
      const { rev = 0 } = this.#pictures.get(`${writer} ${key}`) ?? {};
      this.#pictures.set(
        `${writer} ${key}`,
        type === "delete"
          ? { rev: Math.max(rev, this.#endOf(key, object, isRepeat ? writer : undefined)), content: undefined }
          : { rev: version, content: contentOf(object) },
      );
      if (type !== "delete" && this.#written.get(key)?.rev === version && this.#written.get(key)?.writer === writer) {
        this.#echoes += 1;
        assert.ok(this.#options.isCalm !== true, `${writer} is told of its own ${key}@${version}`);
      }
    }
    if (isRepeat && isFirst) this.#note(`  → told once more: ${type} ${key}@${version}`);
    if (isRepeat) return;
    this.#note(`  → ${type} ${key}@${version}`);
    if (type === "add") {
      assert.equal(before, undefined, `${key} is added although it is there`);
      assert.equal(old, undefined, `${key} is new and has a past`);
    } else {
      assert.ok(before !== undefined, `${key} changes although it is not there`);
      assert.equal(old?.metadata.uid, before.uid, `${key} has another past than was told`);
      assert.equal(Number(old?.metadata.resourceVersion), before.version, `${key} has another past than was told`);
    }
    if (type === "delete") fold.delete(key);
    else {
      assert.ok(version > (high.get(key) ?? 0), `${key} goes back from ${high.get(key)} to ${version}`);
      high.set(key, version);
      const uid = object.metadata.uid ?? "";
      // A process that has begun anew knows nothing of it until it knows everything.
      const isOurs = this.#deleted.has(uid) && (this.#life === 0 || this.#things.isSynced);
      assert.ok(!isOurs, `${key} (${uid}) is told of although we deleted it`);
      this.#checkDeleted(key, version);
      if (type === "update") {
        assert.equal(uid, before?.uid, `${key} was made anew, and that is told as a change`);
        assert.ok(version > (before?.version ?? 0), `${key} goes back from ${before?.version} to ${version}`);
      }
      fold.set(key, { version, uid });
    }
  }

  // ── checks ──

  /** What must hold after every step. */
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
        assert.equal(spec.value, value, `${metadata.name} is found under what it was before`);
        indexed += 1;
      }
    }
    assert.equal(indexed, now.size, "the index has other objects than the cache");
    for (const { fold, isReplayed } of this.#followers) {
      if (!isReplayed) continue;
      assert.equal(fold.size, now.size, "a follower has put together another state than the cache has");
      for (const [key, { version }] of fold) {
        assert.equal(now.get(key)?.metadata.resourceVersion, String(version), `a follower has another ${key}`);
      }
    }
  }

  /** Whether nothing is left to happen. */
  get isAtRest(): boolean {
    const { at, version, failures } = this.#things.health;
    return this.#ops.length === 0 && at === "watching" && failures === 0 && version === String(this.api.revision);
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
      const isOurs = this.#deleted.has(uid) && (this.#life === 0 || this.#things.isSynced);
      assert.ok(!isOurs, `${key} (${uid}) is read although we deleted it`);
    }
    if (version !== undefined) this.#checkDeleted(key, version);
    const written = this.#written.get(key);
    if (written === undefined || this.#selects === "fields") return;
    if (written.life !== this.#life && !this.#things.isSynced) return;
    if (version !== undefined) {
      assert.ok(version >= written.rev, `${key} is read at ${version} although we wrote ${written.rev}`);
      return;
    }
    const isGone = this.api.log.some(
      ({ rev, key: other, after }) =>
        other === key && rev >= written.rev && (after === undefined || !this.#isSelected(after)),
    );
    assert.ok(isGone, `${key} is not read although we wrote ${written.rev}`);
  }

  /** What was before a deletion of our own must not be shown after it. */
  #checkDeleted(key: string, version: number): void {
    const at = this.#deletedAt.get(key) ?? 0;
    if (this.#selects !== "all" || (this.#life > 0 && !this.#things.isSynced)) return;
    assert.ok(version > at, `${key}@${version} is from before our deletion at ${at}`);
  }

  /** What must hold once everything has come to rest. */
  checkEnd(): void {
    this.check();
    assert.ok(this.#things.isSynced, "it never got everything");
    const wanted = [...this.api.objects.values()].filter((object) => this.#isSelected(object));
    assert.deepEqual(
      this.#things
        .list()
        .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion} ${metadata.uid}`)
        .sort(),
      wanted.map(({ key, rev, uid }) => `${key}@${rev} ${uid}`).sort(),
      "the cache is not what the server has",
    );
    for (const follower of this.#followers) for (const writer of writers) this.#checkTold(follower, writer, wanted);
    for (const writer of writers) for (const key of keys) this.#checkPicture(writer, key);
  }

  /** Whether a writer that looks only at what is not known to it, and at what it sends, knows what there is. */
  #checkPicture(writer: string, key: string): void {
    const is = this.api.objects.get(key);
    const isSelected = is !== undefined && this.#isSelected(is);
    const told = this.#pictures.get(`${writer} ${key}`);
    const deeds = this.#deeds.get(`${writer} ${key}`) ?? [];
    let picture = told?.content;
    for (const { rev, apply } of deeds) if (rev > (told?.rev ?? 0)) picture = apply(picture);
    const isPictured = picture !== undefined && (this.#selects === "all" || picture.isOn);
    assert.deepEqual(
      isPictured && picture !== undefined ? contentText(picture) : undefined,
      isSelected ? contentText(is) : undefined,
      `${writer} takes ${key} to be something else than it is`,
    );
  }

  /** Whether a writer was told of every change of others, as far as there is anything left to tell. */
  #checkTold({ told, since: followedAt }: Follower, writer: string, wanted: readonly Stored[]): void {
    const since = Math.max(followedAt, this.#syncedAt ?? 0);
    for (const { key, rev, uid } of wanted) {
      // What became of earlier objects of the name is nothing to somebody who knows that this one is there.
      const foreign = this.api.log.findLast(
        (entry) =>
          entry.key === key &&
          entry.after?.uid === uid &&
          entry.rev > since &&
          entry.rev <= rev &&
          entry.by !== writer &&
          this.#isVisible(entry) &&
          !this.#answers.has(`${writer} ${entry.rev}`),
      );
      if (foreign === undefined) continue;
      const upTo = told.get(`${writer} ${key}`) ?? 0;
      assert.ok(
        upTo >= foreign.rev,
        `${writer} was never told of ${foreign.by}'s ${key}@${foreign.rev}, only up to ${upTo}`,
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

/** What the cache is told of a write to judge its answer by. */
function evidenceOf({ what, basedOn, isNew, tellsSent, change }: OwnOp, result: Stored): WriteEvidence {
  if (isNew) return { isNew };
  if (what === "update") return { basedOn: String(basedOn) };
  if (!tellsSent) return {};
  const { metadata, spec } = JSON.parse(toJson(result)) as Thing;
  if (change.value !== undefined) return { sent: { spec: { value: spec.value } } };
  if (change.hasFinalizer !== undefined) return { sent: { metadata: { finalizers: metadata.finalizers } } };
  return { sent: { metadata: { labels: metadata.labels }, spec: { mode: spec.mode } } };
}

/** Whether histories note what happens in them; slow, for finding out about one that failed. */
let isTracing = false;

/** One turn of the event loop: everything that waits only for promises is done after it. */
async function turn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

/** The longest history. */
const stepsMax = 40;

/** A history that went wrong. */
export interface Failure {
  readonly seed: number;
  readonly error: unknown;
  readonly echoes: number;
  readonly trace: readonly string[];
}

/** Runs many histories side by side, so that they share the turns of the event loop. Returns those that went wrong. */
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
    // Histories are of different lengths; the short ones rest at the end of what they have come to.
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

/** Runs so many histories from a first seed on, and fails with the seed and the story of the first that goes wrong. */
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
    if (failure !== undefined) assert.fail(`history ${failure.seed}: ${await storyOf(failure.seed, options)}`);
  }
  return { echoes };
}

/** The seed of the first history that goes wrong, or undefined when none of so many does. */
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

/** So many histories share the turns of the event loop. */
const batchSize = 200;

/** Runs a history again and tells what happens in it. */
async function storyOf(seed: number, options: HistoryOptions): Promise<string> {
  isTracing = true;
  const { failures } = await runHistories([seed], options);
  isTracing = false;
  const [failure] = failures;
  return failure === undefined ? "does not fail by itself" : `${String(failure.error)}\n${failure.trace.join("\n")}`;
}
