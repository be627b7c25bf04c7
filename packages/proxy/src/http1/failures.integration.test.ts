import assert from "node:assert/strict";
import { createServer } from "node:net";
import { once } from "node:events";
import { describe, it } from "node:test";
import { RawUpstream } from "../testing/raw-upstream.ts";
import { type Stand, startStand } from "../testing/stand.ts";
import type { Wire } from "../testing/wire.ts";

const get = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const post = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nhi";
const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/** Opens an exchange whose upstream connection was used before. */
async function secondExchange(stand: Stand, request: string): Promise<{ client: Wire; upstream: Wire }> {
  const { client, upstream } = await stand.exchange(get);
  upstream.send(ok);
  await client.until("ok");
  client.send(request);
  await upstream.until("\r\n\r\n");
  return { client, upstream };
}

/** Returns an address on which nothing listens. */
async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return `127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`;
}

describe("An upstream that speaks HTTP/2 only", () => {
  it("gets no request of a connection that was opened before; the connection is closed", async () => {
    await using stand = await startStand({ plan: (_, forward) => ({ ...forward, upstreamProtocol: "http2" }) });
    const client = await stand.connect();

    client.send(get);

    const response = await client.untilEnd();
    assert.match(response, /^HTTP\/1\.1 502 [^]*connection: close[^]*The upstream speaks HTTP\/2 only/);
    assert.equal(stand.upstream.connections, 0);
    assert.deepEqual(stand.failures, ["protocol"]);
  });
});

describe("An upstream that fails", () => {
  it("is tried once more with GET if it closes the connection without a response", async () => {
    await using stand = await startStand();
    const { client, upstream } = await secondExchange(stand, get);

    upstream.socket.destroy();
    const next = await stand.upstream.next();
    await next.until("\r\n\r\n");
    next.send(ok);
    await client.until("ok");

    assert.deepEqual(stand.failures, []);
  });

  it("is not tried a third time", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange(get);

    upstream.socket.destroy();
    const next = await stand.upstream.next();
    await next.until("\r\n\r\n");
    next.socket.destroy();

    assert.match(await client.until("\r\n\r\n"), /^HTTP\/1.1 502 /);
    assert.equal(stand.upstream.connections, 2);
    assert.deepEqual(stand.failures, ["upstream_broken"]);
  });

  it("is not tried again with POST after a byte was sent", async () => {
    await using stand = await startStand();
    const { client, upstream } = await secondExchange(stand, post);

    upstream.socket.destroy();

    assert.match(await client.until("\r\n\r\n"), /^HTTP\/1.1 502 /);
    assert.equal(stand.upstream.connections, 1);
  });

  it("is not tried again after the first byte of a response", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange(get);

    upstream.send("HTTP/1.1 200");
    upstream.socket.end();

    assert.match(await client.until("\r\n\r\n"), /^HTTP\/1.1 502 /);
    assert.equal(stand.upstream.connections, 1);
  });

  it("is replaced by another target with POST if it does not accept the connection", async () => {
    const closed = await closedAddress();
    await using stand = await startStand({
      plan: (_, plan) => ({ ...plan, targets: [closed, ...plan.targets, closed] }),
    });
    for (let n = 0; n < 4; n += 1) {
      const client = await stand.connect();
      client.send(post);
      const upstream = await stand.upstream.next();
      await upstream.until("hi");
      upstream.send("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok");
      await client.until("ok");
    }

    assert.deepEqual(stand.failures, []);
  });

  it("gives 502 if no target accepts the connection, and the client connection goes on", async () => {
    const closed = await closedAddress();
    await using stand = await startStand({ plan: (_, plan) => ({ ...plan, targets: [closed] }) });
    const client = await stand.connect();

    client.send(post + post);

    assert.match(await client.until("connection.\n"), /^HTTP\/1.1 502 .*x-sandbox-route: /s);
    assert.match(await client.until("connection.\n"), /^HTTP\/1.1 502 /);
    assert.deepEqual(stand.failures, ["connect", "connect"]);
  });

  it("makes the response visibly incomplete if it breaks in the body", async () => {
    for (const head of ["content-length: 10\r\n\r\nabc", "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"]) {
      await using stand = await startStand();
      const { client, upstream } = await stand.exchange(get);

      upstream.send(`HTTP/1.1 200 OK\r\n${head}`);
      await client.until("abc");
      upstream.socket.destroy();

      await client.untilClosed();
      assert.equal(client.isEnded, false, "reset, not ended");
      assert.deepEqual(stand.failures, ["upstream_broken"]);
    }
  });

  for (const [name, response] of [
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na"],
    ["both framings", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["a folded line", "HTTP/1.1 200 OK\r\nx: 1\r\n 2\r\n\r\n"],
    ["LF without CR", "HTTP/1.1 200 OK\nx: 1\n\n"],
    ["no status", "HTTP/1.1 OK\r\n\r\n"],
    ["another protocol", "SSH-2.0-server\r\n\r\n"],
    ["a malformed chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n"],
    ["a head above the limit", `HTTP/1.1 200 OK\r\nx: ${"a".repeat(40_000)}`],
  ] as const) {
    it(`gives 502 for a response with ${name}`, async () => {
      await using stand = await startStand();
      const { client, upstream } = await stand.exchange(get);

      upstream.send(response);

      assert.match(await client.until("\r\n\r\n"), /^HTTP\/1.1 502 /);
      assert.deepEqual(stand.failures, ["upstream_invalid"]);
      assert.equal(stand.engine.pool.size, 0);
    });
  }

  it("loses a connection on which it sends bytes without a request", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange(get);

    upstream.send(`${ok}HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\npoisoned`);
    await client.until("ok");
    await upstream.untilEnd();
    client.send(get);
    const next = await stand.upstream.next();
    await next.until("\r\n\r\n");
    next.send(ok);

    assert.doesNotMatch(await client.until("ok"), /poisoned/);
  });
});

