import { compileSchema } from "@homeostat/schema";
import type { BenchCases } from "../harness/case.ts";
import { sampleObject, sampleSchema } from "./sample.ts";

const plain = compileSchema(sampleSchema({ withRules: false }));
const ruled = compileSchema(sampleSchema({ withRules: true }));
const object = sampleObject();
const old = sampleObject();
const stored = plain.process(object).value;

export const cases: BenchCases = [
  {
    name: "default and validate a valid object, 2 KB",
    subjects: {
      "compiled schema": () => plain.validate(plain.applyDefaults(object)),
      "with two rules": () => ruled.validate(ruled.applyDefaults(object)),
      "JSON.parse of the same object": parser(object),
    },
  },
  {
    name: "the steps of a request, 2 KB",
    subjects: {
      "process, create": () => plain.process(object),
      "process, update": () => plain.process(object, { old }),
      "prune alone": () => plain.prune(object),
      "defaults alone": () => plain.applyDefaults(object),
      "validate alone": () => plain.validate(stored),
    },
  },
  {
    name: "compile the schema",
    subjects: {
      "without rules": () => compileSchema(sampleSchema({ withRules: false })),
      "with two rules": () => compileSchema(sampleSchema({ withRules: true })),
    },
  },
];

function parser(value: object): () => unknown {
  const text = JSON.stringify(value);
  return () => JSON.parse(text) as unknown;
}
