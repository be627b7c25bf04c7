import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { readFiles, root } from "./tree.ts";

const examples = readFiles((path) => /^examples\/[^/]+\.ts$/.test(path));

describe("examples", () => {
  for (const { path, text } of examples) {
    it(`${path} prints the lines of its header comment`, async () => {
      const expected = expectedOutput(text);
      assert.ok(
        expected !== undefined,
        "the file must start with a comment that ends with `Prints:` and the expected output",
      );

      const compiled = join(root, path.replace("examples/", "examples/dist/").replace(/\.ts$/, ".js"));
      // Without the options of the test runner the example loads the bundles of the packages, as users do, and starts faster.
      const env = { ...process.env, NODE_OPTIONS: "" };
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [compiled], { env, timeout: 180_000 });

      assert.equal(stderr, "");
      assert.equal(stdout.trimEnd(), expected);
    });
  }
});

/** Returns the lines after `// Prints:` in the header comment; undefined if there is none. */
function expectedOutput(text: string): string | undefined {
  const lines = text.split("\n");
  const start = lines.indexOf("// Prints:");
  if (start < 0) return undefined;
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("//"));
  return lines
    .slice(start + 1, end)
    .map((line) => line.replace(/^\/\/ {0,3}/, ""))
    .join("\n")
    .trimEnd();
}
