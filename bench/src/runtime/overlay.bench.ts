import type { KubeObject } from "@homeostat/core";
import { SeededRandom, systemClock } from "@homeostat/core";
import { Cache } from "@homeostat/runtime";
import type { BenchCases } from "../harness/case.ts";
import { listPieces, listSource, newWidget, widget, type Widget } from "./cache-sample.ts";

const count = 2000;
const { pieces } = listPieces(count);

function newCache(): Cache {
  const source = listSource(pieces);
  const cache = new Cache({ sources: () => source, clock: systemClock, random: new SeededRandom("overlay") });
  void cache.run(new AbortController().signal);
  return cache;
}

const cache = newCache();
const widgets = cache.informer(widget);
// In a separate cache, so that writes are not indexed too.
const indexed = newCache()
  .informer(widget)
  .index("shard", (object) => object.metadata.labels?.["shard"]);
await widgets.ready();
await indexed.ready();

const plain = new Map<string, KubeObject>();
let version = 1_000_000;

/** Returns the server's response to a write: the object with a new resource version. */
function written(n: number): Widget {
  const object = newWidget(n) as Widget;
  version += 1;
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}

let at = 0;

/** Writes an object and reads it back. No watch event confirms the write, so each write replaces the previous one in the overlay. */
function writeAndRead(): unknown {
  at = (at + 1) % 200;
  const object = written(at);
  const { namespace = "", name = "" } = object.metadata;
  using ticket = cache.write(widget, { namespace, name }, "bench");
  ticket.wrote(object);
  return widgets.get(`${namespace}/${name}`);
}

export const cases: BenchCases = [
  {
    name: "own write, and read it back",
    subjects: {
      "Cache.write, get": writeAndRead,
      "Map.set, get": () => {
        at = (at + 1) % 200;
        const object = written(at);
        const key = `${object.metadata.namespace}/${object.metadata.name}`;
        plain.set(key, object);
        return plain.get(key);
      },
    },
  },
  {
    name: `find 1 in 7 of ${indexed.size} objects`,
    subjects: {
      "by an index": () => indexed.by("shard", "3"),
      "by looking at all": () => indexed.list({ labels: "shard=3" }),
    },
  },
];
