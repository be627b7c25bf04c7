import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, Socket } from "node:net";
import { describe, it } from "node:test";
import { MemorySocket } from "../testing/memory-socket.ts";
import { type Stand, startStand } from "../testing/stand.ts";
import { directReads, keepBytes, takeReads } from "./direct-reads.ts";

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );
}

describe("takeReads", () => {
  it("receives the bytes and the end of an accepted socket, which its server counts until it is closed", async () => {
    const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
    const [accepted] = (await once(server, "connection")) as [Socket];
    const texts: string[] = [];
    const socket = takeReads(accepted, { receive: (bytes) => void texts.push(bytes.toString("latin1")) });
    assert.ok(socket);

    client.end("hello");
    await once(socket, "end");
    assert.equal(texts.join(""), "hello");
    assert.equal(socket.remoteAddress, "127.0.0.1");
    assert.equal(await connectionsOf(server), 1);

    socket.end("bye");
    const [answer] = (await once(client, "data")) as [Buffer];
    assert.equal(answer.toString(), "bye");
    if (!accepted.closed) await once(accepted, "close");
    assert.equal(await connectionsOf(server), 0);
    server.close();
    await once(server, "close");
  });

  it("leaves a socket alone that cannot read into a given buffer", () => {
    const fail = (): never => assert.fail("no bytes expected");
    assert.equal(takeReads(new MemorySocket(), { receive: fail }), undefined);
    assert.equal(takeReads(new Socket(), { receive: fail }), undefined);
  });
});

describe("keepBytes", () => {
  it("copies bytes of the shared buffer, and no others", () => {
    const own = Buffer.from("own");
    let kept: Buffer = Buffer.alloc(0);
    const reads = directReads({ receive: (bytes) => void (kept = keepBytes(bytes)) });
    const { buffer } = reads;
    assert.ok(buffer instanceof Uint8Array);
    buffer.set(Buffer.from("shared"));
    reads.callback(6, buffer);
    buffer.fill(0, 0, 6);

    assert.equal(kept.toString(), "shared");
    assert.equal(keepBytes(own), own);
  });
});

/** Returns a connection after its first request, whose bytes the listener has read to tell the protocol. */
async function used(stand: Stand): ReturnType<Stand["exchange"]> {
  const exchange = await stand.exchange("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  exchange.upstream.send("HTTP/1.1 204 No Content\r\n\r\n");
  await exchange.client.until("\r\n\r\n");
  return exchange;
}

describe("Connections that read into one buffer", () => {
  const mib = 1024 * 1024;

  it("keep the body of a request that the upstream reads slowly, while others send", async () => {
    await using stand = await startStand();
    const length = 16 * mib;
    const slow = await stand.exchange(`PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`);
    slow.upstream.socket.removeAllListeners("data");
    slow.upstream.socket.pause();
    slow.client.socket.write(Buffer.alloc(length, "s"));
    const fast = await stand.exchange(`PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`);
    fast.client.socket.write(Buffer.alloc(length, "f"));
    const others = new Set<number>();
    let received = 0;
    const read = (wanted: string, socket: Socket): Promise<void> =>
      new Promise((resolve) => {
        received = 0;
        socket.removeAllListeners("data");
        socket.on("data", (part: Buffer) => {
          for (const byte of part) if (byte !== wanted.charCodeAt(0)) others.add(byte);
          received += part.length;
          if (received === length) resolve();
        });
        socket.resume();
      });
    await read("f", fast.upstream.socket);
    await read("s", slow.upstream.socket);

    assert.deepEqual([...others], []);
  });

  it("keep a request that waits for the response to the one before it", async () => {
    await using stand = await startStand();
    const first = await used(stand);
    first.client.send("GET /1 HTTP/1.1\r\nhost: a\r\n\r\nGET /2 HTTP/1.1\r\nhost: waits\r\n\r\n");
    await first.upstream.until("\r\n\r\n");
    await stand.exchange("GET /other HTTP/1.1\r\nhost: overwrites-the-buffer\r\nx-long: 0123456789\r\n\r\n");
    first.upstream.send("HTTP/1.1 204 No Content\r\n\r\n");

    assert.match(await first.upstream.until("\r\n\r\n"), /^GET \/2 HTTP\/1\.1\r\nhost: waits\r\n/);
  });

  it("keep the first bytes of a body until the upstream is connected", async () => {
    let ready = (): void => undefined;
    const isReady = new Promise<void>((resolve) => (ready = resolve));
    await using stand = await startStand({
      plan: (request, forward) => {
        const wait = async () => {
          await isReady;
          return forward;
        };
        return request.path === "/held"
          ? { type: "hold", destination: forward.destination, workload: "", wait }
          : forward;
      },
    });
    const { client, upstream } = await used(stand);
    client.send("PUT /held HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nfirst 9 b");
    const other = await stand.connect();
    other.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    await upstream.until("\r\n\r\n");
    upstream.send("HTTP/1.1 204 No Content\r\n\r\n");
    await other.until("\r\n\r\n");
    other.send("GET /other HTTP/1.1\r\nhost: overwrites-the-buffer\r\nx-long: 0123456789\r\n\r\n");
    await upstream.until("0123456789");
    ready();

    assert.match(await (await stand.upstream.next()).until("first 9 b"), /^PUT \/held /);
  });

  it("keep what an upgraded connection sends, before and after the upstream has agreed, while others send", async () => {
    await using stand = await startStand();
    const { client, upstream } = await used(stand);
    client.send("GET /ws HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
    await upstream.until("\r\n\r\n");
    client.send("early ");
    const other = await stand.exchange("GET /other HTTP/1.1\r\nhost: overwrites-the-buffer\r\n\r\n");
    upstream.send("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
    await client.until("\r\n\r\n");
    assert.equal(await upstream.until("early "), "early ");

    // More than the buffers of the sockets hold, so that a part of it waits in the proxy.
    const length = 16 * mib;
    upstream.socket.removeAllListeners("data");
    upstream.socket.pause();
    client.socket.write(Buffer.alloc(length, "w"));
    const body = await stand.exchange(`PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: ${mib}\r\n\r\n`);
    body.client.socket.write(Buffer.alloc(mib, "o"));
    await body.upstream.until("o".repeat(mib));
    const counts = new Map<number, number>();
    await new Promise<void>((resolve) => {
      upstream.socket.on("data", (part: Buffer) => {
        for (const byte of part) counts.set(byte, (counts.get(byte) ?? 0) + 1);
        if ((counts.get("w".charCodeAt(0)) ?? 0) === length || counts.size > 1) resolve();
      });
      upstream.socket.resume();
    });

    assert.deepEqual([...counts], [["w".charCodeAt(0), length]]);
    other.client.socket.destroy();
  });

  it("serve a request whose client has closed its side in the same moment, and the next client", async () => {
    await using stand = await startStand();
    const { client, upstream } = await used(stand);
    client.socket.end("PUT /half HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nabcd");
    await client.untilEnd();
    await upstream.untilEnd();
    const next = await stand.exchange("GET /next HTTP/1.1\r\nhost: a\r\n\r\n");

    assert.match(next.head, /^GET \/next /);
    assert.deepEqual(stand.failures, ["client_gone"]);
  });
});
