import type { ApiAccess } from "@homeostat/kube";
import { RawApi } from "../peers/raw-api.ts";
import type { BenchContext } from "../harness/interruptible.ts";
import { pause } from "../peers/time.ts";
import { group, namespaces, newWidget, widgetDefinition } from "../peers/widget.ts";
import { Connection, type Received, requestBytes } from "./connection.ts";

/** API path of the objects. */
export const widgetsPath = `/apis/${group}/v1/namespaces/${namespaces.cached}/widgets`;

/** Creates the namespace and the CRD. */
export async function prepare(access: ApiAccess, { signal }: BenchContext): Promise<void> {
  using api = new RawApi(access, 4);
  const namespace = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespaces.cached } });
  await api.must({ method: "POST", path: "/api/v1/namespaces", body: namespace }, signal);
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await api.must({ method: "POST", path, body: JSON.stringify(widgetDefinition) }, signal);
  while (!(await api.isOk(`${widgetsPath}?limit=1`))) await pause(20, signal);
  // The first writes of a new kind take seconds on any server.
  const warm = JSON.stringify({ ...newWidget(0, namespaces.cached), metadata: { name: "warm-up" } });
  await api.must({ method: "POST", path: widgetsPath, body: warm }, signal);
  await api.must({ method: "DELETE", path: `${widgetsPath}/warm-up` }, signal);
}

/** Result of a load. */
export interface LoadResult {
  readonly perSecond: number;
  readonly bytes: number;
}

/** Sends the requests from `from` (inclusive) to `to` (exclusive) over several connections, one at a time on each. All must return `status`. */
export async function runLoad(
  access: ApiAccess,
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
        if (received.status !== status) throw new Error(`got status ${received.status} instead of ${status}`);
        bytes += received.bodyBytes;
      }
    };
    await Promise.all(open.map(lane));
    return { perSecond: ((to - from) / (performance.now() - started)) * 1000, bytes };
  } finally {
    for (const connection of open) connection[Symbol.dispose]();
  }
}

/** Returns the request that creates the n-th object. */
export function createRequest(n: number): Buffer {
  return requestBytes("POST", widgetsPath, JSON.stringify(newWidget(n, namespaces.cached)));
}
