import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { describe, it } from "node:test";
import { bodyOf, Loopback } from "../testing/loopback.ts";
import { forwardTo, respondWith } from "../testing/plans.ts";
import { connected } from "../testing/wire.ts";

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function post(port: number, body: string, path = "/cart"): Promise<IncomingMessage> {
  const outgoing = httpRequest({ host: "127.0.0.1", port, method: "POST", path, agent: false });
  outgoing.end(body);
  const [message] = await once(outgoing, "response");
  return message as IncomingMessage;
}

async function respond(stream: ServerHttp2Stream, path: string): Promise<void> {
  const body = await bodyOf(stream);
  stream.respond({ ":status": 201, "x-path": path }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "x-checksum": "7" }));
  stream.end(`<${body.toString()}>`);
}

describe("SafeEngine: HTTP/1.1", () => {
  it("translates requests of HTTP/1.1 to an upstream of HTTP/2, with trailers", async () => {
    await using proxy = await new Loopback({
      engine: "safe",
      onStream: (stream, headers) => void respond(stream, String(headers[":path"])),
    }).start();

    const message = await post(proxy.port, "hello");
    const text = await textOf(message);

    assert.equal(message.statusCode, 201);
    assert.equal(message.headers["x-path"], "/cart");
    assert.equal(text, "<hello>");
    assert.equal(message.trailers["x-checksum"], "7");
  });

  it("forwards pipelined requests one after the other", async () => {
    const begun: string[] = [];
    const seenByFirst: string[] = [];
    const serve = async (stream: ServerHttp2Stream, path: string): Promise<void> => {
      begun.push(path);
      await bodyOf(stream);
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      if (path === "/first") seenByFirst.push(...begun);
      stream.respond({ ":status": 200 }, { endStream: true });
    };
    await using proxy = await new Loopback({
      engine: "safe",
      onStream: (stream, headers) => void serve(stream, String(headers[":path"])),
    }).start();
    const client = await connected(connect(proxy.port, "127.0.0.1"));

    client.send("POST /first HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nok");
    client.send("GET /second HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    const received = await client.untilEnd();

    assert.equal(received.match(/HTTP\/1\.1 200/g)?.length, 2);
    assert.deepEqual([seenByFirst, begun], [["/first"], ["/first", "/second"]]);
  });

  it("refuses requests with several hosts with 400, and closes the connection", async () => {
    const seen: unknown[] = [];
    await using proxy = await new Loopback({ engine: "safe", onStream: () => seen.push("request") }).start();

    for (const more of ["", "connection: upgrade\r\nupgrade: websocket\r\n"]) {
      const client = await connected(connect(proxy.port, "127.0.0.1"));
      client.send(`GET / HTTP/1.1\r\nhost: a\r\nHost: b\r\n${more}\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n`);

      assert.match(
        await client.untilEnd(),
        /^HTTP\/1\.1 400 [^]*connection: close[^]*exactly one valid Host header\.\n$/i,
      );
    }
    assert.deepEqual(seen, []);
  });

  it("forwards a request to switch to HTTP/2 as a plain one", async () => {
    const seen: unknown[] = [];
    await using proxy = await new Loopback({
      engine: "safe",
      onStream: (stream, headers) => {
        seen.push([headers[":path"], headers["x-a"], headers["upgrade"], headers["http2-settings"]]);
        stream.respond({ ":status": 200 }, { endStream: true });
      },
    }).start();
    const client = await connected(connect(proxy.port, "127.0.0.1"));

    client.send(
      "GET /first HTTP/1.1\r\nhost: a\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMA\r\nx-a: 1\r\n\r\n",
    );
    await client.until("\r\n\r\n");
    client.send("GET /second HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");

    assert.match(await client.untilEnd(), /^(?:0\r\n\r\n)?HTTP\/1\.1 200/);
    assert.deepEqual(seen, [
      ["/first", "1", undefined, undefined],
      ["/second", undefined, undefined, undefined],
    ]);
  });

  it("forwards requests and switches of protocol to an upstream of HTTP/1.1", async () => {
    const upstream = createServer((message, response) => {
      void textOf(message).then((text) => response.end(`${message.headers["via"]} ${text}`));
    });
    upstream.on("upgrade", (message, socket) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: ${message.headers.upgrade}\r\nconnection: upgrade\r\n\r\n`,
      );
      socket.pipe(socket);
    });
    upstream.listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const target = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    await using proxy = await new Loopback({
      engine: "safe",
      onStream: (stream) => stream.close(),
      route: (request) =>
        forwardTo([target], request.path, {
          upstreamProtocol: "http1",
          edits: { remove: [], set: [["via", "1.1 sandbox-proxy"]] },
        }),
    }).start();

    assert.equal(await textOf(await post(proxy.port, "body")), "1.1 sandbox-proxy body");
    const socket = connect(proxy.port, "127.0.0.1");
    socket.write("GET /ws HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n");
    let received = "";
    socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
    while (!received.includes("\r\n\r\n")) await once(socket, "data");
    socket.write("ping");
    while (!received.endsWith("ping")) await once(socket, "data");

    assert.match(received, /^HTTP\/1\.1 101 /);
    socket.destroy();
    upstream.closeAllConnections();
    upstream.close();
    await once(upstream, "close");
  });

  it("responds itself, and with 502 if no target can be reached", async () => {
    await using proxy = await new Loopback({
      engine: "safe",
      onStream: (stream) => stream.close(),
      route: (request) =>
        request.path === "/cart" ? respondWith() : forwardTo(["127.0.0.1:1"], "/", { upstreamProtocol: "http1" }),
    }).start();

    const own = await post(proxy.port, "x");
    const unreachable = await post(proxy.port, "x", "/other");

    assert.equal(own.statusCode, 503);
    assert.equal(await textOf(own), "Workload cart is unavailable.\n");
    assert.equal(unreachable.statusCode, 502);
    await textOf(unreachable);
  });

  it("refuses to switch protocols if the upstream speaks HTTP/2 only", async () => {
    await using proxy = await new Loopback({ engine: "safe", onStream: (stream) => stream.close() }).start();
    const outgoing = httpRequest({
      host: "127.0.0.1",
      port: proxy.port,
      agent: false,
      headers: { connection: "upgrade", upgrade: "websocket" },
    });
    outgoing.end();

    const [message] = (await once(outgoing, "response")) as [IncomingMessage];

    assert.equal(message.statusCode, 501);
    assert.match(await textOf(message), /^The upstream speaks HTTP\/2 only\. Open the WebSocket by extended CONNECT/);
  });
});
