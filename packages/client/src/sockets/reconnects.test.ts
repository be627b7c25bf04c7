import assert from "node:assert/strict";
import type { Server } from "node:http";
import { after, describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { FakeClock, NetworkError } from "@homeostat/core";
import { Client } from "../client.ts";
import { Widget, widget } from "../testing/kinds.ts";
import { closeServers, open, serve, until } from "../testing/servers.ts";

after(closeServers);

const event = `${JSON.stringify({ type: "ADDED", object: widget() })}\n`;

/** Number of watches after those that warm up. `--full` runs 8000; see docs/internals/testing.md. */
const watchCount = Number(process.env["HOMEOSTAT_WATCHES"] ?? 8000);
const warmUpCount = 2000;

describe("repeated watches", () => {
  it("leak neither connections nor memory, however they end", async () => {
    let connections = 0;
    let watches = 0;
    const server = await serve((request, response) => {
      watches += 1;
      response.write(event);
      if (request.url?.includes("ends") === true) response.end();
      else if (request.url?.includes("breaks") === true) request.socket.destroySoon();
    });
    server.on("connection", (socket) => {
      connections += 1;
      socket.on("close", () => (connections -= 1));
    });
    const transport = open(server);
    const client = new Client(transport);
    const controller = new AbortController();
    const watchOnce = async (labelSelector: string): Promise<void> => {
      try {
        for await (const _ of client.watch(Widget, { labelSelector, signal: controller.signal })) {
          if (labelSelector === "left") break;
        }
      } catch (error) {
        assert.ok(labelSelector === "breaks" && error instanceof NetworkError, String(error));
      }
    };
    const round = async (count: number): Promise<number> => {
      const lanes = Array.from({ length: 8 }, async () => {
        for (let n = 0; n < count / 8; n += 1) await watchOnce(["ends", "breaks", "left"][n % 3] ?? "");
      });
      await Promise.all(lanes);
      return heapUsed();
    };

    const before = await round(warmUpCount);
    const after = await round(watchCount);

    assert.equal(watches, warmUpCount + watchCount);
    // A leak keeps at least a few hundred bytes of each watch.
    assert.ok(after - before < watchCount * 250, `the heap grew by ${after - before} bytes`);
    await until(() => connections <= 8);
    assert.equal(openRequests(), 0, "only idle connections are left");
    transport.close();
    await until(() => connections === 0);
    assert.ok(listenersOf(controller.signal) <= 1, "all requests share one listener");
  });

  it("time out with idleMs when the peer has disappeared", async () => {
    const clock = new FakeClock();
    let reached = 0;
    const server: Server = await serve((_, response) => {
      reached += 1;
      response.write(event);
    });
    const client = new Client(open(server, {}, { clock }), { clock });
    const seen: string[] = [];

    const watching = (async () => {
      for await (const { type } of client.watch(Widget, { idleMs: 90_000 })) seen.push(type);
    })();
    watching.catch(() => undefined);
    await until(() => seen.length === 1);
    await clock.advance(89_999);
    const isAlive = await Promise.race([watching.then(() => false), Promise.resolve(true)]);
    await clock.advance(1);

    assert.ok(isAlive);
    await assert.rejects(watching, (error) => error instanceof NetworkError && error.retryable);
    assert.equal(reached, 1);
    await until(() => clock.pending === 0);
  });

  it("survive ten silent minutes, and receive later events", async () => {
    const clock = new FakeClock();
    let say: (() => void) | undefined;
    const server = await serve((_, response) => {
      response.writeHead(200).flushHeaders();
      say = () => void response.write(event);
    });
    const client = new Client(open(server, {}, { clock }), { clock });

    const events = client.watch(Widget);
    const first = events.next();
    await until(() => say !== undefined && clock.pending === 0);
    await clock.advance(10 * 60_000);
    say?.();

    assert.equal((await first).value?.type, "ADDED");
    await events.return?.();
    assert.equal(clock.pending, 0);
  });

  it("apply backpressure when the reader is slow", async () => {
    const bytesMax = 64 * 1024 * 1024;
    let written = 0;
    let isHeldBack = false;
    const server = await serve(async (request, response) => {
      const piece = event.repeat(200);
      request.socket.on("close", () => (isHeldBack = true));
      while (written < bytesMax && !isHeldBack) {
        written += piece.length;
        if (!response.write(piece)) {
          const drained = new Promise<boolean>((resolve) => response.once("drain", () => resolve(true)));
          const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 200));
          isHeldBack = !(await Promise.race([drained, late]));
        }
      }
    });
    const client = new Client(open(server));

    const events = client.watch(Widget);
    await events.next();
    await until(() => isHeldBack || written >= bytesMax);

    assert.ok(written < bytesMax, "the server had to wait for the reader");
    await events.return?.();
  });
});

/** Returns the memory in use after a garbage collection. */
function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let i = 0; i < 3; i += 1) collect();
  return process.memoryUsage().heapUsed;
}

/** Returns the requests that keep the process alive. */
function openRequests(): number {
  return process.getActiveResourcesInfo().filter((name) => /^(?:HTTPCLIENTREQUEST|TCPConnectWrap)$/i.test(name)).length;
}

function listenersOf(signal: AbortSignal): number {
  const symbol = Object.getOwnPropertySymbols(signal).find((each) => each.description === "kEvents");
  const events = symbol === undefined ? undefined : (Reflect.get(signal, symbol) as Map<string, { size?: number }>);
  return events?.get("abort")?.size ?? 0;
}
