import { systemClock } from "@homeostat/core";
import { jsonShape, type Shape, Store, type ValueSource, WatchHub } from "@homeostat/apiserver/internal";

/** A 2 KB custom resource as it is stored: JSON with its resource version. */
export interface Resource {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the text of the n-th resource before and after its resource version, which only the store knows. */
function textOf(n: number): readonly [before: string, after: string] {
  const name = nameOf(n);
  const before = `{"apiVersion":"bench.dev/v1","kind":"Widget","metadata":{"name":"${name}","namespace":"bench","uid":"6f6c1c2e-1111-4222-8333-${String(n).padStart(12, "0")}","resourceVersion":"`;
  const env = Array.from({ length: 24 }, (_, i) => ({
    name: `VARIABLE_${i}`,
    value: `value ${i} of ${name}, and more`,
  }));
  const rest = { labels: { app: "bench", shard: String(n % 7) }, generation: 1 };
  const after = `",${JSON.stringify(rest).slice(1)},"spec":${JSON.stringify({ replicas: 3, env })},"status":{"phase":"Ready"}}`;
  return [before, after];
}

function nameOf(n: number): string {
  return `widget-${String(n).padStart(6, "0")}`;
}

export function keyOf(n: number): string {
  return `bench.dev/widgets/bench/${nameOf(n)}`;
}

export const prefix = "bench.dev/widgets/";

/** Returns a function that encodes the n-th resource once its revision is known. */
export function resource(n: number): ValueSource<Resource> {
  const [before, after] = textOf(n);
  return (revision) => ({ bytes: encoder.encode(before + revision + after) });
}

export function decode(bytes: Uint8Array): Resource {
  return JSON.parse(decoder.decode(bytes)) as Resource;
}

export function newStore(): Store<Resource> {
  return new Store<Resource>({ clock: systemClock, decode });
}

/** Returns a store with `count` resources. */
export function filledStore(count: number): Store<Resource> {
  const store = newStore();
  for (let n = 0; n < count; n += 1) store.create(keyOf(n), resource(n));
  return store;
}

export const shape: Shape<Resource> = jsonShape<Resource>({ apiVersion: "bench.dev/v1", kind: "Widget" });

/** Starts watchers that read as fast as they can; `seen` returns the total number of their events. */
export function startWatchers(
  store: Store<Resource>,
  count: number,
): { readonly hub: WatchHub<Resource>; seen: () => number } {
  const hub = new WatchHub<Resource>({ store });
  let seen = 0;
  for (let i = 0; i < count; i += 1) {
    const started = hub.watch({ prefix, from: { after: store.revision }, shape });
    if (started.outcome !== "watching") throw new Error("the watch did not start");
    const { watcher } = started;
    void (async () => {
      for await (const batch of watcher) seen += batch.length;
    })();
  }
  return { hub, seen: () => seen };
}
