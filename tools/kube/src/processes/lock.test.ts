import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { BusyError } from "../errors.ts";
import { withLock } from "./lock.ts";
import { identify } from "./process-identity.ts";

const folder = mkdtempSync(join(tmpdir(), "lock-test-"));
after(() => rmSync(folder, { recursive: true }));
const options = { what: "the test", waitMs: 5000 };

describe("withLock", () => {
  it("is held while the work runs and released after it, also on failure", async () => {
    const path = join(folder, "a.lock");

    const result = await withLock(path, options, async () => readFileSync(path, "utf8"));
    const failure = withLock(path, options, async () => {
      throw new Error("no");
    });

    assert.deepEqual(JSON.parse(result), identify(process.pid));
    await assert.rejects(failure, /no/);
    assert.deepEqual(readdirSync(folder), []);
  });

  it("admits one holder at a time", async () => {
    const path = join(folder, "b.lock");
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(setImmediate);
      inside -= 1;
    };

    await Promise.all(Array.from({ length: 5 }, async () => withLock(path, options, work)));

    assert.equal(most, 1);
  });

  it("takes over from a holder that has exited", async () => {
    const path = join(folder, "c.lock");
    for (const stale of ['{"pid":1,"started":"another boot"}', "", "not json"]) {
      writeFileSync(path, stale);

      assert.equal(await withLock(path, options, async () => "worked"), "worked");
      assert.equal(existsSync(path), false);
    }
  });

  it("reports the holder when a running process keeps it", async () => {
    const path = join(folder, "d.lock");
    const told: number[] = [];
    writeFileSync(path, JSON.stringify(identify(process.pid)));

    const waiting = withLock(
      path,
      { what: "the build", waitMs: 150, onWait: (pid) => told.push(pid) },
      async () => "never",
    );

    await assert.rejects(
      waiting,
      (error) =>
        error instanceof BusyError && error.message.startsWith(`Process ${process.pid} is still busy with the build`),
    );
    assert.deepEqual(told, [process.pid]);
    assert.ok(existsSync(path), "the lock of a running process is kept");
  });
});
