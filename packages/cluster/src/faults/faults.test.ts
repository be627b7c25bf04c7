// Faults on demand, from the point of view of a client of the cluster.

import assert from "node:assert/strict";
import { connect } from "node:http2";
import { after, before, describe, it } from "node:test";
import { failure, type ServerRequest } from "@homeostat/apiserver";
import { type Client, type Connection, createClient, type Transport } from "@homeostat/client";
import {
  ExpiredError,
  FakeClock,
  type KubeObject,
  type ResourceType,
  systemClock,
  TooManyRequestsError,
} from "@homeostat/core";
import { ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Pod, Secret } from "@homeostat/kubernetes/core/v1";
import { type Cluster, startCluster } from "../start/start-cluster.ts";

const namespace = "default";

/** The ways in which a client in this process reaches a cluster. */
const waysIn: Readonly<Record<string, (cluster: Cluster) => Connection | Transport>> = {
  HTTPS: (cluster) => cluster.connection(),
  "cluster.transport()": (cluster) => cluster.transport(),
};

for (const [way, reach] of Object.entries(waysIn))
  describe(`faults on demand, for a client on ${way}`, () => {
    let cluster: Cluster;
    let client: Client;

    before(async () => {
      cluster = await startCluster({ parts: "api" });
      client = createClient(reach(cluster), { retries: false });
    });
    after(async () => {
      client.close();
      await cluster.stop();
    });

    const make = (name: string): Promise<ConfigMap> =>
      client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name } });
    const exists = async (name: string): Promise<boolean> =>
      (await client.get(ConfigMap, { namespace, name })) !== undefined;
    const isCreation = ({ info }: ServerRequest): boolean => info.verb === "create" && info.resource === "configmaps";

    /** Watches a kind from now on and records what it saw and how it ended. */
    async function follow<T extends KubeObject>(
      type: ResourceType<T>,
    ): Promise<{ seen: string[]; ended: Promise<unknown>; stop: AbortController }> {
      const { resourceVersion } = await client.list(type, { namespace });
      const seen: string[] = [];
      const stop = new AbortController();
      const { signal } = stop;
      const run = async (): Promise<unknown> => {
        try {
          for await (const event of client.watch(type, { namespace, resourceVersion, signal })) {
            if (event.type !== "BOOKMARK") seen.push(`${event.type} ${event.object.metadata.name}`);
          }
          return "ended";
        } catch (error) {
          return error;
        }
      };
      const watches = cluster.server.hub.size;
      const ended = run();
      await until(() => cluster.server.hub.size > watches);
      return { seen, ended, stop };
    }

    it("fail the n-th request before it has an effect", async () => {
      const status = failure({ code: 429, reason: "TooManyRequests", message: "later" });
      const fault = cluster.server.faults.add({
        match: isCreation,
        nth: 2,
        when: "before",
        action: { do: "fail", status },
      });

      await make("first");
      await assert.rejects(make("second"), TooManyRequestsError);
      await make("third");

      assert.equal(fault.happened, 1);
      assert.deepEqual([await exists("first"), await exists("second"), await exists("third")], [true, false, true]);
    });

    it("fail a request after its effect, cut its connection, or hang until the client gives up", async () => {
      const status = failure({ code: 500, reason: "InternalError", message: "something broke" });
      const { faults } = cluster.server;
      faults.add({ match: isCreation, when: "after", action: { do: "fail", status } });
      await assert.rejects(make("failed"), /something broke/);
      faults.add({ match: isCreation, when: "after", action: { do: "cut" } });
      await assert.rejects(make("cut"));
      const hanging = faults.add({ match: isCreation, when: "before", action: { do: "hang" } });
      const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "hung" } };
      const enough = new AbortController();
      const hung = client.create(ConfigMap, object, { signal: enough.signal });
      await until(() => hanging.happened === 1);
      enough.abort(new Error("enough"));
      await assert.rejects(hung, /enough/);

      assert.deepEqual([await exists("failed"), await exists("cut"), await exists("hung")], [true, true, false]);
    });

    it("delay a request", async () => {
      cluster.server.faults.add({ match: isCreation, when: "before", action: { do: "delay", ms: 50 } });
      const began = systemClock.monotonic();

      await make("late");

      assert.ok(systemClock.monotonic() - began >= 45);
    });

    it("pause some watches, as a lagging replica does, and resume them", async () => {
      const behind = await follow(ConfigMap);
      const ahead = await follow(Secret);
      const paused = cluster.server.watchFaults.pause(({ prefix }) => prefix.includes("configmaps"));

      await make("unseen");
      await client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "seen" } });
      await until(() => ahead.seen.length === 1);
      const whileHeld = [...behind.seen];
      paused[Symbol.dispose]();
      await until(() => behind.seen.length === 1);
      ahead.stop.abort();
      behind.stop.abort();

      assert.deepEqual(whileHeld, []);
      assert.deepEqual(behind.seen, ["ADDED unseen"]);
    });

    it("delay watch events", async () => {
      const { seen, stop } = await follow(ConfigMap);
      using _ = cluster.server.watchFaults.delay(80);
      const began = systemClock.monotonic();

      await make("seen-later");
      await until(() => seen.length === 1);
      stop.abort();

      assert.ok(systemClock.monotonic() - began >= 75);
    });

    it("break watches, and end them with status 410", async () => {
      const dropped = await follow(ConfigMap);
      const count = cluster.server.watchFaults.drop();
      const how = await dropped.ended;
      const expired = await follow(ConfigMap);
      cluster.server.watchFaults.expire();

      assert.equal(count, 1);
      assert.ok(!(how instanceof ExpiredError));
      assert.ok((await expired.ended) instanceof ExpiredError);
    });

    it("compact the history", async () => {
      const { resourceVersion } = await client.list(ConfigMap, { namespace });
      await make("after-that");
      cluster.server.compact();

      const watching = client.watch(ConfigMap, { namespace, resourceVersion })[Symbol.asyncIterator]();

      await assert.rejects(watching.next(), ExpiredError);
    });
  });

