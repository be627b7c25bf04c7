import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type Candidate,
  decide,
  misplacedMessage,
  type Standing,
  unblocked,
  type Decision,
  withoutOwners,
} from "./decide.ts";
import { graphObject } from "./owner-graph.ts";

const candidate = (standings: readonly Standing[], more: Partial<Candidate> = {}): Candidate => ({
  finalizers: [],
  owners: standings.map((standing, index) => ({ uid: `${index}`, standing })),
  dependents: [],
  ...more,
});

const keep: Decision = { type: "keep" };
const deletion = (propagation: "Background" | "Foreground" | "Orphan", unblock = false): Decision => ({
  type: "delete",
  propagation,
  unblock,
});

const table: readonly (readonly [string, Candidate, Decision])[] = [
  ["has no owner", candidate([]), keep],
  ["has an owner", candidate(["solid"]), keep],
  ["has two owners", candidate(["solid", "solid"]), keep],
  ["has an owner and a deleted one", candidate(["dangling", "solid"]), { type: "release", uids: ["0"] }],
  [
    "has an owner and one that waits for its dependents",
    candidate(["solid", "waiting"]),
    { type: "release", uids: ["1"] },
  ],
  ["has a deleted owner", candidate(["dangling"]), deletion("Background")],
  ["has two deleted owners", candidate(["dangling", "dangling"]), deletion("Background")],
  ["has an owner that waits for it", candidate(["waiting"]), deletion("Background")],
  [
    "has an owner that waits for it and dependents of its own",
    candidate(["waiting"], { dependents: [{ isForeground: false }] }),
    deletion("Foreground"),
  ],
  [
    "is in a cycle of foreground deletions",
    candidate(["waiting"], { dependents: [{ isForeground: true }] }),
    deletion("Foreground", true),
  ],
  [
    "has a deleted owner and dependents",
    candidate(["dangling"], { dependents: [{ isForeground: false }] }),
    deletion("Background"),
  ],
  ["has the orphan finalizer", candidate(["dangling"], { finalizers: ["a", "orphan"] }), deletion("Orphan")],
  [
    "has the foreground finalizer",
    candidate(["dangling"], { finalizers: ["foregroundDeletion"] }),
    deletion("Foreground"),
  ],
];

describe("the decision about an object", () => {
  for (const [what, given, decision] of table) {
    it(`that ${what} is ${decision.type}`, () => {
      assert.deepEqual(decide(given), decision);
    });
  }

  it("is never to delete it while an owner exists", () => {
    const standing = fc.constantFrom<Standing>("solid", "dangling", "waiting");
    const dependents = fc.array(fc.record({ isForeground: fc.boolean() }), { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(standing, { maxLength: 4 }), dependents, (standings, family) => {
        const decision = decide(candidate([...standings, "solid"], { dependents: family }));

        assert.notEqual(decision.type, "delete");
      }),
    );
  });
});

describe("owner references", () => {
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "1" };

  it("lose the given owners and no others", () => {
    assert.deepEqual(withoutOwners([owner, { ...owner, uid: "2" }], ["2", "3"]), [owner]);
  });

  it("stop blocking the deletion of the owner", () => {
    const references = [owner, { ...owner, blockOwnerDeletion: true }];

    assert.deepEqual(unblocked(references), [owner, { ...owner, blockOwnerDeletion: false }]);
  });

  it("to another namespace are described in full in the event", () => {
    const metadata = { name: "child", uid: "9", namespace: "shop" };
    const dependent = graphObject({ apiVersion: "v1", kind: "Secret" }, { apiVersion: "v1", kind: "Secret", metadata });

    const message = misplacedMessage({ dependent, owner });

    assert.equal(
      message,
      'ownerRef [v1/ConfigMap, namespace: shop, name: a, uid: 1] does not exist in namespace "shop"',
    );
  });
});
