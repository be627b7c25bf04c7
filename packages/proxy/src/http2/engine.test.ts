import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encodeFields } from "../hpack/literal-writer.ts";
import {
  clientHello,
  dataFrame,
  fieldsOf,
  frame,
  getRequest,
  goawayFrame,
  headersFrame,
  postRequest,
  resetFrame,
  settingsAck,
  settingsFrame,
  type TestFields,
  uint32Frame,
  windowFrame,
} from "../testing/frames.ts";
import { codes, MemoryEngine, turn } from "../testing/memory-engine.ts";
import { forwardTo, respondWith } from "../testing/plans.ts";
import { flags, frameTypes, settingIds } from "./protocol.ts";

const ok: TestFields = [[":status", "200"]];

describe("Http2Engine: requests", () => {
  it("writes after every read while few requests are running, and otherwise at the end of a turn", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    await client.send(headersFrame(1, getRequest));
    const upstream = engine.upstream();
    const forwarded = (): number => upstream.of(frameTypes.headers).length;

    client.socket.deliver(headersFrame(3, getRequest));
    assert.equal(forwarded(), 2);
    client.socket.deliver(headersFrame(5, getRequest));
    client.socket.deliver(headersFrame(7, getRequest));
    assert.equal(forwarded(), 2);
    const writes = upstream.socket.written.length;
    await turn();

    assert.equal(forwarded(), 4);
    assert.equal(upstream.socket.written.length, writes + 1);
    // Two requests end, so the last response is written at once.
    await upstream.send(headersFrame(1, ok), headersFrame(3, ok));
    upstream.socket.deliver(headersFrame(5, ok));
    assert.equal(client.of(frameTypes.headers, 5).length, 1);
    engine.engine.close();
  });

  it("forwards a request and its response with the edits of the plan", async () => {
    const engine = new MemoryEngine({
      route: (request, targets) =>
        forwardTo(targets, "/other", {
          edits: {
            remove: ["x-gone"],
            set: [
              ["via", "1.1 sandbox-proxy"],
              ["x-set", "new"],
            ],
          },
          responseHeaders: [["x-sandbox-route", request.path]],
        }),
    });
    const client = await engine.client();

    await client.send(headersFrame(1, [...getRequest, ["x-gone", "1"], ["x-kept", "2"], ["x-set", "old"]]));
    const upstream = engine.upstream();
    const block = upstream.of(frameTypes.headers, 1)[0];
    await upstream.send(headersFrame(1, [...ok, ["x-answer", "3"]], { isEnd: false }), dataFrame(1, "hello"));

    assert.deepEqual(fieldsOf(block?.payload ?? Buffer.alloc(0)), {
      ":method": "GET",
      ":scheme": "http",
      ":path": "/other",
      ":authority": "cart.shop",
      "x-kept": "2",
      via: "1.1 sandbox-proxy",
      "x-set": "new",
    });
    assert.equal((block?.flags ?? 0) & flags.endStream, flags.endStream);
    assert.deepEqual(fieldsOf(client.of(frameTypes.headers, 1)[0]?.payload ?? Buffer.alloc(0)), {
      ":status": "200",
      "x-answer": "3",
      "x-sandbox-route": "/cart",
    });
    assert.equal(client.data(1), "hello");
    assert.equal(engine.balancer.running, 0);
    assert.deepEqual(
      engine.observer.ended.map(({ status, method }) => [method, status]),
      [["GET", 200]],
    );
    engine.engine.close();
  });

  it("forwards data and trailers in both directions", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();

    await client.send(headersFrame(1, postRequest, { isEnd: false }), dataFrame(1, "ab", { isEnd: false }));
    const upstream = engine.upstream();
    await upstream.send(headersFrame(1, ok, { isEnd: false }), dataFrame(1, "12", { isEnd: false }));
    await client.send(dataFrame(1, "cd", { isEnd: false }), headersFrame(1, [["x-checksum", "1"]]));
    await upstream.send(headersFrame(1, [["grpc-status", "0"]]));

    assert.equal(upstream.data(1), "abcd");
    assert.deepEqual(fieldsOf(upstream.of(frameTypes.headers, 1)[1]?.payload ?? Buffer.alloc(0)), {
      "x-checksum": "1",
    });
    assert.equal(client.data(1), "12");
    assert.deepEqual(fieldsOf(client.of(frameTypes.headers, 1)[1]?.payload ?? Buffer.alloc(0)), { "grpc-status": "0" });
    assert.equal(engine.balancer.running, 0);
    engine.engine.close();
  });

  it("splits long header blocks into CONTINUATION frames", async () => {
    const engine = new MemoryEngine({
      route: (request, targets) =>
        forwardTo(targets, request.path, { edits: { remove: [], set: [["x-long", "v".repeat(20_000)]] } }),
    });
    const client = await engine.client();

    await client.send(headersFrame(1, [...getRequest, ["x-own", "w".repeat(10_000)]]));
    const parts = engine.upstream().frames.filter(({ id }) => id === 1);

    assert.deepEqual(
      parts.map(({ type, flags }) => [type, flags]),
      [
        [frameTypes.headers, flags.endStream],
        [frameTypes.continuation, flags.endHeaders],
      ],
    );
    const fields = fieldsOf(Buffer.concat(parts.map(({ payload }) => payload)));
    assert.equal(fields["x-long"]?.length, 20_000);
    assert.equal(fields["x-own"]?.length, 10_000);
    engine.engine.close();
  });

  it("decodes blocks with a dynamic table before its settings are acknowledged", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client(clientHello);
    const indexed = Buffer.concat([encodeFields(getRequest), Buffer.from("4003782d6101620a".slice(0, 14), "hex")]);

    await client.send(frame(frameTypes.headers, flags.endHeaders | flags.endStream, 1, indexed));
    await client.send(
      settingsAck,
      frame(
        frameTypes.headers,
        flags.endHeaders | flags.endStream,
        3,
        Buffer.concat([encodeFields(getRequest), Buffer.of(0xbe)]),
      ),
    );
    await client.send(
      frame(
        frameTypes.headers,
        flags.endHeaders | flags.endStream,
        5,
        Buffer.concat([Buffer.of(0x20), encodeFields(getRequest)]),
      ),
    );
    await client.send(headersFrame(7, [...getRequest, ["x-b", "c"]]));

    const blocks = engine
      .upstream()
      .of(frameTypes.headers)
      .map(({ payload }) => fieldsOf(payload));
    assert.deepEqual(
      blocks.map((fields) => [fields["x-a"], fields["x-b"]]),
      [
        ["b", undefined],
        ["b", undefined],
        [undefined, undefined],
        [undefined, "c"],
      ],
    );
    engine.engine.close();
  });

  it("responds itself, to gRPC requests with trailers only", async () => {
    const engine = new MemoryEngine({ route: () => respondWith({ reason: "unavailable" }) });
    const client = await engine.client();

    await client.send(headersFrame(1, getRequest));
    await client.send(headersFrame(3, [...postRequest, ["content-type", "application/grpc+proto"]], { isEnd: false }));

    assert.deepEqual(fieldsOf(client.of(frameTypes.headers, 1)[0]?.payload ?? Buffer.alloc(0)), {
      ":status": "503",
      "content-type": "text/plain; charset=utf-8",
      "content-length": "30",
      "retry-after": "5",
    });
    assert.equal(client.data(1), "Workload cart is unavailable.\n");
    const [grpc] = client.of(frameTypes.headers, 3);
    assert.deepEqual(fieldsOf(grpc?.payload ?? Buffer.alloc(0)), {
      ":status": "200",
      "content-type": "application/grpc",
      "grpc-status": "14",
      "grpc-message": "Workload cart is unavailable.",
      "retry-after": "5",
    });
    assert.equal((grpc?.flags ?? 0) & flags.endStream, flags.endStream);
    assert.equal(client.resetCode(3), codes.noError, "the client need not send the rest");
    assert.deepEqual(engine.observer.failures, ["unavailable", "unavailable"]);
    engine.engine.close();
  });

  it("forgets the fields of a request once it is routed", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();

    await client.send(headersFrame(1, [...getRequest, ["x-secret", "1"]]));

    assert.equal(engine.requests[0]?.headers.get("x-secret"), undefined);
    engine.engine.close();
  });

  it("holds a request with its body until the plan continues", async () => {
    const releases: (() => void)[] = [];
    const engine = new MemoryEngine({
      route: (request, targets) => ({
        type: "hold",
        destination: respondWith().destination,
        workload: "w",
        wait: async () => {
          await new Promise<void>((resolve) => releases.push(resolve));
          const key = request.headers.get("x-key");
          return forwardTo(targets, request.path, { edits: { remove: [], set: [["x-copy", String(key)]] } });
        },
      }),
    });
    const client = await engine.client();

    await client.send(headersFrame(1, [...postRequest, ["x-key", "k1"]], { isEnd: false }), dataFrame(1, "body"));
    await client.send(headersFrame(3, [...getRequest, ["x-key", "other"]]));
    assert.equal(engine.upstreams.length, 0);
    releases[0]?.();
    await turn();
    await turn();

    const upstream = engine.upstream();
    assert.equal(fieldsOf(upstream.of(frameTypes.headers)[0]?.payload ?? Buffer.alloc(0))["x-copy"], "k1");
    assert.equal(upstream.data(1), "body");
    assert.equal(upstream.of(frameTypes.headers).length, 1, "the second request still waits");
    engine.engine.close();
  });
});

