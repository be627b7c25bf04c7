import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { formatProblem, type Problem } from "../problem/problem.ts";
import { checkSchema } from "../structural/check-schema.ts";
import { compileSchema } from "./compile-schema.ts";

interface Case {
  readonly schema: object;
  readonly problems?: readonly string[];
  readonly objects?: readonly {
    readonly object: object;
    readonly old?: object;
    readonly refused?: string;
    readonly dropped?: readonly string[];
    readonly stored?: object;
    readonly problems?: readonly string[];
  }[];
}

// Written by tools/schema-vectors with the libraries of the API server of Kubernetes 1.36.3.
const text = readFileSync(new URL("../../vectors/engine.jsonl", import.meta.url), "utf8");
const cases = text
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);
const path = "spec.validation.openAPIV3Schema";

function lines(problems: readonly Problem[]): string[] {
  return problems.map(formatProblem).sort();
}

describe("the answers of Kubernetes", () => {
  it("are those we give about schemas", () => {
    for (const { schema, problems = [] } of cases) {
      assert.deepEqual(lines(checkSchema(schema, { path })), [...problems].sort(), JSON.stringify(schema));
    }
  });

  it("are those we give about objects", () => {
    let objects = 0;
    for (const { schema, objects: given = [] } of cases) {
      const compiled = given.length === 0 ? undefined : compileSchema(schema);
      for (const { object, old, refused, dropped = [], stored, problems = [] } of given) {
        const about = JSON.stringify({ schema, object, old });
        const result = compiled?.process(object, old === undefined ? {} : { old });
        objects += 1;

        if (refused?.startsWith("old: ") === true) continue;
        assert.deepEqual(
          lines(result?.problems ?? []),
          refused === undefined ? [...problems].sort() : [refused],
          about,
        );
        if (refused !== undefined) continue;
        assert.deepEqual([...(result?.dropped ?? [])].sort(), dropped, about);
        assert.deepEqual(JSON.parse(JSON.stringify(result?.value)), stored, about);
      }
    }
    assert.ok(objects > 1_000);
  });
});
