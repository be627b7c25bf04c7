import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ObservedMember, ObservedTier } from "../observe/observed.ts";
import { now, quorumView, tier, unready, voting } from "../testing/observed-clusters.ts";
import {
  assessQuorum,
  leaderOrdinal,
  mayLose,
  mayLoseUnready,
  majorityOf,
  type QuorumCheck,
  type QuorumState,
} from "./quorum.ts";

function assess({ members, set }: ObservedTier, quorumCheck: QuorumCheck = "Auto"): QuorumState {
  return assessQuorum({ members, replicas: set?.replicas ?? 0, quorumCheck, minReadySeconds: 10, now });
}

/** Reports whether a controller may be lost, as one word. */
function verdict(state: QuorumState, ordinal = 0): string {
  const { isAllowed, ...rest } = mayLose(state, ordinal);
  return isAllowed ? ("isRisk" in rest && rest.isRisk ? "risk" : "allowed") : "refused";
}

describe("the quorum rule by readiness", () => {
  // For n controllers of which k are ready: may a ready one restart?
  const table: readonly (readonly [n: number, k: number, expected: string])[] = [
    [1, 1, "risk"],
    [2, 2, "risk"],
    [2, 1, "refused"],
    [3, 3, "allowed"],
    [3, 2, "refused"],
    [3, 1, "refused"],
    [4, 4, "allowed"],
    [4, 3, "refused"],
    [5, 5, "allowed"],
    [5, 4, "allowed"],
    [5, 3, "refused"],
    [6, 6, "allowed"],
    [6, 5, "allowed"],
    [6, 4, "refused"],
    [7, 7, "allowed"],
    [7, 5, "allowed"],
    [7, 4, "refused"],
  ];
  for (const [n, k, expected] of table) {
    it(`is ${expected} for ${k} ready controllers of ${n}`, () => {
      const changes = Array.from({ length: n }, (_none, ordinal) => (ordinal < k ? {} : unready));

      assert.equal(verdict(assess(tier("controller", changes), "Readiness")), expected);
      assert.equal(verdict(assess(voting(tier("controller", changes)))), expected, "the same by the endpoint");
    });
  }

  it("does not count a controller that became ready just now, or that terminates", () => {
    const fresh = tier("controller", [{}, {}, { readySince: now - 9_000 }]);
    const leaving = tier("controller", [{}, {}, { isTerminating: true }]);

    assert.equal(verdict(assess(fresh, "Readiness")), "refused");
    assert.equal(verdict(assess(leaving, "Readiness")), "refused");
  });
});

describe("the quorum rule by the endpoint", () => {
  const with3 = (change: Partial<ObservedMember>): ObservedTier => voting(tier("controller", [{}, {}, change]));

  it("does not count a controller that lost its disk", () => {
    const state = assess(with3({ component: { quorum: quorumView(3, { incarnation: "empty" }) } }));

    assert.deepEqual(state.source === "endpoint" && [...state.live], [0, 1]);
    assert.equal(verdict(state, 0), "refused", "only two of three vote");
    assert.equal(verdict(state, 2), "allowed", "the one without a vote may go");
  });

  it("does not count a voter that is behind", () => {
    const voters = [1, 2, 3].map((id) => ({ id, incarnation: `d${id}`, caughtUp: id !== 2 }));

    assert.equal(verdict(assess(voting(tier("controller", 3), { voters })), 0), "refused");
  });

  it("counts voters whose pod is gone", () => {
    const state = assess(voting(tier("controller", 3), { voters: 5 }));

    assert.equal(state.size, 5);
    assert.equal(verdict(state), "refused");
  });

  it("never counts fewer voters than replicas", () => {
    // One controller was removed from the quorum to be rebuilt. Two voters are left, and both are needed.
    const state = assess(voting(tier("controller", 3), { voters: 2 }));

    assert.equal(state.size, 3);
    assert.equal(verdict(state, 0), "refused");
  });

  it("does not believe a controller that claims to be the only voter", () => {
    const voters = [{ id: 3, incarnation: "d3", caughtUp: true }];
    const liar = { component: { quorum: quorumView(3, { leaderId: 3, term: 99, voters }) } };
    const state = assess(with3(liar));

    assert.equal(leaderOrdinal(state), 0, "the majority follows controller 1");
    assert.equal(verdict(state, 0), "refused");
    assert.equal(verdict(state, 2), "allowed");
  });

  it("does not believe a leader that no majority follows", () => {
    const views = [quorumView(1, { leaderId: 1, term: 5 }), quorumView(2, { leaderId: 2, term: 6 }), undefined];
    const state = assess(
      tier(
        "controller",
        views.map((quorum) => ({ component: { quorum } })),
      ),
    );

    assert.equal(state.source, "unknown");
    assert.equal(verdict(state), "refused");
  });

  it("needs a leader that responds itself", () => {
    const state = assess(with3({}), "Endpoint");
    const silent = assess(voting(tier("controller", [{ component: { quorum: { type: "timeout" } } }, {}, {}])));

    assert.equal(state.source, "endpoint");
    assert.equal(silent.source, "unknown");
  });

  const failures: readonly NonNullable<ObservedMember["component"]["quorum"]>[] = [
    { type: "timeout" },
    { type: "malformed", message: "text" },
    { type: "contradiction", message: "lie" },
    { type: "refused", status: 500 },
    { type: "unreachable", message: "ECONNRESET" },
  ];
  for (const quorum of failures) {
    it(`refuses in mode Auto when all calls end with ${quorum.type}`, () => {
      const state = assess(
        tier(
          "controller",
          [1, 2, 3].map(() => ({ component: { quorum } })),
        ),
      );

      assert.equal(state.source, "unknown");
      assert.equal(verdict(state), "refused");
    });

    it(`does not count one controller whose call ends with ${quorum.type}`, () => {
      const state = assess(with3({ component: { quorum } }));

      assert.equal(verdict(state, 0), "refused");
      assert.equal(verdict(state, 2), "allowed", "it may be restarted itself");
    });
  }

  it("uses readiness in mode Auto only if no ready controller may offer the endpoint", () => {
    const absent = { component: { quorum: { type: "notOffered" } } } as const;
    const starting = { ...unready, component: { quorum: { type: "timeout" } } } as const;

    assert.equal(assess(tier("controller", [absent, absent, absent])).source, "readiness");
    assert.equal(assess(tier("controller", [absent, absent, starting])).source, "readiness");
    assert.equal(assess(tier("controller", [absent, absent, {}]), "Endpoint").source, "unknown");
    assert.equal(
      assess(tier("controller", [absent, absent, { component: { quorum: quorumView(3) } }])).source,
      "unknown",
    );
  });

  it("lets a controller go that is not ready and does not vote", () => {
    const state = assess(
      voting(tier("controller", [{}, {}, { ...unready, component: { quorum: { type: "timeout" } } }])),
    );

    assert.ok(mayLoseUnready(state, 2).isAllowed);
  });

  it("keeps a controller that votes without being ready if its vote is needed", () => {
    const dead = { ...unready, component: { quorum: { type: "timeout" } } } as const;
    const needed = assess(voting(tier("controller", [{}, unready, dead])));
    const spare = assess(voting(tier("controller", [{}, unready, {}])));

    assert.ok(!mayLoseUnready(needed, 1).isAllowed);
    assert.ok(mayLoseUnready(spare, 1).isAllowed);
  });
});

describe("majorityOf", () => {
  it("returns the smallest majority", () => {
    assert.deepEqual([1, 2, 3, 4, 5, 6, 7].map(majorityOf), [1, 2, 2, 3, 3, 4, 4]);
  });
});
