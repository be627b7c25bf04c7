import assert from "node:assert/strict";
import { connect as connectHttp2 } from "node:http2";
import { Agent } from "node:https";
import { describe, it } from "node:test";
import { connect } from "node:tls";
import { gunzipSync } from "node:zlib";
import { ArgumentError, FakeClock } from "@homeostat/core";
import { ServerCertificates } from "./server-certificates.ts";
import type { Handler, ServerRequest } from "./handler.ts";
import { limitInFlight } from "./in-flight.ts";
import { HttpServer } from "./server.ts";
import { withWorld } from "./world.fixture.test.ts";

const echo: Handler = async (request) => {
  const body = await request.body();
  const { verb, resource, name } = request.info;
  return {
    status: 200,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ verb, resource, name, bytes: body.length }),
  };
};

describe("an HTTP server of an API server", () => {
  it("hands requests to its handler and carries the headers of kube-apiserver", async () => {
    await withWorld(echo, {}, async (world) => {
      const reply = await world.ask("/api/v1/namespaces/default/pods/web", { headers: { "Audit-ID": "mine" } });

      assert.equal(reply.text, '{"verb":"get","resource":"pods","name":"web","bytes":0}');
      assert.equal(reply.headers["audit-id"], "mine");
      assert.equal(reply.headers["cache-control"], "no-cache, private");
      assert.equal(reply.headers["content-length"], String(reply.body.length));
    });
  });

  it("sends the Date of its own clock, which a test may move", async () => {
    const clock = new FakeClock({ now: Date.UTC(2030, 0, 2, 3, 4, 5, 678) });
    await withWorld(echo, { clock }, async (world) => {
      const first = await world.ask("/api/v1/pods");
      await clock.advance(322);
      const second = await world.ask("/api/v1/pods");
      clock.jump(-3_600_000);
      const third = await world.ask("/nowhere");

      assert.deepEqual(
        [first, second, third].map(({ headers }) => headers["date"]),
        ["Wed, 02 Jan 2030 03:04:05 GMT", "Wed, 02 Jan 2030 03:04:06 GMT", "Wed, 02 Jan 2030 02:04:06 GMT"],
      );
    });
  });

  it("makes an audit id where the client gives none that can be sent back", async () => {
    await withWorld(echo, {}, async (world) => {
      const reply = await world.ask("/api/v1/pods");

      assert.match(String(reply.headers["audit-id"]), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);
    });
  });

  it("takes bodies up to 3 MiB and refuses more with the words of kube-apiserver, also without a length", async () => {
    await withWorld(echo, {}, async (world) => {
      const limit = 3 * 1024 * 1024;
      const url = "/api/v1/namespaces/default/configmaps";
      const fits = await world.ask(url, { method: "POST", body: Buffer.alloc(limit) });
      const over = await world.ask(url, { method: "POST", body: Buffer.alloc(limit + 1) });
      const headers = { "Transfer-Encoding": "chunked" };
      const chunked = await world.ask(url, { method: "POST", headers, body: Buffer.alloc(limit + 1) });

      const told =
        '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Request entity too large: limit is 3145728","reason":"RequestEntityTooLarge","code":413}\n';
      assert.equal(fits.text, `{"verb":"create","resource":"configmaps","name":"","bytes":${limit}}`);
      assert.deepEqual([over.status, over.text], [413, told]);
      assert.deepEqual([chunked.status, chunked.text], [413, told]);
    });
  });

  it("answers for this machine and the names it was given, and for no other", async () => {
    await withWorld(echo, { hosts: ["kubernetes.default.svc"] }, async (world) => {
      const statusFor = async (Host: string): Promise<number> =>
        Number(
          (await world.raw(`GET /api/v1/pods HTTP/1.1\r\nHost: ${Host}\r\nConnection: close\r\n\r\n`)).slice(9, 12),
        );

      assert.equal(await statusFor("localhost:6443"), 200);
      assert.equal(await statusFor("127.8.9.1"), 200);
      assert.equal(await statusFor("[::1]:1"), 200);
      assert.equal(await statusFor("Kubernetes.default.svc"), 200);
      assert.equal(await statusFor("evil.example.com"), 421);
      assert.equal(await statusFor("127.0.0.1.evil.example.com"), 421);
      assert.equal(await statusFor("10.0.0.1"), 421);
      assert.equal(await statusFor("a@127.0.0.1"), 400);
      const absolute = await world.raw("GET https://evil/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      assert.match(absolute, /^HTTP\/1\.1 421 /);
      const twice = await world.raw("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\nConnection: close\r\n\r\n");
      assert.match(twice, /^HTTP\/1\.1 400 /);
    });
  });

  it("does not listen where other machines can reach it unless that is said", async () => {
    const server = new HttpServer({ handler: echo });
    const certificate = { cert: "", key: "" };

    await assert.rejects(server.listen({ certificate, host: "0.0.0.0" }), ArgumentError);
    await assert.rejects(server.listen({ certificate, host: "::" }), ArgumentError);
    await assert.rejects(server.listen({ certificate, host: "192.168.1.1" }), ArgumentError);
  });

  it("says when its port is taken, and can then listen on another", async () => {
    await withWorld(echo, {}, async ({ port, credentials }) => {
      const second = new HttpServer({ handler: echo });
      const certificate = credentials.server;

      await assert.rejects(second.listen({ certificate, port }), /EADDRINUSE/);
      const found = await second.listen({ certificate });
      await second.stop();

      assert.notEqual(found.port, port);
    });
  });

  it("tells the handler who shows a certificate and whether it can be trusted", async () => {
    const seen: ServerRequest[] = [];
    const handler: Handler = async (request) => {
      seen.push(request);
      return { status: 200, body: "" };
    };
    await withWorld(handler, {}, async (world) => {
      const { ca, credentials } = world;
      await world.ask("/", { agent: new Agent({ ca }) });
      await world.ask("/", { agent: new Agent({ ca, ...credentials.client() }) });
      const stranger = new ServerCertificates().client();
      await world.ask("/", { agent: new Agent({ ca, ...stranger }) });
    });
    const [none, admin, foreign] = seen.map(({ peer }) => peer.certificate);

    assert.equal(none, undefined);
    assert.equal(admin?.isTrusted, true);
    assert.deepEqual([admin?.commonName, admin?.organizations], ["kubernetes-admin", ["system:masters"]]);
    assert.equal(foreign?.isTrusted, false);
    assert.notEqual(foreign?.problem, undefined);
  });

  it("knows a client again that resumes its session of TLS", async () => {
    const seen: (string | undefined)[] = [];
    const handler: Handler = async ({ peer: { certificate } }) => {
      seen.push(certificate?.isTrusted === true ? certificate.commonName : undefined);
      return { status: 200, body: "" };
    };
    await withWorld(handler, {}, async ({ port, ca, credentials }) => {
      let session: Buffer | undefined;
      for (const isResumed of [false, true]) {
        const options = {
          port,
          host: "127.0.0.1",
          ca,
          ...credentials.client(),
          ...(isResumed && session !== undefined ? { session } : {}),
        };
        const socket = connect(options);
        let wasReused: boolean | undefined;
        socket.on("secureConnect", () => (wasReused = socket.isSessionReused()));
        socket.on("session", (made) => (session = made));
        socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        socket.resume();
        await new Promise((resolve) => socket.once("close", resolve));
        assert.equal(wasReused, isResumed);
      }
    });

    assert.deepEqual(seen, ["kubernetes-admin", "kubernetes-admin"]);
  });

  it("compresses what is over 128 KiB for a client that asks for it", async () => {
    const large = Buffer.alloc(128 * 1024 + 1, "a");
    const handler: Handler = async ({ info }) => ({
      status: 200,
      body: info.path === "/large" ? large : large.subarray(1),
    });
    await withWorld(handler, {}, async (world) => {
      const headers = { "Accept-Encoding": "br, gzip" };
      const asked = await world.ask("/large", { headers });
      const small = await world.ask("/small", { headers });
      const plain = await world.ask("/large");

      assert.deepEqual([asked.headers["content-encoding"], asked.headers["vary"]], ["gzip", "Accept-Encoding"]);
      assert.equal(gunzipSync(asked.body).equals(large), true);
      assert.equal(small.headers["content-encoding"], undefined);
      assert.equal(plain.body.length, large.length);
    });
  });

  it("sends warnings as headers, each once, with quotes escaped and more than ASCII as UTF-8", async () => {
    const handler: Handler = async () => ({
      status: 200,
      body: "",
      warnings: ['a "b"', 'a "b"', "größe", "bad\nline"],
    });
    await withWorld(handler, {}, async (world) => {
      const reply = await world.ask("/");

      const latin = Buffer.from("größe").toString("latin1");
      assert.equal(reply.headers["warning"], `299 - "a \\"b\\"", 299 - "${latin}"`);
    });
  });

  it("turns what a handler throws into a 500 and tells the observer, and goes on", async () => {
    const told: unknown[] = [];
    const handler: Handler = async ({ info }) => {
      if (info.path === "/bad") throw new TypeError("oh");
      return { status: 200, body: "fine" };
    };
    await withWorld(handler, { observer: { panicked: (_, error) => told.push(error) } }, async (world) => {
      const bad = await world.ask("/bad");
      const good = await world.ask("/good");

      assert.equal(bad.status, 500);
      assert.match(bad.text, /"message":"This request caused apiserver to panic. Look in the logs for details."/);
      assert.equal(good.text, "fine");
      assert.match(String(told), /^TypeError: oh$/);
    });
  });

  it("gives up after the time the request allows, and tells the handler", async () => {
    const clock = new FakeClock();
    let reason: unknown;
    let begun: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (begun = resolve));
    const handler: Handler = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reason = signal.reason;
          reject(signal.reason);
        });
        begun();
      });
    await withWorld(handler, { clock }, async (world) => {
      const asking = world.ask("/api/v1/pods?timeout=5s");
      await started;
      await clock.advance(5_000);
      const reply = await asking;

      assert.equal(reply.status, 504);
      assert.match(
        reply.text,
        /"message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout"/,
      );
      assert.equal((reason as { code?: string }).code, "DEADLINE");
    });
  });

  it("limits how many requests run at a time, where asked to", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const handler = limitInFlight(async () => {
      await held;
      return { status: 200, body: "" };
    }, 1);
    await withWorld(handler, {}, async (world) => {
      const first = world.ask("/a");
      while (world.server.runningCount === 0) await new Promise((resolve) => setImmediate(resolve));
      const second = await world.ask("/b");
      release();

      assert.deepEqual([second.status, second.text], [429, "Too many requests, please try again later.\n"]);
      assert.equal(second.headers["retry-after"], "1");
      assert.equal((await first).status, 200);
    });
  });

  it("answers HEAD without a body and OPTIONS * by itself", async () => {
    await withWorld(echo, {}, async (world) => {
      const head = await world.ask("/api/v1/pods", { method: "HEAD" });
      const options = await world.raw("OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

      assert.deepEqual([head.status, head.text], [200, ""]);
      assert.match(options, /^HTTP\/1\.1 200 OK\r\n/);
    });
  });

  it("keeps a connection whose request had a body that nobody read, unless it is long", async () => {
    const handler: Handler = async () => ({ status: 200, body: "ok" });
    await withWorld(handler, {}, async (world) => {
      const small = await world.ask("/", {
        method: "POST",
        body: Buffer.alloc(1000),
        agent: new Agent({ ca: world.ca, keepAlive: true }),
      });
      const bytes = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\n${"a".repeat(1000)}`;
      const long = await world.raw(bytes);

      assert.equal(small.headers["connection"], undefined);
      assert.match(long, /\r\nConnection: close\r\n/);
    });
  });
});

describe("HTTP/2", () => {
  it("serves many requests on one connection, with bodies that are read, not read, or too large", async () => {
    const handler: Handler = async (request) =>
      request.info.path === "/unread" ? { status: 200, body: "ok" } : echo(request, new AbortController().signal);
    await withWorld(handler, {}, async (world) => {
      const session = connectHttp2(`https://127.0.0.1:${world.port}`, { ca: world.ca });
      session.on("error", () => undefined);
      const send = (path: string, body?: Buffer): Promise<string> =>
        new Promise((resolve) => {
          const stream = session.request({ ":path": path, ":method": body === undefined ? "GET" : "POST" });
          let text = "";
          let status = 0;
          stream.on("response", (headers) => (status = Number(headers[":status"])));
          stream.on("data", (piece: Buffer) => (text += piece.toString()));
          stream.on("error", () => undefined);
          stream.on("close", () => resolve(`${status} ${text.slice(0, 80)}`));
          stream.end(body);
        });
      const many = await Promise.all(Array.from({ length: 50 }, () => send("/healthz")));
      const read = await send("/api/v1/pods", Buffer.alloc(100_000));
      const unread = await send("/unread", Buffer.alloc(2_000_000));
      const large = await send("/api/v1/pods", Buffer.alloc(3 * 1024 * 1024 + 1));
      session.close();

      assert.deepEqual([...new Set(many)], ['200 {"verb":"get","resource":"","name":"","bytes":0}']);
      assert.equal(read, '200 {"verb":"create","resource":"pods","name":"","bytes":100000}');
      assert.equal(unread, "200 ok");
      assert.match(large, /^413 /);
    });
  });
});
