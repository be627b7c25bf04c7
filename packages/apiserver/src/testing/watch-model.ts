// A naive model of the store, and random histories on which it and the real store must agree: on every list, page and
// watch.

import assert from "node:assert/strict";
import { FakeClock, nextTurn } from "@homeostat/core";
import fc from "fast-check";
import type { Entry } from "../storage/entry.ts";
import { listPage, type StoreListOptions, type ListOutcome } from "../storage/page.ts";
import { colorOf, decodeSample, numberOf, type Sample, sample } from "./store-sample.ts";
import { Store, type StoreSnapshot } from "../storage/store.ts";
import { WatchHub, type WatchOutcome } from "../watch/hub.ts";
import { brief, shape } from "./watch-reading.ts";
import type { WatchOptions } from "../watch/watcher.ts";

/** The system under test: the real one, or one with a planted bug. */
export interface System {
  readonly revision: number;
  write(key: string, value: { n: number; color: string } | undefined, ifRevision?: number): string;
  list(options: StoreListOptions<Sample>): ListOutcome<Sample>;
  watch(options: WatchOptions<Sample>): WatchOutcome<Sample>;
  compact(revision: number): void;
  pause(): Disposable;
  drop(): void;
  fork(): System;
}

export function realSystem(from?: StoreSnapshot<Sample>): System {
  const clock = new FakeClock();
  const store = new Store<Sample>({ clock, decode: decodeSample, ...(from === undefined ? {} : { from }) });
  const hub = new WatchHub<Sample>({ store });
  return {
    get revision() {
      return store.revision;
    },
    write: (key, value, ifRevision) => {
      const precondition = ifRevision === undefined ? {} : { ifRevision };
      if (value === undefined) return store.delete(key, precondition).outcome;
      const encoded = sample(value.n, value.color);
      const created = ifRevision === undefined ? store.create(key, encoded) : store.update(key, encoded, precondition);
      return created.outcome === "exists" ? store.update(key, encoded).outcome : created.outcome;
    },
    list: (options) => listPage(store, options),
    watch: (options) => hub.watch(options),
    compact: (revision) => store.compact(revision),
    pause: () => hub.faults.pause(),
    drop: () => void hub.faults.drop(),
    fork: () => realSystem(store.snapshot()),
  };
}

interface Value {
  readonly n: number;
  readonly color: string;
  readonly revision: number;
}

interface Write {
  readonly revision: number;
  readonly key: string;
  readonly before: Value | undefined;
  readonly after: Value | undefined;
}

/** The model: keeps everything that was ever written, without optimization. */
class Model {
  readonly writes: Write[];
  compacted: number;

  constructor(writes: readonly Write[] = [], compacted = 1) {
    this.writes = [...writes];
    this.compacted = compacted;
  }

  get revision(): number {
    return this.writes.length + 1;
  }

  at(revision: number): Map<string, Value> {
    const state = new Map<string, Value>();
    for (const { revision: writeRevision, key, after } of this.writes) {
      if (writeRevision > revision) break;
      if (after === undefined) state.delete(key);
      else state.set(key, after);
    }
    return new Map([...state].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  }

  write(key: string, value: { n: number; color: string } | undefined, ifRevision?: number): string {
    const before = this.at(this.revision).get(key);
    if (before === undefined && (value === undefined || ifRevision !== undefined)) return "missing";
    if (ifRevision !== undefined && before?.revision !== ifRevision) return "conflict";
    const revision = this.revision + 1;
    this.writes.push({ revision, key, before, after: value === undefined ? undefined : { ...value, revision } });
    return value === undefined ? "deleted" : "written";
  }

  /** Returns the events of a watch from a revision until now. */
  events({ after, prefix, color }: { after: number; prefix: string; color: string | undefined }): string[] {
    const isWanted = (value: Value | undefined): value is Value =>
      value !== undefined && (color === undefined || value.color === color);
    return this.writes.flatMap(({ revision, key, before, after: now }) => {
      if (revision <= after || !key.startsWith(prefix)) return [];
      if (isWanted(now)) return [`${isWanted(before) ? "MODIFIED" : "ADDED"} ${now.n} @${revision}`];
      return isWanted(before) ? [`DELETED ${before.n} @${revision}`] : [];
    });
  }
}

const keys = [
  "pods/a/x",
  "pods/a/y",
  "pods/a-b/x",
  "pods/b/x",
  "pods/b/\u{1f600}",
  "pods/b/\ufffd",
  "podsx/a",
  "jobs/a/x",
];
const prefixes = ["pods/", "pods/a/", "pods/b/", "jobs/"];
const colors = ["red", "blue"];

/** One step of a history. Numbers select among the existing objects and watches at that moment. */
export interface Step {
  readonly what:
    | "put"
    | "putIf"
    | "delete"
    | "deleteIf"
    | "list"
    | "listAt"
    | "pages"
    | "watch"
    | "watchAll"
    | "compact"
    | "fork"
    | "switch"
    | "pause"
    | "drop"
    | "turn";
  readonly a: number;
  readonly b: number;
}

/** Generates histories, mostly of writes. */
export const histories: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    what: fc.constantFrom<Step["what"]>(
      ...Array.from({ length: 8 }, () => "put" as const),
      ...(["delete", "delete", "putIf", "putIf", "deleteIf"] as const),
      ...(["list", "listAt", "listAt", "pages", "pages", "watch", "watch", "watchAll"] as const),
      ...(["compact", "fork", "switch", "pause", "drop", "turn", "turn"] as const),
    ),
    a: fc.nat(1000),
    b: fc.nat(1000),
  }),
  { minLength: 10, maxLength: 70 },
);

