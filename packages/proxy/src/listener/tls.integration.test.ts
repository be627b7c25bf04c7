import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import { after, before, describe, it } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { type Clock, FakeClock, systemClock } from "@homeostat/core";
import { CertificateError, issue, makeAuthority } from "@homeostat/x509";
import { Http1Engine } from "../http1/engine.ts";
import { Http2Engine } from "../http2/engine.ts";
import { Deadlines } from "../limits/deadlines.ts";
import { defaultLimits, type ProxyLimits } from "../limits/limits.ts";
import type { IncomingRequest } from "../router/route-plan.ts";
import { SafeEngine } from "../safe/safe-engine.ts";
import { fetchH2 } from "../testing/loopback.ts";
import { respondWith } from "../testing/plans.ts";
import { RawUpstream } from "../testing/raw-upstream.ts";
import { RecordingObserver } from "../testing/recording-observer.ts";
import { SimpleBalancer } from "../testing/simple-balancer.ts";
import { forwardPlan } from "../testing/stand.ts";
import { Wire } from "../testing/wire.ts";
import { connectTcp as connectUpstream } from "../upstream/connect.ts";
import { Listeners } from "./listeners.ts";
import { type ServerCertificate, ServerCertificates } from "./server-certificates.ts";

const year = 365 * 24 * 3_600_000;
const validity = { validFrom: new Date(Date.now() - year), validUntil: new Date(Date.now() + year) };
const authority = makeAuthority({ subject: { commonName: "test CA" }, ...validity });

function certificateFor(...hosts: readonly string[]): ServerCertificate {
  return { source: hosts.join(), ...issue(authority, { subject: { commonName: hosts[0] ?? "" }, hosts, ...validity }) };
}

const shop = certificateFor("shop.test", "*.preview.test");
const bank = certificateFor("bank.test");

/** A TLS port whose requests are answered by the proxy, or forwarded to an upstream. */
class TlsPort implements AsyncDisposable {
  readonly observer: RecordingObserver = new RecordingObserver();
  readonly requests: IncomingRequest[] = [];
  readonly certificates: ServerCertificates = new ServerCertificates([shop, bank]);
  readonly upstream: RawUpstream;
  readonly #listeners: Listeners;
  readonly #sockets: TLSSocket[] = [];
  port = 0;

  private constructor(
    upstream: RawUpstream,
    {
      engine,
      limits,
      clock,
    }: { readonly engine: "fast" | "safe"; readonly limits: ProxyLimits; readonly clock: Clock },
  ) {
    this.upstream = upstream;
    const shared = { clock, limits, balancer: new SimpleBalancer(), observer: this.observer };
    const safe = new SafeEngine(shared);
    this.#listeners = new Listeners({
      http1: engine === "safe" ? safe : new Http1Engine(shared),
      http2: engine === "safe" ? safe : new Http2Engine(shared),
      deadlines: new Deadlines(clock),
      limits,
      observer: this.observer,
      connect: connectUpstream,
      host: "127.0.0.1",
    });
  }

  static async open(
    engine: "fast" | "safe",
    { limits = {}, clock = systemClock }: { readonly limits?: Partial<ProxyLimits>; readonly clock?: Clock } = {},
  ): Promise<TlsPort> {
    const tls = new TlsPort(await RawUpstream.start(), { engine, clock, limits: { ...defaultLimits, ...limits } });
    const { port } = await tls.#listeners.open({
      port: 0,
      baseline: () => tls.upstream.address,
      tls: tls.certificates,
      router: {
        route: (request) => {
          tls.requests.push(request);
          if (request.path.startsWith("/forward")) return forwardPlan(request, tls.upstream.address);
          return respondWith({ status: 200, body: "hello\n" });
        },
      },
    });
    tls.port = port;
    return tls;
  }

  async connect(servername: string, protocols: readonly string[] | undefined): Promise<TLSSocket> {
    const socket = connect({
      port: this.port,
      host: "127.0.0.1",
      servername,
      ca: authority.cert,
      ...(protocols !== undefined && { ALPNProtocols: [...protocols] }),
    });
    this.#sockets.push(socket);
    await once(socket, "secureConnect");
    return socket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#listeners.close();
    await this.upstream[Symbol.asyncDispose]();
  }
}

