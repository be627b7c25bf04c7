import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, ForbiddenError, NotFoundError, SeededRandom } from "@homeostat/core";
import type { Lease } from "@homeostat/kubernetes/coordination/v1";
import { Registry } from "../metrics/registry.ts";
import { elect, type Election } from "./elect.ts";
import { ElectionMetrics } from "./election-metrics.ts";
import type { LeaseStore } from "./lease-store.ts";
import { electionIdentity, type ElectionOptions } from "./options.ts";
import { failure, LeaseServer, type Network, ProcessClock, storeOver } from "../testing/election-simulation.ts";
import type { Term } from "./term.ts";

/** A running candidate, with methods that cause faults. */
interface Candidate extends AsyncDisposable {
  readonly election: Election;
  readonly clock: ProcessClock;
  readonly network: Network;
  readonly terms: Term[];
  readonly states: string[];
  readonly errors: unknown[];
  stop(): void;
  readonly done: Promise<void>;
}

function setUp(): {
  world: FakeClock;
  server: LeaseServer;
  candidate: (identity: string, options?: Partial<ElectionOptions>) => Candidate;
} {
  const world = new FakeClock();
  const server = new LeaseServer();
  const candidate = (identity: string, options: Partial<ElectionOptions> = {}): Candidate => {
    const random = new SeededRandom(identity);
    const clock = new ProcessClock(world);
    const network: Network = { isCut: false, lostAnswers: 0, latencyMaxMs: 10 };
    const controller = new AbortController();
    const terms: Term[] = [];
    const states: string[] = [];
    const errors: unknown[] = [];
    const election = elect({
      store: storeOver(server, { world, clock, network, random }),
      name: "load",
      namespace: "load-system",
      identity,
      clock,
      random,
      trustMissing: true,
      lead: async (term) => {
        terms.push(term);
        if (!term.signal.aborted)
          await new Promise((resolve) => term.signal.addEventListener("abort", resolve, { once: true }));
      },
      onState: ({ at }) => states.push(at),
      onError: (error) => errors.push(error),
      ...options,
    });
    const done = election.run(controller.signal);
    const stop = (): void => controller.abort();
    return {
      election,
      clock,
      network,
      terms,
      states,
      errors,
      stop,
      done,
      [Symbol.asyncDispose]: async () => {
        stop();
        await world.advance(60_000);
        await done;
      },
    };
  };
  return { world, server, candidate };
}