describe("faults on demand", () => {
  it("skew the clock of the cluster", async () => {
    const clock = new FakeClock();
    await using other = await startCluster({ parts: "api", clock });
    const skewed = createClient(other.transport(), { clock });
    const object = (name: string): ConfigMap => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace, name },
    });

    const before = await skewed.create(ConfigMap, object("before"));
    clock.jump(-3_600_000);
    const after = await skewed.create(ConfigMap, object("after"));

    const at = ({ metadata }: ConfigMap): number => Date.parse(metadata.creationTimestamp ?? "");
    assert.equal(at(before) - at(after), 3_600_000);
    assert.ok(Number(after.metadata.resourceVersion) > Number(before.metadata.resourceVersion));
  });

  it("hang a request on cluster.transport() until the server's time limit has passed", async () => {
    const clock = new FakeClock();
    await using cluster = await startCluster({ parts: "api", clock });
    const client = createClient(cluster.transport(), { clock, retries: false });
    const hanging = cluster.server.faults.add({ when: "before", action: { do: "hang" } });
    const hung = assert.rejects(client.list(Secret, { namespace }), /request did not complete within/);
    await until(() => hanging.happened === 1);

    await clock.advance(60_000);

    await hung;
    assert.deepEqual((await client.list(Secret, { namespace })).items, []);
  });

  it("affect HTTP/2 requests, as kubectl sends them", async () => {
    await using cluster = await startCluster({ parts: "api" });
    const { certificates, faults } = cluster.server;
    const status = failure({ code: 429, reason: "TooManyRequests", message: "later" });
    const session = connect(cluster.url, { ca: certificates.ca, ...certificates.client() });
    const ask = async (): Promise<string> => {
      const pieces: Uint8Array[] = [];
      for await (const piece of session.request({ ":path": "/api/v1/secrets" })) pieces.push(piece);
      return Buffer.concat(pieces).toString();
    };

    faults.add({ when: "before", action: { do: "fail", status } });
    const failed = await ask();
    faults.add({ when: "before", action: { do: "cut" } });
    await assert.rejects(ask(), { code: "ERR_HTTP2_STREAM_ERROR" });
    const whole = await ask();
    session.close();

    assert.equal(JSON.parse(failed).code, 429);
    assert.equal(JSON.parse(whole).kind, "SecretList");
  });

  it("do not affect the requests of the cluster's own controllers", async () => {
    await using cluster = await startCluster();
    const status = failure({ code: 500, reason: "InternalError", message: "something broke" });
    const isCreationOfPods = ({ info }: ServerRequest): boolean => info.verb === "create" && info.resource === "pods";
    const fault = cluster.server.faults.add({
      match: isCreationOfPods,
      times: Infinity,
      when: "before",
      action: { do: "fail", status },
    });
    const client = createClient(cluster.transport(), { retries: false });
    const labels = { app: "web" };
    const spec = { containers: [{ name: "web", image: "example.com/web:1" }] };
    await client.create(ReplicaSet, {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { namespace, name: "web" },
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });

    await until(async () => (await client.list(Pod, { namespace })).items.length === 1);

    assert.equal(fault.happened, 0);
    const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { namespace, name: "own" }, spec };
    await assert.rejects(client.create(Pod, pod), /something broke/);
  });
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3000; tries += 1) {
    if (await isSo()) return;
    await systemClock.sleep(10);
  }
  throw new Error("condition not met within half a minute");
}
