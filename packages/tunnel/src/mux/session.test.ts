import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, nextTurn } from "@homeostat/core";
import { encodeHeader, frameFlag, type FrameHeader, frameType, goAwayCode } from "../frames/frame.ts";
import { FrameReader } from "../frames/frame-reader.ts";
import { StreamRefusedError } from "../errors.ts";
import { memoryCarriers, type MemoryCarrier, type MemoryCarriersOptions } from "../testing/memory-carrier.ts";
import { StreamRecorder } from "../testing/recorder.ts";
import type { MuxLimits } from "./limits.ts";
import { Session, type SessionEnd } from "./session.ts";
import type { MuxStream } from "./stream.ts";

interface End {
  readonly session: Session;
  readonly carrier: MemoryCarrier;
  readonly streams: StreamRecorder[];
  readonly ends: SessionEnd[];
  readonly goAways: number[];
}

interface PairOptions extends MemoryCarriersOptions {
  readonly limits?: Partial<MuxLimits>;
  readonly serverConsumes?: boolean;
  readonly serverAccepts?: boolean;
}

/** Starts two sessions that are connected in memory. */
function startPair({ limits = {}, serverConsumes = true, serverAccepts = true, ...options }: PairOptions = {}) {
  const clock = new FakeClock();
  const [clientCarrier, serverCarrier] = memoryCarriers(options);
  const start = (side: "client" | "server", carrier: MemoryCarrier): End => {
    const streams: StreamRecorder[] = [];
    const ends: SessionEnd[] = [];
    const goAways: number[] = [];
    const onStream = (stream: MuxStream): void => {
      const recorder = new StreamRecorder({ consumes: side === "client" || serverConsumes });
      recorder.take(stream);
      if (serverAccepts) stream.accept();
      streams.push(recorder);
    };
    const onGoAway = (code: number): void => void goAways.push(code);
    const onEnd = (end: SessionEnd): void => void ends.push(end);
    const session = Session.start({ carrier, side, clock, limits, onStream, onGoAway, onEnd });
    return { session, carrier, streams, ends, goAways };
  };
  return { clock, client: start("client", clientCarrier), server: start("server", serverCarrier) };
}

/** Starts a server session whose peer is the test: returns the frames that it sends, and a function that sends frames to it. */
function startAlone(options: PairOptions = {}) {
  const { clock, server } = startPair(options);
  server.carrier.pause(true);
  const send = (header: Partial<FrameHeader>, data = Buffer.alloc(0)): void => {
    server.carrier.receive(
      Buffer.concat([encodeHeader({ type: 0, flags: 0, id: 1, length: data.length, ...header }), data]),
    );
  };
  const sent = (): readonly string[] => framesIn(server.carrier);
  return { ...server, clock, send, sent };
}

/** Returns the frames that an end has written, as `type flags id length`. */
function framesIn({ written }: MemoryCarrier): readonly string[] {
  const frames: string[] = [];
  const reader = new FrameReader({
    frame: ({ type, flags, id, length }) => void frames.push(`${type} ${flags} ${id} ${length}`),
    data: () => undefined,
  });
  for (const bytes of written) reader.read(bytes);
  return frames;
}

const syn = { type: frameType.windowUpdate, flags: frameFlag.syn, length: 0 };

