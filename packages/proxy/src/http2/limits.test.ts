import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encodeFields } from "../hpack/literal-writer.ts";
import {
  clientHello,
  dataFrame,
  fieldsOf,
  frame,
  getRequest,
  headersFrame,
  postRequest,
  resetFrame,
  settingsAck,
  settingsFrame,
  type TestFields,
  windowFrame,
} from "../testing/frames.ts";
import { codes, MemoryEngine, type RawPeer, turn } from "../testing/memory-engine.ts";
import { forwardTo, respondWith } from "../testing/plans.ts";
import { flags, frameTypes, preface, settingIds } from "./protocol.ts";

const ok: TestFields = [[":status", "200"]];

function repeat(count: number, one: Buffer): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => one));
}

function statusOf(client: RawPeer, id: number): string | undefined {
  return fieldsOf(client.of(frameTypes.headers, id)[0]?.payload ?? Buffer.alloc(0))[":status"];
}

/** Moves the clock in steps of the interval in which limits are checked. */
async function advance(engine: MemoryEngine, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    await engine.clock.advance(Math.min(500, ms - passed));
    await turn();
  }
}

describe("Http2Engine: floods", () => {
  const ping = frame(frameTypes.ping, 0, 0, Buffer.alloc(8));
  const floods: readonly [name: string, one: Buffer, before: Buffer][] = [
    ["pings", ping, Buffer.alloc(0)],
    ["settings", settingsFrame(), Buffer.alloc(0)],
    ["priorities", frame(frameTypes.priority, 0, 1, Buffer.from([0, 0, 0, 3, 1])), Buffer.alloc(0)],
    ["unknown frames", frame(200, 0, 0), Buffer.alloc(0)],
    ["window updates", windowFrame(0, 1), Buffer.alloc(0)],
    ["empty DATA", dataFrame(1, "", { isEnd: false }), headersFrame(1, postRequest, { isEnd: false })],
  ];
  for (const [name, one, before] of floods) {
    it(`ends a connection with too many ${name}`, async () => {
      const engine = new MemoryEngine();
      const client = await engine.client();

      await client.send(before, repeat(3_900, one));
      assert.equal(client.goawayCode, undefined);
      await client.send(repeat(200, one));

      assert.equal(client.goawayCode, codes.enhanceYourCalm);
      engine.engine.close();
    });
  }

  it("accepts pings at the rate of data", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    await client.send(headersFrame(1, postRequest, { isEnd: false }));

    for (let round = 0; round < 100; round += 1)
      await client.send(repeat(100, Buffer.concat([dataFrame(1, "x", { isEnd: false }), ping])));

    assert.equal(client.goawayCode, undefined);
    engine.engine.close();
  });

  it("ends a connection that opens and resets streams too fast", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    const pairs = (from: number, count: number): Buffer =>
      Buffer.concat(
        Array.from({ length: count }, (_, n) => [
          headersFrame(from + 2 * n, getRequest),
          resetFrame(from + 2 * n, codes.cancel),
        ]).flat(),
      );

    await client.send(pairs(1, 1_000));
    assert.equal(client.goawayCode, undefined);
    await advance(engine, 1_000);
    await client.send(pairs(2_001, 33));
    assert.equal(client.goawayCode, undefined);
    await client.send(pairs(2_067, 2));

    assert.equal(client.goawayCode, codes.enhanceYourCalm);
    assert.equal(engine.balancer.running, 0);
    engine.engine.close();
  });

  it("ends a connection with too many CONTINUATION frames, also empty ones, or a block above the limit", async () => {
    const engine = new MemoryEngine({ limits: { headBytesMax: 1_000 } });
    const first = await engine.client();
    const second = await engine.client();
    const third = await engine.client();
    const block = encodeFields(getRequest);
    const begin = frame(frameTypes.headers, flags.endStream, 1, block);

    await first.send(begin, repeat(31, frame(frameTypes.continuation, 0, 1)));
    assert.equal(first.goawayCode, undefined);
    await first.send(repeat(2, frame(frameTypes.continuation, 0, 1)));
    await second.send(begin, frame(frameTypes.continuation, 0, 1, Buffer.alloc(1_001 - block.length)));
    await third.send(begin, frame(frameTypes.continuation, 0, 1, Buffer.alloc(1_000 - block.length)));

    assert.equal(first.goawayCode, codes.enhanceYourCalm);
    assert.equal(second.goawayCode, codes.enhanceYourCalm);
    assert.equal(third.goawayCode, undefined);
    engine.engine.close();
  });

  it("refuses streams above MAX_CONCURRENT_STREAMS", async () => {
    const engine = new MemoryEngine();
    engine.upstreamSettings = [[settingIds.maxConcurrentStreams, 1_000]];
    const client = await engine.client();

    await client.send(...Array.from({ length: 257 }, (_, n) => headersFrame(1 + 2 * n, getRequest)));

    assert.equal(client.resetCode(511), undefined);
    assert.equal(client.resetCode(513), codes.refusedStream);
    engine.engine.close();
  });
});

