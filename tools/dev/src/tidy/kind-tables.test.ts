import assert from "node:assert/strict";
import { dirname, join } from "node:path/posix";
import { describe, it } from "node:test";
import { importsOf } from "./imports.ts";
import { kindTables } from "./kind-tables.ts";
import { isProductCode, readFiles, readText } from "./tree.ts";

const kinds = "packages/apiserver/src/kinds/";

/** Built-in resources, in all forms that a table could use as keys: `pods`, `pods.`, `deployments.apps`. */
const resources = new Set(
  [
    ...readText("packages/apiserver/src/resources/generated/resources.ts").matchAll(
      /\{"group":"([^"]*)".*?"plural":"([^"]*)"/g,
    ),
  ].flatMap(([, group = "", plural = ""]) => [plural, `${plural}.${group}`]),
);

/** Reports whether a path is inside the folder of one kind: `kinds/apps/deployment/validation.ts`. */
function isOfOneKind(path: string): boolean {
  return path.startsWith(kinds) && path.slice(kinds.length).split("/").length > 2;
}

describe("the API server", () => {
  it("has no table keyed by built-in kind outside the folder of a kind", () => {
    const found = readFiles(
      (path) =>
        isProductCode(path) &&
        path.startsWith("packages/apiserver/") &&
        !path.includes("/generated/") &&
        !isOfOneKind(path),
    ).flatMap(({ path, text }) =>
      kindTables(text, resources).map(
        ({ line, resources: names }) =>
          `${path}:${line} is keyed by ${names.join(", ")}; give each kind's strategy a field instead`,
      ),
    );

    assert.ok(resources.has("deployments.apps") && resources.has("pods."), "the list of resources must not be empty");
    assert.deepEqual(found, []);
  });
});

describe("the strategies of built-in kinds", () => {
  it("do not import the strategy list, directly or indirectly", () => {
    const list = `${kinds}strategies.ts`;
    const sources = new Map(
      readFiles((path) => path.startsWith("packages/apiserver/src/") && path.endsWith(".ts")).map(({ path, text }) => [
        path,
        importsOf(text).flatMap(({ specifier, isType }) =>
          isType || !specifier.startsWith(".") ? [] : [join(dirname(path), specifier)],
        ),
      ]),
    );
    const reached = new Set(sources.get(list));
    for (const path of reached) for (const next of sources.get(path) ?? []) reached.add(next);

    assert.ok(reached.has(`${kinds}apps/deployment/validation.ts`), "imports must be followed");
    assert.ok(!reached.has(list), "a strategy imports the strategy list through other files");
  });
});

describe("kindTables", () => {
  const known = new Set(["pods", "pods.", "services", "deployments.apps", "jobs.batch"]);
  const tables: readonly (readonly [form: string, text: string])[] = [
    ["maps", 'const a = new Map([\n  ["deployments.apps", f],\n  ["jobs.batch", g(["x"])],\n]);'],
    [
      "maps of calls",
      'const a = new Map([\n  [\n    "pods.",\n    f(x, { y: [1] }),\n  ],\n  ["jobs.batch", g(() => [h()])],\n]);',
    ],
    ["sets", 'const a = new Set(["pods.", "deployments.apps"]);'],
    ["lists", 'const a = ["services", "pods"].find(f);'],
    ["switches", 'switch (name) {\n  case "pods":\n    return 1;\n  case "services":\n    return 2;\n}'],
    ["objects", 'const a = { "deployments.apps": 1, "jobs.batch": 2 };'],
  ];
  for (const [form, text] of tables) {
    it(`finds ${form}`, () => {
      assert.ok(kindTables(text, known).length > 0);
    });
  }

  it("ignores single kinds, other words and comments", () => {
    const text = [
      'if (name === "deployments.apps" || name === "jobs.batch") f();',
      'const a = new Set(["pods", "volumes"]);',
      '// new Set(["pods", "services"])',
      "const b = { pods: 1, services: 2 };",
      'const c = [{ resource: "pods" }, { resource: "services" }];',
    ].join("\n");

    assert.deepEqual(kindTables(text, known), []);
  });
});
