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
// In a cache of its own, so that writes are not indexed as well.
const indexed = newCache()
  .informer(widget)
  .index("shard", (object) => object.metadata.labels?.["shard"]);
await widgets.ready();
await indexed.ready();

const plain = new Map<string, KubeObject>();
let version = 1_000_000;

/** The answer of a server to a write of this process: the object with a new version. */
function answer(n: number): Widget {
  const object = newWidget(n) as Widget;
  version += 1;
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}

let at = 0;

/** Writes and reads back; no watch ever confirms it, so each write of an object stands over the one before. */
function writeAndRead(): unknown {
  at = (at + 1) % 200;
  const object = answer(at);
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
        const object = answer(at);
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
