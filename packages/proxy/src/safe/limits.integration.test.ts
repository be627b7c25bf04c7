import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import { constants, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect, createServer as createNetServer } from "node:net";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import type { IncomingRequest, RoutePlan } from "../router/route-plan.ts";
import { fetchH2, Loopback, type LoopbackOptions } from "../testing/loopback.ts";
import { forwardTo } from "../testing/plans.ts";

const call = { ":method": "POST", ":path": "/pkg.Svc/Get", "content-type": "application/grpc" };

async function start(options: Partial<LoopbackOptions>): Promise<Loopback> {
  return new Loopback({ engine: "safe", onStream: (stream) => void stream.resume(), ...options }).start();
}

/** Resolves when the upstream has received a stream. */
function received(): {
  readonly onStream: (stream: ServerHttp2Stream) => void;
  readonly first: Promise<ServerHttp2Stream>;
} {
  let resolve: (stream: ServerHttp2Stream) => void = () => undefined;
  const first = new Promise<ServerHttp2Stream>((one) => (resolve = one));
  return { onStream: (stream) => resolve(stream), first };
}

describe("time limits of the safe engine", () => {
  it("end a gRPC call after its grpc-timeout with status 4, and not before", async () => {
    const clock = new FakeClock();
    const { onStream, first } = received();
    await using proxy = await start({ clock, onStream });

    const response = fetchH2(proxy.connect(), { ...call, "grpc-timeout": "2S" }, Buffer.from("x"));
    await first;
    await clock.advance(1_999);
    assert.deepEqual(proxy.observer.failures, []);
    await clock.advance(1);

    assert.equal((await response).headers["grpc-status"], "4");
    assert.deepEqual(proxy.observer.failures, ["timeout"]);
  });

  it("end a gRPC call with status 4 if its server resets it after its deadline, and not before", async () => {
    // The timer of the proxy has whole milliseconds.
    for (const [passedMs, expected] of [
      [1_999.5, "4"],
      [1_999, "14"],
    ] as const) {
      const clock = new FakeClock();
      const { onStream, first } = received();
      await using proxy = await start({ clock, onStream });

      const response = fetchH2(proxy.connect(), { ...call, "grpc-timeout": "1999500u" }, Buffer.from("x"));
      const stream = await first;
      await clock.advance(passedMs);
      stream.close(constants.NGHTTP2_CANCEL);

      assert.equal((await response).headers["grpc-status"], expected);
    }
  });

  it("do not limit the head of a gRPC call without grpc-timeout", async () => {
    const clock = new FakeClock();
    const { onStream, first } = received();
    await using proxy = await start({ clock, onStream, limits: { responseHeadMs: 1_000, streamIdleMs: 100_000 } });

    const response = fetchH2(proxy.connect(), call, Buffer.from("x"));
    const stream = await first;
    await clock.advance(50_000);
    stream.respond({ ":status": 200 });
    stream.end("late");

    assert.equal((await response).body.toString(), "late");
  });

  it("reset a response that has no byte for too long", async () => {
    const clock = new FakeClock();
    await using proxy = await start({
      clock,
      limits: { streamIdleMs: 5_000 },
      onStream: (stream) => {
        stream.respond({ ":status": 200 });
        stream.write("part");
      },
    });
    const stream = proxy.connect().request({ ":path": "/" });
    stream.on("error", () => undefined);
    await once(stream, "data");

    await clock.advance(4_999);
    assert.equal(stream.closed, false);
    const closed = new Promise((resolve) => stream.on("close", resolve));
    await clock.advance(5_001);
    await closed;

    assert.equal(stream.rstCode, constants.NGHTTP2_INTERNAL_ERROR);
    assert.deepEqual(proxy.observer.failures, ["timeout"]);
  });

  it("give up a connection that is not established in time, and try another target", async () => {
    const clock = new FakeClock();
    const attempts: string[] = [];
    await using proxy = await start({
      clock,
      // The name is never resolved.
      connect: (address) => {
        attempts.push(address);
        return connect({ host: "upstream.test", port: 80, lookup: () => undefined });
      },
      route: (request) => forwardTo(["10.0.0.1:80", "10.0.0.2:80"], request.path),
    });

    const response = fetchH2(proxy.connect(), { ":path": "/" });
    while (attempts.length < 1) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(1_000);
    while (attempts.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(1_000);

    assert.equal((await response).headers[":status"], 502);
    assert.equal(new Set(attempts).size, 2);
    assert.deepEqual(proxy.observer.failures, ["connect"]);
  });
});

describe("retries of the safe engine", () => {
  for (const { method, body, isRetried } of [
    { method: "GET", body: undefined, isRetried: true },
    { method: "DELETE", body: undefined, isRetried: false },
    { method: "POST", body: "text", isRetried: false },
  ]) {
    it(`${isRetried ? "repeat" : "do not repeat"} ${method} after a connection broke before the response`, async () => {
      const broken = createNetServer((socket) => {
        socket.on("error", () => undefined);
        socket.once("data", () => socket.destroy());
      }).listen(0, "127.0.0.1");
      const healthy = createServer((_message, response) => response.end("ok")).listen(0, "127.0.0.1");
      await Promise.all([once(broken, "listening"), once(healthy, "listening")]);
      const addresses = [broken, healthy].map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
      const route = (request: IncomingRequest): RoutePlan =>
        forwardTo(addresses, request.path, { upstreamProtocol: "http1" });
      const proxy = await start({ route });
      try {
        const outgoing = httpRequest({ host: "127.0.0.1", port: proxy.port, method, path: "/", agent: false });
        outgoing.end(body);
        const [message] = (await once(outgoing, "response")) as [IncomingMessage];
        message.resume();
        await once(message, "end");

        assert.equal(message.statusCode, isRetried ? 200 : 502);
      } finally {
        await proxy[Symbol.asyncDispose]();
        broken.close();
        healthy.closeAllConnections();
        healthy.close();
      }
    });
  }

  it("send the whole body to the second target if the first cannot be reached", async () => {
    let seen = "";
    const healthy = createServer((message, response) => {
      message.on("data", (chunk: Buffer) => (seen += chunk.toString()));
      message.on("end", () => response.end("ok"));
    }).listen(0, "127.0.0.1");
    await once(healthy, "listening");
    const targets = ["127.0.0.1:1", `127.0.0.1:${(healthy.address() as AddressInfo).port}`];
    const proxy = await start({ route: ({ path }) => forwardTo(targets, path, { upstreamProtocol: "http1" }) });
    try {
      const outgoing = httpRequest({ host: "127.0.0.1", port: proxy.port, method: "POST", path: "/", agent: false });
      outgoing.end("the whole body");
      const [message] = (await once(outgoing, "response")) as [IncomingMessage];
      message.resume();
      await once(message, "end");

      assert.equal(message.statusCode, 200);
      assert.equal(seen, "the whole body");
    } finally {
      await proxy[Symbol.asyncDispose]();
      healthy.closeAllConnections();
      healthy.close();
    }
  });
});