describe("elect", () => {
  it("writes a Lease like client-go, with microsecond timestamps", async () => {
    const { world, server, candidate } = setUp();
    await using a = candidate("a");

    await world.advance(1_000);

    assert.equal(a.election.state.at, "leading");
    const { metadata, spec } = server.lease ?? {};
    assert.equal(metadata?.name, "load");
    assert.equal(metadata?.namespace, "load-system");
    assert.match(spec?.renewTime ?? "", /^2026-01-01T00:00:00\.0\d{5}Z$/);
    assert.equal(spec?.acquireTime, spec?.renewTime);
    assert.deepEqual([spec?.holderIdentity, spec?.leaseDurationSeconds, spec?.leaseTransitions], ["a", 15, 0]);
  });

  it("renews about every two seconds, and keeps the acquire time and unknown fields", async () => {
    const { world, server, candidate } = setUp();
    await using a = candidate("a");
    await world.advance(1_000);
    const first = server.lease?.spec;
    server.edit((lease) => {
      const spec = { ...lease.spec, strategy: "OldestEmulationVersion", preferredHolder: "z", future: { x: 1 } };
      return { ...lease, metadata: { ...lease.metadata, annotations: { mark: "7" } }, spec };
    });

    await world.advance(20_000);

    assert.equal(a.terms.length, 1);
    const { metadata, spec } = server.lease ?? {};
    assert.equal(spec?.acquireTime, first?.acquireTime);
    assert.notEqual(spec?.renewTime, first?.renewTime);
    assert.deepEqual(metadata?.annotations, { mark: "7" });
    assert.deepEqual(
      { ...spec },
      { ...spec, strategy: "OldestEmulationVersion", preferredHolder: "z", future: { x: 1 } },
    );
    assert.equal(a.election.mayWrite(), true);
  });

  it("takes over within the lease duration and one retry when the leader has died", async () => {
    for (let round = 0; round < 20; round += 1) {
      const { world, candidate } = setUp();
      await using a = candidate(`a${round}`);
      await world.advance(1_000 + round * 317);
      await using b = candidate(`b${round}`);
      await world.advance(20_000);
      assert.equal(b.election.state.at, "standing-by");

      a.clock.pause();
      await world.advance(15_000 + 2_000 + 100);

      assert.equal(b.election.mayWrite(), true, `round ${round}`);
      a.clock.resume();
    }
  });

  it("does not take over from a leader that renews", async () => {
    const { world, candidate } = setUp();
    await using a = candidate("a");
    await world.advance(1_000);
    await using b = candidate("b");

    await world.advance(600_000);

    assert.equal(a.terms.length, 1);
    assert.equal(b.terms.length, 0);
    assert.deepEqual(b.election.state, { at: "standing-by", holder: "a" });
  });

  it("releases the Lease when it stops, and the next process leads within one retry", async () => {
    const { world, server, candidate } = setUp();
    const a = candidate("a");
    await world.advance(1_000);
    await using b = candidate("b");
    await world.advance(5_000);

    a.stop();
    await world.advance(2_100);

    await a.done;
    assert.equal(a.election.state.at, "stopped");
    assert.equal(b.election.state.at, "leading");
    assert.equal(server.lease?.spec?.leaseTransitions, 1);
    assert.equal(b.terms[0]?.epoch, 1);
  });

  it("closes the fence first, and releases the Lease only after lead has returned", async () => {
    const { world, server, candidate } = setUp();
    let putDown = (): void => {};
    const lead = (): Promise<void> => new Promise((resolve) => (putDown = resolve));
    const a = candidate("a", { lead });
    await world.advance(1_000);

    a.stop();
    await world.advance(3_000);

    assert.equal(a.election.mayWrite(), false);
    assert.deepEqual(a.election.state, { at: "stepping-down", why: "stopped" });
    assert.equal(server.lease?.spec?.holderIdentity, "a", "writes in flight may still arrive");
    putDown();
    await world.advance(100);
    await a.done;
    assert.deepEqual([server.lease?.spec?.holderIdentity, server.lease?.spec?.leaseDurationSeconds], ["", 1]);
  });

  it("does not release a Lease that another process holds", async () => {
    const { world, server, candidate } = setUp();
    const a = candidate("a");
    await world.advance(1_000);
    a.network.isCut = true;
    await using b = candidate("b");
    await world.advance(30_000);
    assert.equal(server.lease?.spec?.holderIdentity, "b");

    a.network.isCut = false;
    a.stop();
    await world.advance(10_000);

    await a.done;
    assert.equal(server.lease?.spec?.holderIdentity, "b");
    assert.equal(b.terms.length, 1);
  });

  it("stops when the server cannot be reached", async () => {
    const { world, candidate } = setUp();
    const a = candidate("a");
    await world.advance(1_000);
    a.network.isCut = true;

    a.stop();
    await world.advance(20_000);

    await a.done;
    assert.equal(a.election.state.at, "stopped");
  });

  it("steps down ten seconds after the start of the last renewal, and then tries to acquire the Lease again", async () => {
    const { world, candidate } = setUp();
    await using a = candidate("a");
    await world.advance(1_000);
    const [first] = a.terms;
    a.network.isCut = true;

    await world.advance(7_900);
    assert.equal(first?.mayWrite(), true);
    await world.advance(2_100);
    assert.equal(first?.mayWrite(), false);
    assert.equal(first?.signal.reason.code, "LEADERSHIP_LOST");
    assert.equal(first?.signal.reason.why, "deadline");
    a.network.isCut = false;
    await world.advance(10_000);

    assert.equal(a.election.state.at, "leading");
    assert.equal(a.terms.length, 2);
    assert.equal(first?.mayWrite(), false, "an ended term never permits writes again");
    assert.deepEqual(a.states.slice(0, 5), ["standing-by", "leading", "stepping-down", "standing-by", "leading"]);
  });

  it("rejects the first write after a long pause, before any timer has fired", async () => {
    const { world, candidate } = setUp();
    await using a = candidate("a");
    await using b = candidate("b");
    await world.advance(1_000);
    const [leader, other] = a.terms.length > 0 ? [a, b] : [b, a];
    assert.equal(leader.election.mayWrite(), true);

    leader.clock.pause();
    await world.advance(30_000);
    assert.equal(other.election.mayWrite(), true);

    assert.equal(leader.terms[0]?.signal.aborted, false, "no timer has fired yet");
    assert.throws(() => leader.election.checkWrite(), { code: "NOT_LEADER" });
    assert.equal(leader.terms[0]?.signal.aborted, true);
    leader.clock.resume();
  });

  it("rejects writes after a suspension that only the wall clock shows, then leads again", async () => {
    const { world, candidate } = setUp();
    await using a = candidate("a");
    await world.advance(1_000);

    a.clock.jumpWall(60_000);

    assert.equal(a.election.mayWrite(), false);
    await world.advance(1_000);
    assert.equal(a.election.mayWrite(), true);
    assert.equal(a.terms.length, 2);
  });

  it("continues to lead when the wall clock is set back", async () => {
    const { world, candidate } = setUp();
    await using a = candidate("a");
    await world.advance(1_000);

    a.clock.jumpWall(-3_600_000);
    await world.advance(60_000);

    assert.equal(a.terms.length, 1);
    assert.equal(a.election.mayWrite(), true);
  });

  it("recognizes its own record when the response to a write was lost", async () => {
    const { world, candidate } = setUp();
    await using a = candidate("a");
    await world.advance(1_000);

    a.network.lostAnswers = 0.5;
    await world.advance(120_000);

    assert.ok(!a.states.includes("waiting-out"));
    for (const { signal } of a.terms.slice(0, -1)) assert.equal(signal.reason.why, "deadline");
  });

  it("steps down at once when another process holds the Lease, and when a client edits it", async () => {
    for (const [spec, why] of [
      [{ holderIdentity: "b" }, "taken"],
      [{ renewTime: "2020-01-01T00:00:00.000000Z" }, "edited"],
    ] as const) {
      const { world, server, candidate } = setUp();
      await using a = candidate("a");
      await world.advance(1_000);

      server.edit((lease) => ({ ...lease, spec: { ...lease.spec, ...spec } }));
      await world.advance(2_100);

      assert.equal(a.election.mayWrite(), false);
      assert.equal(a.terms[0]?.signal.reason.why, why);
      await world.advance(16_000);
      assert.equal(a.terms.length, 2, "the record expired, and it leads again");
    }
  });

  it("waits for the lease duration after it created a missing Lease, unless trustMissing is set", async () => {
    const { world, server, candidate } = setUp();
    await using a = candidate("a", { trustMissing: false });
    await world.advance(14_900);
    assert.equal(a.election.state.at, "waiting-out");
    assert.equal(a.election.mayWrite(), false);
    await world.advance(300);
    assert.equal(a.election.mayWrite(), true);

    server.lease = undefined;
    await world.advance(2_200);

    assert.equal(a.terms[0]?.signal.reason.why, "deleted");
    assert.equal(a.election.state.at, "waiting-out");
    await world.advance(15_000);
    assert.equal(a.election.mayWrite(), true);
  });

  it("keeps trying and reports errors while the server rejects its requests", async () => {
    const { world, server, candidate } = setUp();
    let isAllowed = false;
    const forbid = <T>(call: () => T): Promise<T> =>
      isAllowed ? Promise.resolve(call()) : Promise.reject(new ForbiddenError(failure(403, "Forbidden")));
    const store: LeaseStore = {
      get: () => forbid(() => server.lease),
      create: (lease: Lease) => forbid(() => server.create(lease)),
      update: (lease: Lease) => forbid(() => server.update(lease)),
    };
    await using a = candidate("a", { store });
    await world.advance(30_000);
    assert.ok(a.errors.length >= 14 && a.errors[0] instanceof ForbiddenError);

    isAllowed = true;
    await world.advance(2_000);

    assert.equal(a.election.state.at, "leading");
  });

  it("reports that the namespace of the Lease does not exist", async () => {
    const { world, candidate } = setUp();
    const missing = (): Promise<never> => Promise.reject(new NotFoundError(failure(404, "NotFound")));
    await using a = candidate("a", { store: { get: async () => undefined, create: missing, update: missing } });

    await world.advance(10_000);

    assert.ok(a.errors.length >= 4 && a.errors.every((error) => error instanceof NotFoundError));
    assert.equal(a.election.state.at, "standing-by");
  });

  it("ends with the error of lead, and releases the Lease", async () => {
    const { world, server, candidate } = setUp();
    const a = candidate("a", { lead: () => Promise.reject(new Error("no disk")) });
    const ended = assert.rejects(a.done, /no disk/);

    await world.advance(1_000);

    await ended;
    assert.equal(server.lease?.spec?.holderIdentity, "");
    assert.equal(a.election.state.at, "stopped");
  });

  it("leaves no timers and listeners", async () => {
    const { world, candidate } = setUp();
    const a = candidate("a");
    await world.advance(60_000);

    a.stop();
    await world.advance(1_000);

    await a.done;
    assert.equal(world.pending, 0);
  });

  it("exports the metrics of client-go", async () => {
    const { world, server, candidate } = setUp();
    const registry = new Registry();
    const a = candidate("a", { meter: new ElectionMetrics(registry).meter("load") });
    await world.advance(1_000);
    assert.match(registry.expose(), /^leader_election_master_status\{name="load"\} 1$/m);

    server.edit((lease) => ({ ...lease, metadata: { ...lease.metadata, labels: { x: "y" } } }));
    await world.advance(3_000);
    a.stop();
    await world.advance(1_000);

    await a.done;
    assert.match(registry.expose(), /^leader_election_master_status\{name="load"\} 0$/m);
    assert.match(registry.expose(), /^leader_election_slowpath_total\{name="load"\} 1$/m);
  });

  it("rejects unsafe durations, empty names, and a second concurrent run", async () => {
    const { world, candidate } = setUp();
    for (const options of [
      { leaseDurationMs: 10_000 },
      { leaseDurationMs: 15_500 },
      { renewDeadlineMs: 2_000 },
      { retryPeriodMs: 0 },
      { retryPeriodMs: Number.NaN },
      { requestTimeoutMs: 11_000 },
      { identity: "" },
    ])
      assert.throws(() => candidate("a", options), { code: "ARGUMENT" }, JSON.stringify(options));

    await using a = candidate("a");
    await world.advance(10);
    await assert.rejects(a.election.run(new AbortController().signal), { code: "ARGUMENT" });
  });

  it("returns identities that differ after a restart", () => {
    const random = new SeededRandom(1);

    const [first, second] = [electionIdentity("pod-0", random), electionIdentity("pod-0", random)];

    assert.match(first, /^pod-0_[0-9a-f-]{36}$/);
    assert.notEqual(first, second);
  });
});
