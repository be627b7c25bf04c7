import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { encodeHeader, frameFlag, type FrameHeader, frameType, goAwayCode, headerBytes } from "../frames/frame.ts";
import { memoryCarriers } from "../testing/memory-carrier.ts";
import { StreamRecorder } from "../testing/recorder.ts";
import { Session } from "./session.ts";

const sample = process.env["HOMEOSTAT_FUZZ_INPUTS"];
/** A million frames, or twice the number of inputs of a sample. */
const frames = sample === undefined ? 1_000_000 : Number(sample) * 2;

const streamsMax = 8;
const limits = { windowBytes: 512, windowBytesMax: 4_096, unreadBytesMax: 2_048, queuedBytesMax: 4_096, streamsMax };

const open: FrameHeader = { type: frameType.windowUpdate, flags: frameFlag.syn, id: 1, length: 0 };

/** Returns the size of the heap after all ended sessions have closed their connections, and a garbage collection. */
async function heapBytes(clock: FakeClock): Promise<number> {
  await clock.advance(5_000);
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") Reflect.apply(collect, undefined, []);
  return process.memoryUsage().heapUsed;
}

describe("Session with a hostile peer", () => {
  it("survives random frames within its limits, without growth of memory", async () => {
    const random = new SeededRandom(20);
    const clock = new FakeClock();
    let ended = 0;
    let session: Session | undefined;
    let carrier = memoryCarriers()[0];
    let opened = 1;
    let bytesEarly = 0;
    const pick = <T>(values: readonly T[]): T => values[random.int(values.length)] ?? (values[0] as T);

    for (let sent = 0; sent < frames; sent += 1) {
      if (session === undefined || session.isEnded) {
        // Lets ended sessions close their connections, which they keep for that time.
        if (ended % 50 === 0) await clock.advance(5_000);
        carrier = memoryCarriers()[0];
        opened = 1;
        session = Session.start({
          carrier,
          side: "server",
          clock,
          limits,
          onStream: (stream) => {
            const recorder = new StreamRecorder({ consumes: random.int(2) === 0 });
            recorder.take(stream);
            if (random.int(3) > 0) stream.accept();
            if (random.int(10) === 0) stream.reset();
          },
          onEnd: () => (ended += 1),
        });
      }
      // Mostly plausible fields, so that sessions live long enough to reach every state; sometimes any value.
      const isWild = random.int(200) === 0;
      const type = isWild ? random.int(256) : pick([0, 0, 0, 1, 1, 2, 3]);
      const isOpening = type < 2 && random.int(5) === 0;
      if (isOpening) opened += 2;
      const id = isWild
        ? random.int(2 ** 32)
        : type > 1
          ? 0
          : isOpening
            ? opened
            : 1 + 2 * random.int((opened + 1) / 2);
      const flags = isWild
        ? random.int(2 ** 16)
        : (isOpening ? 1 : 0) | (random.int(12) === 0 ? pick([2, 4, 8, 12]) : 0);
      const length = isWild ? random.int(2 ** 32) : type === 3 ? pick([0, 3]) : random.int(64);
      const header = encodeHeader({ type: type & 0xff, flags, id, length });
      if (isWild && random.int(4) === 0) header[0] = random.int(256);
      const data = type === 0 && length < 1_024 ? Buffer.alloc(length) : Buffer.alloc(0);
      carrier.receive(Buffer.concat([header, data]));

      assert.ok(session.size <= streamsMax, "too many streams");
      assert.ok(session.unreadBytes >= 0 && session.unreadBytes <= 2 * limits.unreadBytesMax, "too many unread bytes");
      assert.ok(carrier.queuedBytes <= limits.queuedBytesMax + 64, "too many queued bytes");
      if (session.isEnded) assert.equal(session.size, 0);
      if (sent === Math.floor(frames / 10)) bytesEarly = await heapBytes(clock);
    }

    assert.ok(ended > 10, "the frames never violated the protocol");
    session?.close();
    assert.ok((await heapBytes(clock)) < bytesEarly + 4 * 1024 * 1024, "nine tenths of the frames made the heap grow");
  });

  it("survives every value of every byte of a header, in every state of a stream", () => {
    const states: readonly (readonly FrameHeader[])[] = [
      [],
      [open],
      [open, { ...open, flags: frameFlag.fin }],
      [open, { ...open, flags: frameFlag.rst }],
      [open, { type: frameType.goAway, flags: 0, id: 0, length: goAwayCode.draining }],
    ];
    const frames: readonly FrameHeader[] = [
      { type: frameType.data, flags: 0, id: 1, length: 16 },
      { type: frameType.data, flags: frameFlag.syn, id: 3, length: 16 },
      { type: frameType.windowUpdate, flags: 0, id: 1, length: 16 },
      { type: frameType.ping, flags: frameFlag.syn, id: 0, length: 16 },
      { type: frameType.goAway, flags: 0, id: 0, length: 0 },
    ];
    const ends = new Map<string, number>();
    for (const state of states)
      for (const frame of frames)
        for (let at = 0; at < headerBytes; at += 1)
          for (let value = 0; value < 256; value += 1) {
            const [carrier] = memoryCarriers();
            const session = Session.start({
              carrier,
              side: "server",
              clock: new FakeClock(),
              limits,
              onStream: (stream) => new StreamRecorder({ consumes: false }).take(stream),
              onEnd: ({ reason }) => ends.set(reason, (ends.get(reason) ?? 0) + 1),
            });
            for (const each of state) carrier.receive(encodeHeader(each));
            const header = encodeHeader(frame);
            header[at] = value;
            carrier.receive(Buffer.concat([header, Buffer.alloc(16)]));

            assert.ok(session.size <= 2 && session.unreadBytes <= 16, "a frame has an effect beyond its stream");
            session.close();
            assert.equal(session.size, 0);
          }

    assert.equal(
      [...ends.values()].reduce((sum, each) => sum + each, 0),
      states.length * frames.length * headerBytes * 256,
      "each session ended once",
    );
    assert.ok((ends.get("protocol") ?? 0) > 10_000, "malformed frames end the session with a protocol error");
  });

  it("survives random bytes", () => {
    const random = new SeededRandom(21);
    for (let round = 0; round < 500; round += 1) {
      const [carrier] = memoryCarriers();
      let ended = 0;
      const session = Session.start({
        carrier,
        side: "client",
        clock: new FakeClock(),
        onStream: (stream) => stream.reset(),
        onEnd: () => (ended += 1),
      });
      for (let chunk = 0; chunk < 20; chunk += 1)
        carrier.receive(
          Buffer.from(Array.from({ length: 1 + random.int(40) }, () => (random.int(3) === 0 ? random.int(256) : 0))),
        );
      session.close();

      assert.equal(ended, 1);
    }
  });
});
