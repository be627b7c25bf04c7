import { isDeepStrictEqual } from "node:util";
import { isEqual } from "@homeostat/core";
import type { BenchCases } from "../harness/case.ts";
import { parseSample, reverseKeys } from "./sample.ts";

const left = parseSample();
const right = parseSample();
const reversed = reverseKeys(right);

export const cases: BenchCases = [
  {
    name: "two equal copies, 2 KB",
    subjects: {
      isEqual: () => isEqual(left, right),
      "util.isDeepStrictEqual": () => isDeepStrictEqual(left, right),
      "JSON.stringify both": () => JSON.stringify(left) === JSON.stringify(right),
    },
  },
  {
    name: "equal, keys in another order, 2 KB",
    subjects: {
      isEqual: () => isEqual(left, reversed),
      "util.isDeepStrictEqual": () => isDeepStrictEqual(left, reversed),
    },
  },
];
