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
import { withTestServer } from "../testing/http-server.ts";

const echo: Handler = async (request) => {
  const body = await request.body();
  const { verb, resource, name } = request.info;
  return {
    status: 200,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ verb, resource, name, bytes: body.length }),
  };
};

describe("HttpServer", () => {
  it("passes requests to its handler and sends the headers of kube-apiserver", async () => {
    await withTestServer(echo, {}, async (api) => {
      const reply = await api.send("/api/v1/namespaces/default/pods/web", { headers: { "Audit-ID": "mine" } });

      assert.equal(reply.text, '{"verb":"get","resource":"pods","name":"web","bytes":0}');
      assert.equal(reply.headers["audit-id"], "mine");
      assert.equal(reply.headers["cache-control"], "no-cache, private");
      assert.equal(reply.headers["content-length"], String(reply.body.length));
    });
  });

  it("sends the Date of the injected clock", async () => {
    const clock = new FakeClock({ now: Date.UTC(2030, 0, 2, 3, 4, 5, 678) });
    await withTestServer(echo, { clock }, async (api) => {
      const first = await api.send("/api/v1/pods");
      await clock.advance(322);
      const second = await api.send("/api/v1/pods");
      clock.jump(-3_600_000);
      const third = await api.send("/nowhere");

      assert.deepEqual(
        [first, second, third].map(({ headers }) => headers["date"]),
        ["Wed, 02 Jan 2030 03:04:05 GMT", "Wed, 02 Jan 2030 03:04:06 GMT", "Wed, 02 Jan 2030 02:04:06 GMT"],
      );
    });
  });

  it("generates an audit id when the client sends none or an invalid one", async () => {
    await withTestServer(echo, {}, async (api) => {
      const reply = await api.send("/api/v1/pods");

      assert.match(String(reply.headers["audit-id"]), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);
    });
  });

  it("accepts bodies up to 3 MiB and refuses larger ones with kube-apiserver's message, with and without a length", async () => {
    await withTestServer(echo, {}, async (api) => {
      const limit = 3 * 1024 * 1024;
      const url = "/api/v1/namespaces/default/configmaps";
      const fits = await api.send(url, { method: "POST", body: Buffer.alloc(limit) });
      const over = await api.send(url, { method: "POST", body: Buffer.alloc(limit + 1) });
      const headers = { "Transfer-Encoding": "chunked" };
      const chunked = await api.send(url, { method: "POST", headers, body: Buffer.alloc(limit + 1) });

      const message =
        '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Request entity too large: limit is 3145728","reason":"RequestEntityTooLarge","code":413}\n';
      assert.equal(fits.text, `{"verb":"create","resource":"configmaps","name":"","bytes":${limit}}`);
      assert.deepEqual([over.status, over.text], [413, message]);
      assert.deepEqual([chunked.status, chunked.text], [413, message]);
    });
  });

  it("accepts requests for this machine and the given hosts only", async () => {
    await withTestServer(echo, { hosts: ["kubernetes.default.svc"] }, async (api) => {
      const statusFor = async (Host: string): Promise<number> =>
        Number((await api.raw(`GET /api/v1/pods HTTP/1.1\r\nHost: ${Host}\r\nConnection: close\r\n\r\n`)).slice(9, 12));

      assert.equal(await statusFor("localhost:6443"), 200);
      assert.equal(await statusFor("127.8.9.1"), 200);
      assert.equal(await statusFor("[::1]:1"), 200);
      assert.equal(await statusFor("Kubernetes.default.svc"), 200);
      assert.equal(await statusFor("evil.example.com"), 421);
      assert.equal(await statusFor("127.0.0.1.evil.example.com"), 421);
      assert.equal(await statusFor("10.0.0.1"), 421);
      assert.equal(await statusFor("a@127.0.0.1"), 400);
      const absolute = await api.raw("GET https://evil/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      assert.match(absolute, /^HTTP\/1\.1 421 /);
      const twice = await api.raw("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\nConnection: close\r\n\r\n");
      assert.match(twice, /^HTTP\/1\.1 400 /);
    });
  });

  it("does not listen on an address that other machines can reach without isOpenToNetwork", async () => {
    const server = new HttpServer({ handler: echo });
    const certificate = { cert: "", key: "" };

    await assert.rejects(server.listen({ certificate, host: "0.0.0.0" }), ArgumentError);
    await assert.rejects(server.listen({ certificate, host: "::" }), ArgumentError);
    await assert.rejects(server.listen({ certificate, host: "192.168.1.1" }), ArgumentError);
  });

  it("fails when its port is in use, and can then listen on another", async () => {
    await withTestServer(echo, {}, async ({ port, credentials }) => {
      const second = new HttpServer({ handler: echo });
      const certificate = credentials.server;

      await assert.rejects(second.listen({ certificate, port }), /EADDRINUSE/);
      const found = await second.listen({ certificate });
      await second.stop();

      assert.notEqual(found.port, port);
    });
  });

  it("passes the client certificate and whether it is trusted to the handler", async () => {
    const seen: ServerRequest[] = [];
    const handler: Handler = async (request) => {
      seen.push(request);
      return { status: 200, body: "" };
    };
    await withTestServer(handler, {}, async (api) => {
      const { ca, credentials } = api;
      await api.send("/", { agent: new Agent({ ca }) });
      await api.send("/", { agent: new Agent({ ca, ...credentials.client() }) });
      const stranger = new ServerCertificates().client();
      await api.send("/", { agent: new Agent({ ca, ...stranger }) });
    });
    const [none, admin, foreign] = seen.map(({ peer }) => peer.certificate);

    assert.equal(none, undefined);
    assert.equal(admin?.isTrusted, true);
    assert.deepEqual([admin?.commonName, admin?.organizations], ["kubernetes-admin", ["system:masters"]]);
    assert.equal(foreign?.isTrusted, false);
    assert.notEqual(foreign?.problem, undefined);
  });

  it("recognizes the client certificate of a resumed TLS session", async () => {
    const seen: (string | undefined)[] = [];
    const handler: Handler = async ({ peer: { certificate } }) => {
      seen.push(certificate?.isTrusted === true ? certificate.commonName : undefined);
      return { status: 200, body: "" };
    };
    await withTestServer(handler, {}, async ({ port, ca, credentials }) => {
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

  it("compresses responses above 128 KiB for a client that accepts gzip", async () => {
    const large = Buffer.alloc(128 * 1024 + 1, "a");
    const handler: Handler = async ({ info }) => ({
      status: 200,
      body: info.path === "/large" ? large : large.subarray(1),
    });
    await withTestServer(handler, {}, async (api) => {
      const headers = { "Accept-Encoding": "br, gzip" };
      const asked = await api.send("/large", { headers });
      const small = await api.send("/small", { headers });
      const plain = await api.send("/large");

      assert.deepEqual([asked.headers["content-encoding"], asked.headers["vary"]], ["gzip", "Accept-Encoding"]);
      assert.equal(gunzipSync(asked.body).equals(large), true);
      assert.equal(small.headers["content-encoding"], undefined);
      assert.equal(plain.body.length, large.length);
    });
  });

  it("sends each warning once as a header, with quotes escaped and non-ASCII as UTF-8", async () => {
    const handler: Handler = async () => ({
      status: 200,
      body: "",
      warnings: ['a "b"', 'a "b"', "größe", "bad\nline"],
    });
    await withTestServer(handler, {}, async (api) => {
      const reply = await api.send("/");

      const latin = Buffer.from("größe").toString("latin1");
      assert.equal(reply.headers["warning"], `299 - "a \\"b\\"", 299 - "${latin}"`);
    });
  });

  it("responds with 500 when a handler throws, notifies the observer, and continues", async () => {
    const reported: unknown[] = [];
    const handler: Handler = async ({ info }) => {
      if (info.path === "/bad") throw new TypeError("oh");
      return { status: 200, body: "fine" };
    };
    await withTestServer(handler, { observer: { panicked: (_, error) => reported.push(error) } }, async (api) => {
      const bad = await api.send("/bad");
      const good = await api.send("/good");

      assert.equal(bad.status, 500);
      assert.match(bad.text, /"message":"This request caused apiserver to panic. Look in the logs for details."/);
      assert.equal(good.text, "fine");
      assert.match(String(reported), /^TypeError: oh$/);
    });
  });

  it("responds with a timeout after the time the request allows, and aborts the handler", async () => {
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
    await withTestServer(handler, { clock }, async (api) => {
      const sending = api.send("/api/v1/pods?timeout=5s");
      await started;
      await clock.advance(5_000);
      const reply = await sending;

      assert.equal(reply.status, 504);
      assert.match(
        reply.text,
        /"message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout"/,
      );
      assert.equal((reason as { code?: string }).code, "DEADLINE");
    });
  });

  it("limits the number of concurrent requests with limitInFlight", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const handler = limitInFlight(async () => {
      await held;
      return { status: 200, body: "" };
    }, 1);
    await withTestServer(handler, {}, async (api) => {
      const first = api.send("/a");
      while (api.server.runningCount === 0) await new Promise((resolve) => setImmediate(resolve));
      const second = await api.send("/b");
      release();

      assert.deepEqual([second.status, second.text], [429, "Too many requests, please try again later.\n"]);
      assert.equal(second.headers["retry-after"], "1");
      assert.equal((await first).status, 200);
    });
  });

  it("responds to HEAD without a body, and to OPTIONS * without the handler", async () => {
    await withTestServer(echo, {}, async (api) => {
      const head = await api.send("/api/v1/pods", { method: "HEAD" });
      const options = await api.raw("OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

      assert.deepEqual([head.status, head.text], [200, ""]);
      assert.match(options, /^HTTP\/1\.1 200 OK\r\n/);
    });
  });

  it("keeps a connection after an unread body, unless the body is long", async () => {
    const handler: Handler = async () => ({ status: 200, body: "ok" });
    await withTestServer(handler, {}, async (api) => {
      const small = await api.send("/", {
        method: "POST",
        body: Buffer.alloc(1000),
        agent: new Agent({ ca: api.ca, keepAlive: true }),
      });
      const bytes = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\n${"a".repeat(1000)}`;
      const long = await api.raw(bytes);

      assert.equal(small.headers["connection"], undefined);
      assert.match(long, /\r\nConnection: close\r\n/);
    });
  });
});

describe("HTTP/2", () => {
  it("serves many requests on one connection, with bodies that are read, not read, or too large", async () => {
    const handler: Handler = async (request) =>
      request.info.path === "/unread" ? { status: 200, body: "ok" } : echo(request, new AbortController().signal);
    await withTestServer(handler, {}, async (api) => {
      const session = connectHttp2(`https://127.0.0.1:${api.port}`, { ca: api.ca });
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
