// Virtual time for a whole cluster: controllers, kubelet, tokens and events use one clock, which the test moves.

import assert from "node:assert/strict";
import { it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, scriptAnnotation, startCluster } from "@homeostat/cluster";
import { FakeClock, SeededRandom, systemClock } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Lease } from "@homeostat/kubernetes/coordination/v1";
import { type ContainerStatus, Event, Pod, ServiceAccount } from "@homeostat/kubernetes/core/v1";

const namespace = "default";
const second = 1000;
const minute = 60 * second;

/** Starts a cluster with a stopped clock, and a client. */
async function still(): Promise<{ cluster: Cluster; clock: FakeClock; client: Client }> {
  // A request takes several turns of the event loop, and a controller sends a few before it waits again.
  const clock = new FakeClock({ turnsMin: 2 });
  const cluster = await startCluster({ clock, random: new SeededRandom(7) });
  const client = createClient(cluster.transport(), { clock });
  // Starting takes real time, for example to load modules.
  while (!(await isAtWork(client))) {
    await systemClock.sleep(20);
    await clock.advance(10);
  }
  return { cluster, clock, client };
}

/** Reports whether the node is ready and has run a pod. */
async function isAtWork(client: Client): Promise<boolean> {
  const name = { namespace, name: "first" };
  const job = await client.get(Job, name);
  if (job === undefined && (await client.get(ServiceAccount, { namespace, name: "default" })) !== undefined) {
    const template = { spec: { containers, restartPolicy: "Never" as const } };
    await client.create(Job, { apiVersion: "batch/v1", kind: "Job", metadata: name, spec: { template } });
  }
  if (job?.status?.ready !== 1) return false;
  await client.delete(Job, name, { propagation: "Background" });
  return true;
}

const containers = [{ name: "main", image: "example.com/app:1" }];
const podMetadata = (
  app: string,
  script: object,
): { labels: Record<string, string>; annotations: Record<string, string> } => ({
  labels: { app },
  annotations: { [scriptAnnotation]: JSON.stringify(script) },
});

const podOf = async (client: Client, app: string): Promise<Pod | undefined> =>
  (await client.list(Pod, { namespace, labelSelector: `app=${app}` })).items[0];

const containerOf = async (client: Client, app: string): Promise<ContainerStatus | undefined> =>
  (await podOf(client, app))?.status?.containerStatuses?.[0];

async function ask(client: Client, path: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const response = await client.raw({ method: "POST", path, headers, body: JSON.stringify(body) });
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString());
}

/** Creates a token that is valid for ten minutes. Returns a function that reports whether it is still valid. */
async function makeToken(client: Client): Promise<() => Promise<boolean>> {
  const metadata = { namespace, name: "robot" };
  await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  const apiVersion = "authentication.k8s.io/v1";
  const made = await ask(client, `/api/v1/namespaces/${namespace}/serviceaccounts/robot/token`, {
    apiVersion,
    kind: "TokenRequest",
    spec: { expirationSeconds: 600 },
  });
  const { token } = (made as { status: { token: string } }).status;
  return async () => {
    const body = { apiVersion, kind: "TokenReview", spec: { token } };
    const review = await ask(client, "/apis/authentication.k8s.io/v1/tokenreviews", body);
    return (review as { status: { authenticated?: boolean } }).status.authenticated === true;
  };
}

it("a cluster runs for more than an hour of virtual time without a visible effect of the clock", async () => {
  const { cluster, clock, client } = await still();
  await using _ = cluster;
  const began = clock.now();
  const at = (ms: number): Promise<void> => clock.advanceTo(began + ms);
  const [job, broken, event, lease] = ["report", "broken", "note", "own"].map((name) => ({ namespace, name }));
  assert.ok(job !== undefined && broken !== undefined && event !== undefined && lease !== undefined);
  const report = podMetadata("report", { exitCode: 0, exitAfter: "10m" });
  await client.create(Job, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: job,
    spec: {
      ttlSecondsAfterFinished: 3600,
      template: { metadata: report, spec: { containers, restartPolicy: "Never" } },
    },
  });
  await client.create(Deployment, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: broken,
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: "broken" } },
      template: { metadata: podMetadata("broken", { exitCode: 1, exitAfter: "1s" }), spec: { containers } },
    },
  });
  const renewTime = new Date(began).toISOString().replace("Z", "000Z");
  await client.create(Lease, {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: lease,
    spec: { holderIdentity: "test", leaseDurationSeconds: 15, renewTime },
  });
  await client.create(Event, {
    apiVersion: "v1",
    kind: "Event",
    metadata: event,
    involvedObject: { kind: "ServiceAccount", namespace, name: "robot" },
    reason: "Made",
    type: "Normal",
  });
  const isTokenGood = await makeToken(client);

  await at(5 * minute);
  const running = await client.get(Job, job);
  assert.deepEqual([running?.status?.active, running?.status?.ready], [1, 1]);
  const early = await containerOf(client, "broken");
  // Immediately, and after back-offs of 10, 20, 40 and 80 seconds.
  assert.equal(early?.restartCount, 5);
  assert.match(early.state?.waiting?.message ?? "", /^back-off 2m40s restarting failed container=main/);

  // The server tolerates a clock skew of one minute.
  await at(11 * minute - 2 * second);
  assert.equal(await isTokenGood(), true);
  await at(11 * minute + 2 * second);
  assert.equal(await isTokenGood(), false);

  const finished = await client.get(Job, job);
  const { startTime = "", completionTime = "" } = finished?.status ?? {};
  assert.equal(finished?.status?.succeeded, 1);
  assert.equal(Math.round((Date.parse(completionTime) - Date.parse(startTime)) / minute), 10);
  const conditions = (await client.get(Deployment, broken))?.status?.conditions ?? [];
  assert.equal(conditions.find(({ type }) => type === "Available")?.reason, "MinimumReplicasUnavailable");

  await at(59 * minute);
  assert.ok((await client.get(Event, event)) !== undefined, "events are kept for an hour");
  await at(61 * minute);
  assert.equal(await client.get(Event, event), undefined);
  const late = await containerOf(client, "broken");
  assert.ok(late !== undefined && late.restartCount >= 16 && late.restartCount <= 18, `${late?.restartCount} restarts`);
  assert.match(late.state?.waiting?.message ?? "", /^back-off 5m0s restarting failed container=main/);
  const theirs = await client.get(Lease, { namespace: "kube-node-lease", name: cluster.nodes[0]?.name ?? "" });
  const ageMs = clock.now() - Date.parse(theirs?.spec?.renewTime ?? "");
  assert.ok(ageMs >= 0 && ageMs <= 15 * second, `the lease of the node was renewed ${ageMs} ms ago`);
  assert.equal(
    (await client.get(Lease, lease))?.spec?.renewTime,
    renewTime,
    "no component renews a lease of another holder",
  );

  await at(69 * minute);
  assert.ok((await client.get(Job, job)) !== undefined, "the TTL of an hour has not passed");
  await at(72 * minute);
  assert.equal(await client.get(Job, job), undefined);
  assert.equal(await podOf(client, "report"), undefined);
});
