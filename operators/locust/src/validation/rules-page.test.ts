import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";

const source = new URL("../../src/", import.meta.url);
const page = readFileSync(new URL("../../../../docs/internals/locust.md", import.meta.url), "utf8");

/** The names in the first column of the tables of rules. */
const named = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map((match) => match[1] ?? ""));

describe("docs/internals/locust.md", () => {
  it("names only rules that the code cites", () => {
    const code = readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
      .map((path) => readFileSync(new URL(path, source), "utf8"))
      .join("\n");

    assert.ok(named.length > 20);
    assert.deepEqual(
      named.filter((name) => !code.includes(name)),
      [],
    );
  });

  it("names every rule of validation", () => {
    const text = readFileSync(new URL("validation/problem.ts", source), "utf8");
    const rules = [...text.matchAll(/^ {2}\| "(\w+)"/gm)].map((match) => match[1] ?? "");

    assert.ok(rules.length > 10);
    assert.deepEqual(
      rules.filter((rule) => !named.includes(rule)),
      [],
    );
  });
});
