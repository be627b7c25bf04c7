import type { RuntimeProcess } from "../runtime-process.ts";
import { loadWidgets } from "../loader.ts";
import type { Mode } from "../mode.ts";
import { megabyte, syncTimeoutMs } from "../mode.ts";
import type { RawApi } from "../raw-api.ts";
import { now, pause } from "../time.ts";
import type { Server } from "../server.ts";
import { group, namespaces, widgetName } from "../widget.ts";

const childrenPerWidget = 3;

/** Number of objects that are changed to count the requests of reconciles without work. */
const touchedMax = 200;

/** Creates objects all at once, and measures the time until each has its children and an up-to-date status. */
export const throughput: Mode = {
  title: ({ options }) =>
    `throughput, ${options.newObjects} new objects with ${childrenPerWidget} children each, ${options.workers} workers`,
  columns: [
    { measure: "wallSeconds", title: "until all ready, s", digits: 1 },
    { measure: "cpuSeconds", title: "CPU s", digits: 2 },
    { measure: "requestsPerObject", title: "requests/object", digits: 2 },
    { measure: "conflicts", title: "409s", digits: 0, isPlain: true },
    { measure: "reconciles", title: "reconciles", digits: 0, isPlain: true },
    { measure: "needlessRequests", title: "requests/reconcile that changes nothing", digits: 2, isPlain: true },
    { measure: "needlessReconciles", title: "such reconciles", digits: 0, isPlain: true },
    { measure: "peakMb", title: "peak RSS MB", digits: 0 },
  ],
  async run({ server, options, signal, start, beforeEnd }) {
    const { newObjects: count } = options;
    const namespace = namespaces.fresh;
    // Leftovers of a failed run.
    await server.clearFresh();
    await using runtime = start({ work: "children", namespace, workers: options.workers });
    const { objects } = await runtime.next("synced", syncTimeoutMs);
    if (objects !== 0) throw new Error(`found ${objects} objects, expected none`);
    await runtime.quiet(20_000);
    const before = await server.counts();

    const ready = new Set<string>();
    let lastAt = 0;
    const all = new Promise<void>((resolve) => {
      runtime.listen((event) => {
        if (event.event !== "ready" || ready.has(event.name)) return;
        ready.add(event.name);
        lastAt = event.at;
        if (ready.size === count) resolve();
      });
    });
    const cpu = runtime.usage().cpuSeconds;
    const startedAt = now();
    const loaded = loadWidgets({ api: server.api, namespace, from: 0, to: count, signal, connections: 16 });
    await runtime.within(Promise.all([loaded, all]), 60_000 + count * 200, `${count} ready objects`);
    // Work caused by the last events counts too.
    await pause(1000, signal);
    const { cpuSeconds, peakRssBytes } = runtime.usage();
    const after = await server.counts();
    const collected = runtime.next("collected", 60_000);
    runtime.sendCommand("collect");
    const { reconciles } = await collected;
    await checkAll(server.api, count, signal);
    const needless = await annotateObjects(server, runtime, { count, reconciles, signal });
    await beforeEnd(runtime);
    await server.clearFresh();
    return {
      wallSeconds: (lastAt - startedAt) / 1e9,
      cpuSeconds: cpuSeconds - cpu,
      // Without the requests of the loader.
      requestsPerObject: (after.requests - before.requests - count) / count,
      conflicts: after.conflicts - before.conflicts,
      reconciles,
      ...needless,
      peakMb: peakRssBytes / megabyte,
    };
  },
};

/** Checks on the server that all children exist and every status is up to date. */
async function checkAll(api: RawApi, count: number, signal: AbortSignal): Promise<void> {
  const { text } = await api.must(
    { path: `/apis/${group}/v1/namespaces/${namespaces.fresh}/widgets?resourceVersion=0` },
    signal,
  );
  const { items } = JSON.parse(text) as { items: { status?: { phase?: string } }[] };
  const isReady = items.filter(({ status }) => status?.phase === "Ready").length;
  const children = await api.must(
    { path: `/api/v1/namespaces/${namespaces.fresh}/configmaps?resourceVersion=0` },
    signal,
  );
  const made = (JSON.parse(children.text) as { items: unknown[] }).items.length;
  if (isReady === count && made === count * childrenPerWidget) return;
  throw new Error(`left ${isReady} of ${count} objects ready, with ${made} children`);
}

/** Sets an annotation that no controller uses: each object is reconciled once more without work. */
async function annotateObjects(
  server: Server,
  runtime: RuntimeProcess,
  { count, reconciles, signal }: { readonly count: number; readonly reconciles: number; readonly signal: AbortSignal },
): Promise<{ readonly needlessRequests: number; readonly needlessReconciles: number }> {
  const touched = Math.min(touchedMax, count);
  const before = await server.counts();
  for (let n = 0; n < touched; n += 1) {
    const path = `/apis/${group}/v1/namespaces/${namespaces.fresh}/widgets/${widgetName(n)}`;
    const body = JSON.stringify({ metadata: { annotations: { touched: "yes" } } });
    await server.api.must({ method: "PATCH", path, body }, signal);
  }
  await runtime.quiet(20_000);
  const after = await server.counts();
  const collected = runtime.next("collected", 60_000);
  runtime.sendCommand("collect");
  const needlessReconciles = (await collected).reconciles - reconciles;
  return {
    // Without the requests of the driver.
    needlessRequests: (after.requests - before.requests - touched) / Math.max(1, needlessReconciles),
    needlessReconciles,
  };
}
