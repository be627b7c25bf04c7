import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { readFiles, readText, root } from "./tree.ts";

/** Bytes of all pictures together, so that a clone stays small. */
const bytesMax = 600_000;

const folder = "docs/guides/images";
const pictures = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".png"))
  .map((path) => join(folder, path));

describe("pictures of the guides", () => {
  it("are shown by a guide, and are small", () => {
    const shown = new Set(
      readFiles((path) => path.startsWith("docs/") && path.endsWith(".md")).flatMap(({ path, text }) =>
        [...text.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map((match) => join(dirname(path), match[1] ?? "")),
      ),
    );

    assert.deepEqual(
      pictures.filter((path) => !shown.has(path)),
      [],
    );
    const bytes = pictures.reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
    assert.ok(bytes <= bytesMax, `${bytes} bytes`);
  });

  it("are those that the tests of their pages have made", () => {
    const wrong = pictures.filter((path) => {
      const record = join(dirname(path), "pictures.json");
      if (!existsSync(join(root, record))) return true;
      const records = JSON.parse(readText(record)) as Readonly<Record<string, { readonly sha256: string }>>;
      const name = path.slice(dirname(path).length + 1, -".png".length);
      const sha256 = createHash("sha256")
        .update(readFileSync(join(root, path)))
        .digest("hex");
      return records[name]?.sha256 !== sha256;
    });

    assert.deepEqual(wrong, [], "run UPDATE_PICTURES=1 npm run e2e -- apps/dashboard/browser");
  });
});
