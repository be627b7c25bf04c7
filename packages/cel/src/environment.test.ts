import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEnvironment } from "./environment.ts";
import { CelCompileError, CelEvaluationError } from "./errors.ts";
import { failure } from "./failure.ts";
import { fromJson } from "./json/from-json.ts";
import { defineOverload } from "./library.ts";
import { optionalLibrary } from "./standard/optionals.ts";
import { CelStruct } from "./values/struct.ts";
import { boolType, dynType, intType, objectType, stringType } from "./types/type.ts";
import type { CelValue } from "./values/value.ts";

const environment = createEnvironment({ libraries: [optionalLibrary], variables: { self: dynType, limit: intType } });

function evaluate(source: string, json: unknown = {}): CelValue {
  return environment.compile(source).evaluate({ self: fromJson(json), limit: 3n });
}

function issuesOf(source: string): readonly string[] {
  try {
    environment.compile(source);
  } catch (error) {
    assert.ok(error instanceof CelCompileError, String(error));
    return error.issues.map(({ line, column, message }) => `${line}:${column} ${message}`);
  }
  return [];
}

describe("compile", () => {
  it("reports all problems, sorted by position", () => {
    const issues = issuesOf("unknown + 1 == 3 ||\n  missing(2)");

    assert.deepEqual(issues, [
      "1:1 undeclared reference to 'unknown' (in container '')",
      "2:10 undeclared reference to 'missing' (in container '')",
    ]);
  });

  it("shows the source line with a mark below the position", () => {
    assert.throws(() => environment.compile("1 +\n\t'ä' + 2"), {
      name: "CelCompileError",
      code: "CEL_COMPILE",
      retryable: false,
      message: [
        "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'",
        " | 1 +",
        " | ..^",
      ].join("\n"),
    });
  });

  it("counts columns in code points, and marks non-ASCII characters with wide dots", () => {
    assert.throws(() => environment.compile("'😬ä' + unknown"), {
      message: [
        "ERROR: <input>:1:8: undeclared reference to 'unknown' (in container '')",
        " | '😬ä' + unknown",
        " | .．．....^",
      ].join("\n"),
    });
  });

  it("lists 100 problems and counts the rest", () => {
    assert.throws(
      () => environment.compile(Array.from({ length: 105 }, (_, index) => `a${index}`).join(" && ")),
      (error) =>
        error instanceof CelCompileError &&
        error.issues.length === 100 &&
        error.message.endsWith("\n5 more errors were truncated"),
    );
  });

  it("rejects other result types than the requested one, including dyn", () => {
    assert.throws(() => environment.compile("limit", { resultType: boolType }), /must evaluate to a bool/);
    assert.throws(() => environment.compile("self", { resultType: boolType }), /must evaluate to a bool/);
    assert.equal(environment.compile("limit > 1", { resultType: boolType }).resultType, boolType);
  });

  it("rejects constants that cannot be converted, with the stage", () => {
    assert.throws(() => environment.compile("int('x') > 1"), {
      stage: "instantiation",
      message: "type conversion error from 'string' to 'int'",
    });
    assert.throws(() => environment.compile("{b'a': 1}"), { code: "CEL_COMPILE", stage: "instantiation" });
  });

  it("rejects invalid literal arguments", () => {
    assert.deepEqual(issuesOf("duration('1 day') > duration('1h')"), ["1:10 invalid duration argument"]);
    assert.deepEqual(issuesOf("timestamp('today') < timestamp('2026-01-01T00:00:00Z')"), [
      "1:11 invalid timestamp argument",
    ]);
    assert.deepEqual(issuesOf("'a'.matches('[')"), ["1:13 invalid matches argument"]);
  });

  it("rejects literals of mixed types by default", () => {
    assert.deepEqual(issuesOf("[1, 'a']"), ["1:5 expected type 'int' but found 'string'"]);
    assert.deepEqual(issuesOf("{'a': 1, 'b': 2.0}"), ["1:15 expected type 'int' but found 'double'"]);
    assert.equal(createEnvironment({ mixedLiterals: true }).compile("[1, 'a'].size()").evaluate({}), 2n);
  });

  it("supports optionals only with their library", () => {
    assert.throws(
      () => createEnvironment({ variables: { self: dynType } }).compile("self.?a"),
      /unsupported syntax '.\?'/,
    );
  });

  it("resolves names in the container first", () => {
    const contained = createEnvironment({ container: "a.b", variables: { "a.x": intType, x: stringType } });

    assert.equal(contained.compile("x").resultType, intType);
    assert.equal(contained.compile(".x").resultType, stringType);
  });
});

