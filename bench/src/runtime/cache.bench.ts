import type { BenchCases } from "../harness/case.ts";
import { listPieces, newWidget, syncedCache, type Widget } from "./cache-sample.ts";

const count = 2000;
const { pieces, bytes } = listPieces(count);
const megabytes = Math.round(bytes / 1e6);
const whole = Buffer.concat(pieces);

const unparsed = await syncedCache(pieces, { memo: { countMax: 0 } });
const memoised = await syncedCache(pieces);
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

/** The next of the keys, so that no two reads in a row are of the same object. */
function nextKey(): string {
  at = (at + 1) % keys.length;
  return keys[at] ?? "";
}

function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const child of Object.values(value)) freeze(child);
  return Object.freeze(value);
}

export const cases: BenchCases = [
  {
    name: `take in a list of ${count} objects, per MB of its bytes`,
    operationsPerCall: megabytes,
    subjects: {
      "Cache: scan, cut, store as bytes": async () => {
        const { stop, running, widgets } = await syncedCache(pieces);
        stop.abort(new Error("over"));
        await running;
        return widgets.size;
      },
      "JSON.parse of the whole": () => {
        const { items } = JSON.parse(whole.toString()) as { items: { metadata: { name: string } }[] };
        return new Map(items.map((item) => [item.metadata.name, item]));
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
];