describe("Http2Engine: malformed requests", () => {
  const cases: readonly [name: string, fields: TestFields][] = [
    ["no :method", getRequest.slice(1)],
    ["no :path", getRequest.filter(([name]) => name !== ":path")],
    ["no :scheme", getRequest.filter(([name]) => name !== ":scheme")],
    ["an empty :path", [...getRequest.filter(([name]) => name !== ":path"), [":path", ""]]],
    ["a :path without slash", [...getRequest.filter(([name]) => name !== ":path"), [":path", "cart"]]],
    ["a :path with a space", [...getRequest.filter(([name]) => name !== ":path"), [":path", "/a b"]]],
    ["two :path", [[":path", "/a"], ...getRequest]],
    ["two :method", [[":method", "GET"], ...getRequest]],
    [":status", [[":status", "200"], ...getRequest]],
    ["an invalid :scheme", [...getRequest.filter(([name]) => name !== ":scheme"), [":scheme", "ftp"]]],
    ["user information in :authority", [...getRequest.slice(0, 3), [":authority", "a@cart.shop"]]],
    ["a host that differs", [...getRequest, ["host", "other.shop"]]],
    ["te other than trailers", [...getRequest, ["te", "gzip"]]],
    ["connection", [...getRequest, ["connection", "close"]]],
    ["transfer-encoding", [...getRequest, ["transfer-encoding", "chunked"]]],
    ["an upper-case name", [...getRequest, ["X-Upper", "1"]]],
    ["content-length without a body", [...getRequest, ["content-length", "5"]]],
    ["an invalid content-length", [...getRequest, ["content-length", "+0"]]],
    ["two content-lengths", [...getRequest, ["content-length", "0"], ["content-length", "0"]]],
    ["a line feed in a value", [...getRequest, ["x-a", "b\nc: d"]]],
    [":protocol without CONNECT", [...getRequest.slice(0, 3), [":protocol", "websocket"]]],
  ];
  for (const [name, fields] of cases) {
    it(`resets a request with ${name}`, async () => {
      const engine = new MemoryEngine();
      const client = await engine.client();

      await client.send(headersFrame(1, fields));
      await client.send(headersFrame(3, getRequest));

      assert.equal(client.resetCode(1), codes.protocolError);
      assert.equal(engine.upstream().of(frameTypes.headers).length, 1, "only the valid request is forwarded");
      engine.engine.close();
    });
  }

  it("resets a request whose body is shorter or longer than content-length", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    const request: TestFields = [...postRequest, ["content-length", "3"]];

    await client.send(headersFrame(1, request, { isEnd: false }), dataFrame(1, "ab"));
    await client.send(headersFrame(3, request, { isEnd: false }), dataFrame(3, "abcd"));
    await client.send(headersFrame(5, request, { isEnd: false }), dataFrame(5, "abc"));
    await client.send(headersFrame(7, request, { isEnd: false }), headersFrame(7, [["x-t", "1"]]));

    assert.deepEqual(
      [1, 3, 5, 7].map((id) => client.resetCode(id)),
      [1, 1, undefined, 1],
    );
    engine.engine.close();
  });

  it("responds with 431 to a head above the limit, and with 501 to CONNECT", async () => {
    const engine = new MemoryEngine({ limits: { headBytesMax: 1_000, headersMax: 10 } });
    const client = await engine.client();
    const connect: TestFields = [
      [":method", "CONNECT"],
      [":authority", "db:5432"],
    ];

    await client.send(headersFrame(1, [...getRequest, ["x-a", "b".repeat(900)]]));
    await client.send(headersFrame(3, [...getRequest, ...Array.from({ length: 7 }, () => ["a", ""] as const)]));
    await client.send(headersFrame(5, [...getRequest, ...Array.from({ length: 6 }, () => ["a", ""] as const)]));
    await client.send(headersFrame(7, connect, { isEnd: false }));

    const statuses = [1, 3, 7].map(
      (id) => fieldsOf(client.of(frameTypes.headers, id)[0]?.payload ?? Buffer.alloc(0))[":status"],
    );
    assert.deepEqual(statuses, ["431", "431", "501"]);
    assert.equal(engine.upstream().of(frameTypes.headers).length, 1);
    engine.engine.close();
  });
});