describe("Http2Engine: flow control", () => {
  it("gives a client no window for data that the upstream has not taken", async () => {
    const engine = new MemoryEngine();
    engine.upstreamSettings = [[settingIds.initialWindowSize, 10]];
    const client = await engine.client();
    await client.send(headersFrame(1, postRequest, { isEnd: false }));

    for (let sent = 0; sent < 4; sent += 1) await client.send(dataFrame(1, Buffer.alloc(16_000), { isEnd: false }));
    const upstream = engine.upstream();
    assert.equal(upstream.data(1).length, 10);
    assert.equal(client.of(frameTypes.windowUpdate, 1).length, 0);
    await upstream.send(windowFrame(1, 40_000), windowFrame(0, 1_000_000));
    assert.equal(upstream.data(1).length, 40_010);
    const granted = client.of(frameTypes.windowUpdate, 1).reduce((sum, { payload }) => sum + payload.readUInt32BE(), 0);
    assert.ok(granted > 32_767 && granted <= 40_010, `${granted} bytes granted`);
    // 64,000 bytes were sent; more than the initial window and the granted bytes violates flow control.
    await client.send(dataFrame(1, Buffer.alloc(16_384), { isEnd: false }));
    assert.equal(client.resetCode(1), undefined);
    for (let sent = 0; sent < 3; sent += 1) await client.send(dataFrame(1, Buffer.alloc(16_384), { isEnd: false }));

    assert.equal(client.resetCode(1), codes.flowControlError);
    engine.engine.close();
  });

  it("shares the window of a connection among streams, and ends one that is exceeded", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    await client.send(headersFrame(1, getRequest), headersFrame(3, getRequest));
    const upstream = engine.upstream();

    await upstream.send(headersFrame(1, ok, { isEnd: false }), headersFrame(3, ok, { isEnd: false }));
    for (let n = 0; n < 3; n += 1)
      await upstream.send(
        dataFrame(1, Buffer.alloc(16_000), { isEnd: false }),
        dataFrame(3, Buffer.alloc(16_000), { isEnd: false }),
      );
    const received = (): number => client.data(1).length + client.data(3).length;
    assert.equal(received(), 65_535);
    await client.send(windowFrame(0, 20_000));
    assert.equal(received(), 85_535);
    await client.send(windowFrame(0, 20_000));

    assert.equal(received(), 96_000);
    engine.engine.close();
  });

  it("stops sending to a client that does not read, and stops its source", async () => {
    const engine = new MemoryEngine();
    const hello = Buffer.concat([
      preface,
      settingsFrame([[settingIds.initialWindowSize, 0x7fffffff]]),
      settingsAck,
      windowFrame(0, 0x70000000),
    ]);
    const client = await engine.client(hello);
    await client.send(...Array.from({ length: 50 }, (_, n) => headersFrame(1 + 2 * n, getRequest)));
    const upstream = engine.upstream();
    client.socket.isStalled = true;

    for (let id = 1; id < 100; id += 2) await upstream.send(headersFrame(id, ok, { isEnd: false }));
    for (let round = 0; round < 4; round += 1)
      for (let id = 1; id < 100; id += 2) await upstream.send(dataFrame(id, Buffer.alloc(16_000), { isEnd: false }));
    // 3.2 MB arrived. At most the limit of the socket and one turn have left the streams.
    assert.ok(client.socket.writableLength < 400_000, `${client.socket.writableLength} bytes wait in the socket`);
    const updates = upstream.of(frameTypes.windowUpdate).filter(({ id }) => id > 0).length;
    assert.ok(updates < 15, `${updates} streams got a window`);
    client.socket.unstall();
    await turn();
    await turn();
    for (let id = 1; id < 100; id += 2) await upstream.send(dataFrame(id, "end"));

    for (let id = 1; id < 100; id += 2) assert.equal(client.data(id).length, 64_003);
    assert.equal(engine.balancer.running, 0);
    engine.engine.close();
  });

  it("grows the window of a stream whose data leaves at once", async () => {
    const engine = new MemoryEngine();
    engine.upstreamSettings = [[settingIds.initialWindowSize, 0x7fffffff]];
    const client = await engine.client();
    await client.send(headersFrame(1, postRequest, { isEnd: false }));
    await engine.upstream().send(windowFrame(0, 0x70000000));

    let window = 65_535;
    let seen = 0;
    for (let sent = 0; sent < 5_000_000;) {
      const size = Math.min(16_384, window);
      window -= size;
      sent += size;
      await client.send(dataFrame(1, Buffer.alloc(size), { isEnd: false }));
      const updates = client.of(frameTypes.windowUpdate, 1).slice(seen);
      seen += updates.length;
      for (const { payload } of updates) window += payload.readUInt32BE();
      client.socket.written.splice(0, client.socket.written.length);
      seen = 0;
      engine.upstream().socket.written.splice(0);
    }

    assert.equal(client.resetCode(1), undefined);
    assert.ok(window > 500_000 && window <= 1024 * 1024, `window ${window}`);
    engine.engine.close();
  });
});