describe("A client that leaves", () => {
  it("ends its request at the upstream", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange(get);

    client.socket.destroy();

    await upstream.untilEnd();
    assert.deepEqual(stand.failures, ["client_gone"]);
    assert.equal(stand.engine.size, 0);
  });

  it("ends a held request", async () => {
    let hold: (signal: AbortSignal) => void = () => undefined;
    const held = new Promise<AbortSignal>((resolve) => {
      hold = resolve;
    });
    await using stand = await startStand({
      plan: (_, { destination, workload }) => ({
        type: "hold",
        destination,
        workload,
        wait: (signal) => {
          hold(signal);
          return new Promise(() => undefined);
        },
      }),
    });
    const client = await stand.connect();
    client.send(get);
    const aborted = once(await held, "abort");

    client.socket.destroy();

    await aborted;
  });

  it("makes the upstream see an incomplete body, not the end of one", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange(
      "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n",
    );

    client.socket.end();

    assert.equal(await upstream.untilEnd(), "3\r\nabc\r\n");
  });
});

describe("Bad requests on a connection", () => {
  it("are refused after the requests before them, and close it", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange(`${get}GET / HTTP/1.1\r\nhost : a\r\n\r\n${get}`);

    upstream.send(ok);

    assert.match(await client.untilEnd(), /^HTTP\/1.1 200 .*ok.*HTTP\/1.1 400 .*connection: close/s);
    assert.deepEqual(stand.failures, ["bad_request"]);
  });

  it("with a malformed chunk end the request at the upstream", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange(
      "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n",
    );

    client.send("x\r\n");

    assert.match(await client.untilEnd(), /^HTTP\/1.1 400 /);
    assert.equal(await upstream.untilEnd(), "3\r\nabc\r\n");
  });

  it("have at most the allowed bytes in their head", async () => {
    for (const [length, status] of [
      [1024, 200],
      [1025, 431],
    ] as const) {
      await using stand = await startStand({ limits: { headBytesMax: 1024 } });
      const start = "GET / HTTP/1.1\r\nhost: a\r\nx: ";
      const client = await stand.connect();

      client.send(`${start}${"a".repeat(length - start.length - 4)}\r\n\r\n`);
      if (status === 200) (await stand.upstream.next()).send(ok);

      assert.match(await client.until("\r\n\r\n"), new RegExp(`^HTTP/1.1 ${status} `));
    }
  });
});

