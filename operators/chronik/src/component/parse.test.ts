import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseDrain, parseLeader, parseQuorum, parseRestartCheck } from "./parse.ts";

const quorum = {
  nodeId: 1,
  incarnation: "dir-1",
  leaderId: 2,
  term: 7,
  voters: [
    { id: 1, incarnation: "dir-1", caughtUp: true },
    { id: 2, incarnation: "dir-2", caughtUp: false },
  ],
};

/** Parses a quorum with changed fields, and returns the kind of the result and its message. */
function resultOf(change: Record<string, unknown>): string {
  const result = parseQuorum(JSON.stringify({ ...quorum, ...change }), 1);
  return result.type === "response" ? "response" : `${result.type}: ${result.message}`;
}

describe("parseQuorum", () => {
  it("returns the view of a member", () => {
    assert.deepEqual(parseQuorum(JSON.stringify(quorum), 1), { type: "response", value: quorum });
  });

  it("accepts a quorum without a leader", () => {
    const { leaderId: _none, ...rest } = quorum;

    const results = [rest, { ...rest, leaderId: null }].map((body) => parseQuorum(JSON.stringify(body), 1));

    assert.deepEqual(
      results.map((one) => one.type === "response" && one.value.leaderId),
      [undefined, undefined],
    );
  });

  const bad: readonly (readonly [Record<string, unknown>, string])[] = [
    [{ nodeId: 0 }, "malformed: nodeId is not a positive integer"],
    [{ nodeId: 1.5 }, "malformed: nodeId is not a positive integer"],
    [{ nodeId: "1" }, "malformed: nodeId is not a positive integer"],
    [{ nodeId: 1e300 }, "malformed: nodeId is not a positive integer"],
    [{ incarnation: "" }, "malformed: incarnation is not an identifier"],
    [{ incarnation: "a b" }, "malformed: incarnation is not an identifier"],
    [{ incarnation: "x".repeat(129) }, "malformed: incarnation is not an identifier"],
    [{ leaderId: -1 }, "malformed: leaderId is not a positive integer"],
    [{ term: -1 }, "malformed: term is not a non-negative integer"],
    [{ voters: {} }, "malformed: voters is not a list of at most 32 entries"],
    [{ voters: Array(33).fill(quorum.voters[0]) }, "malformed: voters is not a list of at most 32 entries"],
    [{ voters: [null] }, "malformed: voters[0] is not a voter"],
    [{ voters: [1] }, "malformed: voters[0] is not a voter"],
    [{ voters: [{ id: 1, incarnation: "a" }] }, "malformed: voters[0] is not a voter"],
    [{ voters: [quorum.voters[1], quorum.voters[1]] }, "contradiction: two voters have the same id"],
    [{ nodeId: 2 }, "contradiction: nodeId is 2, but the pod has the id 1"],
    [{ leaderId: 9 }, "contradiction: the leader 9 is not a voter"],
  ];
  for (const [change, expected] of bad) {
    it(`returns "${expected}" for ${JSON.stringify(change).slice(0, 60)}`, () => {
      assert.equal(resultOf(change), expected);
    });
  }

  it("rejects the form of the contract without incarnations", () => {
    const body = JSON.stringify({ nodeId: 1, leaderId: 1, term: 7, voters: [1, 2, 3], caughtUp: [1, 2, 3] });

    assert.equal(parseQuorum(body, 1).type, "malformed");
  });
});

describe("parseDrain", () => {
  it("returns the state and the number of partitions", () => {
    assert.deepEqual(parseDrain('{"state":"draining","partitions":12}'), {
      type: "response",
      value: { state: "draining", partitions: 12 },
    });
  });

  it("does not believe a node that is drained and has partitions", () => {
    assert.equal(parseDrain('{"state":"drained","partitions":1}').type, "contradiction");
  });

  it("rejects unknown states and numbers", () => {
    for (const body of ['{"state":"done","partitions":0}', '{"state":"idle"}', '{"state":"idle","partitions":-1}'])
      assert.equal(parseDrain(body).type, "malformed");
  });
});

describe("parseRestartCheck", () => {
  it("cuts the reason and removes control characters", () => {
    const result = parseRestartCheck(JSON.stringify({ safe: false, reason: `a\u0000\nb${"x".repeat(1_000)}` }));

    assert.ok(result.type === "response" && result.value.reason.startsWith("a b"));
    assert.ok(result.type === "response" && result.value.reason.length <= 256);
  });

  it("rejects a response without safe", () => {
    assert.equal(parseRestartCheck("{}").type, "malformed");
    assert.equal(parseRestartCheck('{"safe":"yes"}').type, "malformed");
  });
});

describe("the parsers", () => {
  it("return a value for every document and every text", () => {
    const body = fc.oneof(fc.json({ maxDepth: 5 }), fc.string(), fc.constant("[".repeat(60_000)));
    fc.assert(
      fc.property(body, (text) => {
        for (const parse of [parseDrain, parseRestartCheck, (one: string) => parseQuorum(one, 1)])
          assert.ok(["response", "malformed", "contradiction"].includes(parse(text).type));
        parseLeader(text);
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it("reject bytes that are not UTF-8, and large bodies", () => {
    assert.equal(parseDrain(Buffer.from([0xff, 0xfe, 0x7b])).type, "malformed");
    assert.equal(parseDrain(" ".repeat(70_000)).type, "malformed");
  });

  it("do not read fields of the prototype", () => {
    assert.equal(parseDrain('{"__proto__":{"state":"idle","partitions":0}}').type, "malformed");
  });
});