describe("Http2Engine: time limits", () => {
  it("closes a connection without preface after the time for a head", async () => {
    const engine = new MemoryEngine({ limits: { requestHeadMs: 2_000 } });
    const silent = await engine.client(preface.subarray(0, 10));
    const partial = await engine.client();
    await partial.send(headersFrame(1, getRequest).subarray(0, 5));

    await advance(engine, 1_500);
    assert.equal(engine.engine.size, 2);
    await advance(engine, 1_500);

    assert.equal(engine.engine.size, 0);
    assert.equal(silent.goawayCode, codes.enhanceYourCalm);
    engine.engine.close();
  });

  it("closes idle connections of clients and upstreams", async () => {
    const engine = new MemoryEngine({ limits: { clientKeepAliveMs: 5_000, upstreamKeepAliveMs: 3_000 } });
    const client = await engine.client();
    await client.send(headersFrame(1, getRequest));
    await engine.upstream().send(headersFrame(1, ok));

    await advance(engine, 4_000);
    assert.equal(engine.upstream().socket.writableEnded, true);
    assert.equal(engine.engine.size, 1);
    await advance(engine, 2_000);

    assert.equal(engine.engine.size, 0);
    assert.equal(client.goawayCode, codes.noError);
    engine.engine.close();
  });

  it("responds with 504 if the response head takes too long, and to gRPC after its own timeout", async () => {
    const engine = new MemoryEngine({ limits: { responseHeadMs: 3_000 } });
    const client = await engine.client();
    await client.send(headersFrame(1, getRequest), headersFrame(3, postRequest, { isEnd: false }));
    await client.send(headersFrame(5, [...getRequest, ["content-type", "application/grpc"]]));
    await client.send(headersFrame(7, [...getRequest, ["content-type", "application/grpc"], ["grpc-timeout", "1S"]]));

    await advance(engine, 2_000);
    assert.equal(statusOf(client, 1), undefined);
    assert.equal(fieldsOf(client.of(frameTypes.headers, 7)[0]?.payload ?? Buffer.alloc(0))["grpc-status"], "4");
    await advance(engine, 2_000);

    assert.equal(statusOf(client, 1), "504");
    assert.equal(statusOf(client, 3), undefined, "the request has not ended");
    assert.equal(statusOf(client, 5), undefined, "gRPC has no limit of its own");
    assert.equal(engine.upstream().resetCode(1), codes.cancel);
    engine.engine.close();
  });

  it("counts the deadline of a gRPC call from its start, not from the last check of time limits", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    await engine.clock.advance(499);
    await client.send(headersFrame(1, [...getRequest, ["content-type", "application/grpc"], ["grpc-timeout", "100m"]]));

    await engine.clock.advance(1);
    await turn();
    assert.equal(client.of(frameTypes.headers, 1).length, 0, "the call has 99 ms left");
    await engine.clock.advance(500);
    await turn();

    assert.equal(fieldsOf(client.of(frameTypes.headers, 1)[0]?.payload ?? Buffer.alloc(0))["grpc-status"], "4");
    engine.engine.close();
  });

  it("ends a gRPC call with status 4 if its server resets it after its deadline, and passes other resets on", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    const call: TestFields = [...getRequest, ["content-type", "application/grpc"], ["grpc-timeout", "100m"]];
    await client.send(headersFrame(1, call), headersFrame(3, call));

    await engine.clock.advance(99);
    await engine.upstream().send(resetFrame(1, codes.cancel));
    await engine.clock.advance(1);
    await engine.upstream().send(resetFrame(3, codes.cancel));

    assert.equal(client.resetCode(1), codes.cancel);
    assert.equal(client.resetCode(3), undefined);
    assert.equal(fieldsOf(client.of(frameTypes.headers, 3)[0]?.payload ?? Buffer.alloc(0))["grpc-status"], "4");
    engine.engine.close();
  });

  it("ends idle streams, event streams later", async () => {
    const engine = new MemoryEngine({ limits: { streamIdleMs: 2_000, longStreamIdleMs: 6_000 } });
    const client = await engine.client();
    await client.send(headersFrame(1, getRequest), headersFrame(3, getRequest));
    const events: TestFields = [...ok, ["content-type", "text/event-stream"]];
    await engine.upstream().send(headersFrame(1, ok, { isEnd: false }), headersFrame(3, events, { isEnd: false }));

    await advance(engine, 4_000);
    assert.equal(client.resetCode(1), codes.internalError);
    assert.equal(client.resetCode(3), undefined);
    await advance(engine, 4_000);

    assert.equal(client.resetCode(3), codes.internalError);
    engine.engine.close();
  });

  it("gives up on a connection that is not established in time", async () => {
    const engine = new MemoryEngine({ limits: { connectMs: 1_000 }, targets: ["10.0.0.1:80"] });
    engine.isConnectStuck = true;
    const client = await engine.client();
    await client.send(headersFrame(1, postRequest));

    await advance(engine, 900);
    assert.equal(statusOf(client, 1), undefined);
    await advance(engine, 1_600);

    assert.equal(statusOf(client, 1), "502");
    engine.engine.close();
  });

  it("delays requests and responses as the plan says", async () => {
    const engine = new MemoryEngine({
      route: (request, targets) =>
        request.method === "GET" ? forwardTo(targets, request.path, { delayMs: 700 }) : respondWith({ delayMs: 1_200 }),
    });
    const client = await engine.client();
    await client.send(headersFrame(1, getRequest), headersFrame(3, postRequest), headersFrame(5, postRequest));
    await client.send(resetFrame(5, codes.cancel));

    await advance(engine, 600);
    assert.equal(engine.upstreams.length, 0);
    await advance(engine, 500);
    assert.equal(engine.upstream().of(frameTypes.headers).length, 1);
    assert.equal(statusOf(client, 3), undefined);
    await advance(engine, 500);

    assert.equal(statusOf(client, 3), "503");
    assert.equal(statusOf(client, 5), undefined);
    engine.engine.close();
  });

  it("fails a held request whose body exceeds the limit of its workload, and aborts the wait of one whose client left", async () => {
    const aborted: string[] = [];
    const engine = new MemoryEngine({
      limits: { heldBytesMax: 1_000 },
      route: (request) => ({
        type: "hold",
        destination: respondWith().destination,
        workload: "w",
        wait: (signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              aborted.push(request.path);
              reject(new Error("aborted"));
            });
          }),
      }),
    });
    const client = await engine.client();
    await client.send(
      headersFrame(1, postRequest, { isEnd: false }),
      dataFrame(1, Buffer.alloc(600), { isEnd: false }),
    );
    await client.send(
      headersFrame(3, postRequest, { isEnd: false }),
      dataFrame(3, Buffer.alloc(401), { isEnd: false }),
    );
    assert.equal(statusOf(client, 3), "503");
    await client.send(
      headersFrame(5, postRequest, { isEnd: false }),
      dataFrame(5, Buffer.alloc(400), { isEnd: false }),
    );
    assert.equal(statusOf(client, 5), undefined, "the bytes of the failed request are free again");

    client.socket.destroy();
    await turn();

    assert.equal(aborted.length, 3);
    assert.deepEqual(engine.observer.failures, ["hold_overflow", "client_gone", "client_gone"]);
    engine.engine.close();
  });

  it("keeps no socket open for a client that never closes it", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client(Buffer.concat([clientHello, frame(frameTypes.ping, 0, 1, Buffer.alloc(8))]));
    assert.equal(client.socket.destroyed, false);

    await advance(engine, 1_500);

    assert.equal(client.socket.destroyed, true);
    engine.engine.close();
  });
});
