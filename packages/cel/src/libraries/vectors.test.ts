import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { createEnvironment, type Environment } from "../environment.ts";
import { CelCompileError, CelEvaluationError } from "../errors.ts";
import { formatTimestamp } from "../values/timestamp-text.ts";
import { formatType } from "../types/format.ts";
import type { CelType } from "../types/type.ts";
import { CelDuration } from "../values/duration.ts";
import { CelTimestamp } from "../values/timestamp.ts";
import { CelList, CelMap, CelOptional, CelTypeValue, CelUint, type CelResult, type CelValue } from "../values/value.ts";
import { CidrValue } from "./cidrs.ts";
import { FormatValue } from "./formats.ts";
import { IpValue } from "./ips.ts";
import { kubernetesLibraries } from "./kubernetes.ts";
import { QuantityValue } from "./quantities.ts";
import { SemverValue } from "./semvers.ts";
import { UrlValue } from "./urls.ts";

/** The result of Kubernetes for an expression; tools/cel-vectors/README.md explains the keys. */
interface Vector {
  readonly g: string;
  readonly e: string;
  readonly panic?: string;
  readonly compile?: readonly string[];
  readonly program?: string;
  readonly t?: string;
  readonly v?: string;
  readonly err?: string;
  readonly c?: number;
  readonly est?: readonly [string, string];
}

interface Vectors {
  readonly about: {
    readonly kubernetes: string;
    readonly variables: readonly { readonly name: string; readonly value: string }[];
    readonly sizes: Readonly<Record<string, number>>;
  };
  readonly cases: readonly Vector[];
}

/** Properties in which two results can differ. */
type Aspect = "verdict" | "type" | "value" | "error" | "issues" | "cost" | "estimate";

type Answer =
  | { readonly verdict: "refused" | "unfoldable"; readonly issues: string }
  | {
      readonly verdict: "value" | "error";
      readonly type: string;
      readonly result: string;
      readonly cost: number | undefined;
      readonly estimate: string;
    };

const noMessages =
  "Objects are made from the schema of a resource. The messages of protocol buffers exist in Kubernetes as well, and a " +
  "rule that makes one is refused here.";
const goPanics = "A panic of the Go program shows through in Kubernetes; here it is an ordinary failure.";
const secondSyntaxError = "After some syntax errors the parser of Kubernetes goes on and reports a second one.";
const otherSyntaxError = "The parser of Kubernetes gives up in another way, with other words.";

/** Known differences from Kubernetes, with the reason. A difference that no longer exists must be removed. */
const exceptions: readonly { readonly e: string; readonly aspects: readonly Aspect[]; readonly why: string }[] = [
  { e: "google.protobuf.Duration{}", aspects: ["verdict"], why: noMessages },
  { e: "google.protobuf.Duration{seconds: 1}", aspects: ["verdict"], why: noMessages },
  { e: "google.protobuf.Timestamp{seconds: 1}", aspects: ["verdict"], why: noMessages },
  { e: "google.protobuf.Value{string_value: 'a'}", aspects: ["verdict"], why: noMessages },
  { e: "google.protobuf.Int64Value{value: 1}", aspects: ["verdict"], why: noMessages },
  { e: "google.protobuf.BoolValue{}", aspects: ["verdict"], why: noMessages },
  { e: "google.protobuf.Struct{}", aspects: ["verdict"], why: noMessages },
  { e: "google.protobuf.ListValue{}", aspects: ["verdict"], why: noMessages },
  { e: "ports.sortBy(p, 1 / (p - 80))", aspects: ["error", "cost"], why: goPanics },
  { e: "dyn(5).distinct()", aspects: ["error", "cost"], why: goPanics },
  { e: "in", aspects: ["issues"], why: secondSyntaxError },
  { e: "labels.in", aspects: ["issues"], why: secondSyntaxError },
  { e: "-!true", aspects: ["issues"], why: otherSyntaxError },
];

const vectors = JSON.parse(readFileSync(new URL("../../vectors/libraries.json", import.meta.url), "utf8")) as Vectors;

describe("vectors generated with the code of Kubernetes", () => {
  it("come from the Kubernetes release of this project, and cover every library", () => {
    const count = (holds: (vector: Vector) => boolean): number => vectors.cases.filter(holds).length;

    assert.equal(vectors.about.kubernetes, "v0.36.3");
    assert.ok(count(({ v }) => v !== undefined) > 8000);
    assert.ok(count(({ err }) => err !== undefined) > 3000);
    assert.ok(count(({ compile }) => compile !== undefined) > 900);
  });

  it("have the same value, type, error message and costs, except for known differences", () => {
    const { environment, bindings } = prepare();
    const expected = new Map(exceptions.map(({ e, aspects }) => [e, aspects.join(", ")]));

    const found = new Map<string, string>();
    for (const vector of vectors.cases) {
      const differences = compareAnswers(wanted(vector), answerOf(vector.e, environment, bindings));
      if (vector.panic === undefined && differences.length > 0) found.set(vector.e, differences.join(", "));
    }

    assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected));
  });
});

