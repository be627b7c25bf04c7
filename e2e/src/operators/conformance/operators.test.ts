import assert from "node:assert/strict";
import { it } from "node:test";
import { operatorNames } from "@homeostat/operator-testing/repository";
import { operators } from "./operators.ts";

it("the conformance suites cover every operator of the repository", () => {
  assert.deepEqual(Object.keys(operators).toSorted(), operatorNames().toSorted());
});
