import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { buildOnce, type PeerBuildOptions, whyNoTool } from "./peer-programs.ts";

describe("buildOnce", () => {
  let root = "";
  let lines: string[] = [];
  let cacheBefore: string | undefined;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "peers-"));
    lines = [];
    mkdirSync(join(root, "source", "inner"), { recursive: true });
    writeFileSync(join(root, "source", "inner", "main.go"), "package main");
    cacheBefore = process.env["HOMEOSTAT_CACHE"];
    process.env["HOMEOSTAT_CACHE"] = join(root, "cache");
  });

  afterEach(() => {
    if (cacheBefore === undefined) delete process.env["HOMEOSTAT_CACHE"];
    else process.env["HOMEOSTAT_CACHE"] = cacheBefore;
    rmSync(root, { recursive: true, force: true });
  });

  const options = (): PeerBuildOptions => ({
    source: join(root, "source"),
    name: "shop",
    report: (line) => lines.push(line),
  });
  const build = async (folder: string): Promise<void> => writeFileSync(join(folder, "shop"), "");

  it("builds a program once and reports it", async () => {
    const folder = await buildOnce(options(), ["go1"], build);
    const again = await buildOnce(options(), ["go1"], build);

    assert.equal(folder, join(root, "cache", "peers", "shop"));
    assert.equal(again, folder);
    assert.deepEqual(lines, ["building shop (takes minutes the first time)"]);
  });

  it("builds again after a change of the sources or of the compiler", async () => {
    await buildOnce(options(), ["go1"], build);
    await buildOnce(options(), ["go2"], build);
    writeFileSync(join(root, "source", "inner", "main.go"), "package main // changed");
    await buildOnce(options(), ["go2"], build);

    assert.equal(lines.length, 3);
  });

  it("repeats a failed build, also of sources that were built before", async () => {
    await buildOnce(options(), ["go1"], build);
    const failing = buildOnce(options(), ["go2"], () => Promise.reject(new Error("disk full")));
    await assert.rejects(failing, /disk full/);
    await buildOnce(options(), ["go1"], build);

    assert.equal(lines.length, 3);
    assert.ok(!existsSync(join(root, "cache", "peers", "shop.lock")));
  });

  it("lets concurrent callers wait for one build", async () => {
    let running = 0;
    let runningMax = 0;
    const slow = async (folder: string): Promise<void> => {
      running += 1;
      runningMax = Math.max(runningMax, running);
      await new Promise(setImmediate);
      await build(folder);
      running -= 1;
    };

    await Promise.all([buildOnce(options(), [], slow), buildOnce(options(), [], slow)]);

    assert.equal(runningMax, 1);
    assert.equal(lines.length, 1);
  });
});

describe("whyNoTool", () => {
  it("returns a reason only for a tool that is not installed", async () => {
    assert.equal(await whyNoTool(process.execPath, ["--version"]), undefined);
    assert.equal(await whyNoTool("no-such-tool-1", ["--version"]), "no-such-tool-1 is not installed");
  });
});