describe("Http2Engine: retries, resets and GOAWAY", () => {
  const both = ["10.0.0.1:80", "10.0.0.2:80"];

  it("sends a refused request with its body to another target, once", async () => {
    const engine = new MemoryEngine({ targets: both });
    const client = await engine.client();

    await client.send(headersFrame(1, postRequest, { isEnd: false }), dataFrame(1, "body"));
    await engine.upstream(0).send(resetFrame(1, codes.refusedStream));
    await turn();
    assert.equal(engine.upstream(1).data(1), "body");
    await engine.upstream(1).send(resetFrame(1, codes.refusedStream));

    assert.equal(client.resetCode(1), codes.refusedStream);
    assert.equal(engine.upstreams.length, 2);
    assert.equal(engine.balancer.running, 0);
    engine.engine.close();
  });

  it("sends requests that a GOAWAY left unprocessed to another connection, and lets others finish", async () => {
    const engine = new MemoryEngine({ targets: both });
    const client = await engine.client();

    await client.send(headersFrame(1, postRequest, { isEnd: false }), headersFrame(3, postRequest, { isEnd: false }));
    const upstream = engine.upstream(0);
    await upstream.send(goawayFrame(1));
    await turn();
    await client.send(dataFrame(1, "first"), dataFrame(3, "second"));
    await upstream.send(headersFrame(1, ok));
    await engine.upstream(1).send(headersFrame(1, ok));

    assert.equal(upstream.data(1), "first");
    assert.equal(engine.upstream(1).data(1), "second");
    assert.equal(client.of(frameTypes.headers).length, 2);
    assert.equal(upstream.socket.writableEnded, true, "a connection that leaves closes after its last stream");
    engine.engine.close();
  });

  it("retries on another target if a connection cannot be established", async () => {
    const engine = new MemoryEngine({ targets: both });
    engine.refusals = 1;
    const client = await engine.client();

    await client.send(headersFrame(1, postRequest, { isEnd: false }), dataFrame(1, "body"));
    await turn();

    assert.equal(engine.upstream().data(1), "body");
    assert.deepEqual(engine.balancer.results, [["10.0.0.1:80", "connect-failed"]]);
    engine.engine.close();
  });

  it("responds with 502 if no target accepts a connection, gRPC with status 14", async () => {
    const engine = new MemoryEngine({ targets: both });
    engine.refusals = 4;
    const client = await engine.client();

    await client.send(headersFrame(1, getRequest));
    await turn();
    await client.send(headersFrame(3, [...getRequest, ["content-type", "application/grpc"]]));
    await turn();

    assert.equal(fieldsOf(client.of(frameTypes.headers, 1)[0]?.payload ?? Buffer.alloc(0))[":status"], "502");
    assert.equal(fieldsOf(client.of(frameTypes.headers, 3)[0]?.payload ?? Buffer.alloc(0))["grpc-status"], "14");
    engine.engine.close();
  });

  it("repeats only requests without side effects after a connection broke", async () => {
    const engine = new MemoryEngine({ targets: both });
    const client = await engine.client();

    await client.send(headersFrame(1, getRequest), headersFrame(3, postRequest));
    engine.upstream(0).socket.destroy();
    await turn();
    await turn();

    assert.equal(engine.upstream(1).of(frameTypes.headers).length, 1);
    assert.equal(fieldsOf(client.of(frameTypes.headers, 3)[0]?.payload ?? Buffer.alloc(0))[":status"], "502");
    engine.engine.close();
  });

  it("ends gRPC streams with status 14 when their upstream restarts, and serves the next ones by their plan", async () => {
    const grpc: TestFields = [...postRequest, ["content-type", "application/grpc"]];
    let isReady = true;
    const engine = new MemoryEngine({
      route: (request, targets) => (isReady ? forwardTo(targets, request.path) : respondWith()),
    });
    const client = await engine.client();
    await client.send(headersFrame(1, grpc, { isEnd: false }), headersFrame(3, grpc, { isEnd: false }));
    const upstream = engine.upstream();
    await upstream.send(
      headersFrame(1, [[":status", "200"], ["content-type", "application/grpc"]], { isEnd: false }),
      dataFrame(1, "message", { isEnd: false }),
    ); // prettier-ignore

    isReady = false;
    upstream.socket.destroy();
    await turn();
    await client.send(headersFrame(5, grpc));

    const statuses = [1, 3, 5].map((id) => {
      const last = client.of(frameTypes.headers, id).at(-1);
      return fieldsOf(last?.payload ?? Buffer.alloc(0))["grpc-status"];
    });
    assert.deepEqual(statuses, ["14", "14", "14"]);
    assert.equal(client.data(1), "message");
    assert.equal(engine.balancer.running, 0);
    engine.engine.close();
  });

  it("passes resets on in both directions", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();

    await client.send(headersFrame(1, postRequest, { isEnd: false }), headersFrame(3, postRequest, { isEnd: false }));
    const upstream = engine.upstream();
    await client.send(resetFrame(1, codes.cancel));
    await upstream.send(headersFrame(3, ok, { isEnd: false }), resetFrame(3, codes.enhanceYourCalm));

    assert.equal(upstream.resetCode(1), codes.cancel);
    assert.equal(client.resetCode(3), codes.enhanceYourCalm);
    assert.equal(engine.balancer.running, 0);
    // Frames that were on their way are ignored.
    await client.send(dataFrame(3, "late"));
    await upstream.send(headersFrame(1, ok));
    assert.equal(client.goawayCode, undefined);
    assert.equal(upstream.goawayCode, undefined);
    engine.engine.close();
  });

  it("resets the streams of upstreams when a client leaves", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    await client.send(headersFrame(1, postRequest, { isEnd: false }));

    client.socket.destroy();
    await turn();

    assert.equal(engine.upstream().resetCode(1), codes.cancel);
    assert.equal(engine.balancer.running, 0);
    assert.equal(engine.engine.size, 0);
    engine.engine.close();
  });

  it("drains: announces GOAWAY, finishes requests, refuses later ones, closes", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    await client.send(headersFrame(1, getRequest));

    engine.engine.drain();
    await turn();
    await client.send(headersFrame(3, getRequest));
    await client.send(frame(frameTypes.ping, flags.ack, 0, Buffer.alloc(8)), headersFrame(5, getRequest));
    const upstream = engine.upstream();
    await upstream.send(headersFrame(1, ok), headersFrame(3, ok));

    assert.deepEqual(
      client.of(frameTypes.goaway).map(({ payload }) => payload.readUInt32BE()),
      [0x7fffffff, 3],
    );
    assert.equal(upstream.of(frameTypes.headers).length, 2);
    assert.equal(client.of(frameTypes.headers).length, 2);
    assert.equal(engine.engine.size, 0);
    engine.engine.close();
  });

  it("responds with 501 to extended CONNECT unless the upstream announces it", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    const connect: TestFields = [[":method", "CONNECT"], [":protocol", "websocket"], ...getRequest.slice(1)];

    await client.send(headersFrame(1, connect, { isEnd: false }));
    await turn();
    assert.equal(fieldsOf(client.of(frameTypes.headers, 1)[0]?.payload ?? Buffer.alloc(0))[":status"], "501");

    engine.upstreamSettings = [[settingIds.enableConnectProtocol, 1]];
    engine.upstream().socket.destroy();
    await turn();
    await client.send(headersFrame(3, connect, { isEnd: false }), dataFrame(3, "ping", { isEnd: false }));
    await turn();
    await engine.upstream(1).send(headersFrame(1, ok, { isEnd: false }), dataFrame(1, "pong", { isEnd: false }));

    assert.equal(engine.requests[1]?.isUpgrade, true);
    assert.equal(engine.upstream(1).data(1), "ping");
    assert.equal(client.data(3), "pong");
    engine.engine.close();
  });

  it("closes connections to addresses that are no targets any more, after their requests", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    await client.send(headersFrame(1, getRequest));
    const upstream = engine.upstream();

    engine.engine.retain(new Set(["10.0.0.1:80"]));
    assert.equal(upstream.socket.writableEnded, false);
    engine.engine.retain(new Set(["10.0.0.9:80"]));
    assert.equal(upstream.socket.writableEnded, false, "a request is running");
    await client.send(headersFrame(3, getRequest));
    assert.equal(engine.upstreams.length, 2, "later requests use a new connection");
    await upstream.send(headersFrame(1, ok));

    assert.equal(upstream.socket.writableEnded, true);
    assert.equal(fieldsOf(client.of(frameTypes.headers, 1)[0]?.payload ?? Buffer.alloc(0))[":status"], "200");
    engine.engine.close();
  });

  it("keeps to MAX_CONCURRENT_STREAMS of an upstream", async () => {
    const engine = new MemoryEngine();
    engine.upstreamSettings = [[settingIds.maxConcurrentStreams, 1]];
    const client = await engine.client();
    await client.send(headersFrame(1, getRequest));
    await turn();

    for (let id = 3; id < 3 + 2 * 40; id += 2) await client.send(headersFrame(id, getRequest));
    await turn();

    for (const upstream of engine.upstreams) assert.ok(upstream.of(frameTypes.headers).length <= 1);
    assert.equal(engine.upstreams.length, 16);
    const before = engine.upstream().of(frameTypes.headers).length;
    await engine.upstream().send(headersFrame(1, ok));
    assert.equal(engine.upstream().of(frameTypes.headers).length, before + 1, "a waiting request follows");
    engine.engine.close();
  });

  it("opens a second connection above 100 streams", async () => {
    const engine = new MemoryEngine();
    engine.upstreamSettings = [[settingIds.maxConcurrentStreams, 1_000]];
    const client = await engine.client();

    for (let id = 1; id < 1 + 2 * 101; id += 2) {
      await client.send(headersFrame(id, getRequest));
      assert.equal(engine.upstreams.length, id <= 199 ? 1 : 2);
    }
    engine.engine.close();
  });
});

