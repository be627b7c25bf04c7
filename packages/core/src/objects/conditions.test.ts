import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deepFreeze } from "../value/freeze.ts";
import { type Condition, findCondition, isConditionTrue, removeCondition, setCondition } from "./conditions.ts";

const before = Date.UTC(2026, 0, 1, 0, 0, 0, 999);
const later = Date.UTC(2026, 0, 2);

const ready = deepFreeze<Condition>({
  type: "Ready",
  status: "True",
  reason: "AllReady",
  message: "3 of 3",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  observedGeneration: 1,
});
const other = deepFreeze<Condition>({ ...ready, type: "Progressing" });

describe("setCondition", () => {
  it("appends a new condition with the time in whole seconds", () => {
    const list = setCondition(
      [other],
      { type: "Ready", status: "True", reason: "AllReady", message: "3 of 3", observedGeneration: 1 },
      before,
    );

    assert.deepEqual(list, [other, ready]);
  });

  it("creates a missing list", () => {
    assert.deepEqual(setCondition(undefined, { type: "Ready", status: "Unknown", reason: "Starting" }, before), [
      { type: "Ready", status: "Unknown", reason: "Starting", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
    ]);
  });

  it("returns the same list when nothing but the time changes", () => {
    const list = deepFreeze([ready, other]);

    assert.equal(setCondition(list, { ...ready }, later), list);
  });

  it("keeps lastTransitionTime and position when all but the status changes", () => {
    const list = setCondition(
      [ready, other],
      { ...ready, reason: "StillReady", message: "3/3", observedGeneration: 2 },
      later,
    );

    assert.deepEqual(list, [{ ...ready, reason: "StillReady", message: "3/3", observedGeneration: 2 }, other]);
  });

  it("updates lastTransitionTime when the status changes", () => {
    const [condition] = setCondition([ready], { ...ready, status: "False", reason: "Down" }, later);

    assert.equal(condition?.lastTransitionTime, "2026-01-02T00:00:00Z");
  });

  it("removes observedGeneration if it is not given", () => {
    const [condition] = setCondition([ready], { ...ready, observedGeneration: undefined }, later);

    assert.ok(condition !== undefined && !("observedGeneration" in condition));
  });

  it("does not change its argument", () => {
    const list = deepFreeze([ready]);

    setCondition(list, { ...ready, status: "False" }, later);
    removeCondition(list, "Ready");

    assert.deepEqual(list, [ready]);
  });

  it("truncates a message that is too long without splitting a surrogate pair", () => {
    const [condition] = setCondition([], { ...ready, message: "😀".repeat(20_000) }, later);

    assert.ok(condition !== undefined && condition.message.length <= 32_768);
    assert.ok(condition.message.endsWith("😀…"));
    const again = setCondition([condition], { ...ready, message: "😀".repeat(20_000) }, later);
    assert.equal(again[0], condition, "the same long message is no change");
  });

  const refused: [string, object][] = [
    ["an empty reason", { reason: "" }],
    ["a reason with a space", { reason: "Not Ready" }],
    ["a reason that begins with a digit", { reason: "3Ready" }],
    ["a reason that ends with a colon", { reason: "Ready:" }],
    ["a reason with a line end", { reason: "Ready\n" }],
    ["a reason that is too long", { reason: "R".repeat(1025) }],
    ["a type with a space", { type: "Is Ready" }],
    ["an empty type", { type: "" }],
    ["a status that is none", { status: "Yes" }],
    ["a fraction for a generation", { observedGeneration: 1.5 }],
    ["a negative generation", { observedGeneration: -1 }],
  ];
  for (const [name, change] of refused) {
    it(`refuses ${name}`, () => {
      assert.throws(() => setCondition([], { ...ready, ...change }, later), { code: "ARGUMENT" });
    });
  }

  it("accepts types with a domain, and reasons with all allowed characters", () => {
    for (const change of [
      { type: "example.com/Ready" },
      { reason: "A" },
      { reason: "a_B,c:D_" },
      { reason: "R".repeat(1024) },
    ]) {
      assert.equal(setCondition([], { ...ready, ...change }, later).length, 1);
    }
  });
});

describe("findCondition, isConditionTrue and removeCondition", () => {
  it("find by type, and accept a missing list", () => {
    assert.equal(findCondition([other, ready], "Ready"), ready);
    assert.equal(findCondition(undefined, "Ready"), undefined);
    assert.equal(isConditionTrue([ready], "Ready"), true);
    assert.equal(isConditionTrue([{ ...ready, status: "Unknown" }], "Ready"), false);
    assert.equal(isConditionTrue([], "Ready"), false);
  });

  it("remove an existing condition, or return the same list", () => {
    const list = [ready, other];

    assert.deepEqual(removeCondition(list, "Ready"), [other]);
    assert.equal(removeCondition(list, "Degraded"), list);
  });
});