/** Lets all deliveries happen. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
};

function open(
  end: End,
  recorder = new StreamRecorder(),
): { readonly recorder: StreamRecorder; readonly stream: MuxStream } {
  const stream = end.session.open(recorder);
  recorder.stream = stream;
  return { recorder, stream };
}

describe("Session", () => {
  for (const chunkBytes of [Infinity, 1, 13]) {
    it(`carries streams of both ends, ${chunkBytes} bytes at a time`, async () => {
      const { client, server } = startPair({ chunkBytes });
      const first = open(client);
      const second = open(server);

      first.stream.write(Buffer.from("from the client"));
      second.stream.write(Buffer.from("from the server"));
      await settle();
      server.streams[0]?.stream?.write(Buffer.from("response"));
      server.streams[0]?.stream?.end();
      first.stream.end();
      await settle();

      assert.equal(server.streams[0]?.text, "from the client");
      assert.equal(client.streams[0]?.text, "from the server");
      assert.equal(first.recorder.text, "response");
      assert.deepEqual(first.recorder.events, ["accepted", "ended", "closed: finished"]);
      assert.deepEqual(server.streams[0]?.events, ["ended", "closed: finished"]);
      assert.equal(client.session.size, 1);
    });
  }

  it("sends no more than the window until the destination has consumed half of it", async () => {
    const { client, server } = startPair({ serverConsumes: false });
    const { stream } = open(client);

    const isWritable = stream.write(Buffer.alloc(1024 * 1024));
    await settle();

    assert.equal(isWritable, false);
    assert.equal(server.streams[0]?.bytes, 256 * 1024);
    assert.equal(server.session.unreadBytes, 256 * 1024);
    server.streams[0]?.stream?.consumed(127 * 1024);
    await settle();
    assert.equal(server.streams[0]?.bytes, 256 * 1024);
    server.streams[0]?.stream?.consumed(1024);
    await settle();
    assert.equal(server.streams[0]?.bytes, 384 * 1024);
  });

  it("keeps other streams running beside one that is not consumed", async () => {
    const { client, server } = startPair({ serverConsumes: false });
    const stalled = open(client);
    stalled.stream.write(Buffer.alloc(512 * 1024));
    await settle();

    const other = open(client);
    other.stream.write(Buffer.from("not delayed"));
    await settle();

    assert.equal(server.streams[1]?.text, "not delayed");
    assert.equal(stalled.stream.queuedBytes, 256 * 1024);
  });

  it("lets streams take turns of one frame", async () => {
    const { client } = startPair({ limits: { queuedBytesHigh: 1, queuedBytesLow: 1, frameBytesMax: 64 * 1024 } });
    client.carrier.pause(true);
    const [first, second] = [open(client).stream, open(client).stream];

    first.write(Buffer.alloc(192 * 1024));
    second.write(Buffer.alloc(128 * 1024));
    client.carrier.pause(false);
    for (let turn = 0; turn < 10; turn += 1) await settle();

    const order = framesIn(client.carrier).filter((frame) => frame.startsWith("0 "));
    assert.deepEqual(order, ["0 0 1 65536", "0 0 3 65536", "0 0 1 65536", "0 0 3 65536", "0 0 1 65536"]);
  });

  it("reports to a waiting writer when the queue of its stream is half empty", async () => {
    const { client, server } = startPair({ serverConsumes: false });
    const { stream, recorder } = open(client);
    stream.write(Buffer.alloc(600 * 1024));
    await settle();
    assert.ok(!recorder.events.includes("drained"));

    server.streams[0]?.stream?.consumed(256 * 1024);
    await settle();

    assert.ok(recorder.events.includes("drained"));
  });

  it("sends queued data before the end of a stream", async () => {
    const { client, server } = startPair({ serverConsumes: false });
    const { stream } = open(client);
    stream.write(Buffer.alloc(300 * 1024));
    stream.end();
    await settle();
    assert.deepEqual(server.streams[0]?.events, []);

    server.streams[0]?.stream?.consumed(256 * 1024);
    await settle();

    assert.equal(server.streams[0]?.bytes, 300 * 1024);
    assert.deepEqual(server.streams[0]?.events, ["ended"]);
    assert.equal(stream.write(Buffer.from("late")), false);
  });

  it("discards what arrives for a stream that was reset here", async () => {
    const { client, server } = startPair();
    const { stream, recorder } = open(client);
    await settle();
    server.carrier.pause(true);
    server.streams[0]?.stream?.write(Buffer.from("on its way"));

    stream.reset();
    server.carrier.pause(false);
    await settle();

    assert.deepEqual(recorder.events, ["accepted", "closed: reset"]);
    assert.equal(recorder.text, "");
    assert.deepEqual(server.streams[0]?.events, ["closed: reset"]);
    assert.deepEqual([client.ends, server.ends], [[], []]);
  });

  it("refuses to open streams above the limits, and resets those of a peer", async () => {
    const { client } = startPair({ limits: { streamsMax: 2 } });
    open(client);
    open(client);
    assert.throws(
      () => open(client),
      (error) => error instanceof StreamRefusedError && error.reason === "limit",
    );

    const { send, sent, session } = startAlone({ limits: { unacceptedMax: 2 }, serverAccepts: false });
    for (const id of [1, 3, 5]) send({ ...syn, id });

    assert.equal(session.size, 2);
    assert.deepEqual(sent().slice(1), ["1 8 5 0"]);
  });

  it("counts streams as unaccepted only until they are accepted", async () => {
    const { client } = startPair({ limits: { unacceptedMax: 1 } });
    open(client);
    assert.throws(() => open(client), StreamRefusedError);
    await settle();

    open(client);

    assert.equal(client.session.size, 2);
  });

  it("lets open streams finish after a go-away, and then ends", async () => {
    const { client, server } = startPair();
    const { stream, recorder } = open(client);
    await settle();

    server.session.goAway(goAwayCode.draining);
    await settle();
    assert.deepEqual(client.goAways, [3]);
    assert.throws(
      () => open(client),
      (error) => error instanceof StreamRefusedError && error.reason === "draining",
    );
    stream.write(Buffer.from("last words"));
    stream.end();
    await settle();
    server.streams[0]?.stream?.end();
    await settle();

    assert.equal(server.streams[0]?.text, "last words");
    assert.deepEqual(recorder.events, ["accepted", "ended", "closed: finished"]);
    assert.deepEqual(server.ends, [{ reason: "closed" }]);
    assert.equal(client.ends.length, 1);
  });

  it("resets streams that the peer opens after a go-away, and serves the others", () => {
    const { send, sent, session, streams } = startAlone();
    send({ ...syn, id: 1 });
    session.goAway(goAwayCode.draining);

    send({ ...syn, id: 3 });
    send({ id: 3 }, Buffer.from("discarded"));
    send({ id: 1 }, Buffer.from("served"));
    send({ type: frameType.ping, flags: frameFlag.syn, id: 0, length: 7 });

    assert.equal(streams.length, 1);
    assert.equal(streams[0]?.text, "served");
    assert.equal(session.unreadBytes, 0);
    assert.deepEqual(sent().slice(-2), ["1 8 3 0", "2 2 0 7"]);
  });

  it("takes frames of open streams after the go-away of the peer, and a second go-away", () => {
    const { send, ends, goAways, streams } = startAlone();
    send({ ...syn, id: 1 });
    send({ type: frameType.goAway, id: 0, length: goAwayCode.draining });

    send({ id: 1 }, Buffer.from("still open"));
    send({ type: frameType.goAway, id: 0, length: goAwayCode.normal });
    assert.equal(streams[0]?.text, "still open");
    assert.deepEqual(goAways, [3, 0]);
    assert.deepEqual(ends, []);
    send({ type: frameType.windowUpdate, flags: frameFlag.rst, id: 1, length: 0 });

    assert.deepEqual(ends, [{ reason: "go-away", code: 0 }]);
  });

  it("ignores all frames after it has ended", () => {
    const { send, sent, ends, streams, session } = startAlone();
    send({ ...syn, id: 1 });
    session.close();
    const before = sent().length;

    send({ id: 1 }, Buffer.from("late"));
    send({ ...syn, id: 3 });
    send({ type: frameType.ping, flags: frameFlag.syn, id: 0, length: 7 });
    send({ type: 9, id: 0 });

    assert.deepEqual([sent().length, streams.length, ends.length], [before, 1, 1]);
    assert.deepEqual(streams[0]?.events, ["closed: session"]);
  });

  it("closes all streams when the connection ends", async () => {
    const { client, server } = startPair();
    const { recorder } = open(client);
    await settle();

    server.carrier.destroy();

    assert.deepEqual(recorder.events, ["accepted", "closed: session"]);
    assert.deepEqual(client.ends, [{ reason: "connection", error: undefined }]);
    assert.throws(
      () => open(client),
      (error) => error instanceof StreamRefusedError && error.reason === "closed",
    );
  });

  it("ends a silent connection within 30 s", async () => {
    const { clock, client, server } = startPair();
    await settle();
    await clock.advance(10_000);
    server.carrier.isLossy = true;

    await clock.advance(30_000);

    assert.deepEqual(client.ends, [{ reason: "silent" }]);
    assert.ok(client.carrier.isDestroyed);
  });

  it("destroys a connection that the peer does not close after the last frame", async () => {
    const { clock, session, carrier, ends } = startAlone();

    session.close();
    await settle();
    assert.ok(!carrier.isDestroyed);
    await clock.advance(5_000);

    assert.ok(carrier.isDestroyed);
    assert.deepEqual(ends, [{ reason: "closed" }]);
  });

  it("ends when the peer causes responses and does not read them", () => {
    const { send, ends, carrier } = startAlone({ limits: { queuedBytesMax: 12_000 } });

    for (let ping = 0; ping < 2_000; ping += 1)
      send({ type: frameType.ping, flags: frameFlag.syn, id: 0, length: ping });

    assert.deepEqual(ends, [{ reason: "stalled" }]);
    assert.ok(carrier.queuedBytes < 13_000);
  });

  it("resets the largest stream when the unread bytes reach twice their limit", () => {
    const { send, sent, session, streams } = startAlone({
      limits: { windowBytes: 1000, unreadBytesMax: 100 },
      serverConsumes: false,
    });
    send({ ...syn, id: 1 });
    send({ ...syn, id: 3 });

    send({ id: 3 }, Buffer.alloc(50));
    send({ id: 1 }, Buffer.alloc(100));
    send({ id: 1 }, Buffer.alloc(100));

    assert.deepEqual(
      streams.map(({ events }) => events),
      [["closed: reset"], []],
    );
    assert.equal(session.unreadBytes, 50);
    assert.ok(sent().includes("1 8 1 0"));
  });

  it("withholds window updates of the largest streams while too much is unread", () => {
    const { send, sent, streams } = startAlone({
      limits: { windowBytes: 120, unreadBytesMax: 100 },
      serverConsumes: false,
    });
    send({ ...syn, id: 1 });
    send({ ...syn, id: 3 });
    send({ id: 1 }, Buffer.alloc(120));
    send({ id: 3 }, Buffer.alloc(70));
    const updates = (): readonly string[] => sent().filter((frame) => frame.startsWith("1 0 "));

    streams[0]?.stream?.consumed(60);
    assert.deepEqual(updates(), []);
    streams[1]?.stream?.consumed(60);

    assert.deepEqual(updates(), ["1 0 1 60", "1 0 3 60"]);
  });

  describe("ends with a protocol error", () => {
    for (const [name, frames] of [
      ["data for a stream that was never opened", [{ id: 7, length: 0 }]],
      ["a window update for a stream that was never opened", [{ type: 1, id: 2 }]],
      ["a frame for stream 0", [{ type: 1, id: 0 }]],
      ["a stream with an id of this end", [{ ...syn, id: 2 }]],
      ["a stream with id 0", [{ ...syn, id: 0 }]],
      ["a stream that is opened twice", [{ ...syn }, { ...syn }]],
      ["a stream that is opened again after its end", [{ ...syn }, { type: 1, flags: 8, length: 0 }, { ...syn }]],
      [
        "a frame for a stream that was skipped",
        [
          { ...syn, id: 5 },
          { type: 1, id: 3, length: 0 },
        ],
      ],
      ["more data than the window", [{ ...syn }, { length: 256 * 1024 + 1 }]],
      ["data after the end", [{ ...syn }, { type: 1, flags: 4, length: 0 }, { length: 1 }]],
      ["a window that overflows", [{ ...syn }, { type: 1, length: 0xffff_ffff }]],
    ] satisfies readonly (readonly [string, readonly Partial<FrameHeader>[]])[]) {
      it(`for ${name}`, () => {
        const { send, sent, ends } = startAlone();

        for (const frame of frames) send(frame);

        assert.deepEqual(
          ends.map(({ reason }) => reason),
          ["protocol"],
        );
        assert.equal(sent().at(-1), "3 0 0 1");
      });
    }
  });
});
