import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { createEnvironment } from "./environment.ts";
import { CelCompileError, CelEvaluationError } from "./errors.ts";
import { CelFailure } from "./failure.ts";
import { fromJson } from "./json/from-json.ts";
import { sizesOfShape } from "./json/sizes.ts";
import { typeOfShape, type JsonShape } from "./json/shape.ts";
import { kubernetesLibraries } from "./libraries/kubernetes.ts";
import { formatType } from "./types/format.ts";
import { dynType, optionalType } from "./types/type.ts";
import { CelOptional } from "./values/value.ts";
import { renderValue } from "./testing/render-value.ts";

/** The result of the API server for a rule. */
interface Answer {
  readonly rule: string;
  readonly compile?: string;
  readonly program?: string;
  readonly type?: string;
  readonly value?: string;
  readonly error?: string;
  readonly cost?: number;
  readonly min?: number;
  readonly max?: number;
}

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly string[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: "set" | "map" | "atomic";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
}

const vectors = new URL("../vectors/", import.meta.url);
const subject = JSON.parse(readFileSync(new URL("rules/subject.json", vectors), "utf8")) as {
  schema: Schema;
  self: unknown;
  oldSelf: unknown;
};
const answers = readFileSync(new URL("rules.jsonl", vectors), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Answer);

/** Rules for which our message differs, or that we reject although the API server accepts them. */
const differences: readonly { readonly reason: string; readonly applies: (answer: Answer) => boolean }[] = [
  {
    reason: "our parser goes on after fewer syntax errors and describes some with other words, at the same place",
    applies: ({ compile }) => compile?.includes("Syntax error") ?? false,
  },
  {
    reason: "the API server declares the functions of the authorizer also for rules, which have none",
    applies: ({ rule }) => rule.includes(".namespace()"),
  },
  {
    reason: "the API server walks the entries of a map in random order, which shows in the cost of ending early",
    applies: ({ rule }) => rule.includes("'baz': 0}.transformMap(") || rule.startsWith("{'a': 'b', 'c': 'd'}.exists("),
  },
];

const requestBytesMax = 3 * 1024 * 1024;

/** Returns the shape of a schema, with the sizes that the API server assumes if the schema sets no limit. */
function shapeOf(schema: Schema): JsonShape {
  const nullable = schema.nullable ?? false;
  if (schema["x-kubernetes-int-or-string"]) return { kind: "intOrString", nullable, maxElements: textMax(schema) };
  switch (schema.type) {
    case "array": {
      const items = schema.items ?? {};
      return {
        kind: "list",
        nullable,
        items: shapeOf(items),
        maxElements: schema.maxItems ?? Math.floor((requestBytesMax - 2) / (serializedMin(items) + 1)),
        listType: schema["x-kubernetes-list-type"] ?? "atomic",
        mapKeys: schema["x-kubernetes-list-map-keys"] ?? [],
      };
    }
    case "object": {
      const values = schema.additionalProperties;
      if (values === undefined) {
        const properties = Object.entries(schema.properties ?? {}).map(([name, of]) => [name, shapeOf(of)] as const);
        return { kind: "object", nullable, properties: new Map(properties) };
      }
      const maxElements = schema.maxProperties ?? Math.floor((requestBytesMax - 2) / (serializedMin(values) + 6));
      return { kind: "map", nullable, values: shapeOf(values), maxElements };
    }
    case "string":
      return { ...textShape(schema), nullable };
    case "integer":
      return { kind: "int", nullable };
    case "number":
      return { kind: "double", nullable };
    case "boolean":
      return { kind: "bool", nullable };
    default:
      return { kind: "preserved", nullable };
  }
}

function textShape(schema: Schema): JsonShape {
  if (schema.format === "date-time") return { kind: "timestamp", maxElements: 32 };
  if (schema.format === "date") return { kind: "date", maxElements: 12 };
  if (schema.format === "duration") return { kind: "duration", maxElements: 32 };
  if (schema.format === "byte") return { kind: "bytes", maxElements: schema.maxLength ?? requestBytesMax - 2 };
  return { kind: "string", maxElements: textMax(schema) };
}