interface Watched {
  readonly events: string[];
  readonly expected: () => string[];
  isDropped: boolean;
}

interface Instance {
  readonly system: System;
  readonly model: Model;
  readonly watches: Watched[];
  pause: Disposable | undefined;
}

function pick<V>(items: readonly V[], n: number): V {
  const item = items[n % items.length];
  assert.ok(item !== undefined);
  return item;
}

function summary(entries: readonly Entry<Sample>[]): string[] {
  return entries.map((entry) => `${entry.key} ${numberOf(entry)} @${entry.revision}`);
}

function expectedList(model: Model, revision: number, prefix: string, color?: string): string[] {
  return [...model.at(revision)]
    .filter(([key, value]) => key.startsWith(prefix) && (color === undefined || value.color === color))
    .map(([key, { n, revision: written }]) => `${key} ${n} @${written}`);
}

/** Replays a history on a system and on the model. Throws at the first difference. */
export async function play(steps: readonly Step[], newSystem: () => System): Promise<void> {
  const instances: Instance[] = [{ system: newSystem(), model: new Model(), watches: [], pause: undefined }];
  let at = 0;
  for (const [n, step] of steps.entries()) {
    const instance = pick(instances, at);
    if (step.what === "switch") at = step.a;
    else if (step.what === "fork" && instances.length < 3) {
      instances.push({
        system: instance.system.fork(),
        model: new Model(instance.model.writes, instance.model.compacted),
        watches: [],
        pause: undefined,
      });
    } else if (step.what === "turn") await nextTurn();
    else {
      // A reader that had no turn yet would be ended as slow.
      if (step.what === "compact") await nextTurn();
      playStep(instance, step, n);
    }
    assert.equal(instance.system.revision, instance.model.revision);
  }
  for (const { pause } of instances) pause?.[Symbol.dispose]();
  await nextTurn();
  for (const { watches, system, model } of instances) {
    for (const { events, expected, isDropped } of watches)
      assert.deepEqual(events, isDropped ? expected().slice(0, events.length) : expected());
    const listed = system.list({ prefix: "" });
    assert.ok(listed.outcome === "listed");
    assert.deepEqual(summary(listed.entries), expectedList(model, model.revision, ""));
  }
}

function playStep(instance: Instance, { what, a, b }: Step, n: number): void {
  const { system, model } = instance;
  const key = pick(keys, a);
  const prefix = pick(prefixes, a);
  const color = b % 3 === 0 ? undefined : pick(colors, b);
  const value = what === "delete" || what === "deleteIf" ? undefined : { n, color: pick(colors, b) };
  switch (what) {
    case "put":
    case "delete":
      return assert.equal(system.write(key, value), model.write(key, value));
    case "putIf":
    case "deleteIf": {
      const revision = b % 2 === 0 ? (model.at(model.revision).get(key)?.revision ?? 1) : b % (model.revision + 1);
      return assert.equal(system.write(key, value, revision), model.write(key, value, revision));
    }
    case "list":
      return checkList(instance, { prefix, color, revision: undefined });
    case "listAt":
      return checkList(instance, { prefix, color, revision: b % (model.revision + 2) });
    case "pages":
      return checkPages(instance, { prefix, color, limit: 1 + (b % 3) }, n);
    case "watch":
      return startWatch(instance, { prefix, color, after: b % (model.revision + 1) });
    case "watchAll":
      return startWatch(instance, { prefix, color, after: undefined });
    case "compact": {
      const revision = 1 + (b % model.revision);
      system.compact(revision);
      // Changes that a paused watch has not read are compacted too.
      if (instance.pause !== undefined) dropWatches(instance);
      model.compacted = Math.max(model.compacted, revision);
      return;
    }
    case "pause":
      if (instance.pause === undefined) instance.pause = system.pause();
      else {
        instance.pause[Symbol.dispose]();
        instance.pause = undefined;
      }
      return;
    case "drop":
      system.drop();
      return dropWatches(instance);
    case "fork":
    case "switch":
    case "turn":
      return;
  }
}

