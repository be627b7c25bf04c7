import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, it } from "node:test";
import { ConnectionLimiter, FakeClock } from "@homeostat/core";
import type { Check } from "./check.ts";
import { healthRoutes } from "./health-routes.ts";
import { connectionLimits, type HttpServer, serveHttp } from "./http-server.ts";
import { type Route, textResponse } from "./route.ts";

const fine: Check = { name: "ping", problem: () => undefined };
const health = healthRoutes({ live: () => [fine], ready: () => [fine] });

function serve(routes: readonly Route[], clock?: FakeClock): Promise<HttpServer> {
  return serveHttp({ port: 0, host: "0.0.0.0", routes, clock, onError: () => undefined });
}

/** Client connections, all closed at the end of the test. */
class Clients {
  readonly sockets: Socket[] = [];

  async open({ port }: HttpServer, from: string, bytes = ""): Promise<Socket> {
    const socket = connect({ port, host: "127.0.0.1", localAddress: from });
    this.sockets.push(socket);
    socket.on("error", () => undefined);
    await once(socket, "connect");
    if (bytes !== "") socket.write(bytes);
    return socket;
  }

  [Symbol.dispose](): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

/** Sends a probe as the kubelet does, on a connection of its own, and returns the status line. */
async function probe(server: HttpServer, from: string, clients: Clients): Promise<string> {
  const socket = await clients.open(server, from, "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  await once(socket, "close");
  return text.split("\r\n", 1)[0] ?? "";
}

describe("connections of the HTTP server", () => {
  it("are 200, and 100 of one address", () => {
    const closed: string[] = [];
    const limiter = new ConnectionLimiter({ ...connectionLimits, requestMsMax: Infinity, clock: new FakeClock() });
    const evicted = (address: string, from: number, to: number): string[] => {
      closed.length = 0;
      for (let remotePort = from; remotePort <= to; remotePort += 1) {
        const destroy = (): void => void closed.push(`${address}${remotePort}`);
        limiter.open({ remoteAddress: address, remotePort, destroy, once: () => undefined });
      }
      return [...closed];
    };

    assert.deepEqual([evicted("a", 1, 99), evicted("a", 100, 100), evicted("a", 101, 101)], [[], [], ["a1"]]);
    assert.deepEqual([evicted("b", 1, 50), evicted("c", 1, 50), evicted("d", 1, 1).length], [[], [], 1]);
  });

  it("responds to probes while 1,000 connections from one address are idle or slow", async () => {
    await using server = await serve(health);
    using clients = new Clients();
    for (let count = 0; count < 1_000; count += 1) {
      const kind = count % 3;
      const bytes =
        kind === 0 ? "" : kind === 1 ? "GET /readyz HTTP/1.1\r\nHo" : "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
      await clients.open(server, "127.0.0.1", bytes);
    }

    const other = await probe(server, "127.0.0.2", clients);
    const same = await probe(server, "127.0.0.1", clients);

    assert.deepEqual([other, same], ["HTTP/1.1 200 OK", "HTTP/1.1 200 OK"]);
  });

  it("keeps the idle connection of another address during a flood", async () => {
    await using server = await serve(health);
    using clients = new Clients();
    const kept = await clients.open(server, "127.0.0.2");
    for (let count = 0; count < 400; count += 1) await clients.open(server, `127.0.0.${3 + (count % 4)}`);

    kept.write("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n");
    const [chunk] = await once(kept, "data");

    assert.match(String(chunk), /^HTTP\/1\.1 200 OK/);
  });

  it("never closes a connection with a request in flight to accept another", async () => {
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    let count = 0;
    let started = (): void => undefined;
    const allStarted = new Promise<void>((resolve) => (started = resolve));
    const slow: Route = {
      path: "/slow",
      async respond() {
        if ((count += 1) === 50) started();
        await finished;
        return textResponse(200, "done");
      },
    };
    await using server = await serve([...health, slow]);
    using clients = new Clients();
    const request = "GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    const waiting = await Promise.all(Array.from({ length: 50 }, () => clients.open(server, "127.0.0.1", request)));
    await allStarted;
    for (let idle = 0; idle < 500; idle += 1) await clients.open(server, "127.0.0.1");

    const status = await probe(server, "127.0.0.1", clients);
    const texts = waiting.map(async (socket) => {
      let text = "";
      socket.on("data", (chunk) => (text += chunk.toString("latin1")));
      await once(socket, "close");
      return text;
    });
    finish();

    assert.equal(status, "HTTP/1.1 200 OK");
    for (const text of await Promise.all(texts)) assert.match(text, /^HTTP\/1\.1 200 OK[^]*done\n$/);
  });

  it("closes the connection of a request that misses its deadline", async () => {
    const clock = new FakeClock();
    let started = (): void => undefined;
    const hasStarted = new Promise<void>((resolve) => (started = resolve));
    let aborted: AbortSignal | undefined;
    const stuck: Route = {
      path: "/stuck",
      respond: ({ signal }) => {
        aborted = signal;
        started();
        return new Promise(() => undefined);
      },
    };
    await using server = await serve([stuck], clock);
    using clients = new Clients();
    const socket = await clients.open(server, "127.0.0.1", "GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n");
    await hasStarted;

    await clock.advance(29_999);
    assert.equal(aborted?.aborted, false);
    await clock.advance(1);
    await once(socket, "close");

    assert.equal(aborted?.aborted, true);
    assert.equal(clock.pending, 0);
  });
});
