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

/** An API server with two accounts, one of which is authorized to read metrics. */
class FakeCluster {
  readonly reviews: string[] = [];
  isDown = false;

  readonly client = {
    create: async (_type: unknown, { spec }: { spec: { token: string } }) => {
      this.reviews.push(`token ${spec.token}`);
      if (this.isDown) throw new Error("down");
      const isKnown = ["prometheus", "unauthorized"].includes(spec.token);
      return { status: isKnown ? { authenticated: true, user: { username: spec.token } } : { authenticated: false } };
    },
    reviewAccess: async ({ user }: { user: string }, { verb, path }: { verb: string; path: string }) => {
      this.reviews.push(`access ${user} ${verb} ${path}`);
      return { isAllowed: user === "prometheus", isDenied: false, reason: "", evaluationError: "" };
    },
  } as unknown as GateClient;
}

async function start(cluster: FakeCluster, options: Partial<SecureMetricsOptions> = {}) {
  const stop = new AbortController();
  const registry = new Registry();
  registry.register(new Gauge({ name: "sample", help: "A sample." })).set(42);
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

/** Returns the response to a scrape and the subject of the server's certificate. */
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
  it("are served to authorized accounts only", async () => {
    const cluster = new FakeCluster();
    await using service = await start(cluster);

    const [withoutToken, unknownToken, unauthorized, prometheus] = await Promise.all(
      [undefined, "unknown", "unauthorized", "prometheus"].map((token) => scrape(service.port, token)),
    );

    assert.deepEqual(
      [withoutToken?.status, unknownToken?.status, unauthorized?.status, prometheus?.status],
      [401, 401, 403, 200],
    );
    assert.match(prometheus?.text ?? "", /^sample 42$/m);
    assert.equal(prometheus?.subject, "metrics.test.svc");
    assert.ok(cluster.reviews.includes("access prometheus get /metrics"));
  });

  it("use a certificate from files, and its renewal without downtime", async () => {
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

  it("fail when their port is in use, and stop renewing the certificate", async () => {
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

  it("fail when their certificate does not appear in time", async () => {
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

    const state = { hasEnded: false };
    const running = make(tools as unknown as ServiceTools).run(new AbortController().signal);
    const outcome = running.catch((error: unknown) => error).finally(() => (state.hasEnded = true));
    while (!state.hasEnded) {
      await nextTurn();
      if (clock.pending > 0) await clock.advance(1_000);
    }
    const error = await outcome;

    assert.ok(error instanceof CertificateWaitError);
    assert.match(
      error.message,
      /timed out after 5 s waiting for the certificate of metrics: tls\.crt or tls\.key in \/nowhere is missing/,
    );
    assert.deepEqual(waits, ["Waiting for certificate"]);
  });
});

describe("readerGate", () => {
  it("caches allowed tokens for a minute, and refused ones for a shorter time", async () => {
    const cluster = new FakeCluster();
    const clock = new FakeClock();
    const gate = readerGate({ client: cluster.client, clock });
    const ask = (token: string) => gate({ path: "/metrics", authorization: `Bearer ${token}` });

    await ask("prometheus");
    await ask("prometheus");
    await ask("unauthorized");
    await clock.advance(11_000);
    await ask("prometheus");
    await ask("unauthorized");
    assert.equal(cluster.reviews.length, 6);
    await clock.advance(60_000);
    await ask("prometheus");

    assert.equal(cluster.reviews.length, 8);
  });

  it("refuses requests while the API server cannot be reached, and does not cache that", async () => {
    const cluster = new FakeCluster();
    cluster.isDown = true;
    const gate = readerGate({ client: cluster.client, clock: new FakeClock() });
    const ask = () => gate({ path: "/metrics", authorization: "Bearer prometheus" });

    const before = await ask();
    cluster.isDown = false;

    assert.equal(before?.status, 503);
    assert.equal(await ask(), undefined);
  });

  it("keeps an allowed token in the cache however many unknown tokens are sent", async () => {
    const cluster = new FakeCluster();
    const gate = readerGate({ client: cluster.client, clock: new FakeClock() });
    const ask = (token: string) => gate({ path: "/metrics", authorization: `Bearer ${token}` });
    await ask("prometheus");
    for (let count = 0; count < 1_500; count += 1) await ask(`unknown-${count}`);
    cluster.isDown = true;

    assert.equal(await ask("prometheus"), undefined);
  });

  it("remembers the last 1,000 refused tokens", async () => {
    const cluster = new FakeCluster();
    const gate = readerGate({ client: cluster.client, clock: new FakeClock() });
    const ask = (token: string) => gate({ path: "/metrics", authorization: `Bearer ${token}` });
    const reviewsOf = async (token: string): Promise<number> => {
      const before = cluster.reviews.length;
      await ask(token);
      return cluster.reviews.length - before;
    };
    for (let count = 1; count <= 1_000; count += 1) await ask(`unknown-${count}`);

    assert.deepEqual([await reviewsOf("unknown-1"), await reviewsOf("unknown-1000")], [0, 0], "1,000 are remembered");
    await ask("unknown-1001");
    assert.deepEqual([await reviewsOf("unknown-2"), await reviewsOf("unknown-1001")], [0, 0]);
    assert.notEqual(await reviewsOf("unknown-1"), 0, "the oldest is forgotten");
  });

  it("reviews at most ten tokens at a time", async () => {
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const cluster = new FakeCluster();
    const { create } = cluster.client as unknown as { create: (...args: unknown[]) => Promise<unknown> };
    let reviews = 0;
    const slow = {
      ...cluster.client,
      create: async (...args: unknown[]) => {
        reviews += 1;
        await finished;
        return create(...args);
      },
    } as unknown as GateClient;
    const gate = readerGate({ client: slow, clock: new FakeClock() });
    const ask = (token: string) => gate({ path: "/metrics", authorization: `Bearer ${token}` });
    const waiting = Array.from({ length: 10 }, (_, at) => ask(`unknown-${at}`));

    const eleventh = await ask("prometheus");
    finish();
    await Promise.all(waiting);

    assert.deepEqual([eleventh?.status, reviews], [503, 10]);
    assert.equal(await ask("prometheus"), undefined);
  });

  it("refuses malformed authorization headers without a review", async () => {
    const cluster = new FakeCluster();
    const gate = readerGate({ client: cluster.client, clock: new FakeClock() });

    for (const authorization of ["", "Bearer", "Bearer ", "Basic eA==", "Bearer a b", `Bearer ${"x ".repeat(9_000)}`]) {
      assert.equal((await gate({ path: "/metrics", authorization }))?.status, 401, authorization.slice(0, 20));
    }
    assert.deepEqual(cluster.reviews, []);
  });
});
