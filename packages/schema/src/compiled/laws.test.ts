import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz, propertyRuns } from "@homeostat/fuzz";
import fc from "fast-check";
import { formatProblem } from "../problem/problem.ts";
import { Dice } from "../testing/random-source.ts";
import { changed, randomJson, randomObject, randomSchema } from "../testing/random-schemas.ts";
import { junkSchema, spoiled } from "../testing/mutated-schemas.ts";
import { checkSchema } from "../schema-checks/check-schema.ts";
import { readSchema } from "../structural/read-schema.ts";
import type { Schema } from "../structural/schema.ts";
import type { Json } from "../value/json.ts";
import { examine } from "../validation/examine.ts";
import { compileCheck } from "../validation/quick-check.ts";
import { compileSchema, type CompiledSchema } from "./compile-schema.ts";
import { InvalidSchemaError } from "./invalid-schema-error.ts";

/** Yields valid random schemas, each with a random object. */
function samples(
  seed: number,
  { rules = false } = {},
): { dice: Dice; schema: Schema; compiled: CompiledSchema; object: { [key: string]: Json } } | undefined {
  const dice = new Dice(seed);
  const schema = randomSchema(dice, { rules });
  if (checkSchema(schema).length > 0) return undefined;
  return { dice, schema, compiled: compileSchema(schema), object: randomObject(dice, schema) };
}

function holds(
  law: (sample: NonNullable<ReturnType<typeof samples>>) => void,
  options: { rules?: boolean; numRuns?: number } = {},
): void {
  const run = (seed: number): void => {
    const sample = samples(seed, options);
    if (sample !== undefined) law(sample);
  };
  fc.assert(fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), run), {
    numRuns: propertyRuns(options.numRuns ?? 1_000),
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

describe("invariants of compiled schemas", () => {
  it("pruning is idempotent", () => {
    holds(({ compiled, object }) => {
      const once = compiled.prune(object);
      const twice = compiled.prune(once.value);

      assert.deepEqual(twice.value, once.value);
      assert.deepEqual(twice.dropped, []);
    });
  });

  it("defaulting is idempotent", () => {
    holds(({ compiled, object }) => {
      const once = compiled.applyDefaults(object);

      assert.deepEqual(compiled.applyDefaults(once), once);
    });
  });

  it("arguments are not modified", () => {
    holds(
      ({ dice, compiled, object }) => {
        const old = deepFreeze(changed(dice, object));

        assert.doesNotThrow(() => compiled.process(deepFreeze(object), { old }));
      },
      { rules: true, numRuns: 500 },
    );
  });

  it("the quick check and the full validation agree", () => {
    holds(({ schema, object }) => {
      const { node } = readSchema(schema, "");

      const findings = examine(node, object, { base: "", name: "" }, { as: "value" });

      assert.equal(compileCheck(node)(object), findings.isEmpty, JSON.stringify({ schema, object }));
    });
  });

  it("a valid object stays valid if it is processed again", () => {
    holds(
      ({ compiled, object, schema }) => {
        const first = compiled.process(object);
        // A null inside a default is kept, but dropped if a client sends it.
        if (first.problems.length > 0 || JSON.stringify(schema).includes("null")) return;

        const second = compiled.process(first.value);

        assert.deepEqual(second.value, first.value);
        assert.deepEqual(second.problems.map(formatProblem), []);
      },
      { rules: true },
    );
  });

  it("a value generated from a schema is valid", () => {
    holds(({ dice, schema }) => {
      const bare = withoutLimits(schema);
      const object = exactValue(dice, bare);

      assert.deepEqual(compileSchema(bare).validate(object).map(formatProblem), [], JSON.stringify({ bare, object }));
    });
  });

  it("an update without transition rules has no problem that a creation does not have", () => {
    holds(({ dice, compiled, object }) => {
      const { value } = compiled.process(object);
      const old = compiled.process(changed(dice, object)).value;

      const lines = new Set(compiled.validate(value, { old }).map(formatProblem));

      for (const problem of compiled.validate(value)) lines.delete(formatProblem(problem));
      assert.deepEqual([...lines], []);
    });
  });
});

/** Returns a random schema that has only types and children. */
function withoutLimits({ type = "object", properties, items, additionalProperties, ...rest }: Schema): Schema {
  if (rest["x-kubernetes-int-or-string"] === true) return { "x-kubernetes-int-or-string": true };
  const fields = Object.entries(properties ?? {}).filter(
    ([name]) => !["apiVersion", "kind", "metadata"].includes(name),
  );
  return {
    type,
    ...(rest.required !== undefined && {
      required: rest.required.filter((name) => fields.some(([field]) => field === name)),
    }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(fields.map(([name, each]) => [name, withoutLimits(each)])),
    }),
    ...(items !== undefined && { items: withoutLimits(items) }),
    ...(typeof additionalProperties === "object" &&
      properties === undefined && { additionalProperties: withoutLimits(additionalProperties) }),
  };
}

