import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Checks a text against the golden file `NAME.txt` of a folder.
 *
 * With `UPDATE_GOLDEN=1` it writes the file instead; review the diff before you commit it.
 *
 * @example
 * assertGolden(new URL("../../golden/", import.meta.url), "minimal", toYaml(job));
 */
export function assertGolden(folder: URL, name: string, text: string): void {
  const file = new URL(`${name}.txt`, folder);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text);
    return;
  }
  if (!existsSync(file)) assert.fail(`${fileURLToPath(file)} does not exist; run with UPDATE_GOLDEN=1 to write it`);
  assert.equal(text, readFileSync(file, "utf8"));
}

/** Checks that a folder has golden files of these names only: one without a case would never be compared again. */
export function assertNoOtherGolden(folder: URL, names: Iterable<string>): void {
  const known = new Set([...names].map((name) => `${name}.txt`));
  assert.deepEqual(
    readdirSync(folder).filter((file) => !known.has(file)),
    [],
    "golden files without a case; delete them",
  );
}
