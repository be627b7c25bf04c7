import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { assertGolden, assertNoOtherGolden } from "./golden.ts";

describe("golden files", () => {
  let path = "";
  let folder: URL;
  const before = process.env["UPDATE_GOLDEN"];
  beforeEach(() => {
    delete process.env["UPDATE_GOLDEN"];
    path = mkdtempSync(join(tmpdir(), "golden-"));
    folder = pathToFileURL(`${path}/`);
    writeFileSync(join(path, "job.txt"), "kind: Job\n");
  });
  afterEach(() => {
    if (before === undefined) delete process.env["UPDATE_GOLDEN"];
    else process.env["UPDATE_GOLDEN"] = before;
    rmSync(path, { recursive: true });
  });

  it("accept the same text and reject a different one", () => {
    assertGolden(folder, "job", "kind: Job\n");

    assert.throws(() => assertGolden(folder, "job", "kind: Pod\n"), /kind: Pod/);
  });

  it("report how to write a missing file", () => {
    assert.throws(
      () => assertGolden(folder, "pod", "kind: Pod\n"),
      /pod\.txt does not exist; run with UPDATE_GOLDEN=1 to write it/,
    );
  });

  it("are written with UPDATE_GOLDEN=1", () => {
    process.env["UPDATE_GOLDEN"] = "1";

    assertGolden(folder, "job", "kind: CronJob\n");

    assert.equal(readFileSync(join(path, "job.txt"), "utf8"), "kind: CronJob\n");
  });

  it("without a case are reported", () => {
    assertNoOtherGolden(folder, ["job", "pod"]);

    assert.throws(() => assertNoOtherGolden(folder, ["pod"]), /job\.txt/);
  });
});