function dropWatches({ watches, system }: Instance): void {
  system.drop();
  for (const watched of watches) watched.isDropped = true;
}

interface Wanted {
  readonly prefix: string;
  readonly color: string | undefined;
}

function matching({ color }: Wanted): { matches?: (entry: Entry<Sample>) => boolean } {
  return color === undefined ? {} : { matches: (entry) => colorOf(entry) === color };
}

function checkList({ system, model }: Instance, wanted: Wanted & { revision: number | undefined }): void {
  const { prefix, color, revision } = wanted;
  const outcome = system.list({ prefix, ...matching(wanted), ...(revision === undefined ? {} : { revision }) });
  const shown = revision ?? model.revision;
  if (shown > model.revision) return assert.equal(outcome.outcome, "future");
  if (shown < model.compacted) return assert.deepEqual(outcome, { outcome: "compacted", oldest: model.compacted });
  assert.ok(outcome.outcome === "listed");
  assert.equal(outcome.revision, shown);
  assert.deepEqual(summary(outcome.entries), expectedList(model, shown, prefix, color));
}

/** Lists in pages, with a write between every two. */
function checkPages({ system, model }: Instance, wanted: Wanted & { limit: number }, n: number): void {
  const { prefix, color, limit } = wanted;
  const { revision } = model;
  const found: string[] = [];
  let continueToken: string | undefined = "";
  for (let page = 0; continueToken !== undefined; page += 1) {
    assert.ok(page < 20, "pages end");
    const outcome = system.list({ prefix, limit, continueToken, ...matching(wanted) });
    assert.ok(outcome.outcome === "listed", outcome.outcome);
    assert.equal(outcome.revision, revision);
    found.push(...summary(outcome.entries));
    ({ continueToken } = outcome);
    const left = expectedList(model, revision, prefix, color).length - found.length;
    if (color === undefined) assert.equal(outcome.remainingItemCount ?? 0, left);
    else assert.equal(outcome.remainingItemCount, undefined);
    assert.ok(continueToken !== undefined || left === 0);
    const value = page % 2 === 0 ? undefined : { n: n * 100 + page, color: "red" };
    assert.equal(system.write(pick(keys, n + page), value), model.write(pick(keys, n + page), value));
  }
  assert.deepEqual(found, expectedList(model, revision, prefix, color));
}

function startWatch(instance: Instance, wanted: Wanted & { after: number | undefined }): void {
  const { system, model, watches } = instance;
  const { prefix, color, after } = wanted;
  const from = after === undefined ? ({ initial: true, marksEnd: true } as const) : { after };
  const started = system.watch({ prefix, from, shape, ...matching(wanted) });
  if (after !== undefined && after < model.compacted)
    return assert.deepEqual(started, { outcome: "compacted", oldest: model.compacted });
  assert.ok(started.outcome === "watching");
  const { revision } = model;
  const initial =
    after === undefined
      ? [
          ...[...model.at(revision)]
            .filter(([key, value]) => key.startsWith(prefix) && (color === undefined || value.color === color))
            .map(([, value]) => `ADDED ${value.n} @${value.revision}`),
          `BOOKMARK - @${revision} initial end`,
        ]
      : [];
  const events: string[] = [];
  watches.push({
    events,
    isDropped: false,
    expected: () => [...initial, ...model.events({ after: after ?? revision, prefix, color })],
  });
  void (async () => {
    for await (const batch of started.watcher) events.push(...batch.map(brief));
  })();
}

/** Returns the first of many histories that reveals a bug; undefined if none does. */
export async function findFailure(
  newSystem: () => System,
  { numRuns, seed }: { numRuns: number; seed: number },
): Promise<string | undefined> {
  const result = await fc.check(
    fc.asyncProperty(histories, (steps) => play(steps, newSystem)),
    { numRuns, seed },
  );
  return result.failed ? fc.defaultReportMessage(result) : undefined;
}
