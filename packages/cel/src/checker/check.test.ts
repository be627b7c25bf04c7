import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEnvironment } from "../environment.ts";
import { CelCompileError } from "../errors.ts";
import { optionalLibrary } from "../standard/optionals.ts";
import { formatType } from "../types/format.ts";
import {
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
  type CelType,
} from "../types/type.ts";

const inner = objectType("Inner", new Map([["name", stringType]]));
const environment = createEnvironment({
  libraries: [optionalLibrary],
  variables: {
    self: objectType(
      "Self",
      new Map<string, CelType>([
        ["inner", inner],
        ["since", timestampType],
        ["items", listType(inner)],
      ]),
    ),
    any: dynType,
    ints: listType(intType),
    labels: mapType(stringType, stringType),
  },
});

function typeOf(source: string): string {
  return formatType(environment.compile(source).resultType);
}

function problemsOf(source: string): readonly string[] {
  try {
    environment.compile(source);
    return [];
  } catch (error) {
    assert.ok(error instanceof CelCompileError, String(error));
    return error.issues.map(({ message }) => message);
  }
}

describe("the type of an expression", () => {
  const types: Readonly<Record<string, string>> = {
    "1": "int",
    "1u": "uint",
    "1.0": "double",
    "'a'": "string",
    "b'a'": "bytes",
    null: "null",
    "[]": "list(dyn)",
    "{}": "map(dyn, dyn)",
    "[[], [1]]": "list(list(int))",
    "{'a': [1.5]}": "map(string, list(double))",
    "type(1)": "type(int)",
    "self.inner": "Inner",
    "self.inner.name": "string",
    "self.?inner": "optional_type(Inner)",
    "self.?inner.name": "optional_type(string)",
    "self.items[0].name": "string",
    "self.items.map(i, i.name)": "list(string)",
    "any.a.b": "dyn",
    "any + 1": "int",
    "any + any": "dyn",
    "labels.a": "string",
    "labels.map(k, labels[k].size())": "list(int)",
    "true ? ints : []": "list(int)",
    "ints[?0].orValue(1)": "int",
    "self.since - self.since": "duration",
    "has(self.inner.name)": "bool",
    "ints.exists(x, x == any)": "bool",
  };

  for (const [source, type] of Object.entries(types)) {
    it(`is ${type} for ${source}`, () => {
      assert.equal(typeOf(source), type);
    });
  }
});

describe("the checker", () => {
  it("reports undefined fields, and selections on types without fields", () => {
    assert.deepEqual(problemsOf("self.inner.nam"), ["undefined field 'nam'"]);
    assert.deepEqual(problemsOf("self.inner.name.x"), ["type 'string' does not support field selection"]);
    assert.deepEqual(problemsOf("has(self.other)"), ["undefined field 'other'"]);
  });

  it("reports the argument types of calls without a matching overload", () => {
    assert.deepEqual(problemsOf("ints.contains('a')"), [
      "found no matching overload for 'contains' applied to 'list(int).(string)'",
    ]);
    assert.deepEqual(problemsOf("size(1)"), ["found no matching overload for 'size' applied to '(int)'"]);
    assert.deepEqual(problemsOf("1 == 'a'"), ["found no matching overload for '_==_' applied to '(int, string)'"]);
  });

  it("reports one problem only once", () => {
    assert.deepEqual(problemsOf("missing.a.b + 1 == missing.c().d"), [
      "undeclared reference to 'missing' (in container '')",
      "undeclared reference to 'missing' (in container '')",
      "undeclared reference to 'c' (in container '')",
    ]);
  });

  it("allows null only for nullable types", () => {
    assert.deepEqual(problemsOf("self.inner == null || self.since == null"), []);
    assert.deepEqual(problemsOf("ints == null"), [
      "found no matching overload for '_==_' applied to '(list(int), null)'",
    ]);
  });

  it("requires booleans in conditions", () => {
    assert.deepEqual(problemsOf("1 && true"), ["expected type 'bool' but found 'int'"]);
    assert.deepEqual(problemsOf("1 ? 2 : 3"), ["found no matching overload for '_?_:_' applied to '(int, int, int)'"]);
  });

  it("requires a list or map as the range of a macro", () => {
    assert.deepEqual(problemsOf("self.inner.all(x, true)"), [
      "expression of type 'Inner' cannot be range of a comprehension (must be list, map, or dynamic)",
    ]);
  });

  it("limits the scope of macro variables to the macro", () => {
    assert.deepEqual(problemsOf("ints.all(x, x > 0) && x > 0"), ["undeclared reference to 'x' (in container '')"]);
  });
});