describe("Time limits", () => {
  it("refuse a head that arrives too slowly", async () => {
    await using stand = await startStand();
    const client = await stand.connect();
    client.send("GET / HTTP/1.1\r\nhost");
    while (stand.engine.size === 0) await new Promise((resolve) => setImmediate(resolve));
    await stand.clock.advance(9_000);
    assert.equal(client.received, "");

    await stand.clock.advance(2_000);

    assert.match(await client.untilEnd(), /^HTTP\/1.1 408 /);
    assert.deepEqual(stand.failures, ["timeout"]);
  });

  it("close an idle connection of a client", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange(get);
    upstream.send(ok);
    await client.until("ok");

    await stand.clock.advance(76_000);

    assert.equal(await client.untilEnd(), "");
  });

  it("close an idle connection of the upstream earlier", async () => {
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange(get);
    upstream.send(ok);
    await client.until("ok");

    await stand.clock.advance(57_000);

    await upstream.untilEnd();
    assert.equal(client.isEnded, false);
  });

  it("give 504 if the upstream does not respond", async () => {
    await using stand = await startStand();
    const { client } = await stand.exchange(get);

    await stand.clock.advance(31_000);

    assert.match(await client.until("\r\n\r\n"), /^HTTP\/1.1 504 /);
    assert.deepEqual(stand.failures, ["timeout"]);
  });

  it("end a response that stops, but keep server-sent events for longer", async () => {
    for (const [type, isKept] of [
      ["text/plain", false],
      ["text/event-stream; charset=utf-8", true],
    ] as const) {
      await using stand = await startStand();
      const { client, upstream } = await stand.exchange(get);
      upstream.send(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n\r\ndata: 1\n\n`);
      await client.until("data: 1\n\n");

      await stand.clock.advance(301_000);
      // The second check finds that there were no bytes since the first one.
      await stand.clock.advance(301_000);

      if (isKept) {
        upstream.send("data: 2\n\n");
        await client.until("data: 2\n\n");
      } else await client.untilClosed();
    }
  });

  it("delay a request as its fault says", async () => {
    await using stand = await startStand({ plan: (_, plan) => ({ ...plan, delayMs: 5_000 }) });
    const client = await stand.connect();
    client.send(get);
    while (stand.engine.size === 0) await new Promise((resolve) => setImmediate(resolve));
    await stand.clock.advance(4_900);
    assert.equal(stand.upstream.connections, 0);

    await stand.clock.advance(200);

    const upstream = await stand.upstream.next();
    await upstream.until("\r\n\r\n");
    upstream.send(ok);
    await client.until("ok");
  });
});

describe("Targets that disappear", () => {
  it("lose idle connections at once, and busy ones after their request", async () => {
    await using other = await RawUpstream.start();
    await using stand = await startStand();
    const { client, upstream } = await stand.exchange(get);
    upstream.send(ok);
    await client.until("ok");
    const busy = await stand.connect();
    busy.send(get);
    await upstream.until("\r\n\r\n");
    client.send(get);
    const second = await stand.upstream.next();
    await second.until("\r\n\r\n");
    second.send(ok);
    await client.until("ok");

    stand.engine.retain(new Set([other.address]));

    await second.untilEnd();
    assert.equal(upstream.isEnded, false);
    upstream.send(ok);
    await busy.until("ok");
    await upstream.untilEnd();
    assert.equal(stand.engine.pool.size, 0);
  });
});

describe("Draining", () => {
  it("closes idle connections, and busy ones after their response", async () => {
    await using stand = await startStand();
    const idle = await stand.exchange(get);
    idle.upstream.send(ok);
    await idle.client.until("ok");
    const client = await stand.connect();
    client.send(get);
    await idle.upstream.until("\r\n\r\n");

    const drained = stand.listeners.drain();
    assert.equal(await idle.client.untilEnd(), "");
    idle.client.socket.end();
    idle.upstream.send(ok);
    assert.match(await client.untilEnd(), /connection: close\r\n\r\nok$/);
    client.socket.end();
    await client.untilClosed();
    await idle.client.untilClosed();
    while (stand.engine.size > 0) await new Promise((resolve) => setImmediate(resolve));
    await stand.clock.advance(200);
    await drained;
  });
});

describe("An overloaded workload", () => {
  it("gives 503 above the limit of pending requests, and goes on when responses arrive", async () => {
    await using stand = await startStand({ limits: { pendingMax: 2 } });
    const waiting = [await stand.exchange(get), await stand.exchange(get)];
    const third = await stand.connect();

    third.send(get);
    assert.match(await third.until("workload.\n"), /^HTTP\/1\.1 503 /);
    assert.deepEqual(stand.failures, ["overflow"]);
    for (const { client, upstream } of waiting) {
      upstream.send(ok);
      await client.until("ok");
    }

    third.send(get);
    const [first] = waiting;
    assert.ok(first);
    await Promise.race(waiting.map(({ upstream }) => upstream.until("\r\n\r\n")));
  });
});
