// Logs of containers on an embedded cluster with simulated nodes.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { scheduler } from "node:timers/promises";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { grant } from "@homeostat/operator-testing";
import { clusterAccess } from "./access/cluster-access.ts";
import { type Dashboard, serveDashboard } from "./server/serve-dashboard.ts";
import { at, BrowserLike, listAt } from "./testing/browser-like.ts";
import { asUser, testProxy } from "./testing/test-proxy.ts";

const namespace = "default";

describe("logs of containers", { timeout: 60_000 }, () => {
  const errors: unknown[] = [];
  let cluster: Cluster;
  let client: Client;
  let dashboard: Dashboard;
  let admin: BrowserLike;
  let jane: BrowserLike;

  before(async () => {
    cluster = await startCluster();
    client = createClient(cluster.connection());
    dashboard = await serveDashboard({
      access: clusterAccess({ connection: cluster.connection(), headers: testProxy }),
      findOperators: () => Promise.resolve([]),
      port: 0,
      onError: (error) => errors.push(error),
    });
    admin = new BrowserLike(dashboard.port);
    admin.setHeaders(asUser("admin"));
    jane = new BrowserLike(dashboard.port);
    jane.setHeaders(asUser("jane"));
    await grant(client, { name: "everything", user: "admin", rights: [["*", "*", "*"]] });
    await grant(client, { name: "jane", user: "jane", rights: [["", "pods", "get list watch"]] });
  });
  after(async () => {
    admin.close();
    jane.close();
    await dashboard[Symbol.asyncDispose]();
    client.close();
    await cluster.stop();
    assert.deepEqual(errors, []);
  });

  const createPod = (name: string, script: string): Promise<unknown> =>
    client.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace, name },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: "main", image: "busybox:1", command: ["sh", "-c", script] }],
      },
    });

  it("shows lines as they are written, and goes on with the next container of the pod", async () => {
    const script = "echo one; sleep 0.5; echo two; sleep inf";
    await createPod("writer", script);
    const texts: unknown[] = [];
    let restarts = 0;
    for await (const { event, data } of admin.stream(`/api/stream/log?namespace=${namespace}&name=writer`)) {
      if (event !== "lines") continue;
      assert.equal(at(data, "first"), texts.length);
      if (at(data, "isRestarted") === true) restarts += 1;
      texts.push(...listAt(data, "lines").map((line) => at(line, "text")));
      if (texts.length === 2) {
        await client.delete(Pod, { namespace, name: "writer" });
        while ((await client.get(Pod, { namespace, name: "writer" })) !== undefined) await scheduler.wait(20);
        await createPod("writer", script);
      }
      if (texts.length >= 4) break;
    }

    assert.deepEqual([texts.slice(0, 4), restarts], [["one", "two", "one", "two"], 1]);
  });

  it("waits for a pod that does not exist yet", async () => {
    const stream = admin.stream(`/api/stream/log?namespace=${namespace}&name=later`);
    const { value: first } = await stream.next();
    await createPod("later", "echo hello; sleep inf");

    const events = [first.event];
    let text: unknown;
    for await (const { event, data } of stream) {
      if (events.at(-1) !== event) events.push(event);
      text = at(data, "lines", 0, "text");
      if (event === "lines") break;
    }

    assert.deepEqual([events, text], [["missing", "log", "lines"], "hello"]);
  });

  it("refuses containers that the pod does not have, and users who may not read logs", async () => {
    await createPod("other", "sleep inf");
    const path = `/api/log?namespace=${namespace}&name=other`;

    const unknown = await admin.get(`${path}&container=sidecar`);
    const forbidden = await jane.get(path);

    assert.deepEqual(
      [unknown.status, at(unknown.value, "message")],
      [404, "Pod default/other has no container sidecar."],
    );
    assert.equal(forbidden.status, 403);
    assert.match(String(at(forbidden.value, "message")), /not allowed to read the log of Pod default\/other/);
    assert.equal((await admin.get("/api/log?name=other")).status, 400);
  });
});
