// Processes on laptops, each in a network of its own, which take the place of shop/cart through the tunnel server. Lost connections are found after 20 to
// 30 s, so the laptops lose theirs at the same time. All but laptop-1 reach the tunnel server through the API server only:
//
//   laptop-0   its process stands still for 60 s, as in a debugger
//   laptop-1   loses packets, then its link
//   laptop-2   moves 64 MiB each way, keeps laptop-3 out, and sleeps
//   laptop-0   the replica of the tunnel server that it is attached to stands still

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { findCondition } from "@homeostat/core";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { LocalWorkload, Sandbox, systemNamespace, tunnelName, tunnelPorts } from "@homeostat/sandbox-operator";
import { hashOf, largeBody, transferBytes } from "./laptop-bytes.ts";
import { type Laptop, startLaptop } from "./laptop.ts";
import { send } from "./load-client.ts";
import type { SandboxCluster, ServiceName } from "./sandbox-cluster.ts";

const cart: ServiceName = { namespace: "shop", name: "cart" };
/** Time in which a connection without a sign of life is found, and time until the test knows it: writes of tunnel server and operator, a busy machine. */
const lossMs = 30_000;
const reportMs = 3_000;
/** Time in which a laptop is attached after its network is back, or after it was woken. */
const returnMs = 2_000;
const pauseMs = 60_000;
/** Time without a network after the loss of the connection. Attempts then wait for up to 8 s. */
const awayMs = 12_000;
/** Time that a proxy waits for the head of a response. */
const responseHeadMs = 30_000;
/** Slowest transfer that is not a collapse, in MiB per second. */
const speedMin = 1;

