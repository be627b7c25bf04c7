import type { Client } from "@homeostat/client";
import { systemClock } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { LocustTest } from "@homeostat/locust-operator";
import { Tenant } from "@homeostat/tenant-operator";
import { type LoadPoint, pointColumns } from "../api/load-tests.ts";
import type { OperatorEndpoint } from "../why/operator-endpoint.ts";

/** Creates the CRDs of load tests and tenants, and waits until they are served. */
export async function installKinds(client: Client): Promise<void> {
  for (const [type, name] of [
    [LocustTest, "locust-k8s-operator"],
    [Tenant, "tenant-operator"],
  ] as const) {
    await client.create(CustomResourceDefinition, type.crd({ labels: { "app.kubernetes.io/name": name } }));
    while ((await client.mapper.byKind(type)) === undefined) await systemClock.sleep(20);
  }
}

/** Creates a load test with a status. Returns its UID. */
export async function createTest(client: Client, name: string, status: object): Promise<string> {
  const role = { command: "--locustfile x.py" };
  const spec = {
    image: "locustio/locust:2.46.3",
    master: role,
    worker: { ...role, replicas: 1 },
    thresholds: [{ metric: "p95ResponseTime", max: 500 } as const],
  };
  const created = await client.create(LocustTest, LocustTest.make({ metadata: { namespace: "default", name }, spec }));
  await setStatus(client, name, status);
  return created.metadata.uid ?? "";
}

/** Changes the status of a load test. */
export async function setStatus(client: Client, name: string, status: object): Promise<void> {
  await client.patch(LocustTest, { namespace: "default", name }, { merge: { status } }, { subresource: "status" });
}

/** An operator process with the page `/load-tests`, whose points a test sets. */
export class FakeSeries {
  /** Points by `UID RUN`. */
  readonly runs: Map<string, LoadPoint[]> = new Map();
  /** Paths that were requested. */
  readonly paths: string[] = [];
  readonly endpoint: OperatorEndpoint = {
    name: "locust-operator",
    get: (path) => {
      this.paths.push(path);
      const after = Number(new URL(path, "http://localhost").searchParams.get("after") ?? -1);
      const runs = [...this.runs].map(([id, points]) => {
        const [uid, run] = id.split(" ");
        return { uid, run: Number(run), points: points.filter(([at]) => (at ?? 0) > after) };
      });
      return Promise.resolve({ status: 200, value: { columns: pointColumns, runs } });
    },
  };
}
