import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { encodeHeader } from "../frames/frame.ts";
import { memoryCarriers } from "../testing/memory-carrier.ts";
import { StreamRecorder } from "../testing/recorder.ts";
import { Session } from "./session.ts";

const sample = process.env["HOMEOSTAT_FUZZ_INPUTS"];
/** A million frames, or twice the number of inputs of a sample. */
const frames = sample === undefined ? 1_000_000 : Number(sample) * 2;

const streamsMax = 8;
const limits = { windowBytes: 512, windowBytesMax: 4_096, unreadBytesMax: 2_048, queuedBytesMax: 4_096, streamsMax };

describe("Session with a hostile peer", () => {
  it("survives random frames within its limits", () => {
    const random = new SeededRandom(20);
    const clock = new FakeClock();
    let ended = 0;
    let session: Session | undefined;
    let carrier = memoryCarriers()[0];
    let opened = 1;
    const pick = <T>(values: readonly T[]): T => values[random.int(values.length)] ?? (values[0] as T);

    for (let sent = 0; sent < frames; sent += 1) {
      if (session === undefined || session.isEnded) {
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
    }

    assert.ok(ended > 10, "the frames never violated the protocol");
    session?.close();
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
