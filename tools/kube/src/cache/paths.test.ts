import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { CacheUnwritableError } from "../errors.ts";
import { binariesFolder, cacheFolder, checkName, ensureFolder } from "./paths.ts";
import { versions } from "../versions.ts";

const folder = mkdtempSync(join(tmpdir(), "paths-test-"));
after(() => rmSync(folder, { recursive: true }));

describe("cacheFolder", () => {
  it("is the first of HOMEOSTAT_CACHE, XDG_CACHE_HOME and the home folder", () => {
    const env = { HOMEOSTAT_CACHE: "/c", XDG_CACHE_HOME: "/x", HOME: "/h" };

    assert.equal(cacheFolder(env), "/c");
    assert.equal(cacheFolder({ ...env, HOMEOSTAT_CACHE: "" }), "/x/homeostat");
    assert.equal(
      cacheFolder({ ...env, HOMEOSTAT_CACHE: undefined, XDG_CACHE_HOME: "relative" }),
      "/h/.cache/homeostat",
    );
  });

  it("separates the binaries of different releases", () => {
    assert.ok(binariesFolder({ HOMEOSTAT_CACHE: "/c" }).includes(versions.kubernetes));
  });
});

describe("ensureFolder", () => {
  it("creates folders that only their owner can enter", () => {
    const path = ensureFolder(join(folder, "a/b"));

    assert.equal(statSync(path).mode & 0o777, 0o700);
    assert.equal(ensureFolder(path), path, "a second time changes nothing");
  });

  it("reports which folder cannot be created", () => {
    writeFileSync(join(folder, "file"), "");
    const impossible = [join(folder, "file/x/y"), ...(process.platform === "linux" ? ["/proc/none/x"] : [])];

    for (const path of impossible) {
      assert.throws(
        () => ensureFolder(path),
        (error) => error instanceof CacheUnwritableError && /HOMEOSTAT_CACHE/.test(error.message),
      );
    }
  });
});

describe("checkName", () => {
  it("accepts names that are valid in paths and host names, and no others", () => {
    for (const name of ["a", "a-b", "7", "x".repeat(40)]) assert.equal(checkName(name), name);
    for (const name of ["", "-a", "a-", "A", "a_b", "a/b", "..", "a b", "ü", "x".repeat(41), "a\n"]) {
      assert.throws(() => checkName(name), /is not a valid cluster name/, JSON.stringify(name));
    }
  });
});
