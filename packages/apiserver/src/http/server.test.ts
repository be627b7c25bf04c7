import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { connect as connectHttp2 } from "node:http2";
import { Agent } from "node:https";
import { describe, it } from "node:test";
import { connect } from "node:tls";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { ArgumentError, FakeClock } from "@homeostat/core";
import { failure } from "../status/status.ts";
import { ServerCertificates } from "./server-certificates.ts";
import { Faults } from "./faults.ts";
import type { Handler, ServerRequest } from "./handler.ts";
import { infoHandler } from "./info-handler.ts";
import { limitInFlight } from "./in-flight.ts";
import { HttpServer } from "./server.ts";
import { startWorld, type World } from "./world.fixture.test.ts";

const run = promisify(execFile);

const echo: Handler = async (request) => {
  const body = await request.body();
  const { verb, resource, name } = request.info;
  return {
    status: 200,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ verb, resource, name, bytes: body.length }),
  };
};

async function withWorld(
  handler: Handler,
  options: Parameters<typeof startWorld>[1],
  use: (world: World) => Promise<void>,
): Promise<void> {
  const world = await startWorld(handler, options);
  try {
    await use(world);
  } finally {
    await world.close();
  }
}

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

describe("a stream", () => {
  /** Sends a piece whenever it is told to, until its signal aborts. */
  function ticker(): { handler: Handler; send: (piece: string) => void; ended: Promise<void>; finish: () => void } {
    let wake: (piece: string | undefined) => void = () => undefined;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const waiting: (string | undefined)[] = [];
    const put = (piece: string | undefined): void => {
      waiting.push(piece);
      wake(undefined);
    };
    async function* pieces(signal: AbortSignal): AsyncGenerator<string> {
      try {
        while (!signal.aborted) {
          while (waiting.length > 0) {
            const piece = waiting.shift();
            if (piece === undefined) return;
            yield piece;
          }
          await new Promise<void>((resolve) => {
            wake = () => resolve();
            signal.addEventListener("abort", () => resolve(), { once: true });
          });
        }
      } finally {
        end();
      }
    }
    const headers = { "Content-Type": "application/json" };
    const handler: Handler = async (_, signal) => ({ status: 200, headers, stream: pieces(signal) });
    return { handler, send: (piece) => put(piece), ended, finish: () => put(undefined) };
  }

  it("sends each piece at once over HTTP/1.1 and HTTP/2", async () => {
    for (const protocol of ["http/1.1", "h2"]) {
      const { handler, send, finish } = ticker();
      await withWorld(handler, {}, async (world) => {
        const seen: string[] = [];
        const path = "/api/v1/pods?watch=1";
        const read = protocol === "h2" ? readHttp2(world, path, seen) : readHttp1(world, path, seen);
        await read.opened;
        send('{"n":1}\n');
        while (seen.join("") !== '{"n":1}\n') await new Promise((resolve) => setImmediate(resolve));
        send('{"n":2}\n');
        finish();
        await read.closed;

        assert.equal(seen.join(""), '{"n":1}\n{"n":2}\n', protocol);
      });
    }
  });

  it("aborts the signal when the client goes", async () => {
    const { handler, ended, send } = ticker();
    await withWorld(handler, {}, async (world) => {
      const socket = await world.connect();
      socket.write("GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await new Promise((resolve) => socket.once("data", resolve));
      socket.destroy();
      send("x");

      await ended;
    });
  });

  it("asks for no more pieces than the client takes", async () => {
    let made = 0;
    async function* flood(): AsyncGenerator<Uint8Array> {
      for (;;) {
        made += 1;
        yield Buffer.alloc(64 * 1024);
      }
    }
    await withWorld(
      async () => ({ status: 200, stream: flood() }),
      {},
      async (world) => {
        const socket = await world.connect();
        socket.pause();
        socket.write("GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let before = -1;
        for (let still = 0; still < 20;) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          still = made === before && made > 0 ? still + 1 : 0;
          before = made;
        }
        socket.destroy();

        assert.ok(made < 1_000, `${made} pieces of 64 KiB`);
      },
    );
  });

  it("ends in good order when the server stops, and its connection goes", async () => {
    for (const protocol of ["http/1.1", "h2"]) {
      const { handler } = ticker();
      const world = await startWorld(handler);
      const path = "/api/v1/pods?watch=1";
      const read = protocol === "h2" ? readHttp2(world, path, []) : readHttp1(world, path, []);
      await read.opened;

      await world.server.stop({ graceMs: 5_000 });

      assert.equal(await read.closed, "ended", protocol);
      await world.close();
    }
  });

  it("is cut on demand", async () => {
    for (const protocol of ["http/1.1", "h2"]) {
      const { handler } = ticker();
      await withWorld(handler, {}, async (world) => {
        const path = "/api/v1/pods?watch=1";
        const read = protocol === "h2" ? readHttp2(world, path, []) : readHttp1(world, path, []);
        await read.opened;
        const count = world.server.cut(({ info }) => info.resource === "pods");

        assert.equal(count, 1);
        assert.equal(await read.closed, "cut", protocol);
      });
    }
  });
});

type Reading = { opened: Promise<void>; closed: Promise<string> };

function readHttp1(world: World, path: string, seen: string[]): Reading {
  let text = "";
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const closed = (async () => {
    const socket = await world.connect();
    socket.on("error", () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    return new Promise<string>((resolve) => {
      socket.on("data", (piece: Buffer) => {
        text += piece.toString();
        open();
        const body = text.slice(text.indexOf("\r\n\r\n") + 4);
        seen.splice(0, seen.length, body.replace(/[0-9a-f]+\r\n([^\r]*)\r\n/g, "$1"));
        if (body.endsWith("0\r\n\r\n")) socket.end(() => resolve("ended"));
      });
      socket.on("close", () => resolve("cut"));
    });
  })();
  return { opened, closed };
}

function readHttp2(world: World, path: string, seen: string[]): Reading {
  const session = connectHttp2(`https://127.0.0.1:${world.port}`, { ca: world.ca });
  session.on("error", () => undefined);
  const stream = session.request({ ":path": path });
  const opened = new Promise<void>((resolve) => stream.once("response", () => resolve()));
  stream.on("data", (piece: Buffer) => seen.push(piece.toString()));
  const closed = new Promise<string>((resolve) => {
    stream.on("end", () => resolve("ended"));
    stream.on("error", () => resolve("cut"));
    stream.on("close", () => session.close());
  });
  stream.end();
  return { opened, closed };
}

describe("faults on demand", () => {
  it("fail, delay and cut the n-th matching request, before or after it was handled", async () => {
    const faults = new Faults();
    const clock = new FakeClock();
    let handled = 0;
    const handler: Handler = async () => {
      handled += 1;
      return { status: 200, body: "ok" };
    };
    await withWorld(handler, { faults, clock }, async (world) => {
      const status = failure({ code: 429, reason: "TooManyRequests", message: "later" });
      const isList = ({ info }: ServerRequest): boolean => info.verb === "list";
      const second = faults.add({ match: isList, nth: 2, when: "before", action: { do: "fail", status } });
      const first = await world.ask("/api/v1/pods");
      const failed = await world.ask("/api/v1/pods");
      assert.deepEqual([first.status, failed.status, handled, second.happened], [200, 429, 1, 1]);

      faults.add({ match: isList, when: "after", action: { do: "cut" } });
      await assert.rejects(world.ask("/api/v1/pods"), /socket hang up|ECONNRESET/);
      assert.equal(handled, 2, "the client does not know, but it has happened");

      faults.add({ when: "before", action: { do: "hang" } });
      const hanging = world.ask("/api/v1/pods?timeout=3s");
      while (world.server.runningCount === 0) await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(3_000);
      assert.equal((await hanging).status, 504);
    });
  });
});

describe("stopping", () => {
  it("leaves no socket and no timer behind", async () => {
    const url = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
    const program = `
      import { ServerCertificates } from ${url("./server-certificates.js")};
      import { HttpServer } from ${url("./server.js")};
      import { infoHandler } from ${url("./info-handler.js")};
      import https from "node:https";
      import http2 from "node:http2";
      const credentials = new ServerCertificates();
      const server = new HttpServer({ handler: infoHandler() });
      const { port } = await server.listen({ certificate: credentials.server });
      const agent = new https.Agent({ keepAlive: true, ca: credentials.ca });
      await new Promise((done) => https.get({ host: "127.0.0.1", port, path: "/healthz", agent }, (r) => r.resume().on("end", done)));
      const session = http2.connect("https://127.0.0.1:" + port, { ca: credentials.ca });
      await new Promise((done) => session.request({ ":path": "/livez" }).resume().on("end", done).end());
      const started = performance.now();
      await server.stop();
      // Clients that hold their ends open keep nothing alive here.
      agent.destroy();
      session.destroy();
      await new Promise((done) => setTimeout(done, 50));
      const left = process.getActiveResourcesInfo().filter((name) => !/Pipe|TTY|TickObject|Immediate|CloseReq/.test(name));
      process.on("exit", () => console.log(JSON.stringify({ left, ms: performance.now() - started < 5000 })));
    `;
    const { stdout } = await run(process.execPath, ["--conditions=development", "--input-type=module", "-e", program], {
      timeout: 20_000,
    });

    const { left, ms } = JSON.parse(stdout) as { left: string[]; ms: boolean };
    assert.deepEqual(left, []);
    assert.equal(ms, true, "the process ends by itself, and soon");
  });

  it("cuts what does not come to its end within the grace", async () => {
    const handler: Handler = () => new Promise(() => undefined);
    const world = await startWorld(handler);
    const asking = world.ask("/api/v1/pods").then(
      () => "answered",
      () => "cut",
    );
    while (world.server.runningCount === 0) await new Promise((resolve) => setImmediate(resolve));

    await world.server.stop({ graceMs: 20 });

    assert.match(await asking, /answered|cut/);
    assert.equal(world.server.runningCount, 0);
    await world.close();
  });

  it("refuses requests on connections that are still open", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const world = await startWorld(async () => {
      await held;
      return { status: 200, body: "done" };
    });
    const socket = await world.connect();
    let text = "";
    socket.on("data", (piece: Buffer) => (text += piece.toString()));
    socket.write("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
    while (world.server.runningCount === 0) await new Promise((resolve) => setImmediate(resolve));
    const stopping = world.server.stop();
    release();
    await stopping;

    assert.match(text, /done$/);
    assert.match(text, /Connection: close/);
    await world.close();
  });
});

describe("what an API server tells about itself", () => {
  it("answers health as a whole, one by one, in detail and with exceptions", async () => {
    let problem: string | undefined;
    const checks = [
      { name: "ping", check: () => undefined },
      { name: "poststarthook/a/b", check: () => problem },
    ];
    await withWorld(infoHandler({ checks: { healthz: checks } }), {}, async (world) => {
      assert.equal((await world.ask("/healthz")).text, "ok");
      assert.equal((await world.ask("/readyz/poststarthook/a/b")).text, "ok");
      assert.equal(
        (await world.ask("/livez?verbose")).text,
        "[+]ping ok\n[+]poststarthook/a/b ok\nlivez check passed\n",
      );
      problem = "no storage";
      const failed = await world.ask("/readyz");
      assert.equal(failed.status, 500);
      assert.equal(failed.text, "[+]ping ok\n[-]poststarthook/a/b failed: reason withheld\nreadyz check failed\n");
      assert.equal((await world.ask("/livez/poststarthook/a/b")).text, "internal server error: no storage\n");
      const excluded = await world.ask("/livez?verbose&exclude=poststarthook/a/b&exclude=x");
      assert.equal(
        excluded.text,
        '[+]ping ok\n[+]poststarthook/a/b excluded: ok\nwarn: some health checks cannot be excluded: no matches for "x"\nlivez check passed\n',
      );
      assert.equal((await world.ask("/livez/nope")).text, "404 page not found\n");
    });
  });

  it("lists its paths in order and tells its version", async () => {
    await withWorld(infoHandler({ paths: () => ["/apis", "/api"] }), {}, async (world) => {
      const index = JSON.parse((await world.ask("/")).text) as { paths: string[] };
      const version = JSON.parse((await world.ask("/version")).text) as { gitVersion: string };

      assert.deepEqual(index.paths.slice(0, 4), ["/api", "/apis", "/healthz", "/healthz/ping"]);
      assert.match(version.gitVersion, /^v1\.36\./);
    });
  });
});
