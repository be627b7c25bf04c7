// Leader election between two processes: whatever happens to the leader, only one writes at a time.
//
// The writes are unconditional creates, 50 per second, so only the election keeps two leaders apart. Two independent checks:
//
// - The server: every write contains its term, and the order of resource versions must be the order of terms; see history.ts.
// - The monotonic clock of the machine: a candidate acquires a Lease no sooner than a lease duration (3 s) after it observed the
//   last renewal, which was after that renewal began. The writes of the old leader pass the fence for a renew deadline (2 s) from
//   that beginning. So at least 1 s lies between the last write that passes the fence and the next term, however slow the machine
//   is. Only a released Lease changes its holder sooner.
//
// Limits for take-over times are generous, because machines are busy; the measured times are in the diagnostics of each test.

import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { eachServer } from "../../../harness/each-server.ts";
import type { TestServer } from "../../../harness/test-server.ts";
import { Arena, type ArenaCandidate } from "./arena.ts";
import { faultsOf } from "./history.ts";
import { durations, monotonicMs, writeGapMs, type TermReport } from "./protocol.ts";
import type { Cut } from "../../../harness/proxy.ts";

/** Time limit on a busy machine. */
const slackMs = 4_000;
const takeOverMsMax = durations.leaseDurationMs + durations.retryPeriodMs + slackMs;

await eachServer("an election between two processes", ({ start }) => {
  let cluster: TestServer;

  before(async () => {
    cluster = await start();
  });
  after(async () => {
    await cluster.stop();
  });

  // Two at a time, because they mostly wait for leases to expire.
  describe("with a leader that fails", { concurrency: 2 }, () => {
    it("replaces a leader that is killed", async (t) => {
      await using arena = await Arena.open(cluster, { name: "kill" });
      const { first, second } = arena;
      const { epoch } = first.process.lastTerm;

      const killedMs = monotonicMs();
      first.process.signal("SIGKILL");
      const next = await second.process.untilLeadingAfter(epoch);

      const history = await arena.history();
      assert.deepEqual(faultsOf(history), []);
      assert.deepEqual(writersOf(history), ["first", "second"]);
      assertTakenOver(t, { sinceMs: killedMs, next, maxMs: takeOverMsMax });
    });

    it("replaces a leader that stops, without waiting for its lease to expire", async (t) => {
      await using arena = await Arena.open(cluster, { name: "stop" });
      const { first, second } = arena;
      const { epoch } = first.process.lastTerm;

      const stoppedMs = monotonicMs();
      first.process.signal("SIGTERM");
      const next = await second.process.untilLeadingAfter(epoch);
      await first.process.until("has ended", () => first.process.exit !== undefined);

      assert.equal(first.process.exit, 0);
      assert.equal(first.process.lastTerm.why, "stopped");
      assert.ok(first.process.lastTerm.lastAllowedMs < next.beganMs);
      assert.deepEqual(faultsOf(await arena.history()), []);
      assertTakenOver(t, { sinceMs: stoppedMs, next, maxMs: durations.leaseDurationMs - writeGapMs });
    });

    it("lets no write of a suspended process pass after its lease has expired, and lets it lead again", async (t) => {
      await using arena = await Arena.open(cluster, { name: "pause", requestsMax: 2 });
      const { first, second } = arena;
      const { epoch } = first.process.lastTerm;

      const { stoppedMs, next } = await pauseBeyondLease(arena);
      await first.process.until("observes the new leader", () => first.process.report.holder === "second");
      const resumed = first.process.report;
      await second.process.until("writes on", writesMore(second));
      second.process.signal("SIGTERM");
      const again = await first.process.untilLeadingAfter(next.epoch);

      assert.ok(resumed.fenced > 100, `${resumed.fenced} queued writes were rejected by the fence`);
      assert.equal(resumed.terms.at(-1)?.why, "deadline");
      assert.ok(first.process.exit === undefined && again.epoch > next.epoch && next.epoch > epoch);
      assertWriteGap(t, resumed.terms.at(-1), next);
      assert.deepEqual(faultsOf(await arena.history()), []);
      assertTakenOver(t, { sinceMs: stoppedMs, next, maxMs: takeOverMsMax });
    });

    it("would detect late writes without the fence", async () => {
      await using arena = await Arena.open(cluster, { name: "no-fence", requestsMax: 2, isFenced: false });

      await pauseBeyondLease(arena);
      await arena.first.process.until("observes the new leader", () => arena.first.process.report.holder === "second");

      assert.ok(faultsOf(await arena.history()).length > 100);
    });

    for (const cut of ["refused", "black-hole"] as const) {
      it(`replaces a leader with a cut network (${cut}), after that leader has stopped by itself`, async (t) => {
        await using arena = await Arena.open(cluster, { name: cut });

        await cutAndHeal(t, arena, cut);

        assert.deepEqual(faultsOf(await arena.history()), []);
      });
    }

    // The hardest cut: the server still stores the writes of the leader, and the leader gets no responses. Writes sent before the
    // fence closes may be stored without its knowledge, which is allowed: the guarantee is that such a write is stored before the
    // first write of the next leader if it arrives within the gap. Writes continue until the fence closes, over connections opened
    // before the cut, because a new one would need a response of the server.
    it("replaces a leader that can send but not receive, and its unacknowledged writes precede those of the next leader", async (t) => {
      await using arena = await Arena.open(cluster, { name: "one-way", connections: 32, writeEveryMs: 50 });
      const { first } = arena;

      const { known } = await cutAndHeal(t, arena, "one-way");

      const history = await arena.history();
      const storedInAll = history.filter(({ writer }) => writer === "first").length;
      t.diagnostic(`${storedInAll - known} writes were stored unheard`);
      assert.ok(storedInAll > known + 5, `${storedInAll} stored, ${known} of them acknowledged`);
      assert.deepEqual(faultsOf(history), []);
      assert.equal(first.process.exit, undefined);
    });
  });

  it("has one leader again after the API server was killed and restarted", async (t) => {
    if (cluster.isExternal) {
      t.skip("an external API server cannot be killed");
      return;
    }
    await using arena = await Arena.open(cluster, { name: "server" });
    const candidates = [arena.first, arena.second];

    await cluster.kill();
    await arena.first.process.until("has stopped writing", () => !arena.first.process.isLeading);
    const startedMs = monotonicMs();
    await cluster.restart();
    const readyMs = monotonicMs();
    await arena.first.process.until("one of the two leads", () => candidates.some(({ process }) => process.isLeading));
    const [leader] = candidates.filter(({ process }) => process.isLeading);
    assert.ok(leader !== undefined);
    await leader.process.until("writes", writesMore(leader));

    assert.equal(candidates.filter(({ process }) => process.isLeading).length, 1);
    assert.deepEqual(
      candidates.map(({ process }) => process.exit),
      [undefined, undefined],
    );
    assert.deepEqual(faultsOf(await arena.history()), []);
    // A candidate may lead before the server reports that it is ready.
    const { beganMs } = leader.process.lastTerm;
    t.diagnostic(`${leader.process.identity} leads ${Math.round(beganMs - startedMs)} ms after the server's start`);
    assert.ok(beganMs > startedMs && beganMs < readyMs + takeOverMsMax);
  });
});

