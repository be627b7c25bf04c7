import { deepClone } from "@homeostat/core";
import type { BenchCases } from "../harness/case.ts";
import { parseSample } from "./sample.ts";

const value = parseSample();

export const cases: BenchCases = [
  {
    name: "copy of a 2 KB object",
    subjects: {
      deepClone: () => deepClone(value),
      structuredClone: () => structuredClone(value),
      "JSON there and back": () => JSON.parse(JSON.stringify(value)),
    },
  },
];