describe("Http2Engine: invalid responses", () => {
  const cases: readonly [name: string, frames: readonly Buffer[]][] = [
    ["no :status", [headersFrame(1, [["x-a", "b"]])]],
    ["an invalid :status", [headersFrame(1, [[":status", "20"]])]],
    ["status 101", [headersFrame(1, [[":status", "101"]], { isEnd: false })]],
    ["an informational end", [headersFrame(1, [[":status", "100"]])]],
    ["a connection header", [headersFrame(1, [...ok, ["connection", "close"]])]],
    ["DATA before the head", [dataFrame(1, "x")]],
    ["a content-length without body", [headersFrame(1, [...ok, ["content-length", "4"]])]],
  ];
  for (const [name, frames] of cases) {
    it(`responds with 502 to a response with ${name}`, async () => {
      const engine = new MemoryEngine();
      const client = await engine.client();
      await client.send(headersFrame(1, getRequest));

      await engine.upstream().send(...frames);

      assert.equal(fieldsOf(client.of(frameTypes.headers, 1)[0]?.payload ?? Buffer.alloc(0))[":status"], "502");
      assert.equal(engine.upstream().resetCode(1), codes.cancel);
      assert.deepEqual(engine.observer.failures, ["upstream_invalid"]);
      engine.engine.close();
    });
  }

  it("resets the client if the body differs from content-length", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    await client.send(headersFrame(1, getRequest));

    await engine
      .upstream()
      .send(headersFrame(1, [...ok, ["content-length", "4"]], { isEnd: false }), dataFrame(1, "abcde"));

    assert.equal(client.resetCode(1), codes.internalError);
    engine.engine.close();
  });

  it("accepts content-length in a response to HEAD", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    await client.send(headersFrame(1, [[":method", "HEAD"], ...getRequest.slice(1)]));

    await engine.upstream().send(headersFrame(1, [...ok, ["content-length", "4"]]));

    assert.equal(fieldsOf(client.of(frameTypes.headers, 1)[0]?.payload ?? Buffer.alloc(0))["content-length"], "4");
    engine.engine.close();
  });

  it("forwards informational responses", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    await client.send(headersFrame(1, getRequest));

    await engine.upstream().send(headersFrame(1, [[":status", "103"]], { isEnd: false }), headersFrame(1, ok));

    const statuses = client.of(frameTypes.headers, 1).map(({ payload }) => fieldsOf(payload)[":status"]);
    assert.deepEqual(statuses, ["103", "200"]);
    engine.engine.close();
  });

  it("ends an upstream connection that pushes", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    await client.send(headersFrame(1, getRequest));

    await engine.upstream().send(frame(frameTypes.pushPromise, flags.endHeaders, 1, Buffer.from([0, 0, 0, 2, 0x82])));

    assert.equal(engine.upstream().goawayCode, codes.protocolError);
    engine.engine.close();
  });
});