/**
 * Suspends the leader during writes, of which some are in flight and most are queued in the process, until the other candidate
 * leads and writes, and then resumes it.
 *
 * The leader suspends itself, within its own code. A signal from outside could arrive between the check of a write and its
 * system call, a fraction of a millisecond that no check on the sender's side can close.
 */
async function pauseBeyondLease({ first, second }: Arena): Promise<{ stoppedMs: number; next: TermReport }> {
  const { epoch } = first.process.lastTerm;
  const stoppedMs = monotonicMs();
  first.process.suspendDuringWrites({ writes: 400 });
  const next = await second.process.untilLeadingAfter(epoch);
  first.process.signal("SIGCONT");
  return { stoppedMs, next };
}

/** Cuts off the leader until the other leads, heals the network, and waits until the first stands by without having exited. */
async function cutAndHeal(t: TestContext, arena: Arena, cut: Cut): Promise<{ known: number }> {
  const { first, second } = arena;
  const { epoch } = first.process.lastTerm;

  const cutMs = monotonicMs();
  first.network.cut(cut);
  const next = await second.process.untilLeadingAfter(epoch);
  const { stored: known } = first.process.report;
  const lost = first.process.lastTerm;
  first.network.heal();
  await first.process.until("observes the new leader", () => first.process.report.holder === "second");

  assert.equal(lost.why, "deadline");
  assert.ok(lost.endedMs !== undefined && lost.endedMs < next.beganMs, "the first stopped before the other began");
  assert.ok(lost.lastAllowedMs > cutMs, "the first wrote until its fence closed");
  assertWriteGap(t, lost, next);
  assert.equal(first.process.exit, undefined);
  assertTakenOver(t, { sinceMs: cutMs, next, maxMs: takeOverMsMax + durations.renewDeadlineMs });
  return { known };
}

function writesMore({ process }: ArenaCandidate): () => boolean {
  const { stored } = process.report;
  return () => process.report.stored > stored + 5;
}

function writersOf(history: readonly { readonly writer: string }[]): string[] {
  return [...new Set(history.map(({ writer }) => writer))].sort();
}

/** Asserts that the fence closed a full gap before the next leader began, independent of load. */
function assertWriteGap(t: TestContext, lost: TermReport | undefined, next: TermReport): void {
  const gapMs = next.beganMs - (lost?.lastAllowedMs ?? Infinity);
  t.diagnostic(`${Math.round(gapMs)} ms between the last write that passed the fence and the next term`);
  assert.ok(gapMs >= writeGapMs, `${gapMs} ms between the last write that passed the fence and the next term`);
}

function assertTakenOver(
  t: TestContext,
  { sinceMs, next, maxMs }: { sinceMs: number; next: TermReport; maxMs: number },
): void {
  const tookMs = next.beganMs - sinceMs;
  t.diagnostic(`taken over after ${Math.round(tookMs)} ms`);
  assert.ok(tookMs > 0 && tookMs < maxMs, `taken over after ${tookMs} ms; at most ${maxMs} ms were expected`);
}
