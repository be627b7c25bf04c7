import { deepFreeze } from "@homeostat/core";
import type { BenchCases } from "../harness/case.ts";
import { parseSample } from "./sample.ts";

const frozen = deepFreeze(parseSample());

/** The usual hand-written implementation. */
function freezeByHand(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const child of Object.values(value)) freezeByHand(child);
  return Object.freeze(value);
}

export const cases: BenchCases = [
  {
    name: "parse a 2 KB object and freeze it",
    subjects: {
      "JSON.parse, deepFreeze": () => deepFreeze(parseSample()),
      "JSON.parse, recursive Object.freeze": () => freezeByHand(parseSample()),
      "JSON.parse alone": () => parseSample(),
    },
  },
  {
    name: "freeze what is frozen already",
    subjects: {
      deepFreeze: () => deepFreeze(frozen),
      "recursive Object.freeze": () => freezeByHand(frozen),
    },
  },
];
