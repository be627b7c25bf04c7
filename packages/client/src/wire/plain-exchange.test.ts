import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { describe, it } from "node:test";
import { FakeClock, NetworkError } from "@homeostat/core";
import { open, serve, serveTcp, textOf, until } from "../fixtures/servers.fixture.test.ts";

/** A server that answers every request, which has no body, with the same bytes. */
async function saying(answer: string, then: (socket: Socket) => void = () => undefined) {
  let connections = 0;
  let closed = 0;
  const server = await serveTcp((socket) => {
    connections += 1;
    socket.on("close", () => (closed += 1));
    socket.on("data", () => {
      socket.write(answer);
      then(socket);
    });
  });
  return { transport: open(server), connections: () => connections, closed: () => closed };
}

const request = { method: "POST", path: "/x" } as const;

describe("requests over plain connections", () => {
  it("use a connection again after an answer in chunks, and not after one that says so", async () => {
    const chunked = await saying("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n");
    const closing = await saying("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok");
    const ending = await saying("HTTP/1.1 200 OK\r\n\r\nok", (socket) => socket.end());

    for (const { transport } of [chunked, closing, ending]) {
      for (let i = 0; i < 3; i += 1) assert.equal(await textOf(await transport.send(request)), "ok");
    }

    assert.equal(chunked.connections(), 1);
    assert.equal(closing.connections(), 3);
    assert.equal(ending.connections(), 3);
  });

  it("give the whole body at once when it is there, and only then", async () => {
    const { transport } = await saying("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    const slow = await saying("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok", (socket) =>
      setTimeout(() => socket.write("ok"), 20),
    );

    const { body } = await transport.send(request);
    const late = (await slow.transport.send(request)).body;

    assert.equal(Buffer.from(body.takeWhole?.() ?? []).toString(), "ok");
    assert.equal(body.takeWhole?.(), undefined, "it is read once");
    assert.equal(late.takeWhole?.(), undefined);
    assert.equal(await textOf({ status: 200, headers: {}, body: late }), "okok");
  });

  it("hand an answer over when it is whole, if a part of it is of no use", async () => {
    const slow = await saying("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok", (socket) =>
      setTimeout(() => socket.write("ok"), 20),
    );
    const broken = await saying("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok", (socket) => socket.end());
    const silent = await saying("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok");

    const { body } = await slow.transport.send({ ...request, isWhole: true });

    assert.equal(Buffer.from(body.takeWhole?.() ?? []).toString(), "okok");
    const isUnknown = (error: unknown): boolean => error instanceof NetworkError && error.outcome === "unknown";
    await assert.rejects(broken.transport.send({ ...request, isWhole: true }), isUnknown);
    const isLate = silent.transport.send({ ...request, isWhole: true, timeouts: { idleMs: 20 } });
    await assert.rejects(isLate, isUnknown);
  });

  it("hand over what is too long to wait for, and the rest as it comes", async () => {
    const bytes = 2 * 1024 * 1024;
    const server = await serve((_, response) => void response.end(Buffer.alloc(bytes, "x")));

    const response = await open(server).send({ ...request, isWhole: true });

    assert.equal((await textOf(response)).length, bytes);
  });

  it("do not use a connection that nobody has used for a minute", async () => {
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

  it("do not use a connection that said something unasked, or was closed while it was idle", async () => {
    const talking = await saying("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", (socket) => {
      setTimeout(() => socket.write("HTTP/1.1 408 Request Timeout\r\n\r\n"), 10);
    });
    const closed = await saying("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", (socket) => {
      setTimeout(() => socket.destroy(), 10);
    });

    for (const { transport, closed: count } of [talking, closed]) {
      for (let i = 1; i <= 2; i += 1) {
        assert.equal(await textOf(await transport.send(request)), "ok");
        await until(() => count() === i);
        // The news has to arrive here, too.
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }

    assert.equal(talking.connections(), 2);
    assert.equal(closed.connections(), 2);
  });

  it("name the request when the answer is no HTTP, before or in the body", async () => {
    const early = await saying("what?\r\n\r\n");
    const late = await saying("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\nwhat?\r\n");

    await assert.rejects(early.transport.send(request), (error) => error instanceof NetworkError);
    await assert.rejects(
      (async () => textOf(await late.transport.send(request)))(),
      (error) => error instanceof NetworkError && error.outcome === "unknown" && error.message.includes("POST"),
    );
  });

  it("carry bodies of text and of bytes, whatever is in them, and say how long they are", async () => {
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

  it("hold the server back while nobody reads, and leave the connection usable when somebody has", async () => {
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

  it("close the connection of a large answer that is given up, and keep that of a small one", async () => {
    let connections = 0;
    const server = await serve((incoming, response) => {
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
    await new Promise((resolve) => setTimeout(resolve, 50));
    const afterSmall = connections;
    (await transport.send({ method: "GET", path: "/large" })).body.cancel();

    assert.equal(afterSmall, 1);
    await until(() => connections === 0);
  });
});