function prepare(): { environment: Environment; bindings: Record<string, CelValue> } {
  const bare = createEnvironment({ libraries: kubernetesLibraries });
  const variables: Record<string, CelType> = {};
  const bindings: Record<string, CelValue> = {};
  for (const { name, value } of vectors.about.variables) {
    const program = bare.compile(value);
    variables[name] = program.resultType;
    bindings[name] = program.evaluate({});
  }
  return { environment: createEnvironment({ libraries: kubernetesLibraries, variables }), bindings };
}

/** Parses a line of the vectors. */
function wanted({ compile, program, t = "", v, err = "", c, est = ["", ""] }: Vector): Answer {
  if (compile !== undefined) return { verdict: "refused", issues: compile.join("\n") };
  if (program !== undefined) return { verdict: "unfoldable", issues: program };
  const verdict = v === undefined ? "error" : "value";
  return { verdict, type: t, result: v ?? err, cost: c, estimate: rangeText(est) };
}

/** Compares costs. Above 2^53 ours are rounded to doubles. */
function rangeText(bounds: readonly (string | number)[]): string {
  return bounds.map((bound) => Number(Number(bound).toPrecision(14))).join(" to ");
}

const costLimit = 1_000_000;

function answerOf(expression: string, environment: Environment, bindings: Record<string, CelValue>): Answer {
  try {
    const program = environment.compile(expression);
    const estimate = program.estimateCost((path) => {
      const max = vectors.about.sizes[path.join(".")];
      return max === undefined ? undefined : { min: 0, max };
    });
    const checked = { type: typeText(program.resultType), estimate: rangeText([estimate.min, estimate.max]) };
    try {
      const { value, cost } = program.evaluateWithCost(bindings, { costLimit });
      return { ...checked, verdict: "value", result: valueText(value), cost };
    } catch (error) {
      if (!(error instanceof CelEvaluationError)) throw error;
      return { ...checked, verdict: "error", result: error.message, cost: error.cost };
    }
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    if (error.stage === "instantiation") return { verdict: "unfoldable", issues: error.message };
    const issues = error.issues.map(({ line, column, message }) => `${line}:${column - 1}: ${message}`);
    return { verdict: "refused", issues: issues.join("\n") };
  }
}

function compareAnswers(want: Answer, have: Answer): Aspect[] {
  if (want.verdict !== have.verdict) return ["verdict"];
  if ("issues" in want || "issues" in have) {
    return "issues" in want && "issues" in have && want.issues === have.issues ? [] : ["issues"];
  }
  const aspects: Aspect[] = [];
  if (want.type !== have.type) aspects.push("type");
  if (want.result !== have.result) aspects.push(want.verdict === "value" ? "value" : "error");
  if (want.cost !== undefined && want.cost !== have.cost) aspects.push("cost");
  if (want.estimate !== have.estimate) aspects.push("estimate");
  return aspects;
}

/** Formats a type as Go does, which differs from messages for some types. */
function typeText(type: CelType): string {
  return formatType(type)
    .replace(/\b(timestamp|duration)\b/g, (name) => `google.protobuf.${name.charAt(0).toUpperCase()}${name.slice(1)}`)
    .replace(/\bnull\b/g, "null_type");
}

/** Formats a value as tools/cel-vectors/render.go does. */
function valueText(value: CelResult): string {
  if (typeof value === "string") return textLiteral(value);
  if (typeof value === "number") return `${Object.is(value, -0) ? "-0" : value}d`;
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelTypeValue) return `type(${value.name})`;
  if (value instanceof CelTimestamp) return `timestamp(${formatTimestamp(new CelTimestamp(value.nanos))})`;
  if (value instanceof CelDuration) return `duration(${value.nanos})`;
  if (value instanceof Uint8Array) return `b"${Buffer.from(value).toString("hex")}"`;
  if (value instanceof CelOptional) {
    return value.value === undefined ? "optional.none" : `optional(${valueText(value.value)})`;
  }
  if (value instanceof CelList) {
    return `[${Array.from({ length: value.size }, (_, index) => valueText(value.at(index))).join(",")}]`;
  }
  if (value instanceof CelMap) {
    const entries = value.keys().map((key) => `${valueText(key)}:${valueText(value.find(key) ?? null)}`);
    return `{${entries.sort().join(",")}}`;
  }
  if (value instanceof QuantityValue) return `quantity(${value.quantity.toString()})`;
  if (value instanceof UrlValue) return `url(${textLiteral(String(value))})`;
  if (value instanceof IpValue) return `ip(${String(value)})`;
  if (value instanceof CidrValue) return `cidr(${String(value)})`;
  if (value instanceof SemverValue) return `semver(${String(value)})`;
  assert.ok(value instanceof FormatValue);
  return `format(${value.format.name})`;
}

/** Quotes a string with the escapes of Go's JSON encoder: U+2028, U+2029 and invalid UTF-8 are always escaped. */
function textLiteral(text: string): string {
  return JSON.stringify(text).replace(
    /[\u2028\u2029\ufffd]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}
