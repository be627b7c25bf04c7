// Every limit of both engines, the listeners and held requests just below, at and above its value. Time limits are checked at intervals: they end a wait not before their time, and at
// most one interval after it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import {
  clientHello,
  dataFrame,
  fieldsOf,
  getRequest,
  headersFrame,
  settingsAck,
  type TestFields,
} from "../testing/frames.ts";
import { MemorySocket } from "../testing/memory-socket.ts";
import { MemoryEngine, type RawPeer, turn } from "../testing/memory-engine.ts";
import { type Stand, startStand } from "../testing/stand.ts";
import { frameTypes, preface } from "../http2/protocol.ts";
import { Holds } from "../router/holds.ts";
import { respondWith } from "../testing/plans.ts";
import type { ProxyLimits } from "./limits.ts";

const get = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const limitMs = 5_000;
/** Interval of the checks of time limits, of the slower engine. */
const intervalMs = 500;

/** Connections to upstreams that are never established. */
const stuck: MemorySocket[] = [];

function neverConnected(): MemorySocket {
  const socket = new MemorySocket();
  stuck.push(socket);
  return socket;
}

/** A wait that a limit ends. */
interface Wait {
  readonly limit: keyof ProxyLimits;
  /** Opens connections to upstreams. Default: TCP. */
  readonly connect?: typeof neverConnected;
  /** Begins the wait, and returns whether it was ended. */
  readonly http1: (stand: Stand) => Promise<() => boolean>;
  readonly http2: (engine: MemoryEngine) => Promise<() => boolean>;
}

function statusOf(client: RawPeer, id = 1): string | undefined {
  return fieldsOf(client.of(frameTypes.headers, id)[0]?.payload ?? Buffer.alloc(0))[":status"];
}

/** Sends a request and the whole response, and returns both ends. */
async function answeredHttp2(engine: MemoryEngine): Promise<{ client: RawPeer; upstream: RawPeer }> {
  const client = await engine.client();
  await client.send(headersFrame(1, getRequest));
  const upstream = engine.upstream();
  await upstream.send(headersFrame(1, [[":status", "200"]]));
  assert.equal(statusOf(client), "200");
  return { client, upstream };
}

const waits: readonly Wait[] = [
  {
    limit: "connectMs",
    connect: neverConnected,
    http1: async (stand) => {
      const client = await stand.connect();
      client.send(get);
      const before = stuck.length;
      await settled(() => stuck.length > before);
      return () => stuck[before]?.destroyed === true;
    },
    http2: async (engine) => {
      engine.isConnectStuck = true;
      const client = await engine.client();
      await client.send(headersFrame(1, getRequest));
      return () => engine.stuck[0]?.destroyed === true;
    },
  },
  {
    limit: "requestHeadMs",
    http1: async (stand) => {
      const client = await stand.connect();
      client.send("GET / HTT");
      await settled(() => stand.engine.size === 1);
      return () => client.received.startsWith("HTTP/1.1 408 ");
    },
    http2: async (engine) => {
      const client = await engine.client(preface);
      return () => client.goawayCode !== undefined;
    },
  },
  {
    limit: "responseHeadMs",
    http1: async (stand) => {
      const { client } = await stand.exchange(get);
      return () => client.received.startsWith("HTTP/1.1 504 ");
    },
    http2: async (engine) => {
      const client = await engine.client();
      await client.send(headersFrame(1, getRequest));
      return () => statusOf(client) === "504";
    },
  },
  {
    limit: "streamIdleMs",
    http1: async (stand) => {
      const { client, upstream } = await stand.exchange(get);
      upstream.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\npart");
      await client.until("part");
      return () => client.isClosed;
    },
    http2: async (engine) => {
      const client = await engine.client();
      await client.send(headersFrame(1, getRequest));
      await engine
        .upstream()
        .send(headersFrame(1, [[":status", "200"]], { isEnd: false }), dataFrame(1, "part", { isEnd: false }));
      return () => client.resetCode(1) !== undefined;
    },
  },
  {
    limit: "longStreamIdleMs",
    http1: async (stand) => {
      const { client, upstream } = await stand.exchange(get);
      upstream.send(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n",
      );
      await client.until("x\r\n");
      return () => client.isClosed;
    },
    http2: async (engine) => {
      const client = await engine.client();
      await client.send(headersFrame(1, getRequest));
      const head: TestFields = [
        [":status", "200"],
        ["content-type", "text/event-stream"],
      ];
      await engine.upstream().send(headersFrame(1, head, { isEnd: false }), dataFrame(1, "x", { isEnd: false }));
      return () => client.resetCode(1) !== undefined;
    },
  },
  {
    limit: "clientKeepAliveMs",
    http1: async (stand) => {
      const { client, upstream } = await stand.exchange(get);
      upstream.send(ok);
      await client.until("ok");
      return () => client.isEnded || client.isClosed;
    },
    http2: async (engine) => {
      const { client } = await answeredHttp2(engine);
      return () => client.goawayCode !== undefined;
    },
  },
  {
    limit: "upstreamKeepAliveMs",
    http1: async (stand) => {
      const { client, upstream } = await stand.exchange(get);
      upstream.send(ok);
      await client.until("ok");
      return () => upstream.isEnded || upstream.isClosed;
    },
    http2: async (engine) => {
      const { upstream } = await answeredHttp2(engine);
      return () => upstream.goawayCode !== undefined;
    },
  },
];

