import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { FakeClock, SeededRandom, systemClock } from "@homeostat/core";
import fc from "fast-check";
import { StorageStoppedError } from "./errors.ts";
import { MemoryFiles } from "../testing/memory-files.ts";
import { dataErrorFrom, nodeFiles } from "./node-files.ts";
import { openStore, type OpenedStore } from "./open-store.ts";
import type { Store } from "./store.ts";
import { contentsAt, contentsOf, decodeText } from "../testing/store-workload.ts";

const encoder = new TextEncoder();
const repairMs = 1_000;

/** A file system error as `nodeFiles` reports it. */
function failure(code: string): unknown {
  return dataErrorFrom("Writing log", Object.assign(new Error(`${code}: refused`), { code, syscall: "write" }));
}

async function open(
  files: MemoryFiles,
  { logBytesMax, clock = new FakeClock() }: { logBytesMax?: number; clock?: FakeClock } = {},
): Promise<OpenedStore<string> & { readonly notices: string[] }> {
  const notices: string[] = [];
  const opened = await openStore<string>({
    files,
    clock,
    random: new SeededRandom("disk"),
    decode: decodeText,
    onNotice: ({ message }) => notices.push(message),
    ...(logBytesMax === undefined ? {} : { logBytesMax }),
  });
  return { ...opened, notices };
}

/** Stores a value and waits until it is saved. */
async function put(store: Store<string>, key: string, text: string): Promise<void> {
  const bytes = encoder.encode(text);
  if (store.create(key, bytes).outcome === "exists") store.update(key, bytes);
  await store.persisted();
}

function texts(store: Store<string>): Record<string, string> {
  const entries = store.view().entries({ prefix: "" });
  return Object.fromEntries(entries.map((entry) => [entry.key, store.read(entry)]));
}

describe("a store whose disk rejects writes", () => {
  for (const code of ["ENOSPC", "EDQUOT", "EROFS", "EIO", "EFBIG"]) {
    it(`shows the last saved state after ${code} and resumes writes without a restart`, async () => {
      const clock = new FakeClock();
      const files = new MemoryFiles();
      const opened = await open(files, { clock });
      const { store } = opened;
      await put(store, "a", "saved");
      const shown: number[] = [];
      store.subscribe((visible) => shown.push(visible));

      files.before = () => {
        throw failure(code);
      };
      const failed = put(store, "a", "lost");
      const waiting = put(store, "b", "lost");

      await assert.rejects(failed, StorageStoppedError);
      await assert.rejects(waiting, StorageStoppedError);
      assert.throws(() => store.create("c", encoder.encode("refused")), { code: "STORAGE_STOPPED", retryable: true });
      assert.deepEqual(texts(store), { a: "saved" });
      assert.equal(store.persisted(), undefined, "reads need not wait");
      assert.equal(store.revision, store.visibleRevision);
      assert.ok(store.writeFailure instanceof Error);
      await clock.advance(10 * repairMs);
      assert.ok(store.writeFailure instanceof Error, "the disk still rejects writes");

      files.before = () => undefined;
      await clock.advance(repairMs);
      assert.equal(store.writeFailure, undefined);
      await put(store, "b", "later");
      assert.deepEqual(texts(store), { a: "saved", b: "later" });
      assert.equal(store.get("b")?.revision, 5, "revisions 3 and 4 belong to lost writes");
      assert.deepEqual(shown, [4, 5]);
      await opened[Symbol.asyncDispose]();
      await using again = await open(files);
      assert.deepEqual(texts(again.store), { a: "saved", b: "later" });
      assert.deepEqual(again.notices, [], "the log was truncated before the next write");
    });
  }

  it("does not resume before the disk has space for more than one write", async () => {
    const clock = new FakeClock();
    const files = new MemoryFiles();
    await using opened = await open(files, { clock });
    files.bytesLeft = 10;
    await assert.rejects(put(opened.store, "a", "x".repeat(100)), StorageStoppedError);

    files.bytesLeft = 64 * 1024 - 1;
    await clock.advance(repairMs);
    const tooLittle = opened.store.writeFailure;
    files.bytesLeft = 70 * 1024;
    await clock.advance(repairMs);

    assert.ok(tooLittle instanceof Error);
    assert.equal(opened.store.writeFailure, undefined);
    assert.deepEqual(
      [...files.contents().keys()].filter((name) => name.endsWith(".tmp")),
      [],
    );
  });

  it("reports lost writes to observers with before and after exchanged", async () => {
    const files = new MemoryFiles();
    await using opened = await open(files);
    const { store } = opened;
    await put(store, "a", "1");
    const seen: string[] = [];
    const stop = store.observe(({ key, before, after }) =>
      seen.push(`${key} ${before?.revision ?? "-"} ${after?.revision ?? "-"}`),
    );

    files.bytesLeft = 0;
    store.update("a", encoder.encode("2"));
    store.delete("a");
    await assert.rejects(Promise.resolve(store.persisted()), StorageStoppedError);
    stop();

    assert.deepEqual(seen, ["a 2 3", "a 3 -", "a - 3", "a 3 2"]);
  });

  it("keeps the current log and removes the partial new one when rotation runs out of space", async () => {
    const files = new MemoryFiles();
    const opened = await open(files, { logBytesMax: 500 });
    const { store, notices } = opened;
    files.before = (operation, name) => {
      // Space in the current log, but not for another one.
      if (operation === "append" && name !== "log-0000000000000001") throw failure("ENOSPC");
    };

    for (let n = 0; n < 40; n += 1) {
      await put(store, `key-${n % 7}`, `${n} ${"x".repeat(40)}`);
    }
    const during = [...files.contents().keys()];
    files.before = () => undefined;
    await opened[Symbol.asyncDispose]();
    await using again = await open(files);

    assert.ok(notices.some((text) => text.includes("log rotation failed")));
    assert.ok(notices.length < 20, `${notices.length} notices`);
    assert.deepEqual(during.filter((name) => name.startsWith("log-")).length, 1);
    assert.equal(texts(again.store)["key-4"], `39 ${"x".repeat(40)}`);
  });

  it("removes an unfinished snapshot to free its space", async () => {
    const files = new MemoryFiles();
    await using opened = await open(files);
    await put(opened.store, "a", "x".repeat(1000));
    files.bytesLeft = 200;

    await opened.snapshot();

    assert.deepEqual(
      [...files.contents().keys()].filter((name) => name.includes("snapshot")),
      [],
    );
  });

  it("keeps every acknowledged write and no failed one, whichever operations fail", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 40 }), async (seed, percent) => {
        const chance = new SeededRandom(String(seed));
        const clock = new FakeClock();
        const files = new MemoryFiles();
        const opened = await open(files, { clock, logBytesMax: 600 });
        const { store } = opened;
        let model: Record<string, string> = {};
        files.before = () => {
          if (chance.int(100) < percent) throw failure("EIO");
        };

        for (let n = 0; n < 40; n += 1) {
          const next = { ...model };
          try {
            for (let burst = 1 + chance.int(3); burst > 0; burst -= 1) {
              const key = `key-${chance.int(6)}`;
              if (chance.int(4) === 0) {
                store.delete(key);
                delete next[key];
              } else {
                const text = `${n} ${burst}`;
                const bytes = encoder.encode(text);
                if (store.create(key, bytes).outcome === "exists") store.update(key, bytes);
                next[key] = text;
              }
            }
            await store.persisted();
            model = next;
          } catch (error) {
            assert.ok(error instanceof StorageStoppedError);
          }
          assert.deepEqual(texts(store), model);
          if (chance.int(3) === 0) await clock.advance(repairMs);
        }
        files.before = () => undefined;
        await clock.advance(repairMs);
        await put(store, "last", "written");
        await opened[Symbol.asyncDispose]();
        await using again = await open(files);

        assert.deepEqual(texts(again.store), { ...model, last: "written" });
        assert.deepEqual(again.notices, []);
      }),
      { numRuns: 150, seed: 5 },
    );
  });
});

