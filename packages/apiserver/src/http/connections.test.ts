import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { describe, it } from "node:test";
import { ConnectionLimiter, FakeClock, nextTurn } from "@homeostat/core";
import type { Handler } from "./handler.ts";
import { withTestServer } from "../testing/http-server.ts";
import { connectionsMaxDefault } from "./server.ts";

const echo: Handler = async (request) => ({ status: 200, body: String((await request.body()).length) });

async function openIdle(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at += 1) {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.on("error", () => undefined);
    sockets.push(socket);
    await once(socket, "connect");
  }
  return sockets;
}

describe("connections of an API server", () => {
  it("are 10,000 by default", () => {
    const closed: number[] = [];
    const limits = { totalMax: connectionsMaxDefault, perAddressMax: connectionsMaxDefault, requestMsMax: Infinity };
    const limiter = new ConnectionLimiter({ ...limits, clock: new FakeClock() });
    const open = (remotePort: number): number[] => {
      const destroy = (): void => void closed.push(remotePort);
      limiter.open({ remoteAddress: "a", remotePort, destroy, once: () => undefined });
      return [...closed];
    };

    for (let port = 1; port <= 9_999; port += 1) assert.deepEqual(open(port), []);

    assert.deepEqual([open(10_000), open(10_001)], [[], [1]]);
  });

  it("close the longest idle one when more clients are idle than allowed, and serve requests", async () => {
    await withTestServer(echo, { connectionsMax: 20 }, async (api) => {
      const sockets = await openIdle(api.port, 100);

      const { status } = await api.send("/api/v1/pods");

      assert.equal(status, 200);
      for (const socket of sockets) socket.destroy();
    });
  });

  it("are kept while they have a running request, with both protocols", async () => {
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const waiting = { count: 0 };
    const slow: Handler = async () => {
      waiting.count += 1;
      await finished;
      return { status: 200, body: "done" };
    };
    await withTestServer(slow, { connectionsMax: 20 }, async (api) => {
      const first = api.send("/api/v1/pods");
      const session = connectHttp2(`https://127.0.0.1:${api.port}`, { ca: api.ca });
      const stream = session.request({ ":path": "/api/v1/pods" });
      let text = "";
      stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
      const ended = once(stream, "end");
      while (waiting.count < 2) await nextTurn();

      const sockets = await openIdle(api.port, 100);
      finish();
      await ended;

      assert.equal((await first).text, "done");
      assert.equal(text, "done");
      session.destroy();
      for (const socket of sockets) socket.destroy();
    });
  });
});
