import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../bin/homeostat.js", import.meta.url));

describe("homeostat create", () => {
  for (const [what, conditions] of [
    ["modules", "--conditions=development"],
    ["bundle", ""],
  ]) {
    it(`creates a project, as a program of the ${what ?? ""}`, () => {
      const folder = mkdtempSync(join(tmpdir(), "homeostat-create-"));
      try {
        const words = [bin, "create", "sites", "--group", "example.com", "--kind", "Site"];
        const env = { ...process.env, NODE_OPTIONS: conditions };
        const output = execFileSync(process.execPath, words, { cwd: folder, env, encoding: "utf8" });

        assert.match(output, /Created sites/);
        assert.ok(readdirSync(join(folder, "sites")).includes("package.json"));
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});
