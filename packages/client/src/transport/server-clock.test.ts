import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, formatHttpDate, OffsetClock, SeededRandom } from "@homeostat/core";
import { ScriptedTransport } from "../testing/scripted-transport.ts";
import { ServerClock, withServerClock } from "./server-clock.ts";
import { layered, type Request } from "./transport.ts";

const hourMs = 3_600_000;
const get: Request = { method: "GET", path: "/version" };

/** A server on a fake clock, and a local clock that differs from it. */
function setup({ offsetMs = 0, startMs = 0 }: { offsetMs?: number; startMs?: number } = {}) {
  const server = new FakeClock({ now: Date.UTC(2026, 0, 1) + startMs });
  const local = new OffsetClock(server, offsetMs);
  const offsets: number[] = [];
  const clock = new ServerClock({ clock: local, onOffset: (offset) => offsets.push(offset) });
  /** The API server responds at once. */
  const respond = (): void => {
    const at = local.monotonic();
    clock.sample({ date: Math.floor(server.now() / 1_000) * 1_000, sentAt: at, receivedAt: at });
  };
  const errorMs = (): number => Math.abs(clock.now() - server.now());
  return { server, local, clock, offsets, respond, errorMs };
}

describe("ServerClock", () => {
  it("is the local clock before the first sample", () => {
    const { local, clock } = setup({ offsetMs: hourMs });

    assert.equal(clock.now(), local.now());
    assert.equal(clock.offsetMs, undefined);
    assert.equal(clock.errorMs, undefined);
  });

  it("uses the milliseconds of a local clock that agrees with the samples", async () => {
    const { server, clock, respond } = setup({ startMs: 789 });

    respond();
    await server.advance(456);

    assert.equal(clock.now(), server.now());
    assert.equal(clock.offsetMs, 0);
  });

  for (const offsetMs of [hourMs, -hourMs, 2_000]) {
    it(`estimates the server's time with a local clock that is off by ${offsetMs} ms`, async () => {
      const { server, clock, respond, errorMs } = setup({ offsetMs, startMs: 950 });

      respond();
      const first = errorMs();
      for (let i = 0; i < 20; i += 1) {
        await server.advance(10_070);
        respond();
      }

      assert.ok(first <= 600, `${first} ms after one sample`);
      assert.ok(errorMs() <= 150, `${errorMs()} ms after many samples`);
      assert.ok(errorMs() <= (clock.errorMs ?? 0));
      assert.ok(Math.abs((clock.offsetMs ?? 0) + offsetMs) <= 150);
    });
  }

  for (const stepMs of [hourMs, -hourMs]) {
    it(`is not affected when the local clock steps by ${stepMs} ms`, async () => {
      const { server, local, clock, respond, errorMs } = setup();
      respond();

      local.jump(stepMs);
      const before = errorMs();
      await server.advance(700);
      respond();

      assert.equal(before, 0);
      assert.ok(errorMs() <= 600, `${errorMs()} ms`);
      assert.ok(Math.abs((clock.offsetMs ?? 0) + stepMs) <= 600);
    });
  }

  it("follows the server's clock when it is set, after three samples in a row", async () => {
    const { server, local, clock, respond } = setup();
    respond();
    const before = clock.now();

    server.jump(hourMs);
    local.jump(-hourMs);
    respond();
    await server.advance(100);
    respond();
    const after = clock.now() - before;
    await server.advance(100);
    respond();

    assert.equal(after, 100);
    assert.ok(Math.abs(clock.now() - server.now()) <= 600);
  });

  it("ignores a single wrong header", () => {
    const { server, clock, respond } = setup();
    respond();

    for (const wrong of [hourMs, -hourMs, 10 * hourMs]) {
      clock.sample({ date: server.now() + wrong, sentAt: 0, receivedAt: 0 });
      assert.equal(clock.wantsSample, true);
    }
    respond();

    assert.equal(clock.now(), server.now());
  });

  it("follows at once when the local clock confirms the sample, as after a suspended machine", async () => {
    const { server, clock, respond } = setup();
    for (let i = 0; i < 8; i += 1) respond();
    const wantedBefore = clock.wantsSample;

    // The monotonic clock stood still for an hour.
    server.jump(hourMs);
    const wantedAfter = clock.wantsSample;
    respond();

    assert.deepEqual([wantedBefore, wantedAfter], [false, true]);
    assert.equal(clock.now(), server.now());
  });

  it("samples the first responses, then one every ten seconds", async () => {
    const { server, clock, respond } = setup();
    for (let i = 0; i < 7; i += 1) respond();
    const seventh = clock.wantsSample;
    respond();
    const eighth = clock.wantsSample;
    await server.advance(9_999);
    const early = clock.wantsSample;
    await server.advance(1);

    assert.deepEqual([seventh, eighth, early, clock.wantsSample], [true, false, false, true]);
  });

  it("ignores a response that took more than ten seconds", () => {
    const { server, clock } = setup();

    clock.sample({ date: server.now() + hourMs, sentAt: 0, receivedAt: 10_001 });

    assert.equal(clock.offsetMs, undefined);
  });

  it("is never off by more than errorMs, whatever the offset, round trips and drift", () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = new SeededRandom(seed);
      const between = (low: number, high: number): number => low + (high - low) * random.next();
      const server = new FakeClock({ now: Date.UTC(2026, 0, 1) });
      const drift = between(-0.0001, 0.0001);
      const offsetMs = between(-1, 1) * 10 ** between(0, 8);
      let monotonic = 0;
      const serverNow = (at: number): number => server.now() + at * (1 + drift);
      const local = new OffsetClock(server, offsetMs);
      const clock = new ServerClock({
        clock: {
          now: () => local.now() + monotonic,
          monotonic: () => monotonic,
          sleep: (ms, signal) => local.sleep(ms, signal),
          timeout: (ms) => local.timeout(ms),
          schedule: (ms, run) => local.schedule(ms, run),
        },
      });
      for (let i = 0; i < 50; i += 1) {
        const sentAt = monotonic;
        const writtenAt = sentAt + between(0, 1_000);
        monotonic = writtenAt + between(0, 1_000);
        clock.sample({ date: Math.floor(serverNow(writtenAt) / 1_000) * 1_000, sentAt, receivedAt: monotonic });
        monotonic += between(0, 60_000);
        const errorMs = Math.abs(clock.now() - serverNow(monotonic));
        const claimedMs = clock.errorMs ?? 0;
        assert.ok(errorMs <= claimedMs + 1, `seed ${seed}: ${errorMs} ms off, but at most ${claimedMs} ms was claimed`);
        assert.ok(errorMs <= 1_650, `seed ${seed}: ${errorMs} ms off`);
      }
    }
  });
});

