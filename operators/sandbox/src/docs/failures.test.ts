import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";

const root = new URL("../../../../", import.meta.url);
const page = readFileSync(new URL("docs/internals/sandbox.md", root), "utf8");

/** Components that do not exist yet, as rows without a test name them. */
const missing: ReadonlySet<string> = new Set(["needs the routing proxy"]);

/** The cells of the table below the heading Failures. */
const rows = (page.split("## Failures\n")[1] ?? "")
  .split("\n## ")[0]
  ?.split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| failure ") && !line.startsWith("| ---"))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe("the failures of docs/internals/sandbox.md", () => {
  it("are listed", () => {
    assert.ok((rows ?? []).length >= 40);
  });

  it("have tests that exist", () => {
    const problems = (rows ?? []).flatMap(([failure = "", , cell = ""]) => {
      if (missing.has(cell)) return [];
      const [, path = "", title = ""] = /^`([^`]+)`: (.+)$/.exec(cell) ?? [];
      const file = new URL(path, root);
      if (path === "" || !existsSync(file)) return [`${failure}: no file ${cell}`];
      return readFileSync(file, "utf8").includes(title) ? [] : [`${failure}: ${path} has no test "${title}"`];
    });

    assert.deepEqual(problems, []);
  });
});