describe("time limits", () => {
  for (const { limit, http1, http2, connect } of waits) {
    it(`${limit} of HTTP/1.1: ends the wait at its time, not before`, async () => {
      await using stand = await startStand({ limits: { [limit]: limitMs }, connect });
      const isOver = await http1(stand);

      await stand.clock.advance(limitMs - 1);
      await turn();
      assert.equal(isOver(), false);
      // Limits of idle time begin again at their end if bytes have passed meanwhile.
      for (let passed = 0; passed < limitMs + 3 * intervalMs && !isOver(); passed += intervalMs) {
        await stand.clock.advance(intervalMs);
        await turn();
      }
      await settled(isOver);
    });

    it(`${limit} of HTTP/2: ends the wait at its time, not before`, async () => {
      const engine = new MemoryEngine({ limits: { [limit]: limitMs } });
      const isOver = await http2(engine);

      for (let passed = 0; passed < limitMs - intervalMs; passed += intervalMs) {
        await engine.clock.advance(intervalMs);
        await turn();
        assert.equal(isOver(), false, `after ${passed + intervalMs} ms`);
      }
      for (let step = 0; step < 3; step += 1) {
        await engine.clock.advance(intervalMs);
        await turn();
      }

      assert.equal(isOver(), true);
      engine.engine.close();
    });
  }
});

describe("time limits of held requests and of the end", () => {
  const destination = { namespace: "shop", service: "cart", kind: "sandbox", sandbox: "pr", workload: "cart" } as const;
  const planOf = (reason: "unavailable" | "hold_overflow") => respondWith({ reason });

  it("ends the wait of a held request at its time, not before", async () => {
    const clock = new FakeClock();
    const holds = new Holds({ clock, limits: { heldMax: 1, heldBytesMax: 1 } });
    let ended: unknown;
    const wait = holds.wait(
      {
        destination,
        workload: "cart",
        bytes: 0,
        holdMs: limitMs,
        retry: () => undefined,
        expired: () => planOf("unavailable"),
        overflow: () => planOf("hold_overflow"),
      },
      new AbortController().signal,
    );
    void wait.then((plan) => (ended = plan));

    await clock.advance(limitMs - 1);
    holds.retryAll();
    assert.equal(ended, undefined);
    await clock.advance(1);

    assert.deepEqual(await wait, planOf("unavailable"));
    assert.equal(holds.size, 0);
  });

  it("closes requests that still run at the end of drainMs, not before", async () => {
    await using stand = await startStand({ limits: { drainMs: limitMs } });
    const { client } = await stand.exchange(get);
    const drained = stand.listeners.drain();

    await stand.clock.advance(limitMs - 1);
    await turn();
    assert.equal(client.isClosed || client.isEnded, false);
    await stand.clock.advance(1);
    await drained;

    await client.untilEnd();
  });

  it("ends the drain with the last request", async () => {
    await using stand = await startStand({ limits: { drainMs: limitMs } });
    const { client, upstream } = await stand.exchange(get);
    const startedMs = stand.clock.monotonic();
    const drained = stand.listeners.drain();

    upstream.send(ok);
    assert.match(await client.untilEnd(), /connection: close[^]*ok$/);
    client.socket.destroy();
    await settled(() => stand.engine.size === 0);
    await stand.clock.advance(100);
    await drained;

    assert.equal(stand.clock.monotonic() - startedMs, 100);
  });
});

/** Waits until a condition is met. */
async function settled(isMet: () => boolean): Promise<void> {
  while (!isMet()) await new Promise((resolve) => setImmediate(resolve));
}

const headBytesMax = 1_000;
const headersMax = 6;

/** Returns a request of HTTP/1.1 whose head has a number of bytes. */
function headOf(bytes: number): string {
  const start = "GET / HTTP/1.1\r\nhost: a\r\nx: ";
  return `${start}${"y".repeat(bytes - start.length - 4)}\r\n\r\n`;
}

/** Returns fields of HTTP/2 with a size of the list: 32 more than its bytes for each field (RFC 9113, 6.5.2). */
function listOf(bytes: number): TestFields {
  const used = getRequest.reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0);
  return [...getRequest, ["x", "y".repeat(bytes - used - 33)]];
}

function extraFields(count: number): TestFields {
  return Array.from({ length: count }, (_, index) => [`x-${index}`, "y"] as const);
}

