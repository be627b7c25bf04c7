import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { SeededRandom, systemClock } from "@homeostat/core";
import { nodeFiles } from "./node-files.ts";
import { openStore } from "./open-store.ts";
import { contentsAt, contentsOf, decodeText } from "../testing/store-workload.ts";

/** Number of processes that are killed. */
const kills = Number(process.env["HOMEOSTAT_KILLS"] ?? 24);
const writer = fileURLToPath(new URL("../testing/killed-writer.js", import.meta.url));

/** Starts a process that writes to a directory, kills it, and returns the last revision that it acknowledged. */
async function writeUntilKilled(folder: string, random: SeededRandom, round: number): Promise<number> {
  const child = spawn(process.execPath, [writer, folder, String(round)], { stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let output = "";
  let problem = "";
  child.stderr.on("data", (text) => (problem += String(text)));
  // Most are killed after a number of acknowledged writes, some during startup and recovery. A time instead of a number would let a
  // process on a busy machine write too little.
  const linesMin = random.int(5) > 0 ? 1 + random.int(30) : 0;
  const wrote = new Promise<void>((resolve) => {
    child.stdout.on("data", (text) => {
      output += String(text);
      if (output.split("\n").length > linesMin) resolve();
    });
  });
  if (linesMin > 0) await Promise.race([wrote, exited]);
  else await systemClock.sleep(random.int(150));
  await systemClock.sleep(random.int(5));
  child.kill("SIGKILL");
  await exited;
  assert.equal(problem, "");
  const lines = output.split("\n").slice(0, -1);
  return Number(lines.at(-1) ?? 1);
}

describe("a process that is killed", () => {
  it(`keeps every acknowledged write, ${kills} times in a row`, { timeout: 60_000 + kills * 5000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "homeostat-kill-"));
    const random = new SeededRandom("kill");
    let acknowledged = 1;
    let wroteOften = 0;
    const snapshots = async (): Promise<number> =>
      (await readdir(folder)).filter((name) => name.startsWith("snapshot-")).length;

    try {
      for (let round = 0; round < kills; round += 1) {
        const last = await writeUntilKilled(folder, random, round);
        if (last > acknowledged + 1) wroteOften += 1;
        acknowledged = Math.max(acknowledged, last);
        const opened = await openStore<string>({
          files: nodeFiles(folder),
          clock: systemClock,
          random,
          decode: decodeText,
        });
        const { revision } = opened.store;
        assert.ok(
          revision >= acknowledged,
          `round ${round}: ${acknowledged} was acknowledged, ${revision} was restored`,
        );
        assert.deepEqual(contentsOf(opened.store), contentsAt(revision), `round ${round}`);
        acknowledged = revision;
        await opened[Symbol.asyncDispose]();
      }
      assert.equal(await snapshots(), 1, "too few writes for a snapshot");
    } finally {
      await rm(folder, { recursive: true });
    }

    assert.ok(wroteOften > kills / 3, `only ${wroteOften} processes wrote anything`);
  });
});
