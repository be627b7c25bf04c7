import { listPage, Store } from "@homeostat/apiserver/internal";
import { nextTurn, systemClock } from "@homeostat/core";
import type { BenchCases } from "../harness/case.ts";
import {
  startWatchers,
  decode,
  filledStore,
  keyOf,
  newStore,
  prefix,
  type Resource,
  resource,
} from "./storage-sample.ts";

const count = 10_000;
const watchers = 100;
const writes = 50;
const store = filledStore(count);
const values = Array.from({ length: 1000 }, (_, n) => resource(n));
const watched = filledStore(count);
const { seen } = startWatchers(watched, watchers);
const plain = new Map(Array.from({ length: count }, (_, n) => [keyOf(n), store.get(keyOf(n))?.bytes]));
let at = 0;
let created = newStore();
let plainCreated = new Map<string, unknown>();

/** Returns the next number, so that consecutive calls use different objects. */
function next(): number {
  at = (at + 7919) % count;
  return at;
}

function valueOf(n: number): (typeof values)[number] {
  return values[n % values.length] ?? resource(n);
}

/** Joins the bytes of list items as a response body would contain them. */
function join(items: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(items.flatMap((item) => [item, Buffer.from(",")]));
}

export const cases: BenchCases = [
  {
    name: "create an object of 2 KB",
    subjects: {
      "Store.create, history and order kept": () => {
        if (created.size >= count) created = newStore();
        return created.create(keyOf(created.size), valueOf(created.size));
      },
      "Map.set of the same bytes": () => {
        if (plainCreated.size >= count) plainCreated = new Map();
        const value = valueOf(plainCreated.size);
        return plainCreated.set(keyOf(plainCreated.size), typeof value === "function" ? value(at) : value);
      },
    },
  },
  {
    name: `update one of ${count} objects of 2 KB`,
    subjects: {
      "Store.update with a precondition": () => {
        const n = next();
        const ifRevision = store.get(keyOf(n))?.revision ?? 0;
        return store.update(keyOf(n), valueOf(n), { ifRevision });
      },
    },
  },
  {
    name: `get one of ${count} objects`,
    subjects: {
      "Store.get": () => store.get(keyOf(next())),
      "Map.get": () => plain.get(keyOf(next())),
    },
  },
  {
    name: `list ${count} objects, per object`,
    operationsPerCall: count,
    subjects: {
      listPage: () => listPage(store, { prefix }),
      "Map: filter and sort keys": () =>
        [...plain].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)),
    },
  },
  {
    name: "list a page of 500 of them as bytes, per object",
    operationsPerCall: 500,
    subjects: {
      listPage: () => {
        const page = listPage(store, { prefix, limit: 500 });
        return page.outcome === "listed" ? join(page.entries.map(({ bytes }) => bytes)) : undefined;
      },
    },
  },
  {
    name: `an update seen by ${watchers} watchers, per event and watcher`,
    operationsPerCall: writes * watchers,
    subjects: {
      "Store and WatchHub, bytes shared": async () => {
        const target = seen() + writes * watchers;
        for (let i = 0; i < writes; i += 1) {
          const n = next();
          watched.update(keyOf(n), valueOf(n));
          await Promise.resolve();
        }
        while (seen() < target) await nextTurn();
        return target;
      },
    },
  },
  {
    name: `snapshot and fork of ${count} objects`,
    subjects: {
      "Store.snapshot, new Store": () => {
        const n = next();
        store.update(keyOf(n), valueOf(n));
        return new Store<Resource>({ clock: systemClock, decode, from: store.snapshot() });
      },
      "copy of a Map": () => new Map(plain),
    },
  },
];
