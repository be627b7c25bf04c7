import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { systemClock } from "@homeostat/core";
import { issue, makeAuthority } from "@homeostat/x509";
import { Http1Engine } from "../http1/engine.ts";
import { Deadlines } from "../limits/deadlines.ts";
import { defaultLimits, type ProxyLimits } from "../limits/limits.ts";
import { Listeners } from "../listener/listeners.ts";
import { SafeEngine } from "../safe/safe-engine.ts";
import { RawUpstream } from "../testing/raw-upstream.ts";
import { RecordingObserver } from "../testing/recording-observer.ts";
import { SimpleBalancer } from "../testing/simple-balancer.ts";
import { forwardPlan } from "../testing/stand.ts";
import { connectTcp } from "./connect.ts";
import { UpstreamTls } from "./upstream-tls.ts";

const year = 365 * 24 * 3_600_000;
const validity = { validFrom: new Date(Date.now() - year), validUntil: new Date(Date.now() + year) };
const authority = makeAuthority({ subject: { commonName: "shop CA" }, ...validity });
const other = makeAuthority({ subject: { commonName: "other CA" }, ...validity });
const serverName = "frontend.shop.svc";
const pair = issue(authority, { subject: { commonName: serverName }, hosts: [serverName], ...validity });
const trusted = new UpstreamTls({ caBundle: authority.cert, serverName });

/** A port of a proxy whose requests go to an address with TLS. */
class Stand implements Disposable {
  readonly observer: RecordingObserver = new RecordingObserver();
  readonly #listeners: Listeners;
  port = 0;

  private constructor(engine: "fast" | "safe", limits: ProxyLimits) {
    const shared = { clock: systemClock, limits, balancer: new SimpleBalancer(), observer: this.observer };
    const http = engine === "safe" ? new SafeEngine(shared) : new Http1Engine(shared);
    this.#listeners = new Listeners({
      http1: http,
      deadlines: new Deadlines(systemClock),
      limits,
      observer: this.observer,
      connect: connectTcp,
      host: "127.0.0.1",
    });
  }

  static async open(
    engine: "fast" | "safe",
    {
      address,
      tls = () => trusted,
      limits = {},
    }: { readonly address: string; readonly tls?: () => UpstreamTls; readonly limits?: Partial<ProxyLimits> },
  ): Promise<Stand> {
    const stand = new Stand(engine, { ...defaultLimits, ...limits });
    const { port } = await stand.#listeners.open({
      port: 0,
      baseline: () => address,
      router: { route: (request) => ({ ...forwardPlan(request, address), upstreamTls: tls() }) },
    });
    stand.port = port;
    return stand;
  }

  async fetch(
    path: string,
    { body, headers = {} }: { readonly body?: Buffer; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<{ readonly status: number; readonly body: Buffer }> {
    const method = body === undefined ? "GET" : "POST";
    const outgoing = httpRequest({ host: "127.0.0.1", port: this.port, path, method, headers, agent: false });
    outgoing.end(body);
    return new Promise((resolve, reject) => {
      outgoing.on("error", reject);
      outgoing.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      });
      outgoing.on("upgrade", (_, socket, first) => {
        const chunks: Buffer[] = [first];
        socket.on("data", (chunk: Buffer) => chunks.push(chunk));
        socket.on("end", () => socket.end());
        socket.on("close", () => resolve({ status: 101, body: Buffer.concat(chunks) }));
        socket.write("ping");
      });
    });
  }

  [Symbol.dispose](): void {
    this.#listeners.close();
  }
}

describe("an upstream with TLS", () => {
  let upstream: Server;
  let address: string;
  let connections = 0;
  let requests = 0;

  before(async () => {
    upstream = createServer({ cert: pair.cert, key: pair.key }, (request, response) => {
      requests += 1;
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => response.end(request.method === "POST" ? Buffer.concat(chunks) : "hello"));
    });
    upstream.on("secureConnection", () => (connections += 1));
    upstream.on("upgrade", (_, socket, head: Buffer) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n");
      if (head.length > 0) socket.end(`echo ${head.toString()}`);
      else socket.once("data", (chunk: Buffer) => socket.end(`echo ${chunk.toString()}`));
    });
    upstream.listen(0, "127.0.0.1");
    await once(upstream, "listening");
    address = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  });
  after(async () => {
    upstream.closeAllConnections();
    upstream.close();
    await once(upstream, "close");
  });

  for (const engine of ["fast", "safe"] as const) {
    describe(`with the ${engine} engine`, () => {
      it("gets requests and bodies, and keeps its connection for the next one", async () => {
        using stand = await Stand.open(engine, { address });
        const before = connections;
        const large = Buffer.alloc(600_000, "abcdefghij");

        assert.equal((await stand.fetch("/")).body.toString(), "hello");
        assert.ok((await stand.fetch("/", { body: large })).body.equals(large));
        assert.equal((await stand.fetch("/")).status, 200);

        assert.equal(connections - before, 1);
      });

      it("can switch protocols", async () => {
        using stand = await Stand.open(engine, { address });

        const { status, body } = await stand.fetch("/", { headers: { connection: "upgrade", upgrade: "echo" } });

        assert.deepEqual([status, body.toString()], [101, "echo ping"]);
      });

      const untrusted = [
        ["of another authority", { caBundle: other.cert, serverName }],
        ["for another name", { caBundle: authority.cert, serverName: "cart.shop.svc" }],
        ["of an authority that cannot be read", { caBundle: "no certificate", serverName }],
      ] as const;
      for (const [title, options] of untrusted) {
        it(`gets no request if its certificate is ${title}`, async () => {
          const tls = new UpstreamTls(options);
          using stand = await Stand.open(engine, { address, tls: () => tls });
          const before = requests;

          const { status } = await stand.fetch("/", { headers: { authorization: "Bearer secret" } });

          assert.deepEqual([status, requests - before], [502, 0]);
          assert.deepEqual(stand.observer.failures, ["connect"]);
        });
      }

      it("does not share connections with requests that trust another authority", async () => {
        let tls = trusted;
        using stand = await Stand.open(engine, { address, tls: () => tls });
        assert.equal((await stand.fetch("/")).status, 200);

        tls = new UpstreamTls({ caBundle: other.cert, serverName });
        assert.equal((await stand.fetch("/")).status, 502);
      });

      it("gets nothing in clear text, and its request fails in time, if it does not speak TLS", async () => {
        await using plain = await RawUpstream.start();
        const limits = { connectMs: 50, tlsHandshakeMs: 50 };
        using stand = await Stand.open(engine, { address: plain.address, limits });

        const [{ status }, wire] = await Promise.all([stand.fetch("/secret"), plain.next()]);

        assert.ok(status === 502 || status === 504, String(status));
        assert.doesNotMatch(wire.received, /secret/);
      });
    });
  }

  it("needs an authority", () => {
    assert.throws(() => new UpstreamTls({ caBundle: "", serverName }), /caBundle is empty/);
  });
});
