import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { connect as connectSocket } from "node:net";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { ArgumentError, FakeClock, NetworkError } from "@homeostat/core";
import {
  closeServers,
  connectionTo,
  open,
  openConnection,
  portOf,
  serve,
  serveTcp,
  textOf as text,
  until,
} from "../testing/servers.ts";
import type { ConnectOptions } from "./connect.ts";
import { ProxyError } from "../proxy/proxy.ts";

after(closeServers);

describe("connect", () => {
  it("sends a request with credentials and returns the response body in pieces", async () => {
    const seen: IncomingMessage[] = [];
    const server = await serve((request, response) => {
      seen.push(request);
      response.writeHead(201, { "content-type": "application/json", warning: '299 - "old"' });
      response.write("one ");
      response.end("two");
    });
    const transport = open(server, { token: { data: "secret" } });

    const response = await transport.send({
      method: "POST",
      path: "/api/v1/x?y=1",
      body: "{}",
      headers: { "Content-Type": "application/json" },
    });

    assert.equal(response.status, 201);
    assert.equal(response.headers["warning"], '299 - "old"');
    assert.equal(await text(response), "one two");
    assert.equal(seen[0]?.url, "/prefix/api/v1/x?y=1");
    assert.equal(seen[0]?.headers.authorization, "Bearer secret");
    assert.equal(seen[0]?.headers["content-length"], "2");
    assert.equal(seen[0]?.headers["user-agent"], "homeostat");
  });

  it("sends each impersonated group as a separate header", async () => {
    let raw: string[] = [];
    const server = await serve((request, response) => {
      raw = request.rawHeaders;
      response.end();
    });
    const transport = openConnection({
      ...connectionTo(server),
      impersonate: {
        user: "jane",
        uid: undefined,
        groups: ["a", "b"],
        extra: new Map([
          ["Scopes", ["x"]],
          ["a(b)", ["y"]],
        ]),
      },
    });

    await text(await transport.send({ method: "GET", path: "/" }));

    const groups = raw.filter((_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === "impersonate-group");
    assert.deepEqual(groups, ["a", "b"]);
    assert.ok(raw.includes("impersonate-extra-scopes"));
    assert.ok(raw.includes("impersonate-extra-a%28b%29"));
  });

  it("reuses one connection for consecutive requests", async () => {
    let connections = 0;
    const server = await serve((_, response) => response.end("ok"));
    server.on("connection", () => (connections += 1));
    const transport = open(server);

    for (let i = 0; i < 20; i += 1) await text(await transport.send({ method: "GET", path: "/" }));

    assert.equal(connections, 1);
  });

  it("reads the token again after a 401, and retries the request only if it changed", async () => {
    let token = "old";
    let asked = 0;
    const server = await serve((request, response) => {
      asked += 1;
      response.writeHead(request.headers.authorization === "Bearer new" ? 200 : 401).end();
    });
    const transport = open(server, { token: { path: "/token" } }, { files: { read: () => Promise.resolve(token) } });

    const refused = await transport.send({ method: "GET", path: "/" });
    token = "new";
    const accepted = await transport.send({ method: "GET", path: "/" });

    assert.equal(refused.status, 401);
    assert.equal(accepted.status, 200);
    assert.equal(asked, 3, "one without a retry, then one with");
  });

  it("runs a plugin once for many requests, and again after a 401", async () => {
    let runs = 0;
    const run: NonNullable<ConnectOptions["run"]> = () => {
      runs += 1;
      const status = { token: `t${runs}` };
      return Promise.resolve({
        exitCode: 0,
        stderr: "",
        stdout: JSON.stringify({ kind: "ExecCredential", apiVersion: "client.authentication.k8s.io/v1", status }),
      });
    };
    const server = await serve((request, response) =>
      response
        .writeHead(request.headers.authorization === "Bearer t1" && request.url?.endsWith("late") ? 401 : 200)
        .end(),
    );
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "login",
      args: [],
      env: [],
      provideClusterInfo: false,
      interactiveMode: "Never",
      installHint: undefined,
    } as const;
    const transport = open(server, { exec }, { run });

    await Promise.all([1, 2, 3].map(() => transport.send({ method: "GET", path: "/" })));
    const runsBefore = runs;
    const late = await transport.send({ method: "GET", path: "/late" });

    assert.equal(runsBefore, 1);
    assert.equal(late.status, 200);
    assert.equal(runs, 2);
  });

  it("decompresses gzip", async () => {
    const server = await serve((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("packed ".repeat(1000))),
    );
    const transport = open(server);

    const response = await transport.send({ method: "GET", path: "/", headers: { "accept-encoding": "gzip" } });

    assert.equal(await text(response), "packed ".repeat(1000));
  });

  it("reports that nothing was sent when the connection is refused", async () => {
    const server = await serve(() => undefined);
    const connection = connectionTo(server);
    await new Promise((resolve) => server.close(resolve));
    const transport = openConnection(connection);

    await assert.rejects(
      transport.send({ method: "POST", path: "/api/v1/x?token=s3cret", body: "{}" }),
      (error) =>
        error instanceof NetworkError &&
        error.socketCode === "ECONNREFUSED" &&
        error.outcome === "not-applied" &&
        !error.message.includes("s3cret"),
    );
  });

  it("reports an unknown outcome when the connection breaks before the response", async () => {
    const server = await serve((request) => request.socket.destroy());
    const transport = open(server);

    await assert.rejects(
      transport.send({ method: "POST", path: "/", body: "{}" }),
      (error) => error instanceof NetworkError && error.outcome === "unknown" && error.retryable,
    );
  });

  it("times out when the server accepts the connection and sends nothing", async () => {
    const server = await serveTcp(() => undefined);
    const transport = open(server);

    await assert.rejects(
      transport.send({ method: "GET", path: "/", timeouts: { headersMs: 50 } }),
      (error) => error instanceof NetworkError && /50 ms/.test(String(error.cause)),
    );
  });

  it("throws for a body that stalls or is truncated", async () => {
    const server = await serve((request, response) => {
      response.writeHead(200, { "content-length": "100" }).write("begun");
      if (request.url?.endsWith("/cut") === true) setTimeout(() => request.socket.destroy(), 10);
    });
    const clock = new FakeClock();
    const transport = open(server, {}, { clock });

    const stuck = await transport.send({ method: "GET", path: "/stuck", timeouts: { idleMs: 50 } });
    const stalled = assert.rejects(text(stuck), (error) => error instanceof NetworkError);
    await clock.advance(1000);
    await stalled;
    const cut = await transport.send({ method: "GET", path: "/cut" });
    await assert.rejects(text(cut), (error) => error instanceof NetworkError);
  });

  it("stops when the signal aborts before or during the body", async () => {
    const server = await serve((request, response) => {
      if (request.url?.endsWith("/body") === true) response.writeHead(200).write("begun");
    });
    const transport = open(server);
    const reason = new Error("enough");

    const early = new AbortController();
    const waiting = transport.send({ method: "GET", path: "/head", signal: early.signal });
    setTimeout(() => early.abort(reason), 20);
    await assert.rejects(waiting, reason);

    const late = new AbortController();
    const response = await transport.send({ method: "GET", path: "/body", signal: late.signal });
    setTimeout(() => late.abort(reason), 20);
    await assert.rejects(text(response), reason);
    await assert.rejects(transport.send({ method: "GET", path: "/", signal: late.signal }), reason);
  });

  it("closes the connection when the body is abandoned", async () => {
    let connections = 0;
    const server = await serve((_, response) => response.writeHead(200).write("a watch has no end"));
    server.on("connection", (socket) => {
      connections += 1;
      socket.on("close", () => (connections -= 1));
    });
    const transport = open(server);

    for (let i = 0; i < 10; i += 1) {
      const response = await transport.send({ method: "GET", path: "/", isStream: true });
      for await (const _ of response.body) break;
    }
    const unread = await transport.send({ method: "GET", path: "/" });
    unread.body.cancel();
    unread.body.cancel();
    const unentered = await transport.send({ method: "GET", path: "/" });
    await unentered.body[Symbol.asyncIterator]().return?.();

    await until(() => connections === 0);
  });

  it("returns a connection to the pool when a small body is canceled, compressed or not", async () => {
    let connections = 0;
    const server = await serve((request, response) => {
      const isPacked = request.url?.endsWith("/packed") === true;
      response.writeHead(429, isPacked ? { "content-encoding": "gzip" } : {});
      response.end(isPacked ? gzipSync("busy") : "busy");
    });
    server.on("connection", () => (connections += 1));
    const transport = open(server, {}, { requestsMax: 1 });

    for (const path of ["/plain", "/packed", "/plain", "/packed"]) {
      (await transport.send({ method: "GET", path })).body.cancel();
    }
    await text(await transport.send({ method: "GET", path: "/" }));

    assert.equal(connections, 1);
  });

  it("refuses to read a body twice", async () => {
    const server = await serve((_, response) => response.end("ok"));
    const response = await open(server).send({ method: "GET", path: "/" });

    await text(response);

    await assert.rejects(text(response), ArgumentError);
  });

  it("requests compressed responses on request", async () => {
    let asked: unknown;
    const server = await serve((request, response) => {
      asked = request.headers["accept-encoding"];
      response.end();
    });

    await text(await open(server, {}, { compression: true }).send({ method: "GET", path: "/" }));

    assert.equal(asked, "gzip");
  });

  it("limits concurrent requests except streams, and lets waiting ones be aborted", async () => {
    const held: (() => void)[] = [];
    const server = await serve((_, response) => held.push(() => response.end("ok")));
    const clock = new FakeClock();
    const transport = open(server, {}, { requestsMax: 2, clock });
    const impatient = new AbortController();

    const running = [1, 2].map(() => transport.send({ method: "GET", path: "/" }));
    const waiting = transport.send({ method: "GET", path: "/", timeouts: { headersMs: Infinity } });
    const aborted = transport.send({ method: "GET", path: "/", signal: impatient.signal });
    const stream = transport.send({ method: "GET", path: "/", isStream: true });
    await until(() => held.length === 3);
    impatient.abort(new Error("enough"));
    await assert.rejects(aborted, /enough/);
    await clock.advance(60_000);
    for (const release of held) release();
    await Promise.all([...running, stream].map(async (each) => text(await each)));
    await until(() => held.length === 4);
    held[3]?.();

    assert.equal(await text(await waiting), "ok", "the time in the queue is not the time to connect");
    assert.equal(clock.pending, 0);
  });

  it("calls beforeSending just before writing, and sends nothing when it throws", async () => {
    let arrived = 0;
    const server = await serve((_, response) => {
      arrived += 1;
      response.end();
    });
    const transport = open(server, {}, { requestsMax: 1 });
    const refusal = new Error("the lease may be lost");
    const beforeSending = (): void => {
      throw refusal;
    };

    await assert.rejects(transport.send({ method: "POST", path: "/", body: "{}", beforeSending }), refusal);
    await assert.rejects(transport.send({ method: "POST", path: "/", body: "{}", beforeSending }), refusal);
    await text(await transport.send({ method: "GET", path: "/" }));

    assert.equal(arrived, 1);
  });

  it("retries a read on another connection when the pooled one was closed, but not a write", async () => {
    const asked: string[] = [];
    const server = await serve((request, response) => {
      asked.push(String(request.method));
      const isFirst = !served.has(request.socket);
      served.add(request.socket);
      if (isFirst) response.end("ok");
      else request.socket.destroy();
    });
    const served = new WeakSet<object>();
    const transport = open(server);

    await text(await transport.send({ method: "GET", path: "/" }));
    const again = await text(await transport.send({ method: "GET", path: "/" }));
    const writing = transport.send({ method: "PUT", path: "/", body: "{}" });

    assert.equal(again, "ok");
    await assert.rejects(writing, (error) => error instanceof NetworkError && error.outcome === "unknown");
    assert.deepEqual(asked, ["GET", "GET", "GET", "PUT"]);
  });

  it("rejects a response that switches protocols", async () => {
    const server = await serveTcp((socket) =>
      socket.on("data", () =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
      ),
    );

    await assert.rejects(open(server).send({ method: "GET", path: "/" }), NetworkError);
  });

  it("rejects an invalid header, and keeps working", async () => {
    const server = await serve((_, response) => response.end("ok"));
    const transport = open(server, {}, { requestsMax: 1 });

    await assert.rejects(
      transport.send({ method: "GET", path: "/", headers: { "x-bad": "a\nb" } }),
      (error) => error instanceof NetworkError && error.outcome === "not-applied" && !error.retryable,
    );

    assert.equal(await text(await transport.send({ method: "GET", path: "/" })), "ok");
  });

  it("times out at each stage when the peer falls silent", async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    const server = await serve((request, response) => {
      seen.push(String(request.url));
      if (request.url?.endsWith("/body") === true) response.writeHead(200).write("begun");
    });
    const proxy = await serveTcp(() => seen.push("proxy"));
    const transport = open(server, {}, { clock });
    const proxied = openConnection(
      { ...connectionTo(server), proxyUrl: `http://127.0.0.1:${portOf(proxy)}` },
      { clock },
    );

    const head = transport.send({ method: "GET", path: "/head" });
    const body = await transport.send({ method: "GET", path: "/body" });
    const reading = text(body);
    const dialling = proxied.send({ method: "POST", path: "/", body: "{}" });
    for (const failing of [head, reading, dialling]) failing.catch(() => undefined);
    await until(() => seen.length === 3);
    await clock.advance(10_000);
    await assert.rejects(dialling, (error) => error instanceof NetworkError && error.outcome === "not-applied");
    await clock.advance(60_000);

    await assert.rejects(head, (error) => error instanceof NetworkError && error.outcome === "unknown");
    await assert.rejects(reading, NetworkError);
    await until(() => clock.pending === 0);
  });

  it("keeps a silent stream open for ten minutes, and a busy one for an hour", async () => {
    const clock = new FakeClock();
    let push: (text: string) => void = () => undefined;
    const server = await serve((_, response) => {
      response.writeHead(200).flushHeaders();
      push = (piece) => void response.write(piece);
    });
    const transport = open(server, {}, { clock });

    const response = await transport.send({
      method: "GET",
      path: "/",
      isStream: true,
      timeouts: { idleMs: Infinity },
    });
    const pieces = response.body[Symbol.asyncIterator]();
    let next = pieces.next();
    await clock.advance(10 * 60_000);
    for (let minute = 0; minute < 60; minute += 1) {
      push("x");
      assert.equal(Buffer.from((await next).value ?? []).toString(), "x");
      next = pieces.next();
      await clock.advance(60_000);
    }
    await pieces.return?.();

    assert.deepEqual(await next, { done: true, value: undefined }, "leaving while waiting is no failure");
  });

  it("aborts running requests when it is closed, and sends nothing more", async () => {
    let connections = 0;
    const server = await serve((_, response) => response.writeHead(200).write("begun"));
    server.on("connection", (socket) => {
      connections += 1;
      socket.on("close", () => (connections -= 1));
    });
    const transport = open(server, {}, { requestsMax: 1 });
    const response = await transport.send({ method: "GET", path: "/" });
    const waiting = transport.send({ method: "GET", path: "/" });
    waiting.catch(() => undefined);

    transport.close();

    await assert.rejects(text(response), NetworkError);
    await assert.rejects(waiting, ArgumentError);
    await assert.rejects(transport.send({ method: "GET", path: "/" }), ArgumentError);
    await until(() => connections === 0);
  });

  it("connects through an http proxy, and throws a ProxyError when the proxy refuses", async () => {
    const server = await serve((_, response) => response.end("through"));
    const asked: string[] = [];
    const proxy = await serve(() => undefined);
    proxy.on("connect", (request, socket) => {
      asked.push(`${request.url} ${request.headers["proxy-authorization"]}`);
      if (request.headers["proxy-authorization"] === undefined) {
        socket.end("HTTP/1.1 407 No\r\n\r\n");
        return;
      }
      const onward = connectSocket(portOf(server), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
    });
    const good = openConnection({ ...connectionTo(server), proxyUrl: `http://me:pass@127.0.0.1:${portOf(proxy)}` });
    const bad = openConnection({ ...connectionTo(server), proxyUrl: `http://127.0.0.1:${portOf(proxy)}` });

    assert.equal(await text(await good.send({ method: "GET", path: "/" })), "through");
    assert.equal(asked[0], `127.0.0.1:${portOf(server)} Basic ${Buffer.from("me:pass").toString("base64")}`);
    await assert.rejects(
      bad.send({ method: "GET", path: "/" }),
      (error) =>
        error instanceof NetworkError &&
        error.cause instanceof ProxyError &&
        /with status 407/.test(error.cause.message),
    );
  });

  it("connects through a socks5 proxy", async () => {
    const server = await serve((_, response) => response.end("through"));
    const proxy = await serveTcp((socket) => {
      let step = 0;
      socket.on("data", (bytes: Buffer) => {
        step += 1;
        if (step === 1) socket.write(Buffer.from([5, 0]));
        else if (step === 2) {
          assert.equal(bytes.toString("latin1", 5, 5 + (bytes[4] ?? 0)), "127.0.0.1");
          socket.removeAllListeners("data");
          const onward = connectSocket(portOf(server), "127.0.0.1", () => {
            socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
            onward.pipe(socket).pipe(onward);
          });
        }
      });
    });
    const transport = openConnection({ ...connectionTo(server), proxyUrl: `socks5://127.0.0.1:${portOf(proxy)}` });

    assert.equal(await text(await transport.send({ method: "GET", path: "/" })), "through");
  });
});
