import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { envProblems, httpPathProblems, keyReferenceProblems, updateStrategyProblems } from "./pod-rules.ts";
import { formatProblem, type Problem } from "./problem.ts";

const reference = { name: "settings", key: "a.b" };
const characters = "must consist of letters, digits, dashes, dots and underscores";
const count = "must be a non-negative integer or a percentage up to 100%";
const env = (entry: Parameters<typeof envProblems>[1]): Iterable<Problem> =>
  envProblems("spec.env", entry, { reserved: ["PORT"] });

const rows: readonly (readonly [string, Iterable<Problem>, readonly string[]])[] = [
  ["a reference", keyReferenceProblems("spec.ref", reference), []],
  ["a reference to an object", keyReferenceProblems("spec.ref", { name: "a" }), []],
  [
    "a reference without a name",
    keyReferenceProblems("r", { name: "" }),
    ["r.name: Required value: set the name of the object"],
  ],
  [
    "a reference with an invalid name and key",
    keyReferenceProblems("r", { name: "A_b", key: "a/b" }),
    ['r.name: Invalid value: "A_b": must be a valid object name', `r.key: Invalid value: "a/b": ${characters}`],
  ],
  ["no variables", env(undefined), []],
  ["a literal", env([{ name: "A_1", value: "" }]), []],
  ["a variable of a Secret", env([{ name: "A", valueFrom: { secretKeyRef: reference } }]), []],
  [
    "a variable that the operator sets",
    env([{ name: "PORT", value: "1" }]),
    ['spec.env[0].name: Invalid value: "PORT": the variable PORT is set by the operator'],
  ],
  [
    "a name with a dash, and neither value nor reference",
    env([{ name: "A-B" }]),
    [
      'spec.env[0].name: Invalid value: "A-B": must consist of letters, digits and underscores, and must not start with a digit',
      'spec.env[0]: Invalid value: "A-B": the variable must have exactly one of value and valueFrom',
    ],
  ],
  [
    "a value and a reference",
    env([
      { name: "A", value: "1" },
      { name: "B", value: "1", valueFrom: { configMapKeyRef: reference } },
    ]),
    ['spec.env[1]: Invalid value: "B": the variable B must have exactly one of value and valueFrom'],
  ],
  [
    "two references, one of them invalid",
    env([{ name: "A", valueFrom: { configMapKeyRef: reference, secretKeyRef: { name: "s", key: "" } } }]),
    [
      'spec.env[0].valueFrom: Invalid value: "A": the variable A must have exactly one of configMapKeyRef and secretKeyRef',
      `spec.env[0].valueFrom.secretKeyRef.key: Invalid value: "": ${characters}`,
    ],
  ],
  ["an HTTP path", httpPathProblems("spec.path", "/healthz?a=b"), []],
  ["no HTTP path", httpPathProblems("spec.path", undefined), []],
  [
    "an HTTP path with a space",
    httpPathProblems("spec.path", "/a b"),
    ['spec.path: Invalid value: "/a b": must not contain spaces or control characters'],
  ],
  ["no strategy", updateStrategyProblems("spec.strategy", undefined), []],
  ["the defaults of a strategy", updateStrategyProblems("spec.strategy", {}), []],
  ["a strategy of numbers", updateStrategyProblems("spec.strategy", { maxUnavailable: 0, maxSurge: 1 }), []],
  [
    "a strategy with invalid numbers",
    updateStrategyProblems("s", { maxUnavailable: -1, maxSurge: "101%" }),
    [`s.maxUnavailable: Invalid value: -1: ${count}`, `s.maxSurge: Invalid value: "101%": ${count}`],
  ],
  [
    "a rolling update that cannot make progress",
    updateStrategyProblems("s", { maxUnavailable: "0%", maxSurge: 0 }),
    ['s.maxUnavailable: Invalid value: "0%": maxUnavailable and maxSurge must not both be zero'],
  ],
  [
    "zeros of a strategy that does not use them",
    updateStrategyProblems("s", { type: "Recreate", maxUnavailable: 0, maxSurge: 0 }),
    [],
  ],
];

describe("rules for pods", () => {
  for (const [name, problems, expected] of rows) {
    it(`${expected.length === 0 ? "accept" : "reject"} ${name}`, () => {
      assert.deepEqual([...problems].map(formatProblem), expected);
    });
  }
});
