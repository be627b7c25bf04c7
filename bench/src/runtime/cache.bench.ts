import { type DeepReadonly, nextTurn } from "@homeostat/core";
import type { BenchCases } from "../harness/case.ts";
import { eventLines, listPieces, newWidget, syncedCache, type Widget } from "./cache-sample.ts";

const count = 2000;
const { pieces, bytes } = listPieces(count);
const objectKb = (bytes / count / 1000).toFixed(1);
const lines = eventLines(count);
const emptyList = [Buffer.from('{"items":[],"metadata":{"resourceVersion":"900000"}}')];

const unparsed = await syncedCache(pieces, { memo: { countMax: 0 } });
const memoised = await syncedCache(pieces);
const ownerOf = ({ metadata }: DeepReadonly<Widget>): string => (metadata.name ?? "").slice(-2);
const byOwner = memoised.widgets.index("owner", ownerOf);
const parsed = new Map(
  memoised.widgets.list().map((object) => [`${object.metadata.namespace}/${object.metadata.name}`, object]),
);
const texts = Array.from({ length: count }, (_, n) => {
  const { managedFields: _unused, ...metadata } = (newWidget(n) as Widget).metadata;
  return Buffer.from(JSON.stringify({ ...newWidget(n), metadata }));
});
const keys = [...memoised.widgets.keys()].slice(0, 500);
for (const key of keys) memoised.widgets.get(key);
let at = 0;

/** Returns the next key, so that consecutive reads are of different objects. */
function nextKey(): string {
  at = (at + 1) % keys.length;
  return keys[at] ?? "";
}

function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const child of Object.values(value)) freeze(child);
  return Object.freeze(value);
}

/** Does what a simple cache does with an object: drops managedFields and stores it by key. */
function keep(objects: Map<string, unknown>, item: Widget): void {
  delete (item.metadata as { managedFields?: unknown }).managedFields;
  objects.set(`${item.metadata.namespace}/${item.metadata.name}`, item);
}

export const cases: BenchCases = [
  {
    name: `take in a list, per object of ${objectKb} KB`,
    operationsPerCall: count,
    subjects: {
      "Cache: scan, cut, keep as bytes": async () => {
        const { stop, running, widgets } = await syncedCache(pieces);
        stop.abort(new Error("over"));
        await running;
        return widgets.size;
      },
      "JSON.parse of the whole, Map": () => {
        const objects = new Map<string, unknown>();
        const { items } = JSON.parse(Buffer.concat(pieces).toString()) as { items: Widget[] };
        for (const item of items) keep(objects, item);
        return objects;
      },
    },
  },
  {
    name: `take in a watch, per event of ${objectKb} KB`,
    operationsPerCall: count,
    subjects: {
      "Cache: scan, cut, keep as bytes": async () => {
        const { stop, running, widgets } = await syncedCache(emptyList, {}, lines);
        while (widgets.size < count) await nextTurn();
        stop.abort(new Error("over"));
        await running;
        return widgets.size;
      },
      "JSON.parse of each line, Map": () => {
        const objects = new Map<string, unknown>();
        for (const line of lines) keep(objects, (JSON.parse(line.toString()) as { object: Widget }).object);
        return objects;
      },
    },
  },
  {
    name: "get an object that is not parsed, 2.3 KB",
    subjects: {
      "Cache.get, frozen": () => unparsed.widgets.get(nextKey()),
      "JSON.parse, recursive freeze": () => freeze(JSON.parse((texts[(at += 1) % count] ?? "").toString())),
      "JSON.parse alone": () => JSON.parse((texts[(at += 1) % count] ?? "").toString()) as unknown,
    },
  },
  {
    name: "get an object that was read before",
    subjects: {
      "Cache.get by text": () => memoised.widgets.get(nextKey()),
      "Map.get": () => parsed.get(nextKey()),
    },
  },
  {
    name: `find the ${count / 100} objects of one owner of a hundred`,
    subjects: {
      "Cache.by an index": () => byOwner.by("owner", "42"),
      "filter over a Map": () => [...parsed.values()].filter((object) => ownerOf(object) === "42"),
    },
  },
];