describe("Http2Engine: settings of the peer", () => {
  it("changes the windows of open streams", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client(
      Buffer.concat([clientHello, settingsAck, settingsFrame([[settingIds.initialWindowSize, 0]])]),
    );
    await client.send(headersFrame(1, getRequest));
    await engine.upstream().send(headersFrame(1, ok, { isEnd: false }), dataFrame(1, "hello"));
    assert.equal(client.data(1), "");

    await client.send(settingsFrame([[settingIds.initialWindowSize, 2]]));
    assert.equal(client.data(1), "he");
    await client.send(settingsFrame([[settingIds.initialWindowSize, 0]]), windowFrame(1, 3));
    assert.equal(client.data(1), "hel");
    await client.send(windowFrame(1, 100));

    assert.equal(client.data(1), "hello");
    assert.equal(client.of(frameTypes.data, 1).at(-1)?.flags, flags.endStream);
    assert.equal(engine.balancer.running, 0);
    engine.engine.close();
  });

  it("starts the next block with a table size update after SETTINGS_HEADER_TABLE_SIZE", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();
    const respond = async (id: number): Promise<number | undefined> => {
      await client.send(headersFrame(id, getRequest));
      await engine.upstream().send(headersFrame(id, ok));
      return client.of(frameTypes.headers, id)[0]?.payload[0];
    };

    assert.equal(await respond(1), 0x20);
    assert.notEqual(await respond(3), 0x20);
    await client.send(settingsFrame([[settingIds.headerTableSize, 100]]));
    assert.equal(await respond(5), 0x20);
    engine.engine.close();
  });

  const invalid: readonly [name: string, frames: readonly Buffer[], code: number][] = [
    ["ENABLE_PUSH of 2", [settingsFrame([[settingIds.enablePush, 2]])], codes.protocolError],
    ["a window above 2^31-1", [settingsFrame([[settingIds.initialWindowSize, 0x80000000]])], codes.flowControlError],
    ["a frame size below 16384", [settingsFrame([[settingIds.maxFrameSize, 16_383]])], codes.protocolError],
    ["a frame size above 2^24-1", [settingsFrame([[settingIds.maxFrameSize, 0x1000000]])], codes.protocolError],
    ["SETTINGS of 5 bytes", [frame(frameTypes.settings, 0, 0, Buffer.alloc(5))], codes.frameSizeError],
    ["an ACK with content", [frame(frameTypes.settings, 1, 0, Buffer.alloc(6))], codes.frameSizeError],
    ["SETTINGS of a stream", [frame(frameTypes.settings, 0, 1)], codes.protocolError],
    ["PING of a stream", [frame(frameTypes.ping, 0, 1, Buffer.alloc(8))], codes.protocolError],
    ["PING of 7 bytes", [frame(frameTypes.ping, 0, 0, Buffer.alloc(7))], codes.frameSizeError],
    ["a window update of 0", [windowFrame(0, 0)], codes.protocolError],
    ["a window above the maximum", [windowFrame(0, 0x7fffffff)], codes.flowControlError],
    ["DATA without stream", [dataFrame(0, "x")], codes.protocolError],
    ["DATA for an idle stream", [dataFrame(1, "x")], codes.protocolError],
    ["an even stream", [headersFrame(2, getRequest)], codes.protocolError],
    ["RST_STREAM for an idle stream", [resetFrame(1, 8)], codes.protocolError],
    [
      "RST_STREAM of 3 bytes",
      [headersFrame(1, getRequest), frame(frameTypes.rstStream, 0, 1, Buffer.alloc(3))],
      codes.frameSizeError,
    ],
    ["WINDOW_UPDATE of 3 bytes", [frame(frameTypes.windowUpdate, 0, 0, Buffer.alloc(3))], codes.frameSizeError],
    ["CONTINUATION without HEADERS", [frame(frameTypes.continuation, flags.endHeaders, 1)], codes.protocolError],
    [
      "an interrupted header block",
      [frame(frameTypes.headers, 0, 1), frame(frameTypes.ping, 0, 0, Buffer.alloc(8))],
      codes.protocolError,
    ],
    [
      "padding longer than the frame",
      [frame(frameTypes.headers, flags.endHeaders | flags.padded, 1, Buffer.of(9, 0x82))],
      codes.protocolError,
    ],
    [
      "an invalid header block",
      [frame(frameTypes.headers, flags.endHeaders, 1, Buffer.of(0x80))],
      codes.compressionError,
    ],
    ["PUSH_PROMISE", [frame(frameTypes.pushPromise, flags.endHeaders, 1, Buffer.alloc(4))], codes.protocolError],
    ["a frame above 16384 bytes", [frame(frameTypes.ping, 0, 0, Buffer.alloc(16_385))], codes.frameSizeError],
    ["GOAWAY of 7 bytes", [frame(frameTypes.goaway, 0, 0, Buffer.alloc(7))], codes.frameSizeError],
    ["PRIORITY without stream", [frame(frameTypes.priority, 0, 0, Buffer.alloc(5))], codes.protocolError],
  ];
  for (const [name, frames, code] of invalid) {
    it(`ends a connection with ${name}`, async () => {
      const engine = new MemoryEngine();
      const client = await engine.client();

      await client.send(...frames);

      assert.equal(client.goawayCode, code);
      assert.equal(engine.engine.size, 0);
      engine.engine.close();
    });
  }

  it("ends a connection without preface, and one whose first frame is not SETTINGS", async () => {
    const engine = new MemoryEngine();
    const first = await engine.client(Buffer.from("GET / HTTP/1.1\r\n\r\n"));
    const second = await engine.client(
      Buffer.concat([clientHello.subarray(0, 24), frame(frameTypes.ping, 0, 0, Buffer.alloc(8))]),
    );

    assert.equal(first.goawayCode, codes.protocolError);
    assert.equal(second.goawayCode, codes.protocolError);
    engine.engine.close();
  });

  it("resets a stream whose window becomes too large, or that gets data after its end", async () => {
    const engine = new MemoryEngine();
    const client = await engine.client();

    await client.send(headersFrame(1, postRequest, { isEnd: false }), windowFrame(1, 0x7fffffff));
    await client.send(headersFrame(3, getRequest), dataFrame(3, "x"));
    await client.send(headersFrame(5, postRequest, { isEnd: false }), uint32Frame(frameTypes.windowUpdate, 5, 0));

    assert.equal(client.resetCode(1), codes.flowControlError);
    assert.equal(client.resetCode(3), codes.streamClosed);
    assert.equal(client.resetCode(5), codes.protocolError);
    assert.equal(client.goawayCode, undefined);
    engine.engine.close();
  });
});