function textMax(schema: Schema): number {
  if (schema.maxLength !== undefined) return schema.maxLength * 4;
  return schema.enum === undefined ? requestBytesMax - 2 : Math.max(...schema.enum.map((text) => text.length));
}

function serializedMin(schema: Schema): number {
  if (schema.type === "string") return { date: 12, "date-time": 21, duration: 3 }[schema.format ?? ""] ?? 2;
  if (schema.type === "boolean") return 4;
  if (schema.type === "array" || schema.additionalProperties !== undefined) return 2;
  if (schema.type !== "object") return 1;
  const required = (schema.required ?? []).map(
    (name) => name.length + serializedMin(schema.properties?.[name] ?? {}) + 4,
  );
  return required.reduce((sum, bytes) => sum + bytes, 2);
}

const shape = shapeOf(subject.schema);
const type = typeOfShape(shape, "selfType1") ?? dynType;
const environment = createEnvironment({
  libraries: kubernetesLibraries,
  variables: { self: type, oldSelf: type, previous: optionalType(type) },
});
const oldSelf = fromJson(subject.oldSelf, shape);
assert.ok(!(oldSelf instanceof CelFailure));
const bindings = { self: fromJson(subject.self, shape), oldSelf, previous: CelOptional.of(oldSelf) };

function ourAnswer(rule: string): Answer {
  try {
    const program = environment.compile(rule);
    const { min, max } = program.estimateCost(sizesOfShape(shape));
    const known = { rule, type: formatType(program.resultType), min, max };
    try {
      const { value, cost } = program.evaluateWithCost(bindings, { costLimit: 1_000_000 });
      return { ...known, value: renderValue(value), cost };
    } catch (error) {
      assert.ok(error instanceof CelEvaluationError, String(error));
      return { ...known, error: error.message, cost: error.cost };
    }
  } catch (error) {
    assert.ok(error instanceof CelCompileError, String(error));
    if (error.stage === "compilation") return { rule, compile: error.message };
    return { rule, program: error.message };
  }
}

/** Returns the differences of two results. Types are compared only if the rule compiles. */
function differenceOf(theirs: Answer, ours: Answer): string {
  const fields = ["compile", "program", "value", "error", "cost", "min", "max"] as const;
  return [...fields, ...(theirs.program === undefined ? (["type"] as const) : [])]
    .filter((field) => theirs[field] !== ours[field])
    .map((field) => `${field}: ${JSON.stringify(theirs[field])}, ours ${JSON.stringify(ours[field])}`)
    .join("\n  ");
}

describe("rules over a structural schema", () => {
  it("have the same value, error, type, cost and estimate as in the API server", () => {
    const expected = answers.filter((answer) => !differences.some(({ applies }) => applies(answer)));

    const wrong = expected.flatMap((theirs) => {
      const difference = differenceOf(theirs, ourAnswer(theirs.rule));
      return difference === "" ? [] : [`${theirs.rule}\n  ${difference}`];
    });

    assert.equal(wrong.length, 0, `${wrong.length} of ${expected.length}\n${wrong.slice(0, 20).join("\n")}`);
    assert.ok(expected.length > 2_000, String(expected.length));
  });

  it("are rejected if the API server rejects them, although the messages may differ", () => {
    const different = answers.filter((answer) => differences.some(({ applies }) => applies(answer)));

    for (const { rule, compile } of different.filter((answer) => answer.compile !== undefined)) {
      const ours = ourAnswer(rule);

      assert.ok(ours.compile !== undefined, rule);
      assert.equal(firstPlace(ours.compile), firstPlace(compile ?? ""), rule);
    }
  });

  it("differ from the API server only for reasons that still hold", () => {
    for (const { reason, applies } of differences) {
      const differing = answers.filter(
        (answer) => applies(answer) && differenceOf(answer, ourAnswer(answer.rule)) !== "",
      );

      assert.ok(differing.length > 0, `no rule differs any more because ${reason}`);
    }
  });
});

function firstPlace(message: string): string {
  return /^ERROR: <input>:(\d+:\d+)/.exec(message)?.[1] ?? message;
}