for (const engine of ["fast", "safe"] as const) {
  describe(`TLS listeners: ${engine} engines`, () => {
    let tls: TlsPort;
    before(async () => {
      tls = await TlsPort.open(engine);
    });
    after(async () => {
      await tls[Symbol.asyncDispose]();
    });

    it("serve HTTP/1.1 and HTTP/2 as ALPN chooses, with the scheme https", async () => {
      const http1 = new Wire(await tls.connect("shop.test", ["http/1.1"]));
      http1.send("GET /1 HTTP/1.1\r\nhost: shop.test\r\n\r\n");
      assert.match(await http1.until("hello\n"), /^HTTP\/1\.1 200 /);

      const socket = await tls.connect("shop.test", ["h2", "http/1.1"]);
      assert.equal(socket.alpnProtocol, "h2");
      const client = connectHttp2("https://shop.test", { createConnection: () => socket });
      const { headers, body } = await fetchH2(client, { ":path": "/2" });
      client.destroy();

      assert.equal(headers[":status"], 200);
      assert.equal(body.toString(), "hello\n");
      const seen = tls.requests.map(({ protocol, scheme, path }) => `${protocol} ${scheme} ${path}`);
      assert.deepEqual(seen.slice(-2), ["http1 https /1", "http2 https /2"]);
    });

    it("serve clients without ALPN by their first bytes", async () => {
      const client = new Wire(await tls.connect("shop.test", undefined));

      client.send("GET / HTTP/1.1\r\nhost: shop.test\r\n\r\n");

      assert.match(await client.until("hello\n"), /^HTTP\/1\.1 200 /);
    });

    it("close the connection of a response that the upstream does not complete", async () => {
      const client = new Wire(await tls.connect("shop.test", ["http/1.1"]));
      client.send("GET /forward HTTP/1.1\r\nhost: shop.test\r\n\r\n");
      const upstream = await tls.upstream.next();
      await upstream.until("\r\n\r\n");

      upstream.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\npart");
      await client.until("part");
      upstream.socket.destroy();

      await client.untilClosed();
      assert.equal(client.received, "");
    });
  });
}

describe("TLS listeners", () => {
  it("choose the certificate by the server name, and replace certificates while they listen", async () => {
    await using tls = await TlsPort.open("fast");
    const nameFor = async (servername: string): Promise<string | undefined> =>
      (await tls.connect(servername, ["h2"])).getPeerCertificate().subjectaltname;

    assert.equal(await nameFor("bank.test"), "DNS:bank.test");
    assert.equal(await nameFor("pr-7.preview.test"), "DNS:shop.test, DNS:*.preview.test");
    tls.certificates.replace([certificateFor("bank.test", "new.test")]);
    assert.equal(await nameFor("bank.test"), "DNS:bank.test, DNS:new.test");
    await assert.rejects(tls.connect("shop.test", ["h2"]), { code: "ERR_TLS_CERT_ALTNAME_INVALID" });
  });

  it("refuse certificates that do not fit their key, and keep the old ones", () => {
    const certificates = new ServerCertificates([shop]);

    assert.throws(
      () => certificates.replace([{ ...bank, source: "Secret shop/tls", key: shop.key }]),
      (error) => {
        assert.ok(error instanceof CertificateError);
        assert.match(error.message, /^The certificate of Secret shop\/tls cannot be used: .*key values mismatch/);
        return true;
      },
    );
    assert.throws(() => new ServerCertificates([]), CertificateError);
    assert.equal(certificates.first, shop);
  });

  it("close connections that are not HTTP inside of TLS", async () => {
    await using tls = await TlsPort.open("fast");
    const client = new Wire(await tls.connect("shop.test", undefined));

    client.send("*1\r\n$4\r\nPING\r\n");

    await client.untilClosed();
    assert.deepEqual(tls.observer.failures, ["protocol"]);
    assert.equal(tls.upstream.connections, 0);
  });

  it("refuse protocols that no engine serves, and bytes that are not TLS", async () => {
    await using tls = await TlsPort.open("fast");

    await assert.rejects(tls.connect("shop.test", ["smtp"]), { code: "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL" });
    const plain = new Wire(connectTcp({ port: tls.port, host: "127.0.0.1" }));
    plain.send("GET / HTTP/1.1\r\nhost: shop.test\r\n\r\n");
    await plain.untilClosed();

    assert.deepEqual(tls.observer.failures, ["tls_handshake", "tls_handshake"]);
  });

  it("close connections that do not complete the handshake in time", async () => {
    const clock = new FakeClock();
    await using tls = await TlsPort.open("fast", { clock, limits: { tlsHandshakeMs: 3_000 } });
    const silent = new Wire(connectTcp({ port: tls.port, host: "127.0.0.1" }));
    await once(silent.socket, "connect");
    // The server has accepted the connection before this one, whose handshake is complete.
    const complete = await tls.connect("shop.test", ["http/1.1"]);

    await clock.advance(2_999);
    assert.deepEqual([silent.isClosed, tls.observer.failures], [false, []]);
    await clock.advance(1);
    await silent.untilClosed();

    assert.deepEqual(tls.observer.failures, ["tls_handshake"]);
    complete.write("GET / HTTP/1.1\r\nhost: shop.test\r\n\r\n");
    const [response] = await once(complete, "data");
    assert.match(String(response), /^HTTP\/1\.1 200 /);
  });
});
