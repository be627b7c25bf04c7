import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, nextTurn, SeededRandom } from "@homeostat/core";
import fc from "fast-check";
import { checksum } from "./checksum.ts";
import { DataCorruptError, DataVersionError } from "./errors.ts";
import { MemoryFiles } from "../testing/memory-files.ts";
import { type OpenedStore, openStore, type OpenStoreOptions } from "./open-store.ts";
import { recover } from "./recover.ts";
import { Store } from "./store.ts";
import { contentsAt, contentsOf, decodeText, writeNext } from "../testing/store-workload.ts";

function open(
  files: MemoryFiles,
  notices: string[] = [],
  options: Partial<OpenStoreOptions<string>> = {},
): Promise<OpenedStore<string>> {
  return openStore<string>({
    files,
    clock: new FakeClock(),
    random: new SeededRandom("salt"),
    decode: decodeText,
    onNotice: ({ message }) => notices.push(message),
    ...options,
  });
}

/** Performs some writes, each acknowledged on its own unless `burst` is set. */
async function write(store: Store<string>, count: number, burst = 1): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    writeNext(store);
    if (n % burst === burst - 1) await store.persisted();
  }
  await store.persisted();
}

/** Returns a directory with a log of some writes. */
async function written(
  count: number,
  options: Partial<OpenStoreOptions<string>> = {},
): Promise<Map<string, Uint8Array>> {
  const files = new MemoryFiles();
  const opened = await open(files, [], options);
  await write(opened.store, count);
  await opened[Symbol.asyncDispose]();
  return files.contents();
}

function changed(
  contents: Map<string, Uint8Array>,
  name: string,
  change: (bytes: Uint8Array) => Uint8Array,
): MemoryFiles {
  const copy = new Map(contents);
  copy.set(name, change(contents.get(name)?.slice() ?? new Uint8Array()));
  return new MemoryFiles(copy);
}

function flipped(bytes: Uint8Array, at: number, bit: number): Uint8Array {
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  return bytes;
}

const logName = "log-0000000000000001";

