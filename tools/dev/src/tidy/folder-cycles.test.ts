import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { folderCycles, folderImports } from "./folder-cycles.ts";
import { readFiles } from "./tree.ts";

const sources = readFiles((path) => /^((packages|operators|apps|tools)\/[^/]+|bench|e2e)\/src\/.*\.ts$/.test(path));
const sourceFolders = [...new Set(sources.map(({ path }) => path.slice(0, path.indexOf("/src/") + 4)))];

describe("folders of a package", () => {
  for (const src of sourceFolders) {
    it(`do not import each other in ${src}`, () => {
      const cycles = folderCycles(folderImports(src, sources));

      const texts = cycles.map(
        ({ folders, imports }) => [...folders, folders[0]].join(" → ") + "\n  " + imports.join("\n  "),
      );
      assert.ok(
        cycles.length === 0,
        `Folders import each other. Move a file to the folder that it belongs to, or give what both need a folder of its own:\n${texts.join("\n")}`,
      );
    });
  }
});

describe("folderImports", () => {
  it("returns imports of values and types between folders, without tests and files outside of folders", () => {
    const files = [
      { path: "packages/x/src/a/one.ts", text: 'import type { B } from "../b/two.ts";\nimport { c } from "./c.ts";\n' },
      { path: "packages/x/src/a/deep/er.ts", text: 'import { two } from "../../b/two.ts";\nimport "../one.ts";\n' },
      { path: "packages/x/src/b/two.test.ts", text: 'import { a } from "../a/one.ts";\n' },
      {
        path: "packages/x/src/b/two.ts",
        text: 'import { E } from "../errors.ts";\nimport { y } from "@homeostat/y";\n',
      },
      { path: "packages/x/src/index.ts", text: 'export { a } from "./a/one.ts";\n' },
      { path: "packages/xy/src/b/two.ts", text: 'import { a } from "../a/one.ts";\n' },
    ];

    assert.deepEqual(folderImports("packages/x/src", files), [
      { from: "a", to: "b", text: "packages/x/src/a/one.ts:1 imports ../b/two.ts" },
      { from: "a", to: "b", text: "packages/x/src/a/deep/er.ts:1 imports ../../b/two.ts" },
    ]);
  });
});

describe("folderCycles", () => {
  const cyclesOf = (...steps: string[]): string[] =>
    folderCycles(
      steps.map((step) => {
        const [from = "", to = ""] = step.split(">");
        return { from, to, text: step };
      }),
    ).map(({ folders, imports }) => `${folders.join(",")}: ${imports.join(" ")}`);

  it("finds two folders that import each other", () => {
    assert.deepEqual(cyclesOf("a>b", "b>c", "b>a"), ["a,b: a>b b>a"]);
  });

  it("finds a longer cycle once", () => {
    assert.deepEqual(cyclesOf("b>c", "c>a", "a>b", "c>d"), ["a,b,c: a>b b>c c>a"]);
  });

  it("finds two cycles through one folder", () => {
    assert.deepEqual(cyclesOf("a>b", "b>a", "b>c", "c>b"), ["a,b: a>b b>a", "b,c: b>c c>b"]);
  });

  it("returns nothing for folders that import in one direction", () => {
    assert.deepEqual(cyclesOf("a>b", "b>c", "a>c"), []);
  });
});
