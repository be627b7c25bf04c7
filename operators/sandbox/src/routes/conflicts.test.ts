import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ConflictPolicy, resolveConflict } from "./conflicts.ts";
import { compareAge, type KeyClaim, ownerOf } from "./keys.ts";

describe("resolveConflict", () => {
  const candidate = (name: string, { priority = 0, day = 1 } = {}) => ({
    name,
    priority,
    createdAt: `2026-01-0${day}T00:00:00Z`,
  });
  const old = candidate("old", { day: 1 });
  const young = candidate("young", { day: 2 });
  const important = candidate("important", { priority: 5, day: 3 });
  const twin = candidate("a-twin", { day: 1 });
  const cases: readonly [name: string, policy: ConflictPolicy, candidates: readonly (typeof old)[], order: string][] = [
    ["no candidate", "Oldest", [], "none"],
    ["one candidate", "Reject", [young], "young"],
    ["the oldest", "Oldest", [young, old], "old > young"],
    ["the newest", "Newest", [old, young], "young > old"],
    ["the priority before the age", "Oldest", [old, young, important], "important > old, young"],
    ["the priority before the policy Reject", "Reject", [old, important, young], "important > old, young"],
    ["the name for the same age", "Oldest", [old, twin], "a-twin > old"],
    ["the name for the same age with Newest", "Newest", [old, twin], "a-twin > old"],
    ["none with Reject", "Reject", [young, old], "none > old, young"],
  ];
  for (const [name, policy, candidates, order] of cases) {
    it(`chooses ${name}`, () => {
      for (const input of [candidates, candidates.toReversed()]) {
        const { winner, losers } = resolveConflict(input, policy);

        const rest = losers.length === 0 ? "" : ` > ${losers.map((loser) => loser.name).join(", ")}`;
        assert.equal(`${winner?.name ?? "none"}${rest}`, order);
      }
    });
  }
});

describe("owners of keys", () => {
  const claim = (uid: string, createdAt: string): KeyClaim => ({
    kind: "Sandbox",
    namespace: "shop",
    name: uid,
    uid,
    createdAt,
  });

  it("are the oldest objects, and the first UID among objects of the same second", () => {
    const claims = [
      claim("c", "2026-01-02T00:00:00Z"),
      claim("b", "2026-01-01T00:00:00Z"),
      claim("a", "2026-01-01T00:00:00Z"),
    ];

    assert.equal(ownerOf(claims)?.uid, "a");
    assert.deepEqual(
      claims.sort(compareAge).map(({ uid }) => uid),
      ["a", "b", "c"],
    );
    assert.equal(ownerOf([]), undefined);
  });
});