describe("openStore", () => {
  it("restores the state and its history after a close", async () => {
    const files = new MemoryFiles();
    const first = await open(files);
    await write(first.store, 100);
    await first[Symbol.asyncDispose]();

    const notices: string[] = [];
    await using second = await open(files, notices);
    const past = second.store.at(50);

    assert.equal(second.store.revision, 101);
    assert.deepEqual(contentsOf(second.store), contentsAt(101));
    assert.equal(past.outcome, "found");
    assert.equal(second.store.change(60)?.revision, 60);
    assert.deepEqual(notices, []);
    await write(second.store, 5);
    assert.deepEqual(contentsOf(second.store), contentsAt(106));
  });

  it("acknowledges writes only when they are on the disk, many with one fsync", async () => {
    const files = new MemoryFiles();
    await using opened = await open(files);
    const { store } = opened;
    const before = files.syncs;

    for (let n = 0; n < 200; n += 1) writeNext(store);
    const visible = store.visibleRevision;
    await store.persisted();

    assert.equal(visible, 1, "nothing is visible before it is saved");
    assert.equal(store.visibleRevision, 201);
    assert.equal(files.syncs - before, 1);
    assert.equal(store.persisted(), undefined, "everything is saved");
  });

  it("does not call fsync with fsync: false", async () => {
    const files = new MemoryFiles();
    await using opened = await open(files, [], { fsync: false });
    const before = files.syncs;

    await write(opened.store, 20);

    assert.equal(files.syncs, before);
  });

  it("replaces a long log by a snapshot and continues from it", async () => {
    const files = new MemoryFiles();
    const first = await open(files, [], { logBytesMax: 2000 });
    await write(first.store, 300);
    await first.snapshot();
    await write(first.store, 7);
    await first[Symbol.asyncDispose]();

    await using second = await open(files);

    assert.deepEqual([...files.contents().keys()].sort(), [
      "homeostat-data.json",
      "log-0000000000000301",
      "snapshot-0000000000000301",
    ]);
    assert.deepEqual(contentsOf(second.store), contentsAt(308));
    assert.deepEqual(second.store.at(300), { outcome: "compacted", oldest: 301 });
  });

  it("loses no acknowledged write in a power loss at any moment", async () => {
    const { numRuns, steps } = { numRuns: 300, steps: 60 };
    await fc.assert(
      fc.asyncProperty(fc.nat(400), fc.integer({ min: 1, max: 6 }), fc.nat(), async (crashAt, burst, seed) => {
        const chance = new SeededRandom(String(seed));
        let operations = 0;
        let acknowledged = 1;
        const files = new MemoryFiles();
        const powerLoss = new Error("no power");
        files.before = () => {
          operations += 1;
          if (operations > crashAt) throw powerLoss;
        };

        try {
          const opened = await open(files, [], { logBytesMax: 700 });
          for (let n = 0; n < steps; n += 1) {
            for (let i = 0; i < burst; i += 1) writeNext(opened.store);
            const { revision } = opened.store;
            await opened.store.persisted();
            acknowledged = revision;
          }
        } catch {
          // The injected power loss.
        }
        await nextTurn();
        const rest = files.afterPowerLoss((unsynced) => chance.int(unsynced));
        const again = await open(rest);

        const { revision } = again.store;
        assert.ok(revision >= acknowledged, `${acknowledged} was acknowledged, ${revision} was restored`);
        assert.deepEqual(contentsOf(again.store), contentsAt(revision));
        await write(again.store, 3);
        assert.deepEqual(contentsOf(again.store), contentsAt(revision + 3));
        await again[Symbol.asyncDispose]();
      }),
      { numRuns, seed: 3 },
    );
  });

  it("truncates a torn write at the end of the log and reports it, wherever it is torn", async () => {
    const contents = await written(12);
    const whole = contents.get(logName) ?? new Uint8Array();
    const revisions = new Set<number>();

    for (let length = 0; length <= whole.length; length += 1) {
      const notices: string[] = [];
      const files = changed(contents, logName, (bytes) => bytes.slice(0, length));
      const opened = await open(files, notices);
      const { revision } = opened.store;
      revisions.add(revision);
      assert.deepEqual(contentsOf(opened.store), contentsAt(revision));
      await write(opened.store, 1);
      await opened[Symbol.asyncDispose]();
      const again = await open(files, notices);
      assert.deepEqual(contentsOf(again.store), contentsAt(revision + 1));
      assert.ok(notices.length <= 1, "the torn write is reported only once");
      if (length === whole.length) assert.deepEqual(notices, []);
    }

    assert.deepEqual(
      [...revisions].sort((a, b) => a - b),
      Array.from({ length: 13 }, (_, n) => n + 1),
    );
  });

  it("never accepts a flipped bit as data", async () => {
    const contents = await written(12);
    const whole = contents.get(logName) ?? new Uint8Array();
    let refused = 0;
    let cut = 0;

    for (let at = 0; at < whole.length; at += 1) {
      for (const bit of at < 200 ? [0, 1, 2, 3, 4, 5, 6, 7] : [at % 8]) {
        const files = changed(contents, logName, (bytes) => flipped(bytes, at, bit));
        try {
          const { state, notices } = await recover<string>(files);
          const store = new Store<string>({ clock: new FakeClock(), decode: decodeText, from: state });
          assert.equal(store.revision, 12, `byte ${at}: only the last write may be dropped`);
          assert.deepEqual(contentsOf(store), contentsAt(store.revision));
          assert.equal(notices.length, 1);
          cut += 1;
        } catch (error) {
          assert.ok(error instanceof DataCorruptError || error instanceof DataVersionError, String(error));
          refused += 1;
        }
      }
    }

    assert.ok(refused > 1000 && cut > 50, `${refused} refused, ${cut} cut`);
  });

  it("refuses a snapshot with a flipped bit or a missing part", async () => {
    const files = new MemoryFiles();
    const opened = await open(files);
    await write(opened.store, 30);
    await opened.snapshot();
    await opened[Symbol.asyncDispose]();
    const contents = files.contents();
    const name = "snapshot-0000000000000031";
    const { length } = contents.get(name) ?? new Uint8Array();

    for (let at = 0; at < length; at += 1) {
      const damaged = changed(contents, name, (bytes) => flipped(bytes, at, at % 8));
      const short = changed(contents, name, (bytes) => bytes.slice(0, at));
      await assert.rejects(recover(damaged), DataCorruptError, `byte ${at}`);
      await assert.rejects(recover(short), DataCorruptError, `byte ${at}`);
    }
  });

  it("refuses a missing log and one with another base revision", async () => {
    const files = new MemoryFiles();
    const opened = await open(files);
    await write(opened.store, 30);
    await opened.snapshot();
    await write(opened.store, 3);
    await opened[Symbol.asyncDispose]();
    const contents = files.contents();
    const withoutLog = new Map(contents);
    withoutLog.delete("log-0000000000000031");
    const withGap = new Map(contents);
    withGap.set("log-0000000000000040", new Uint8Array(40));
    const misnamed = new Map([["log-0000000000000002", (await written(3)).get(logName) ?? new Uint8Array()]]);

    for (const broken of [withoutLog, withGap, misnamed])
      await assert.rejects(recover(new MemoryFiles(broken)), { code: "DATA_CORRUPT" });
  });

  it("refuses a directory that is in use, in another format, or not a data directory", async () => {
    const files = new MemoryFiles();
    const holder = await open(files);
    const text = (content: string): Uint8Array => new TextEncoder().encode(content);
    const newer = new MemoryFiles(new Map([["homeostat-data.json", text('{"format":2}')]]));
    const unreadable = new MemoryFiles(new Map([["homeostat-data.json", text("{")]]));
    const home = new MemoryFiles(new Map([["thesis.txt", text("...")]]));
    const futureLog = changed(await written(1), logName, (bytes) => {
      bytes[8] = 2;
      new DataView(bytes.buffer).setUint32(28, checksum(bytes.subarray(0, 28)), true);
      return bytes;
    });

    await assert.rejects(open(files), { code: "DATA_IN_USE" });
    await assert.rejects(open(newer), { code: "DATA_VERSION", message: /format 2/ });
    await assert.rejects(open(unreadable), { code: "DATA_VERSION" });
    await assert.rejects(open(home), { code: "DATA_VERSION", message: /thesis\.txt/ });
    await assert.rejects(open(futureLog), { code: "DATA_VERSION", message: /format 2/ });
    assert.deepEqual([...home.contents().keys()], ["thesis.txt"], "nothing was changed");
    await assert.rejects(open(newer), { code: "DATA_VERSION" }, "the lock was given back");
    await holder[Symbol.asyncDispose]();
    await (await open(files))[Symbol.asyncDispose]();
  });

  it("refuses writes when the disk is full and keeps the acknowledged ones after a restart", async () => {
    const files = new MemoryFiles();
    const opened = await open(files);
    await write(opened.store, 10);
    files.bytesLeft = 30;

    writeNext(opened.store);
    await assert.rejects(Promise.resolve(opened.store.persisted()), {
      code: "STORAGE_STOPPED",
      message: /no space left/,
    });
    assert.throws(() => writeNext(opened.store), { code: "STORAGE_STOPPED" });
    assert.equal(opened.store.persisted(), undefined, "reads need not wait");
    assert.equal(opened.store.visibleRevision, 11);
    await opened[Symbol.asyncDispose]();
    files.bytesLeft = Infinity;
    const notices: string[] = [];
    await using again = await open(files, notices);

    assert.deepEqual(contentsOf(again.store), contentsAt(11));
    assert.deepEqual(notices, []);
  });

  it("continues without a snapshot when there is no space for one", async () => {
    const files = new MemoryFiles();
    const notices: string[] = [];
    const opened = await open(files, notices);
    await write(opened.store, 30);
    files.bytesLeft = 100;

    await opened.snapshot();
    files.bytesLeft = Infinity;
    await write(opened.store, 5);
    await opened[Symbol.asyncDispose]();
    await using again = await open(files);

    assert.match(notices[0] ?? "", /snapshot failed/);
    assert.deepEqual(contentsOf(again.store), contentsAt(36));
  });
});

describe("checksum", () => {
  it("computes CRC-32", () => {
    assert.equal(checksum(new TextEncoder().encode("123456789")), 0xcbf4_3926);
    assert.equal(checksum(new Uint8Array()), 0);
  });

  it("continues from the checksum of a prefix", () => {
    const bytes = Uint8Array.from({ length: 100 }, (_, n) => n * 7);

    for (let at = 0; at <= 100; at += 1)
      assert.equal(checksum(bytes.subarray(at), checksum(bytes.subarray(0, at))), checksum(bytes));
  });
});
