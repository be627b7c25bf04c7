import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TLSSocket } from "node:tls";
import { FakeClock, nextTurn, systemClock } from "@homeostat/core";
import { Gauge, Registry, type ServiceTools, silentLogger } from "@homeostat/runtime";
import { issue, type KeyPair, makeAuthority } from "@homeostat/x509";
import { CertificateWaitError } from "../errors.ts";
import { secureMetrics, type SecureMetricsOptions } from "./metrics-service.ts";
import { type GateClient, readerGate } from "./reader-gate.ts";

/** A cluster that knows two accounts, of which one may read metrics. */
class FakeCluster {
  readonly asked: string[] = [];
  isDown = false;

  readonly client = {
    create: async (_type: unknown, { spec }: { spec: { token: string } }) => {
      this.asked.push(`who is ${spec.token}`);
      if (this.isDown) throw new Error("down");
      const isKnown = ["prometheus", "passer-by"].includes(spec.token);
      return { status: isKnown ? { authenticated: true, user: { username: spec.token } } : { authenticated: false } };
    },
    reviewAccess: async ({ user }: { user: string }, { verb, path }: { verb: string; path: string }) => {
      this.asked.push(`may ${user} ${verb} ${path}`);
      return { isAllowed: user === "prometheus", isDenied: false, reason: "", evaluationError: "" };
    },
  } as unknown as GateClient;
}

async function start(cluster: FakeCluster, options: Partial<SecureMetricsOptions> = {}) {
  const stop = new AbortController();
  const registry = new Registry();
  registry.register(new Gauge({ name: "answer", help: "An answer." })).set(42);
  const service = await new Promise<{ port: number; running: Promise<void> }>((resolve) => {
    const make = secureMetrics({
      port: 0,
      host: "127.0.0.1",
      hosts: ["metrics.test.svc"],
      onListening: (port) => resolve({ port, running }),
      ...options,
    });
    const tools = {
      unfencedClient: cluster.client,
      registry,
      clock: systemClock,
      serverClock: systemClock,
      log: silentLogger,
    };
    const running = make(tools as unknown as ServiceTools).run(stop.signal);
  });
  return {
    port: service.port,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await service.running;
    },
  };
}

/** What a scraper gets, and the certificate it was shown. */
function scrape(port: number, token?: string, ca?: string): Promise<{ status: number; text: string; subject: string }> {
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const trust = ca === undefined ? { rejectUnauthorized: false } : { ca, servername: "metrics.test.svc" };
    const options = { port, host: "127.0.0.1", path: "/metrics", headers, agent: false, ...trust };
    request(options, (response) => {
      const subject = (response.socket as TLSSocket).getPeerCertificate().subject.CN;
      let text = "";
      response.on("data", (piece: Buffer) => (text += piece.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text, subject: String(subject) }));
    })
      .on("error", reject)
      .end();
  });
}

function pairOf(commonName: string): { authority: KeyPair; pair: KeyPair } {
  const now = systemClock.now();
  const life = { validFrom: new Date(now - 60_000), validUntil: new Date(now + 3_600_000) };
  const authority = makeAuthority({ subject: { commonName: "test" }, ...life });
  return { authority, pair: issue(authority, { subject: { commonName }, hosts: ["metrics.test.svc"], ...life }) };
}

async function write(folder: string, { cert, key }: KeyPair): Promise<void> {
  await writeFile(join(folder, "a.crt"), cert);
  await writeFile(join(folder, "a.key"), key);
}