describe("openStore on a full disk", () => {
  it("fails with one error and leaves no new files", async () => {
    for (let space = 0; space < 45; space += 1) {
      const files = new MemoryFiles();
      files.bytesLeft = space;

      const opening = open(files);

      await assert.rejects(opening, {
        code: "DATA_DISK_FULL",
        message: /^Writing \S+: no space left\. Free disk space/,
      });
      const left = [...files.contents().keys()].filter((name) => name !== "homeostat-data.json");
      assert.deepEqual(left, [], `with space for ${space} bytes`);
      files.bytesLeft = Infinity;
      await using again = await open(files);
      assert.deepEqual(again.notices, []);
    }
  });
});

describe("a process with a file size limit", () => {
  const writer = fileURLToPath(new URL("../testing/limited-writer.js", import.meta.url));

  /** Runs the writer process with a file size limit, in blocks of 512 bytes. Returns the lines it printed. */
  async function run(folder: string, blocks: number): Promise<string[]> {
    const script = `ulimit -f ${blocks}; exec "$0" "$@"`;
    const child = spawn("sh", ["-c", script, process.execPath, writer, folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (text) => (output += String(text)));
    await new Promise((resolve) => child.once("close", resolve));
    return output.trim().split("\n");
  }

  it("serves reads and has every acknowledged write after a restart", async () => {
    const folder = await mkdtemp(join(tmpdir(), "homeostat-limit-"));
    try {
      const [acknowledged, code, read] = await run(folder, 16);

      const opened = await openStore<string>({
        files: nodeFiles(folder),
        clock: systemClock,
        random: new SeededRandom("limit"),
        decode: decodeText,
      });
      const { revision } = opened.store;
      await opened[Symbol.asyncDispose]();

      assert.deepEqual([code, read], ["STORAGE_STOPPED", "reads match"]);
      assert.equal(revision, Number(acknowledged));
      assert.ok(revision > 10, "the limit allowed only a few writes");
      assert.deepEqual(contentsOf(opened.store), contentsAt(revision));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("leaves no file behind when it cannot create the lock", async () => {
    const folder = await mkdtemp(join(tmpdir(), "homeostat-limit-"));
    try {
      assert.deepEqual(await run(folder, 0), ["DATA_DISK_FULL"]);
      assert.deepEqual(await readdir(folder), []);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