describe("limits of heads", () => {
  for (const [name, difference, isAccepted] of [
    ["below", -1, true],
    ["at", 0, true],
    ["above", 1, false],
  ] as const) {
    it(`headBytesMax of HTTP/1.1, ${name} the limit`, async () => {
      await using stand = await startStand({ limits: { headBytesMax } });
      const client = await stand.connect();
      client.send(headOf(headBytesMax + difference));
      if (isAccepted) await (await stand.upstream.next()).until("\r\n\r\n");
      else assert.match(await client.untilEnd(), /^HTTP\/1\.1 431 /);
    });

    it(`headBytesMax of HTTP/2, ${name} the limit`, async () => {
      const engine = new MemoryEngine({ limits: { headBytesMax } });
      const client = await engine.client(Buffer.concat([clientHello, settingsAck]));
      await client.send(headersFrame(1, listOf(headBytesMax + difference)));
      assert.equal(engine.upstreams.length, isAccepted ? 1 : 0);
      assert.equal(statusOf(client), isAccepted ? undefined : "431");
      engine.engine.close();
    });

    it(`headersMax of HTTP/1.1, ${name} the limit`, async () => {
      await using stand = await startStand({ limits: { headersMax } });
      const client = await stand.connect();
      const lines = extraFields(headersMax + difference - 1).map(([field, value]) => `${field}: ${value}\r\n`);
      client.send(`GET / HTTP/1.1\r\nhost: a\r\n${lines.join("")}\r\n`);
      if (isAccepted) await (await stand.upstream.next()).until("\r\n\r\n");
      else assert.match(await client.untilEnd(), /^HTTP\/1\.1 431 /);
    });

    it(`headersMax of HTTP/2, ${name} the limit`, async () => {
      const engine = new MemoryEngine({ limits: { headersMax } });
      const client = await engine.client();
      await client.send(headersFrame(1, [...getRequest, ...extraFields(headersMax + difference - getRequest.length)]));
      assert.equal(engine.upstreams.length, isAccepted ? 1 : 0);
      assert.equal(statusOf(client), isAccepted ? undefined : "431");
      engine.engine.close();
    });
  }
});

describe("limits of numbers", () => {
  for (const [name, difference] of [
    ["below", -1],
    ["at", 0],
    ["above", 1],
  ] as const) {
    it(`connectionsMax, ${name} the limit`, async () => {
      const connectionsMax = 3;
      await using stand = await startStand({ limits: { connectionsMax } });
      for (let index = 0; index < connectionsMax + difference - 1; index += 1) await stand.exchange(get);
      const last = await stand.connect();
      last.send(get);
      if (difference <= 0) await (await stand.upstream.next()).until("\r\n\r\n");
      else await last.untilEnd();
      assert.deepEqual(stand.failures, difference <= 0 ? [] : ["too_many_connections"]);
    });

    it(`pendingMax, ${name} the limit`, async () => {
      const pendingMax = 3;
      await using stand = await startStand({ limits: { pendingMax } });
      for (let index = 0; index < pendingMax + difference - 1; index += 1) await stand.exchange(get);
      const last = await stand.connect();
      last.send(get);
      if (difference <= 0) await (await stand.upstream.next()).until("\r\n\r\n");
      else assert.match(await last.until("workload.\n"), /^HTTP\/1\.1 503 /);
    });

    it(`heldMax and heldBytesMax, ${name} the limit`, async () => {
      const heldMax = 3;
      const heldBytesMax = 300;
      for (const [count, bytes] of [
        [heldMax + difference, 0],
        [2, (heldBytesMax + difference) / 2],
      ] as const) {
        const holds = new Holds({ clock: new FakeClock(), limits: { heldMax, heldBytesMax } });
        const overflows: number[] = [];
        const ending = new AbortController();
        for (let index = 0; index < count; index += 1) {
          const held = {
            destination: { namespace: "shop", service: "cart", kind: "sandbox", sandbox: "pr", workload: "cart" },
            workload: "cart",
            bytes,
            holdMs: limitMs,
            retry: () => undefined,
            expired: () => respondWith({}),
            overflow: () => {
              overflows.push(index);
              return respondWith({});
            },
          } as const;
          void holds.wait(held, ending.signal).catch(() => undefined);
        }
        assert.deepEqual(overflows, difference <= 0 ? [] : [count - 1]);
        assert.equal(holds.size, count - overflows.length);
        ending.abort();
      }
    });

    it(`idleUpstreamsMax, ${name} the limit`, async () => {
      const idleUpstreamsMax = 2;
      await using stand = await startStand({ limits: { idleUpstreamsMax } });
      const open = [];
      for (let index = 0; index < idleUpstreamsMax + difference; index += 1) open.push(await stand.exchange(get));
      for (const { client, upstream } of open) {
        upstream.send(ok);
        await client.until("ok");
      }
      await settled(() => stand.engine.pool.size === Math.min(open.length, idleUpstreamsMax));
    });
  }
});