describe("metrics over HTTPS", () => {
  it("are for accounts of the cluster that may read them", async () => {
    const cluster = new FakeCluster();
    await using service = await start(cluster);

    const [nobody, stranger, passerBy, prometheus] = await Promise.all(
      [undefined, "stranger", "passer-by", "prometheus"].map((token) => scrape(service.port, token)),
    );

    assert.deepEqual([nobody?.status, stranger?.status, passerBy?.status, prometheus?.status], [401, 401, 403, 200]);
    assert.match(prometheus?.text ?? "", /^answer 42$/m);
    assert.equal(prometheus?.subject, "metrics.test.svc");
    assert.ok(cluster.asked.includes("may prometheus get /metrics"));
  });

  it("show a certificate from files, and its successor without a pause", async () => {
    const folder = await mkdtemp(join(tmpdir(), "metrics-"));
    const [first, second] = [pairOf("first"), pairOf("second")];
    await write(folder, first.pair);
    const certificate = { folder, certName: "a.crt", keyName: "a.key" };
    await using service = await start(new FakeCluster(), { certificate, pollMs: 10 });

    const before = await scrape(service.port, "prometheus", first.authority.cert);
    await write(folder, second.pair);
    let after = before;
    for (let tries = 0; tries < 500 && after.subject !== "second"; tries += 1) {
      after = await scrape(service.port, "prometheus");
    }

    assert.deepEqual([before.status, before.subject, after.status, after.subject], [200, "first", 200, "second"]);
    await rm(folder, { recursive: true, force: true });
  });

  it("fail when their port is taken, and make no more certificates", async () => {
    await using holder = await start(new FakeCluster());
    const clock = new FakeClock({ now: systemClock.now() });
    const make = secureMetrics({ port: holder.port, host: "127.0.0.1", hosts: [] });
    const tools = {
      unfencedClient: new FakeCluster().client,
      registry: new Registry(),
      clock,
      serverClock: clock,
      log: silentLogger,
    };

    await assert.rejects(make(tools as unknown as ServiceTools).run(new AbortController().signal), {
      code: "LISTEN",
      message: /for metrics: .*EADDRINUSE/,
    });

    assert.equal(clock.pending, 0, "no timer keeps the process alive");
  });

  it("end the program when their certificate does not come in time", async () => {
    const clock = new FakeClock();
    const make = secureMetrics({ port: 0, hosts: [], certificate: { folder: "/nowhere", waitMs: 5_000 } });
    const waits: string[] = [];
    const log = { ...silentLogger, warn: (message: string) => void waits.push(message) };
    const tools = {
      unfencedClient: new FakeCluster().client,
      registry: new Registry(),
      clock,
      serverClock: clock,
      log,
    };

    const ended = { isIt: false };
    const running = make(tools as unknown as ServiceTools).run(new AbortController().signal);
    const outcome = running.catch((error: unknown) => error).finally(() => (ended.isIt = true));
    while (!ended.isIt) {
      await nextTurn();
      if (clock.pending > 0) await clock.advance(1_000);
    }
    const error = await outcome;

    assert.ok(error instanceof CertificateWaitError);
    assert.match(
      error.message,
      /No certificate for metrics within 5 s: tls\.crt and tls\.key in \/nowhere are missing/,
    );
    assert.deepEqual(waits, ["Waiting for a certificate"]);
  });
});

describe("the gate before metrics", () => {
  it("asks the cluster once in a minute, and sooner about who was refused", async () => {
    const cluster = new FakeCluster();
    const clock = new FakeClock();
    const gate = readerGate({ client: cluster.client, clock });
    const ask = (token: string) => gate({ path: "/metrics", authorization: `Bearer ${token}` });

    await ask("prometheus");
    await ask("prometheus");
    await ask("passer-by");
    await clock.advance(11_000);
    await ask("prometheus");
    await ask("passer-by");
    assert.equal(cluster.asked.length, 6);
    await clock.advance(60_000);
    await ask("prometheus");

    assert.equal(cluster.asked.length, 8);
  });

  it("lets nobody in while the cluster cannot be asked, and remembers nothing of that", async () => {
    const cluster = new FakeCluster();
    cluster.isDown = true;
    const gate = readerGate({ client: cluster.client, clock: new FakeClock() });
    const ask = () => gate({ path: "/metrics", authorization: "Bearer prometheus" });

    const before = await ask();
    cluster.isDown = false;

    assert.equal(before?.status, 503);
    assert.equal(await ask(), undefined);
  });

  it("takes nothing for a token that is none", async () => {
    const cluster = new FakeCluster();
    const gate = readerGate({ client: cluster.client, clock: new FakeClock() });

    for (const authorization of ["", "Bearer", "Bearer ", "Basic eA==", "Bearer a b", `Bearer ${"x ".repeat(9_000)}`]) {
      assert.equal((await gate({ path: "/metrics", authorization }))?.status, 401, authorization.slice(0, 20));
    }
    assert.deepEqual(cluster.asked, []);
  });
});
