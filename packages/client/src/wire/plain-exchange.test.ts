import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, describe, it } from "node:test";
import { FakeClock, NetworkError } from "@homeostat/core";
import { closeServers, open, serve, serveTcp, textOf, until } from "../testing/servers.ts";

after(closeServers);

/** Starts a server that responds to every request without a body with the same bytes. */
async function respondingWith(bytes: string, then: (socket: Socket) => void = () => undefined) {
  let connections = 0;
  let closed = 0;
  const server = await serveTcp((socket) => {
    connections += 1;
    socket.on("close", () => (closed += 1));
    socket.on("data", () => {
      socket.write(bytes);
      then(socket);
    });
  });
  return { transport: open(server), connections: () => connections, closed: () => closed };
}

const request = { method: "POST", path: "/x" } as const;

describe("plainExchange", () => {
  it("reuses a connection after a chunked response, and not after Connection: close", async () => {
    const chunked = await respondingWith("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n");
    const closing = await respondingWith("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok");
    const ending = await respondingWith("HTTP/1.1 200 OK\r\n\r\nok", (socket) => socket.end());

    for (const { transport } of [chunked, closing, ending]) {
      for (let i = 0; i < 3; i += 1) assert.equal(await textOf(await transport.send(request)), "ok");
    }

    assert.equal(chunked.connections(), 1);
    assert.equal(closing.connections(), 3);
    assert.equal(ending.connections(), 3);
  });

  it("returns the whole body from takeWhole only if all of it has arrived", async () => {
    const { transport } = await respondingWith("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    const slow = await respondingWith("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok", (socket) =>
      setTimeout(() => socket.write("ok"), 20),
    );

    const { body } = await transport.send(request);
    const late = (await slow.transport.send(request)).body;

    assert.equal(Buffer.from(body.takeWhole?.() ?? []).toString(), "ok");
    assert.equal(body.takeWhole?.(), undefined, "it is read once");
    assert.equal(late.takeWhole?.(), undefined);
    assert.equal(await textOf({ status: 200, headers: {}, body: late }), "okok");
  });

  it("resolves with isWhole when the whole body has arrived", async () => {
    const slow = await respondingWith("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok", (socket) =>
      setTimeout(() => socket.write("ok"), 20),
    );
    const broken = await respondingWith("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok", (socket) => socket.end());
    const silent = await respondingWith("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok");

    const { body } = await slow.transport.send({ ...request, isWhole: true });

    assert.equal(Buffer.from(body.takeWhole?.() ?? []).toString(), "okok");
    const isUnknown = (error: unknown): boolean => error instanceof NetworkError && error.outcome === "unknown";
    await assert.rejects(broken.transport.send({ ...request, isWhole: true }), isUnknown);
    const isLate = silent.transport.send({ ...request, isWhole: true, timeouts: { idleMs: 20 } });
    await assert.rejects(isLate, isUnknown);
  });

  it("resolves with isWhole early for a very long body", async () => {
    const bytes = 2 * 1024 * 1024;
    const server = await serve((_, response) => void response.end(Buffer.alloc(bytes, "x")));

    const response = await open(server).send({ ...request, isWhole: true });

    assert.equal((await textOf(response)).length, bytes);
  });

  it("does not reuse a connection that was idle for a minute", async () => {
    const clock = new FakeClock();
    let connections = 0;
    const server = await serve((_, response) => void response.end("ok"));
    server.on("connection", () => (connections += 1));
    const transport = open(server, {}, { clock });
    const send = async (): Promise<string> => textOf(await transport.send(request));

    await send();
    await clock.advance(50_000);
    await send();
    const before = connections;
    await clock.advance(60_000);
    await send();

    assert.deepEqual([before, connections], [1, 2]);
  });

  it("does not reuse a connection that received unexpected data or was closed while it was idle", async () => {
    const talking = await respondingWith("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", (socket) => {
      setTimeout(() => socket.write("HTTP/1.1 408 Request Timeout\r\n\r\n"), 10);
    });
    const closed = await respondingWith("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", (socket) => {
      setTimeout(() => socket.destroy(), 10);
    });

    for (const { transport, closed: count } of [talking, closed]) {
      for (let i = 1; i <= 2; i += 1) {
        assert.equal(await textOf(await transport.send(request)), "ok");
        await until(() => count() === i);
        // Wait until the client has noticed it.
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }

    assert.equal(talking.connections(), 2);
    assert.equal(closed.connections(), 2);
  });

  it("names the request when the response violates HTTP, in the head or in the body", async () => {
    const early = await respondingWith("what?\r\n\r\n");
    const late = await respondingWith("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\nwhat?\r\n");

    await assert.rejects(early.transport.send(request), (error) => error instanceof NetworkError);
    await assert.rejects(
      (async () => textOf(await late.transport.send(request)))(),
      (error) => error instanceof NetworkError && error.outcome === "unknown" && error.message.includes("POST"),
    );
  });

  it("sends bodies of text and of bytes with their length", async () => {
    const received: (string | undefined)[] = [];
    const server = await serve((incoming, response) => {
      const pieces: Buffer[] = [];
      incoming.on("data", (piece: Buffer) => pieces.push(piece));
      incoming.on("end", () => {
        received.push(incoming.headers["content-length"], Buffer.concat(pieces).toString());
        response.end();
      });
    });
    const transport = open(server);
    const headers = { "impersonate-user": "j\u00f6rg" };

    await textOf(await transport.send({ ...request, body: "gr\u00fc\u00df \u{1f600}" }));
    await textOf(await transport.send({ ...request, body: "gr\u00fc\u00df", headers }));
    await textOf(await transport.send({ ...request, body: Buffer.from("bytes") }));
    await textOf(await transport.send(request));

    assert.deepEqual(received, ["11", "gr\u00fc\u00df \u{1f600}", "6", "gr\u00fc\u00df", "5", "bytes", "0", ""]);
  });

  it("pauses the connection while the body is not read, and keeps it reusable", async () => {
    const piece = Buffer.alloc(64 * 1024, "x");
    const bytes = 32 * 1024 * 1024;
    let written = 0;
    let connections = 0;
    const server = await serve((incoming, response) => {
      if (incoming.url?.endsWith("/small") === true) return response.end("ok");
      response.writeHead(200, { "content-length": bytes });
      const more = (): void => {
        while (written < bytes) {
          written += piece.length;
          if (!response.write(piece)) return void response.once("drain", more);
        }
        response.end();
      };
      return more();
    });
    server.on("connection", () => (connections += 1));
    const transport = open(server);

    const response = await transport.send({ method: "GET", path: "/large" });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const writtenBefore = written;
    let read = 0;
    for await (const part of response.body) read += part.length;
    await textOf(await transport.send({ method: "GET", path: "/small" }));

    assert.ok(writtenBefore < bytes, "the server had to wait");
    assert.equal(read, bytes);
    assert.equal(connections, 1);
  });

  it("closes the connection of a large canceled body, and keeps that of a small one", async () => {
    let connections = 0;
    let finished = 0;
    const server = await serve((incoming, response) => {
      response.on("finish", () => (finished += 1));
      const length = incoming.url?.endsWith("/large") === true ? 10_000_000 : 10;
      response.writeHead(200, { "content-length": length }).write("x");
      if (length === 10) setTimeout(() => response.end("x".repeat(9)), 10);
      else response.write(Buffer.alloc(1_000_000));
    });
    server.on("connection", (socket) => {
      connections += 1;
      socket.on("close", () => (connections -= 1));
    });
    const transport = open(server);

    (await transport.send({ method: "GET", path: "/small" })).body.cancel();
    await until(() => finished === 1);
    // The rest of the body is in the socket now, and the event loop reads it before this timer fires.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const afterSmall = connections;
    (await transport.send({ method: "GET", path: "/large" })).body.cancel();

    assert.equal(afterSmall, 1);
    await until(() => connections === 0);
  });
});
