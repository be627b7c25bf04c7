import { compilePattern } from "@homeostat/cel";
import type { BenchCases } from "../harness/case.ts";

const label = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
// The same pattern, written so that it is evaluated by re2js.
const onRe2 = "^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)$\\b|^\\B$";
const ours = compilePattern(label);
const re2 = compilePattern(onRe2);
const regExp = new RegExp(label, "u");

export const cases: BenchCases = [
  {
    name: "match a DNS label",
    subjects: {
      "translated pattern": () => ours.test("my-service-name"),
      "pattern left to RE2": () => re2.test("my-service-name"),
      RegExp: () => regExp.test("my-service-name"),
    },
  },
];
