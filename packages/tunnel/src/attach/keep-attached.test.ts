import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { AttachRefusedError } from "../errors.ts";
import type { TunnelEnd } from "./tunnel-end.ts";
import { type Attachment, type AttachmentState, keepAttached } from "./keep-attached.ts";

/** A connection that a test ends. */
class TestAttachment implements Attachment {
  readonly tunnelId = "t-1";
  #ended: (end: TunnelEnd) => void = () => undefined;
  readonly ended: Promise<TunnelEnd> = new Promise((resolve) => (this.#ended = resolve));
  drain: () => void = () => undefined;
  readonly draining: Promise<void> = new Promise((resolve) => (this.drain = resolve));
  isClosed = false;
  /** Times of {@link verify}. */
  readonly verified: number[] = [];

  end(reason: string, { retry = true }: { readonly retry?: boolean } = {}): void {
    this.#ended({ reason, detail: "", retry });
  }

  verify(timeoutMs: number): void {
    this.verified.push(timeoutMs);
  }

  close(): void {
    this.isClosed = true;
    this.end("closed");
  }
}

/** Keeps a tunnel attached with the results of attempts that the test gives, and the largest delays. */
function run(attempts: readonly (Error | TestAttachment | "silence")[]) {
  const clock = new FakeClock();
  const addresses = new Set<string>();
  const stop = new AbortController();
  const states: AttachmentState[] = [];
  const times: number[] = [];
  const resumed: string[] = [];
  const done = keepAttached({
    clock,
    random: { next: () => 0.999_999, int: () => 0 },
    signal: stop.signal,
    addresses: () => new Set(addresses),
    attach: (resume, signal) => {
      times.push(Math.round(clock.monotonic()));
      resumed.push(resume);
      const result = attempts[Math.min(times.length, attempts.length) - 1];
      if (result === "silence")
        return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return result instanceof TestAttachment
        ? Promise.resolve(result)
        : Promise.reject(result ?? new Error("no attempt"));
    },
    onState: (state) => states.push(state),
  });
  done.catch(() => undefined);
  return { clock, stop, states, times, resumed, done, addresses };
}

describe("keepAttached", () => {
  it("doubles the limit of the delay from 0.25 s to 30 s", async () => {
    const { clock, stop, times, done } = run([new Error("refused")]);

    await clock.advance(150_000);
    stop.abort();
    await done;

    const delays = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    assert.deepEqual(delays.slice(0, 9), [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it("continues the tunnel, and begins with a short delay after a stable connection", async () => {
    const [first, second] = [new TestAttachment(), new TestAttachment()];
    const { clock, stop, times, resumed, done } = run([new Error("refused"), new Error("refused"), first, second]);
    await clock.advance(1_000);
    await clock.advance(60_000);

    first.end("silent");
    await clock.advance(250);

    assert.deepEqual(resumed, ["", "", "", "t-1"]);
    assert.ok((times[3] ?? 0) - 61_000 <= 250, String(times));
    stop.abort();
    await done;
    assert.ok(second.isClosed);
  });

  it("does not begin with a short delay after a connection that was lost at once", async () => {
    const first = new TestAttachment();
    const { clock, stop, times, done } = run([new Error("refused"), first, new Error("refused")]);
    await clock.advance(250);

    first.end("connection reset");
    await clock.advance(499);
    assert.equal(times.length, 2);
    await clock.advance(1);

    assert.equal(times.length, 3);
    stop.abort();
    await done;
  });

  it("reconnects at once when the machine was asleep", async () => {
    const [first, second] = [new TestAttachment(), new TestAttachment()];
    const { clock, stop, states, times, done } = run([first, second]);
    await clock.advance(7_000);

    clock.jump(3_600_000);
    await clock.advance(3_000);

    assert.ok(first.isClosed);
    assert.deepEqual(times, [0, 10_000]);
    assert.deepEqual(states[1], { state: "lost", reason: "the machine was asleep" });
    stop.abort();
    await done;
  });

  it("ignores small corrections of the clock", async () => {
    const first = new TestAttachment();
    const { clock, stop, done } = run([first]);
    await clock.advance(7_000);

    clock.jump(14_000);
    await clock.advance(10_000);
    clock.jump(-3_600_000);
    await clock.advance(10_000);

    assert.ok(!first.isClosed);
    stop.abort();
    await done;
  });

  it("does not wait when the network is back, and begins with a short delay", async () => {
    const { clock, stop, times, done, addresses } = run([new Error("no route")]);
    await clock.advance(60_000);
    const before = times.length;
    assert.deepEqual(times.slice(-1), [31_750]);

    addresses.add("10.1.1.1");
    await clock.advance(500);

    assert.deepEqual(times.slice(before), [60_500]);
    await clock.advance(250);
    assert.deepEqual(times.slice(before), [60_500, 60_750]);
    // An address that goes is no reason to try.
    addresses.clear();
    await clock.advance(499);
    assert.equal(times.length, before + 2);
    stop.abort();
    await done;
  });

  it("ends an attempt that the network before did not carry", async () => {
    const attached = new TestAttachment();
    const { clock, stop, states, times, done, addresses } = run(["silence", attached]);
    await clock.advance(4_000);

    addresses.add("10.1.1.1");
    await clock.advance(500);

    assert.deepEqual(times, [0, 4_500]);
    assert.deepEqual(states, [{ state: "attached", tunnelId: "t-1" }]);
    stop.abort();
    await done;
  });

  it("verifies a connection after a change of the network, and replaces a lost one at once", async () => {
    const [first, second] = [new TestAttachment(), new TestAttachment()];
    const { clock, stop, times, resumed, done, addresses } = run([first, second]);
    await clock.advance(2_000);

    addresses.add("10.1.1.1");
    await clock.advance(500);
    assert.deepEqual(first.verified, [1_000]);
    assert.deepEqual(times, [0]);
    await clock.advance(1_000);
    first.end("silent");
    await clock.advance(0);

    assert.deepEqual(times, [0, 3_500]);
    assert.deepEqual(resumed, ["", "t-1"]);
    stop.abort();
    await done;
  });

  it("begins with a short delay when the network is back after the loss of a connection", async () => {
    const first = new TestAttachment();
    const { clock, stop, times, done, addresses } = run([
      ...Array.from({ length: 5 }, () => new Error("refused")),
      first,
      new Error("no"),
    ]);
    await clock.advance(7_750);
    assert.equal(times.length, 6);

    first.end("connection reset");
    await clock.advance(1_000);
    addresses.add("10.1.1.1");
    await clock.advance(500);
    await clock.advance(250);

    assert.deepEqual(times.slice(6), [9_000, 9_250]);
    stop.abort();
    await done;
  });

  it("gives up when a later attempt cannot succeed, and retries otherwise", async () => {
    const denied = new AttachRefusedError({ reason: "Denied", detail: "", retry: false });
    const busy = new AttachRefusedError({ reason: "Busy", detail: "", retry: true });
    const { clock, states, done } = run([busy, denied]);

    await clock.advance(250);

    await assert.rejects(done, denied);
    assert.deepEqual(
      states.map(({ state }) => state),
      ["failed"],
    );
  });

  it("stops while it waits", async () => {
    const { clock, stop, done } = run([new Error("refused")]);
    await clock.advance(100);

    stop.abort();

    await done;
  });

  it("opens the next connection before the old one ends when the server drains", async () => {
    const [first, second] = [new TestAttachment(), new TestAttachment()];
    const { clock, stop, states, times, resumed, done } = run([first, second]);
    await clock.advance(5_000);

    first.drain();
    await clock.advance(0);

    assert.deepEqual(times, [0, 5_000]);
    assert.equal(resumed[1], "t-1");
    assert.ok(!first.isClosed, "the old connection goes on");
    assert.deepEqual(
      states.map(({ state }) => state),
      ["attached", "draining", "attached"],
    );
    first.end("Drained");
    await clock.advance(60_000);
    assert.equal(times.length, 2, "the end of the old connection starts no attempt");
    stop.abort();
    await done;
  });

  it("closes a connection that drains when it stops", async () => {
    const [first, second] = [new TestAttachment(), new TestAttachment()];
    const { clock, stop, done } = run([first, second]);
    await clock.advance(1);
    first.drain();
    await clock.advance(1);

    stop.abort();
    await done;

    assert.ok(first.isClosed && second.isClosed);
  });

  it("stops when the tunnel must not be attached again", async () => {
    const first = new TestAttachment();
    const { clock, times, done } = run([first]);
    await clock.advance(1);

    first.end("Deleted", { retry: false });
    const end = await done;

    assert.equal(end?.reason, "Deleted");
    await clock.advance(60_000);
    assert.equal(times.length, 1);
  });
});
