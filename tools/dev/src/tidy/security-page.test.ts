import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { listFiles, readText } from "./tree.ts";

describe("docs/internals/security.md", () => {
  it("names only existing tests, one for each limit", () => {
    const files = listFiles();
    const rows = readText("docs/internals/security.md")
      .split("\n")
      .filter((line) => line.startsWith("|"));
    const named = rows.flatMap((row) => Array.from(row.matchAll(/`([\w./*-]+\.test\.ts)`/g), ([, path = ""]) => path));

    const missing = named.filter((path) => {
      const pattern = new RegExp(`(?:^|/)${path.replaceAll(".", "\\.").replaceAll("*", "[^/]+")}$`);
      return !files.some((file) => pattern.test(file));
    });

    assert.ok(named.length > 30, `only ${named.length} tests are named`);
    assert.deepEqual(missing, []);
  });
});
