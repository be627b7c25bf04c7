import { type KubeObject, type ResourceType, SeededRandom, systemClock } from "@homeostat/core";
import { Cache, type CacheOptions, type Informer, type Source } from "@homeostat/runtime";

/** A typical object: 2.3 KB of data and 1.6 KB of managedFields. */
export interface Widget extends KubeObject {
  readonly spec: { readonly replicas: number };
}

export const widget: ResourceType<Widget> = {
  group: "bench.dev",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
};

const fields = Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`f:field${i}`, { ".": {}, "f:inner": {} }]));
const managedFields = ["kubectl", "controller", "autoscaler"].map((manager) => ({
  manager,
  operation: "Update",
  apiVersion: "bench.dev/v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": fields },
}));

/** Returns the n-th widget. */
export function newWidget(n: number): object {
  const name = `widget-${String(n).padStart(6, "0")}`;
  return {
    apiVersion: "bench.dev/v1",
    kind: "Widget",
    metadata: {
      creationTimestamp: "2026-01-01T00:00:00Z",
      generation: 1,
      labels: { "app.kubernetes.io/name": "bench", shard: String(n % 7) },
      managedFields,
      name,
      namespace: `bench-${n % 10}`,
      resourceVersion: String(100_000 + n),
      uid: `6f6c1c2e-1111-4222-8333-${String(n).padStart(12, "0")}`,
    },
    spec: {
      replicas: 3,
      template: {
        containers: Array.from({ length: 4 }, (_, i) => ({
          name: `container-${i}`,
          image: `registry.example/team/service-${i}:1.2.3`,
          env: Array.from({ length: 5 }, (__, j) => ({
            name: `VARIABLE_${j}`,
            value: `the value of variable ${j} of ${name}`,
          })),
          resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
        })),
      },
      strategy: { type: "RollingUpdate", maxSurge: "25%", maxUnavailable: 0 },
    },
    status: {
      phase: "Ready",
      observedGeneration: 1,
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "AllUp",
          message: "all parts are up",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    },
  };
}

/** Returns a list of widgets as bytes, in chunks of the size that sockets deliver. */
export function listPieces(count: number): { readonly pieces: readonly Buffer[]; readonly bytes: number } {
  const items = Array.from({ length: count }, (_, n) => JSON.stringify(newWidget(n))).join(",");
  const text = Buffer.from(
    `{"apiVersion":"bench.dev/v1","items":[${items}],"kind":"WidgetList","metadata":{"continue":"","resourceVersion":"900000"}}`,
  );
  const pieces: Buffer[] = [];
  for (let at = 0; at < text.length; at += 65_536) pieces.push(text.subarray(at, at + 65_536));
  return { pieces, bytes: text.length };
}

/** Returns the lines of a watch that changes each of `count` widgets once. */
export function eventLines(count: number): readonly Buffer[] {
  return Array.from({ length: count }, (_, n) => {
    const object = newWidget(n) as { metadata: object };
    const changed = { ...object, metadata: { ...object.metadata, resourceVersion: String(1_000_000 + n) } };
    return Buffer.from(JSON.stringify({ type: "MODIFIED", object: changed }));
  });
}

/** Returns a source with one list and some events, which then stays silent. */
export function listSource(pieces: Iterable<Buffer>, lines: Iterable<Buffer> = []): Source {
  return {
    async list() {
      return (async function* () {
        yield* pieces;
      })();
    },
    async watch({ signal }) {
      return (async function* () {
        yield* lines;
        signal.throwIfAborted();
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
      })();
    },
  };
}

/** Returns a synced cache. Abort `stop` to dispose of it. */
export async function syncedCache(
  pieces: Iterable<Buffer>,
  options: Partial<CacheOptions> = {},
  lines: Iterable<Buffer> = [],
): Promise<{ readonly widgets: Informer<Widget>; readonly stop: AbortController; readonly running: Promise<void> }> {
  const source = listSource(pieces, lines);
  const cache = new Cache({ sources: () => source, clock: systemClock, random: new SeededRandom("bench"), ...options });
  const widgets = cache.informer(widget);
  const stop = new AbortController();
  const running = cache.run(stop.signal);
  await widgets.ready();
  return { widgets, stop, running };
}