/** Declares the tests of laptops. `start` returns the cluster, whose Service shop/cart is taken over. */
export function testLaptops(start: () => SandboxCluster): void {
  describe("a process on a laptop", () => {
    let cluster: SandboxCluster;
    const laptops: Laptop[] = [];

    before(async () => {
      cluster = start();
      const { kubeconfigPath: kubeconfig } = cluster;
      const address = await cluster.addressOf({ namespace: systemNamespace, name: tunnelName });
      const shared = { kubeconfig, namespace: "shop", service: "cart" };
      laptops.push(await startLaptop({ ...shared, number: 0 }));
      laptops.push(await startLaptop({ ...shared, number: 1, tunnel: `${address}:${tunnelPorts.clients}` }));
      laptops.push(await startLaptop({ ...shared, number: 2 }));
      for (const laptop of laptops) await until(laptop, "Attached ", 0);
    });

    after(async () => {
      await Promise.all(laptops.map((laptop) => laptop[Symbol.asyncDispose]()));
    });

    it("serves requests that enter through a Service, and calls back into the cluster with the key", async () => {
      const [laptop] = laptops;
      assert.ok(laptop !== undefined);

      for (const each of laptops) await cluster.responds(cart, await keyOf(each), each.name);
      await cluster.responds(cart, "", "v1");

      const ways = laptops.map(({ output }) => /Attached (through the API server|to 10\.)/.exec(output)?.[1]);
      assert.deepEqual(ways, ["through the API server", "to 10.", "through the API server"]);
      // The proxy of sandboxctl adds the key, so that the call comes back to the laptop.
      assert.equal((await ask(laptop, "/call")).body, `${laptop.name} /called`, laptop.output);
      // The only way into the cluster is the tunnel.
      const { body } = await ask(laptop, `/direct/${await cluster.addressOf(cart)}`);
      assert.equal(body, "ENETUNREACH");
    });

    describe("at the same time", { concurrency: true }, () => {
      it("stays attached while it stands still for 60 s, and serves the requests that wait", async (context) => {
        const [laptop] = laptops;
        assert.ok(laptop !== undefined);
        const { epoch } = await connectionOf(laptop);
        const from = Date.now();

        laptop.signalProcess("SIGSTOP");
        const timedOut = ask(laptop);
        await sleep(pauseMs - responseHeadMs / 2);
        const waiting = ask(laptop);
        await sleep(from + pauseMs - Date.now());
        const { status } = (await cluster.client.get(LocalWorkload, workloadOf(laptop))) ?? {};
        assert.equal(status?.phase, "Connected");
        assert.equal(status?.connection?.epoch, epoch);
        assert.equal(findCondition(status?.conditions ?? [], "TunnelConnected")?.status, "True");
        laptop.signalProcess("SIGCONT");

        assert.equal((await waiting).body, `${laptop.name} /hello`);
        const { status: code, body, ms } = await timedOut;
        assert.equal(`${code} ${body}`, "504 The upstream did not respond in time.\n");
        context.diagnostic(
          `a request got 504 after ${ms} ms, and another one its response after ${(await waiting).ms} ms`,
        );
        assert.equal(laptop.printed("Connection lost", from), undefined, laptop.output);
        assert.equal((await connectionOf(laptop)).epoch, epoch);
        await cluster.responds(cart, await keyOf(laptop), laptop.name);
      });

      it("serves requests while packets are lost, and is attached within 2 s after its network is back", async (context) => {
        const [, laptop] = laptops;
        assert.ok(laptop !== undefined);
        const key = await keyOf(laptop);
        await cluster.responds(cart, key, laptop.name);

        await laptop.network.losePackets(5);
        let requests = 0;
        let lost: readonly number[] = [];
        while (requests < 20 || lost.some((count) => count < 5)) {
          assert.equal((await ask(laptop)).body, `${laptop.name} /hello`, laptop.output);
          requests += 1;
          lost = await laptop.network.lostPackets();
        }
        await laptop.network.keepPackets();
        context.diagnostic(`${requests} requests were served while ${lost.join(" and ")} packets were lost`);

        const downAt = Date.now();
        await laptop.network.disconnect();
        const sent = ask(laptop);
        const lostMs = await isReportedLost(laptop, downAt);
        const interrupted = await sent;
        const refused = await ask(laptop);
        context.diagnostic(
          `reported after ${lostMs} ms; a request before got ${interrupted.status} after ${interrupted.ms} ms: ${interrupted.body.trim()}`,
        );
        assert.ok(
          interrupted.status === 502 || interrupted.status === 503,
          `${interrupted.status} ${interrupted.body}`,
        );
        assert.equal(`${refused.status} ${refused.body}`, `503 ${unavailable(laptop)}`);

        await sleep(awayMs);
        assert.equal(laptop.printed("Attached ", downAt), undefined, laptop.output);
        await laptop.network.connect();
        const upAt = Date.now();
        const attachedAt = await until(laptop, "Attached ", upAt);
        context.diagnostic(`attached ${attachedAt - upAt} ms after the network was back`);
        assert.ok(attachedAt - upAt <= returnMs, `${attachedAt - upAt} ms\n${laptop.output}`);
        await cluster.responds(cart, key, laptop.name);
      });

      it("moves 64 MiB each way, keeps its place against a second machine, and is back within 2 s after sleep", async (context) => {
        const [, , laptop] = laptops;
        assert.ok(laptop !== undefined);
        const key = await keyOf(laptop);
        await cluster.responds(cart, key, laptop.name);

        const body = largeBody();
        const hash = await hashOf(oneChunk(body));
        for (const [direction, method] of [
          ["to", "POST"],
          ["from", "GET"],
        ] as const) {
          const from = Date.now();
          assert.equal(await transfer(key, method, body), hash);
          const speed = transferBytes / 2 ** 20 / ((Date.now() - from) / 1_000);
          context.diagnostic(`${speed.toFixed(0)} MiB/s ${direction} the laptop`);
          assert.ok(speed >= speedMin, `${speed.toFixed(2)} MiB/s ${direction} the laptop`);
        }

        const { epoch } = await connectionOf(laptop);
        const { kubeconfigPath: kubeconfig } = cluster;
        const shared = { kubeconfig, namespace: "shop", service: "cart", sandbox: laptop.name };
        await using second = await startLaptop({ ...shared, number: 3 });
        assert.equal(await second.ended(), 3, second.output);
        assert.match(
          second.output,
          /The tunnel server refused this machine: another one is attached \(laptop-2 of [^)]+\)\. Add --takeover to replace it, or choose another --name/,
        );
        assert.equal((await connectionOf(laptop)).epoch, epoch);
        await cluster.responds(cart, key, laptop.name);

        const stoppedAt = Date.now();
        laptop.signalClient("SIGSTOP");
        const lostMs = await isReportedLost(laptop, stoppedAt);
        const refused = await ask(laptop);
        assert.equal(`${refused.status} ${refused.body}`, `503 ${unavailable(laptop)}`);
        laptop.signalClient("SIGCONT");
        const wokenAt = Date.now();
        const attachedAt = await until(laptop, "Attached ", wokenAt);
        context.diagnostic(`reported after ${lostMs} ms, attached ${attachedAt - wokenAt} ms after it was woken`);
        assert.ok(attachedAt - wokenAt <= returnMs, `${attachedAt - wokenAt} ms\n${laptop.output}`);
        await cluster.responds(cart, key, laptop.name);
      });
    });

    it("moves to another replica within 30 s when its replica of the tunnel server stands still", async (context) => {
      const [laptop] = laptops;
      assert.ok(laptop !== undefined);
      const { replica = "" } = await connectionOf(laptop);
      const processes = processesOf(replica);
      assert.ok(processes.length > 0, `no process of ${replica}`);

      const from = Date.now();
      for (const pid of processes) process.kill(pid, "SIGSTOP");
      try {
        const lostAt = await until(laptop, "Connection lost", from);
        const attachedAt = await until(laptop, "Attached ", lostAt);
        context.diagnostic(`found after ${lostAt - from} ms, at another replica after ${attachedAt - lostAt} ms more`);
        assert.ok(lostAt - from <= lossMs + reportMs, `found after ${lostAt - from} ms`);
        await cluster.responds(cart, await keyOf(laptop), laptop.name);
        const { replica: next = "" } = await connectionOf(laptop);
        assert.notEqual(next, replica);
        assert.deepEqual(await replicasOf(laptop), [`${next} ready`]);
      } finally {
        for (const pid of processes) process.kill(pid, "SIGCONT");
      }

      // The replica finds the connections that it has lost, and must not report them in place of the present ones.
      const { epoch } = await connectionOf(laptop);
      await cluster.responds(cart, "", "v1");
      await cluster.responds(cart, await keyOf(laptop), laptop.name);
      assert.equal((await connectionOf(laptop)).epoch, epoch);
    });

    it("leaves its place to the baseline when sandboxctl is stopped", async () => {
      const keys = await Promise.all(laptops.map(keyOf));

      await Promise.all(laptops.map((laptop) => laptop[Symbol.asyncDispose]()));

      for (const key of keys) await cluster.responds(cart, key, "v1");
      for (const laptop of laptops) {
        await cluster.installed.eventually("the LocalWorkload to be gone", async () =>
          (await cluster.client.get(LocalWorkload, workloadOf(laptop))) === undefined ? true : undefined,
        );
        await cluster.client.delete(Sandbox, { namespace: "shop", name: laptop.name });
      }
    });

    /** Sends a request with the key of a laptop. Returns the response and the time that it took. */
    async function ask(laptop: Laptop, path = "/hello") {
      const host = await cluster.addressOf(cart);
      const headers = { "x-routing-key": await keyOf(laptop) };
      const from = Date.now();
      const response = await send({ host, port: 80, path, headers, timeoutMs: 2 * pauseMs });
      return { ...response, ms: Date.now() - from };
    }

    async function keyOf(laptop: Laptop): Promise<string> {
      return (await cluster.client.get(LocalWorkload, workloadOf(laptop)))?.status.routingKey ?? "";
    }

    async function connectionOf(laptop: Laptop) {
      return (await cluster.client.get(LocalWorkload, workloadOf(laptop)))?.status.connection ?? {};
    }

    /** Waits until a laptop has printed a text since a time. Returns the time at which it did. */
    function until(laptop: Laptop, text: string, since: number): Promise<number> {
      return cluster.installed.eventually(`${laptop.name} to print "${text}"`, async () => laptop.printed(text, since));
    }

    /** Waits until the status says that a laptop is not attached any more. Returns the time since it was lost. */
    async function isReportedLost(laptop: Laptop, lostAt: number): Promise<number> {
      const condition = await cluster.installed.eventually(`${laptop.name} to be reported as lost`, async () => {
        const { status } = (await cluster.client.get(LocalWorkload, workloadOf(laptop))) ?? {};
        const found = findCondition(status?.conditions ?? [], "TunnelConnected");
        return status?.phase === "Disconnected" && found?.status === "False" ? found : undefined;
      });
      const ms = Date.now() - lostAt;
      assert.equal(condition.reason, "HeartbeatLost");
      assert.ok(ms <= lossMs + reportMs, `reported after ${ms} ms`);
      return ms;
    }

    /** Returns the endpoints of the Service that leads to a laptop. */
    async function replicasOf(laptop: Laptop): Promise<readonly string[]> {
      const { status } = (await cluster.client.get(LocalWorkload, workloadOf(laptop))) ?? {};
      const labelSelector = `kubernetes.io/service-name=${status?.service ?? ""}`;
      const { items } = await cluster.client.list(EndpointSlice, { namespace: "shop", labelSelector });
      return items.flatMap(({ endpoints = [] }) =>
        endpoints.map(({ targetRef, conditions }) => `${targetRef?.name} ${conditions?.ready === true ? "ready" : ""}`),
      );
    }

    /** Sends a large body to a laptop, or requests one. Returns the hash of what has arrived at the other end. */
    async function transfer(key: string, method: "POST" | "GET", body: Buffer): Promise<string> {
      const host = await cluster.addressOf(cart);
      return new Promise((resolve, reject) => {
        const options = { host, method, path: "/bytes", headers: { "x-routing-key": key }, agent: false };
        const outgoing = request(options, (response) => {
          if (method === "GET") return void hashOf(response).then(resolve, reject);
          response.setEncoding("utf8");
          let text = "";
          response
            .on("data", (part: string) => (text += part))
            .on("end", () => resolve(text))
            .on("error", reject);
        });
        outgoing.on("error", reject);
        outgoing.end(method === "POST" ? body : undefined);
      });
    }
  });
}

function workloadOf({ name }: Laptop): ServiceName {
  return { namespace: "shop", name: `${name}-cart` };
}

function unavailable({ name }: Laptop): string {
  return `Workload cart of sandbox ${name} is unavailable: it has no ready target.\n`;
}

async function* oneChunk(chunk: Buffer): AsyncGenerator<Buffer> {
  yield chunk;
}

/** Returns the processes of a pod's container. The kernel shows those of a node to this machine, and containers have the name of their pod in the environment. */
function processesOf(pod: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, "latin1").split("\0").includes(`HOSTNAME=${pod}`);
      } catch {
        // The process has ended.
        return false;
      }
    })
    .map(Number);
}