describe("withServerClock", () => {
  it("reads the Date of responses, but not of those with a status of 500 and above", async () => {
    const { server, local, clock, offsets, errorMs } = setup({ offsetMs: hourMs });
    const headers = { date: formatHttpDate(server.now()) };
    const transport = layered(
      new ScriptedTransport(
        { status: 502, headers: { date: formatHttpDate(0) } },
        {},
        { headers: { date: "soon" } },
        { status: 404, headers },
      ),
      [withServerClock(clock)],
    );

    for (let i = 0; i < 3; i += 1) await transport.send(get);
    const before = clock.now();
    await transport.send(get);

    assert.equal(before, local.now());
    assert.ok(errorMs() <= 600);
    assert.equal(offsets.length, 1);
  });

  it("measures from sending the request to receiving the head of the response", async () => {
    const { server, clock } = setup({ offsetMs: hourMs });
    const slow = new ScriptedTransport(async () => {
      await server.sleep(4_000);
      const headers = { date: formatHttpDate(server.now()) };
      await server.sleep(4_000);
      return { headers };
    });

    const sent = layered(slow, [withServerClock(clock)]).send(get);
    await server.advance(8_000);
    await sent;

    assert.ok((clock.errorMs ?? 0) >= 4_500 && (clock.errorMs ?? 0) <= 4_700, `${clock.errorMs}`);
    assert.ok(Math.abs(clock.now() - server.now()) <= (clock.errorMs ?? 0));
  });
});
