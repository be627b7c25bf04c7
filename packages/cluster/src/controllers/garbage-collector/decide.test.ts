import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type Candidate,
  judge,
  misplacedMessage,
  type Standing,
  unblocked,
  type Verdict,
  withoutOwners,
} from "./decide.ts";
import { graphObject } from "./owner-graph.ts";

const candidate = (standings: readonly Standing[], more: Partial<Candidate> = {}): Candidate => ({
  finalizers: [],
  owners: standings.map((standing, index) => ({ uid: `${index}`, standing })),
  dependents: [],
  ...more,
});

const keep: Verdict = { type: "keep" };
const gone = (propagation: "Background" | "Foreground" | "Orphan", unblock = false): Verdict => ({
  type: "delete",
  propagation,
  unblock,
});

const table: readonly (readonly [string, Candidate, Verdict])[] = [
  ["has no owner", candidate([]), keep],
  ["has an owner", candidate(["solid"]), keep],
  ["has two owners", candidate(["solid", "solid"]), keep],
  ["has an owner and one that is gone", candidate(["dangling", "solid"]), { type: "release", uids: ["0"] }],
  ["has an owner and one that waits", candidate(["solid", "waiting"]), { type: "release", uids: ["1"] }],
  ["has lost its owner", candidate(["dangling"]), gone("Background")],
  ["has lost both", candidate(["dangling", "dangling"]), gone("Background")],
  ["is waited for", candidate(["waiting"]), gone("Background")],
  ["is waited for and owns", candidate(["waiting"], { dependents: [{ isForeground: false }] }), gone("Foreground")],
  ["is in a circle", candidate(["waiting"], { dependents: [{ isForeground: true }] }), gone("Foreground", true)],
  [
    "has lost its owner and owns",
    candidate(["dangling"], { dependents: [{ isForeground: false }] }),
    gone("Background"),
  ],
  ["was to orphan", candidate(["dangling"], { finalizers: ["a", "orphan"] }), gone("Orphan")],
  ["was to wait", candidate(["dangling"], { finalizers: ["foregroundDeletion"] }), gone("Foreground")],
];

describe("the decision about an object", () => {
  for (const [what, given, verdict] of table) {
    it(`that ${what} is ${verdict.type}`, () => {
      assert.deepEqual(judge(given), verdict);
    });
  }

  it("is never to delete it while an owner exists", () => {
    const standing = fc.constantFrom<Standing>("solid", "dangling", "waiting");
    const dependents = fc.array(fc.record({ isForeground: fc.boolean() }), { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(standing, { maxLength: 4 }), dependents, (standings, family) => {
        const verdict = judge(candidate([...standings, "solid"], { dependents: family }));

        assert.notEqual(verdict.type, "delete");
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
