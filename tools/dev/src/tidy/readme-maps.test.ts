// Every package, operator, app and tool, and bench and e2e, has a README of one screen with a map of its folders.
//
// The map is a table whose first column has the heading `folder`. Its first cells contain the paths of folders in backticks, with a
// slash at the end, relative to the README; a cell may contain several:
//
//     | folder                       | contents                      |
//     | ---------------------------- | ----------------------------- |
//     | `src/cache/`                 | informers: list and watch     |
//     | `src/core/`, `src/client/`   | microbenchmarks of packages   |
//     | `vectors/`                   | results of Go code            |
//
// The map lists every folder directly below `src`, and every folder beside `src`. Instead of a folder it may list all folders inside it,
// such as `src/operators/locust/` and `src/operators/tenant/`. A package without folders needs no map.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codeBlocks } from "./code-blocks.ts";
import { listedFolders, mappedFolders, mapProblems } from "./readme-maps.ts";
import { listFiles, readText } from "./tree.ts";

const paths = listFiles();

const packageFolders = [
  ...new Set(paths.flatMap((path) => /^((?:packages|operators|apps|tools)\/[^/]+|bench|e2e)\//.exec(path)?.[1] ?? [])),
];
const pages = new Map(
  packageFolders
    .filter((folder) => paths.includes(`${folder}/README.md`))
    .map((folder) => [folder, { path: `${folder}/README.md`, text: readText(`${folder}/README.md`) }]),
);

/** Lines that a README may have besides its code, which is cut from files that run. */
const linesMax = 60;

function problemsOf(folder: string): string[] {
  const page = pages.get(folder);
  return page === undefined ? [`${folder}/README.md does not exist`] : mapProblems(folder, page, paths);
}

describe("READMEs", () => {
  it("exist and list the folders of their package, operator, app or tool", () => {
    const problems = packageFolders.flatMap(problemsOf);

    const advice = "A README and the folders beside it differ. Change the table with the heading `folder`:";
    assert.ok(problems.length === 0, `${advice}\n${problems.join("\n")}`);
  });

  it("fit on one screen", () => {
    const long = [...pages.values()].flatMap(({ path, text }) => {
      const lines = text.replaceAll(/```[\s\S]*?```/g, "").split("\n").length;
      return lines > linesMax ? [`${path} has ${lines} lines besides its code`] : [];
    });

    const advice = `A README has at most ${linesMax} lines besides code. Move details to docs/ and link to them:`;
    assert.ok(long.length === 0, `${advice}\n${long.join("\n")}`);
  });

  it("show code that runs, for every library", () => {
    const without = [...pages].filter(
      ([folder, { text }]) =>
        folder.startsWith("packages/") && !codeBlocks(text).some(({ source }) => source !== undefined),
    );

    assert.deepEqual(
      without.map(([folder]) => folder),
      [],
    );
  });
});

describe("mappedFolders", () => {
  it("returns the folders below src and beside it", () => {
    const files = [
      "p/x/src/a/one.ts",
      "p/x/src/a/deep/two.ts",
      "p/x/src/index.ts",
      "p/x/vectors/v.json",
      "p/x/README.md",
    ];

    assert.deepEqual(mappedFolders("p/x", [...files, "p/xy/src/b/three.ts"]), ["src/a/", "vectors/"]);
  });
});

describe("listedFolders", () => {
  it("reads the first cells of maps only", () => {
    const page = [
      "| command | folder |",
      "| ------- | ------ |",
      "| `run`   | `c/`   |",
      "",
      "| folder            | contents |",
      "| ----------------- | -------- |",
      "| `src/a/`, `src/b` | `d/`     |",
      "",
      "| `e/` | f |",
    ].join("\n");

    assert.deepEqual(listedFolders(page), ["src/a/", "src/b"]);
  });
});

describe("mapProblems", () => {
  it("accepts all folders inside a folder instead of the folder", () => {
    const files = ["p/src/a/x/one.ts", "p/src/a/y/two.ts"];
    const text = (cells: string): string => `| folder | contents |\n| --- | --- |\n| ${cells} | z |\n`;

    assert.deepEqual(mapProblems("p", { path: "p/README.md", text: text("`src/a/x/`, `src/a/y/`") }, files), []);
    assert.deepEqual(mapProblems("p", { path: "p/README.md", text: text("`src/a/x/`") }, files), [
      "p/README.md does not list src/a/y/",
    ]);
  });

  it("reports folders that are missing, gone, listed twice or written without a slash", () => {
    const text = "| folder | contents |\n| --- | --- |\n| `src/a/` | x |\n| `src/c/`, `src/a/` | y |\n| `bin` | z |\n";

    assert.deepEqual(mapProblems("p", { path: "p/README.md", text }, ["p/src/a/one.ts", "p/src/b/two.ts"]), [
      "p/README.md does not list src/b/",
      "p/README.md lists src/c/, which does not exist",
      "p/README.md lists src/a/ twice",
      "p/README.md lists bin; write folders with a slash at the end",
    ]);
  });
});