/** Returns a value that satisfies such a schema by construction. */
function exactValue(dice: Dice, schema: Schema): Json {
  const some = (): number[] => Array.from({ length: dice.below(3) }, (_, index) => index);
  const { additionalProperties: others, items = { type: "string" }, required = [] } = schema;
  switch (schema.type) {
    case "boolean":
      return dice.chance(50);
    case "integer":
      return dice.below(1_000) - 500;
    case "number":
      return dice.below(1_000) / 8;
    case "array":
      return some().map(() => exactValue(dice, items));
    case "object": {
      const declared = Object.entries(schema.properties ?? {}).filter(
        ([name]) => required.includes(name) || dice.chance(50),
      );
      const extra =
        typeof others === "object" ? some().map((key) => [`k${key}`, exactValue(dice, others)] as const) : [];
      return Object.fromEntries([...declared.map(([name, each]) => [name, exactValue(dice, each)] as const), ...extra]);
    }
    default:
      return dice.chance(50) && schema.type === undefined ? dice.below(5) : "text";
  }
}

describe("robustness of compiled schemas", () => {
  it("any value can be processed with any schema without an exception", () => {
    let compiled: CompiledSchema | undefined;
    let schema: Schema = { type: "object" };
    const dice = new Dice(77);
    fuzz({
      count: 100_000,
      input: (_, index) => {
        if (index % 100 === 0 || compiled === undefined) {
          do schema = randomSchema(dice, { rules: index % 500 === 0 });
          while (checkSchema(schema).length > 0);
          compiled = compileSchema(schema);
        }
        const object: unknown = dice.chance(80) ? randomObject(dice, schema) : randomJson(dice);
        return {
          compiled,
          object: dice.chance(5)
            ? (JSON.parse('{"__proto__": {"spec": 1}, "constructor": {}, "spec": {"__proto__": {"a": 1}}}') as unknown)
            : object,
        };
      },
      run: ({ compiled, object }) => {
        const { problems } = compiled.process(object);
        for (const problem of problems) assert.equal(typeof formatProblem(problem), "string");
      },
      isExpected: () => false,
    });
  });

  it("any schema compiles or throws an InvalidSchemaError", () => {
    const dice = new Dice(4711);
    let seed: Schema = { type: "object" };
    fuzz({
      count: 100_000,
      input: (_, index) => {
        if (index % 50 === 0) seed = randomSchema(dice, { rules: index % 1_000 === 0 });
        return index % 10 === 0 ? spoiled(dice, seed) : junkSchema(dice);
      },
      run: (schema) => {
        const problems = checkSchema(schema);
        if (problems.length > 0) return;
        try {
          compileSchema(schema).process({ apiVersion: "v1", kind: "K", a: { a: 1 }, b: [] });
        } catch (error) {
          assert.ok(error instanceof InvalidSchemaError);
          assert.fail("checkSchema and compileSchema disagree");
        }
      },
      isExpected: () => false,
    });
  });

  it("very deep values do not overflow the stack", () => {
    const schema = compileSchema({
      type: "object",
      properties: {
        keep: { "x-kubernetes-preserve-unknown-fields": true },
        set: {
          type: "array",
          "x-kubernetes-list-type": "set",
          items: { type: "array", items: { "x-kubernetes-preserve-unknown-fields": true } },
        },
        typed: { type: "string", enum: ["a"] },
      },
    });
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level++) deep = level % 2 === 0 ? [deep] : { a: deep };
    const object = { keep: deep, set: [[deep], [deep]], typed: deep };

    assert.deepEqual(
      schema.process(object).problems.map(({ type, path }) => ({ type, path })),
      [
        { type: "TypeInvalid", path: "typed" },
        { type: "NotSupported", path: "typed" },
        { type: "Duplicate", path: "set[1]" },
      ],
    );
    assert.deepEqual(schema.process(object, { old: object }).problems, []);
  });
});
