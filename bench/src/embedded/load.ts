import { type Access, RawApi } from "../peers/raw-api.ts";
import type { Surroundings } from "../harness/interruptible.ts";
import { pause } from "../peers/time.ts";
import { group, namespaces, newWidget, widgetDefinition } from "../peers/widget.ts";
import { Connection, type Received, requestBytes } from "./connection.ts";

/** Where the objects are. */
export const widgetsPath = `/apis/${group}/v1/namespaces/${namespaces.cached}/widgets`;

/** Makes the namespace and the kind. */
export async function prepare(access: Access, { signal }: Surroundings): Promise<void> {
  using api = new RawApi(access, 4);
  const namespace = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespaces.cached } });
  await api.must({ method: "POST", path: "/api/v1/namespaces", body: namespace }, signal);
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await api.must({ method: "POST", path, body: JSON.stringify(widgetDefinition) }, signal);
  while (!(await api.isOk(`${widgetsPath}?limit=1`))) await pause(20, signal);
  // The first writes of a new kind wait for seconds, whoever makes them.
  const warm = JSON.stringify({ ...newWidget(0, namespaces.cached), metadata: { name: "warm-up" } });
  await api.must({ method: "POST", path: widgetsPath, body: warm }, signal);
  await api.must({ method: "DELETE", path: `${widgetsPath}/warm-up` }, signal);
}

/** What a load came to. */
export interface LoadResult {
  readonly perSecond: number;
  readonly bytes: number;
}

/** Sends requests `from`, up to and without `to`, over so many connections, one at a time on each; all must be answered with `status`. */
export async function runLoad(
  access: Access,
  {
    from = 0,
    to,
    connections,
    status,
    request,
  }: {
    readonly from?: number;
    readonly to: number;
    readonly connections: number;
    readonly status: number;
    readonly request: (n: number) => Uint8Array;
  },
): Promise<LoadResult> {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(access)));
  let next = from;
  let bytes = 0;
  const started = performance.now();
  try {
    const lane = async (connection: Connection): Promise<void> => {
      while (next < to) {
        const received: Received = await connection.send(request(next++));
        if (received.status !== status) throw new Error(`answered ${received.status} instead of ${status}`);
        bytes += received.bodyBytes;
      }
    };
    await Promise.all(open.map(lane));
    return { perSecond: ((to - from) / (performance.now() - started)) * 1000, bytes };
  } finally {
    for (const connection of open) connection[Symbol.dispose]();
  }
}

/** The request that creates the n-th object. */
export function createRequest(n: number): Buffer {
  return requestBytes("POST", widgetsPath, JSON.stringify(newWidget(n, namespaces.cached)));
}
