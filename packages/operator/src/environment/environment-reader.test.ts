import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConfigurationError } from "../errors.ts";
import { type EnvironmentReader, readEnvironment } from "./environment-reader.ts";

function read<S>(value: string, by: (env: EnvironmentReader) => S): { readonly settings: S; readonly used: string[] } {
  const { settings, warnings } = readEnvironment({ X: value }, by);
  return { settings, used: warnings.map(({ used }) => used) };
}

const boolean = (env: EnvironmentReader): boolean => env.boolean("X", false);
const integer = (env: EnvironmentReader): number => env.integer("X", { fallback: 3, min: 1, max: 10 });
const choice = (env: EnvironmentReader): string => env.choice("X", ["always", "never"], "never");

describe("readEnvironment", () => {
  for (const [value, expected] of [
    ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
    ...["0", "f", "F", "FALSE", "false", "False", ""].map((text) => [text, false] as const),
  ]) {
    it(`reads the boolean ${JSON.stringify(value)} as ${expected}`, () => {
      assert.deepEqual(read(value, boolean), { settings: expected, used: [] });
    });
  }

  for (const [value, expected] of [
    ["1", 1],
    ["+10", 10],
    ["", 3],
  ] as const) {
    it(`reads the integer ${JSON.stringify(value)} as ${expected}`, () => {
      assert.deepEqual(read(value, integer), { settings: expected, used: [] });
    });
  }

  for (const [value, by] of [
    ["yes", boolean],
    ["tRue", boolean],
    ["0", integer],
    ["11", integer],
    ["1.5", integer],
    ["1e1", integer],
    ["1".repeat(400), integer],
    ["Always", choice],
    ["__proto__", choice],
  ] as const) {
    it(`warns about ${value.slice(0, 20)} and uses the default`, () => {
      const unset = readEnvironment<unknown>({}, by);

      const { settings, used } = read<unknown>(value, by);

      assert.deepEqual(unset.warnings, []);
      assert.equal(settings, unset.settings);
      assert.deepEqual(used, [String(unset.settings)]);
    });
  }

  it("names the variable, its value, the rule and the default in a warning", () => {
    const { warnings } = readEnvironment({ TTL: "soon" }, (env) => env.integer("TTL", { fallback: undefined, min: 0 }));

    assert.deepEqual(warnings, [
      {
        variable: "TTL",
        value: "soon",
        used: "unset",
        message: 'TTL is "soon", but it must be an integer from 0 to 2147483647. The default is used: unset',
      },
    ]);
  });

  it("throws one error that lists all invalid quantities and names", () => {
    const env = { CPU: "lots", MEM: "-1", CLASS: "My_Class", NAMESPACES: "good,Not Good", VALID: "128Mi" };

    assert.throws(
      () =>
        readEnvironment(env, (reader) => [
          reader.quantity("CPU", "1"),
          reader.quantity("MEM", "1"),
          reader.subdomain("CLASS"),
          reader.namespaces("NAMESPACES"),
          reader.quantity("VALID", "1"),
        ]),
      (error) => {
        assert.ok(error instanceof ConfigurationError);
        assert.equal(error.code, "OPERATOR_CONFIGURATION");
        assert.equal(
          error.message,
          "invalid operator configuration: resource validation failed: " +
            'CPU: "lots" is not a quantity such as 250m or 128Mi; MEM: "-1" is not a quantity such as 250m or 128Mi; ' +
            'CLASS: "My_Class" is not a DNS-1123 subdomain; ' +
            'NAMESPACES: "good,Not Good" is not a comma-separated list of namespaces. ' +
            "Correct these variables and restart.",
        );
        return true;
      },
    );
  });

  it("returns no quantity, name or namespace for an empty variable", () => {
    assert.deepEqual(
      read("", (env) => [env.quantity("X", "1"), env.subdomain("X"), env.namespaces("X")]),
      { settings: ["", undefined, []], used: [] },
    );
  });

  it("returns valid keys of Secrets and refuses others", () => {
    for (const key of ["password", "tls.key", "A_b-c", "k".repeat(253)]) {
      assert.equal(read(key, (env) => env.secretKey("X", "default")).settings, key);
    }
    assert.equal(read("", (env) => env.secretKey("X", "default")).settings, "default");
    for (const key of [".", "..", "..a", "a/b", "a b", "k".repeat(254)]) {
      assert.throws(() => read(key, (env) => env.secretKey("X", "default")), ConfigurationError, key);
    }
  });

  it("returns each namespace once, trimmed", () => {
    assert.deepEqual(read("a, b,,a", (env) => env.namespaces("X")).settings, ["a", "b"]);
  });

  it("ignores inherited properties of the environment", () => {
    const inherited: Record<string, string> = Object.create({ X: "wrong" }) as Record<string, string>;

    const { settings, warnings } = readEnvironment(inherited, (env) => [boolean(env), env.quantity("X", "1")]);

    assert.deepEqual([settings, warnings], [[false, "1"], []]);
  });

  it("repeats no more than 100 characters of a value", () => {
    const value = "x".repeat(200_000);
    const [warning] = readEnvironment({ X: value }, choice).warnings;

    assert.ok((warning?.value.length ?? 999) <= 100);
    assert.throws(
      () => readEnvironment({ X: value }, (env) => env.quantity("X", "")),
      ({ message }: Error) => message.length < 400,
    );
  });
});
