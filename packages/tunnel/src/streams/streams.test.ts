import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import type { StreamFailedError } from "../errors.ts";
import type { InboundStream } from "../handshake/messages.ts";
import { Session } from "../mux/session.ts";
import type { MuxStream } from "../mux/stream.ts";
import { memoryCarriers } from "../testing/memory-carrier.ts";
import { StreamRecorder } from "../testing/recorder.ts";
import { acceptStream, type OfferedStream } from "./accept-stream.ts";
import { openStream } from "./open-stream.ts";

const header: InboundStream = { t: "in", port: "http", protocol: "http", src: "10.0.3.7:41022" };

/** Two sessions; streams that the first opens are offered to `onOffer`. */
function run(onOffer: (offer: OfferedStream<InboundStream>) => void) {
  const clock = new FakeClock();
  const [first, second] = memoryCarriers({ chunkBytes: 7 });
  const failures: string[] = [];
  const common = { clock, onEnd: () => undefined };
  const opener = Session.start({ ...common, carrier: first, side: "server", onStream: (stream) => stream.reset() });
  const acceptor = Session.start({
    ...common,
    carrier: second,
    side: "client",
    onStream: (stream) =>
      acceptStream(stream, { clock, expected: "in", onOffer, onFailed: (error) => failures.push(error.message) }),
  });
  const answers: (StreamFailedError | undefined)[] = [];
  const open = (): ReturnType<typeof openStream> =>
    openStream(opener, header, { clock, onAnswer: (failure) => answers.push(failure) });
  return { clock, opener, acceptor, answers, failures, open };
}

const settle = (): Promise<void> => new Promise(setImmediate);

describe("openStream and acceptStream", () => {
  it("connect a stream with data that was sent before the answer", async () => {
    const received = new StreamRecorder();
    const offers: InboundStream[] = [];
    const { open, answers } = run((offer) => {
      offers.push(offer.header);
      setImmediate(() => {
        const stream = offer.connect();
        stream.handle(received);
        stream.write(Buffer.from("response"));
        stream.end();
      });
    });
    const sent = new StreamRecorder();
    const stream = open();
    stream.handle(sent);
    stream.write(Buffer.from("request"));
    stream.end();
    for (let turn = 0; turn < 5; turn += 1) await settle();

    assert.deepEqual(offers, [header]);
    assert.deepEqual(answers, [undefined]);
    assert.equal(received.text, "request");
    assert.equal(sent.text, "response");
    assert.deepEqual(sent.events, ["ended", "closed: finished"]);
    assert.ok(received.events.includes("ended"));
  });

  it("pass the reason of a refusal to the opener, and drop its data", async () => {
    const { open, answers, acceptor, opener } = run((offer) => offer.refuse("local_refused", "127.0.0.1:3000"));
    const sent = new StreamRecorder();
    const stream = open();
    stream.handle(sent);
    stream.write(Buffer.alloc(100_000));
    await settle();

    assert.deepEqual([answers[0]?.reason, answers[0]?.detail], ["local_refused", "127.0.0.1:3000"]);
    assert.deepEqual(sent.events, ["closed: reset"]);
    assert.equal(sent.bytes, 0);
    assert.deepEqual([opener.size, acceptor.size], [0, 0]);
  });

  it("let the opener answer its caller itself when a stream is refused", async () => {
    const { opener, clock } = run((offer) => offer.refuse("local_refused"));
    const spliced = new StreamRecorder();
    const own = new StreamRecorder();
    const stream = openStream(opener, header, { clock, onAnswer: () => stream.handle(own) });
    stream.handle(spliced);
    await settle();

    assert.deepEqual(spliced.events, []);
    assert.deepEqual(own.events, ["closed: reset"]);
  });

  it("hold data of the opener until it has a destination, within the window", async () => {
    let offered: OfferedStream<InboundStream> | undefined;
    const { open, acceptor } = run((offer) => (offered = offer));
    const stream = open();
    stream.handle(new StreamRecorder());
    for (let index = 0; index < 20; index += 1) stream.write(Buffer.alloc(32 * 1024));
    await settle();

    assert.ok(acceptor.unreadBytes <= 256 * 1024, String(acceptor.unreadBytes));
    const received = new StreamRecorder();
    offered?.connect().handle(received);
    assert.ok(received.bytes > 0);
  });

  it("fail when the answer does not arrive in time", async () => {
    const { open, answers, clock, opener } = run(() => undefined);
    open().handle(new StreamRecorder());
    await settle();

    await clock.advance(15_000);

    assert.equal(answers[0]?.reason, "protocol");
    assert.equal(opener.size, 0);
  });

  it("report to the acceptor that the opener is gone", async () => {
    let offered: OfferedStream<InboundStream> | undefined;
    const { open } = run((offer) => (offered = offer));
    const stream = open();
    await settle();
    assert.equal(offered?.isClosed, false);

    stream.reset();
    await settle();

    assert.equal(offered?.isClosed, true);
    const late = new StreamRecorder();
    offered?.connect().handle(late);
    assert.deepEqual(late.events, ["closed: reset"]);
  });

  for (const [name, line] of [
    ["something else than JSON", "GET / HTTP/1.1\n"],
    ["a message for the other end", '{"t":"out","dst":"orders:80"}\n'],
    ["a header without a port", '{"t":"in","protocol":"http","src":"1.2.3.4:5"}\n'],
    ["a port that is not text", '{"t":"in","port":80,"protocol":"http","src":"1.2.3.4:5"}\n'],
    ["a line that is too long", "x".repeat(3_000)],
  ] as const) {
    it(`reset a stream that begins with ${name}`, async () => {
      const { opener, failures } = run(() => assert.fail("offered"));
      const recorder = new StreamRecorder();
      const stream: MuxStream = opener.open(recorder);
      stream.write(Buffer.from(line));
      await settle();

      assert.equal(failures.length, 1);
      assert.ok(stream.isClosed);
    });
  }

  it("reset a stream that sends no first line in time, or ends before", async () => {
    const { opener, failures, clock } = run(() => assert.fail("offered"));
    opener.open(new StreamRecorder());
    opener.open(new StreamRecorder()).end();
    await settle();
    assert.equal(failures.length, 1);

    await clock.advance(10_000);

    assert.deepEqual(failures.length, 2);
    assert.equal(opener.size, 0);
  });
});
