import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { type SeededRandom, fuzz } from "@homeostat/fuzz";
import { createEnvironment } from "./environment.ts";
import { CelCompileError, CelEvaluationError } from "./errors.ts";
import { fromJson } from "./json/from-json.ts";
import { kubernetesLibraries } from "./libraries/kubernetes.ts";
import { dynType } from "./types/type.ts";

const rules = readFileSync(new URL("../vectors/rules/rules.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");
const self = fromJson({ a: { b: "hello" }, n: 5, l: [1, 2, 3], m: { k: "v" }, ["__proto__"]: 1, constructor: [] });
const environment = createEnvironment({
  libraries: kubernetesLibraries,
  variables: { self: dynType, oldSelf: dynType },
});

function run(source: string): void {
  environment.compile(source).evaluate({ self, oldSelf: self }, { costLimit: 100_000 });
}

/** Rethrows all errors except the two typed ones. */
function isExpected(error: unknown): boolean {
  return error instanceof CelCompileError || error instanceof CelEvaluationError;
}

const fragments = (
  "( ) [ ] { } . ? : , && || ! - + == in ' \" ''' \\ ` $ \u0000 \ud800 😬 0x 1e999 99999999999999999999 1u b' r' // \n @result " +
  "self __proto__ constructor has( .map(x, .all(x, .optMap(v, dyn( type( .matches(' optional.of( {'a': [? {? .? [0] " +
  ".format([ quantity( ip( .sortBy(e, null true"
).split(" ");

/** Returns a rule with one to four mutations: characters removed, repeated or replaced, fragments inserted, rules joined. */
function mutate(chance: SeededRandom): string {
  let text = chance.pick(rules);
  for (let changes = 1 + chance.int(4); changes > 0; changes--) {
    const at = chance.int(text.length + 1);
    const length = chance.int(8);
    const fragment = chance.pick(fragments);
    const other = chance.pick(rules);
    const kinds = [
      () => text.slice(0, at) + text.slice(at + length),
      () => text.slice(0, at) + fragment + text.slice(at),
      () => text.slice(0, at) + fragment + text.slice(at + length),
      () => text.slice(0, at) + text.slice(at, at + length).repeat(3) + text.slice(at + length),
      () => text.slice(0, at) + other.slice(chance.int(other.length + 1)),
      () => text.slice(0, at) + String.fromCharCode(chance.int(0x300)) + text.slice(at + 1),
    ];
    text = chance.pick(kinds)();
  }
  return text;
}

describe("compilation and evaluation of hostile expressions", () => {
  it("ends in a result or a typed error for mutated rules, each within 100 ms", () => {
    const { accepted } = fuzz({ count: 100_000, seed: 20_261_115, input: mutate, run, isExpected });

    assert.ok(accepted > 1_000 && accepted < 90_000, `${accepted} accepted`);
  });

  const many = 10_000;
  const shapes: Readonly<Record<string, string>> = {
    "open parentheses": "(".repeat(many),
    "nested lists": "[".repeat(many) + "]".repeat(many),
    "nested maps": "{'a':".repeat(many),
    "a long chain of fields": `self${".a".repeat(many)}`,
    "a long chain of calls": `self${".size()".repeat(many / 2)}`,
    "a long sum": `1${"+1".repeat(many)}`,
    "a long condition": `true${"&&true".repeat(many / 2)}`,
    "many conditions in a row": "true?1:".repeat(many / 4) + "1",
    "many signs": `${"-".repeat(many)}1`,
    "many negations": `${"!".repeat(many)}true`,
    "a long list": `[${"1,".repeat(many)}1].size()`,
    "a long list of lists": `[${"[],".repeat(many / 2)}[]]`,
    "a long map": `{${Array.from({ length: many / 4 }, (_, index) => `${index}:1`).join(",")}}`,
    "a long string": `'${"a".repeat(90_000)}'`,
    "many escapes": `'${"\\n".repeat(many)}'.size()`,
    "unclosed strings": "'\n".repeat(many),
    "unclosed raw strings": "r'\n".repeat(many),
    "unclosed triple quotes": `"""${"a'".repeat(many)}`,
    "unknown characters": "$".repeat(many),
    "an expression that is too long": "1 ".repeat(60_000),
    "a doubling macro": `optional.of(1)${".optMap(v, v)".repeat(40)}`,
    "types that double": doublingTypes(40),
    "nested folds": nestedFolds(12),
    "a nested pattern": "'a'.matches('((((a{1,900}){1,900}){1,900}){1,900})')",
    "a long pattern": `'${"a".repeat(5_000)}'.matches('${"(a|b)*".repeat(500)}c')`,
    "a long name": "a".repeat(90_000),
    "many dots": ".".repeat(many),
    "many commas": `f(${",".repeat(many)})`,
    "many comments": "//\n".repeat(many),
    "an empty expression": "",
    "a name of the prototype": "__proto__.constructor.prototype",
    "a key of the prototype": "self['__proto__'] == self.constructor || has(self.toString)",
  };

  for (const [name, source] of Object.entries(shapes)) {
    it(`ends within 100 ms for ${name}`, () => {
      fuzz({ count: 1, input: () => source, run, isExpected });
    });
  }
});

/** Returns nested folds in which each type is a map of the previous type to itself, so that types grow exponentially. */
function doublingTypes(depth: number): string {
  let text = `v${depth}`;
  for (let level = depth; level > 0; level--) {
    text = `[{v${level - 1}: v${level - 1}}].map(v${level}, ${text})`;
  }
  return `[1].map(v0, ${text})`;
}

function nestedFolds(depth: number): string {
  return depth === 0 ? "true" : `[1,2,3,4,5,6,7,8].all(v${depth}, ${nestedFolds(depth - 1)})`;
}