describe("a program", () => {
  it("lists the variables that it uses", () => {
    const program = environment.compile("self.a.all(x, x == 1)");

    assert.equal(program.usesVariable("self"), true);
    assert.equal(program.usesVariable("limit"), false);
    assert.deepEqual([...program.variables], ["self"]);
  });

  it("fails if it uses a variable without a value", () => {
    assert.throws(() => environment.compile("limit + 1").evaluate({}), { message: "no such attribute(s): limit" });
    assert.equal(environment.compile("true || limit == 1").evaluate({}), true);
  });

  it("fails if it uses a variable that is a failure", () => {
    const bindings = { limit: failure("unreadable") };

    assert.throws(() => environment.compile("limit > 1").evaluate(bindings), { message: "unreadable" });
    assert.equal(environment.compile("limit > 1 || true").evaluate(bindings), true);
  });

  it("does not treat inherited properties as variables", () => {
    const odd = createEnvironment({ variables: { constructor: dynType, toString: dynType } });

    assert.throws(() => odd.compile("constructor").evaluate({}), { message: "no such attribute(s): constructor" });
    assert.throws(() => odd.compile("toString").evaluate({}), { message: "no such attribute(s): toString" });
  });

  it("throws evaluation errors with the messages of the API server", () => {
    assert.throws(() => evaluate("self.missing", { there: 1 }), {
      name: "CelEvaluationError",
      code: "CEL_EVALUATION",
      message: "no such key: missing",
    });
    assert.throws(() => evaluate("[1, 2][limit]"), { message: "index out of bounds: 3" });
    assert.throws(() => evaluate("limit / (limit - 3)"), { message: "division by zero" });
    assert.throws(() => evaluate("limit % (limit - 3)"), { message: "modulus by zero" });
    assert.throws(() => evaluate("9223372036854775807 + limit"), { message: "integer overflow" });
    assert.throws(() => evaluate("0u - 1u"), { message: "unsigned integer overflow" });
    assert.throws(() => evaluate("self.a + 1", { a: "x" }), { message: "no such overload" });
    assert.throws(() => evaluate("self.a.getHours()", { a: 1 }), { message: "no such overload: getHours(int)" });
  });

  it("is cancelled if it exceeds the cost limit, with the cost in the error", () => {
    const program = environment.compile("[1, 2, 3, 4].all(x, [1, 2, 3, 4].all(y, x + y > 0))");

    const { cost } = program.evaluateWithCost({});

    assert.equal(program.evaluate({}, { costLimit: cost }), true);
    assert.throws(
      () => program.evaluate({}, { costLimit: cost - 1 }),
      (error) =>
        error instanceof CelEvaluationError &&
        error.message === "operation cancelled: actual cost limit exceeded" &&
        error.cost === cost,
    );
  });

  it("cannot absorb a cost limit error", () => {
    const program = environment.compile("[1, 2, 3].all(x, x > 0) || true");

    assert.throws(() => program.evaluate({}, { costLimit: 3 }), /actual cost limit exceeded/);
  });

  it("is deterministic", () => {
    const program = environment.compile("[3, 1, 2].map(x, x * limit)");

    const results = [1, 2, 3].map(() => program.evaluateWithCost({ limit: 2n }).cost);

    assert.deepEqual(new Set(results).size, 1);
  });
});

describe("a library", () => {
  const twice = defineOverload({
    id: "twice_int",
    params: [intType],
    result: intType,
    implement: (value) => value * 2n,
    cost: { estimate: () => ({ cost: { min: 7, max: 9 } }), track: () => 8 },
  });
  const point = objectType("example.Point", new Map([["x", intType]]));
  const extended = createEnvironment({
    libraries: [
      {
        name: "example",
        functions: [{ name: "example.twice", overloads: [twice] }],
        types: [point],
        constants: [{ name: "example.ANSWER", type: intType, value: 42n }],
      },
    ],
    variables: { n: intType, anything: dynType },
  });

  it("provides functions, constants and types", () => {
    const program = extended.compile("example.twice(example.ANSWER) == 84 && example.Point{x: 1}.x == 1");

    assert.equal(program.evaluate({}), true);
  });

  it("has object types with checked fields", () => {
    assert.throws(() => extended.compile("example.Point{y: 1}"), /undefined field 'y'/);
    assert.throws(
      () => extended.compile("example.Point{x: 'a'}"),
      /expected type of field 'x' is 'int' but provided type is 'string'/,
    );
  });

  it("defines the cost of its functions", () => {
    const program = extended.compile("example.twice(n)");

    assert.deepEqual(program.estimateCost(), { min: 8, max: 10 });
    assert.equal(program.evaluateWithCost({ n: 1n }).cost, 9);
  });

  it("is never called with arguments of other types", () => {
    const program = extended.compile("example.twice(anything)");

    assert.throws(() => program.evaluate({ anything: "a" }), { message: "no such overload: example.twice(string)" });
  });

  it("can create object types on demand", () => {
    const any = createEnvironment({
      libraries: [
        { name: "any", typeNamed: (name) => (name.startsWith("Any") ? objectType(name, point.fields) : undefined) },
      ],
    });

    const made = any.compile("Any.thing{x: 1}").evaluate({});

    assert.ok(made instanceof CelStruct);
    assert.equal(made.typeName, "Any.thing");
    assert.throws(() => any.compile("Other{}"), /undeclared reference to 'Other'/);
  });
});
