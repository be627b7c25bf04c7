import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { HomeostatError } from "@homeostat/core";
import { lockFolder } from "./folder-lock.ts";
import { dataErrorFrom, nodeFiles } from "./node-files.ts";

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "homeostat-files-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A path at which no directory can be created: in a kernel file system, or below a file. */
const unmakeable = process.platform === "linux" ? "/proc" : process.execPath;

/** Pid of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ["-e", "0"]).pid;
}

describe("nodeFiles", () => {
  it("appends to, truncates, renames, reads and removes private files", async () => {
    await inFolder(async (parent) => {
      const folder = join(parent, "new", "data");
      const files = nodeFiles(folder);
      const lock = await files.lock();

      const file = await files.open("a.tmp");
      await file.append(Buffer.from("hello"));
      await file.truncate(4);
      await file.append(Buffer.from("p"));
      await file.sync();
      await file.close();
      await files.rename("a.tmp", "a");
      await files.sync();

      assert.deepEqual(await files.names(), ["a"], "lock files are not listed");
      assert.equal(Buffer.from(await files.read("a")).toString(), "hellp");
      assert.equal((await stat(join(folder, "a"))).mode & 0o777, 0o600);
      assert.equal((await stat(folder)).mode & 0o777, 0o700);
      await files.remove("a");
      assert.deepEqual(await files.names(), []);
      await lock[Symbol.asyncDispose]();
    });
  });

  it("fails at once when the directory cannot be created", async () => {
    await inFolder(async (parent) => {
      const file = join(parent, "file");
      await writeFile(file, "");

      await assert.rejects(nodeFiles(join(file, "data")).lock(), HomeostatError);
      // On Linux, `mkdir` with `recursive` never settles there.
      await assert.rejects(nodeFiles(join(unmakeable, "no/data")).lock(), HomeostatError);
    });
  });

  it("names the failed operation in the error", async () => {
    await inFolder(async (folder) => {
      const files = nodeFiles(folder);
      await writeFile(join(folder, "file"), "");

      await assert.rejects(files.read("none"), { code: "DATA_IO", message: /^Reading .*none: .*ENOENT/ });
      await assert.rejects(nodeFiles(join(folder, "file")).names(), { code: "DATA_IO" });
    });
  });

  it("maps error codes to disk-full and permission errors", () => {
    const failure = (code: string): Error => Object.assign(new Error(code), { code, syscall: "write" });
    const other = new Error("not a file system error");

    const codes = ["ENOSPC", "EDQUOT", "EACCES", "EROFS", "EIO"].map((code) => {
      const error = dataErrorFrom("Writing log", failure(code));
      assert.ok(error instanceof HomeostatError && error.message.startsWith("Writing log: "));
      return error.code;
    });

    assert.deepEqual(codes, ["DATA_DISK_FULL", "DATA_DISK_FULL", "DATA_PERMISSION", "DATA_PERMISSION", "DATA_IO"]);
    assert.equal(dataErrorFrom("Writing log", other), other);
  });
});

describe("lockFolder", () => {
  it("excludes others until the lock is released", async () => {
    await inFolder(async (folder) => {
      const lock = await lockFolder(folder);

      await assert.rejects(lockFolder(folder), {
        code: "DATA_IN_USE",
        message: new RegExp(`process ${process.pid} on`),
      });
      await lock[Symbol.asyncDispose]();
      const again = await lockFolder(folder);
      await again[Symbol.asyncDispose]();
    });
  });

  it("takes the lock over from a process that has ended or whose pid was reused", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "homeostat-lock");
      const left = [
        { host: hostname(), pid: deadPid(), started: "1" },
        { host: hostname(), pid: process.pid, started: "not then" },
        "cut short",
      ];

      for (const holder of left) {
        await writeFile(path, JSON.stringify(holder));
        const lock = await lockFolder(folder);
        const { pid } = JSON.parse(await readFile(path, "utf8")) as { pid: number };
        assert.equal(pid, process.pid);
        await lock[Symbol.asyncDispose]();
      }
    });
  });

  it("does not take the lock over from another host", async () => {
    await inFolder(async (folder) => {
      await writeFile(
        join(folder, "homeostat-lock"),
        JSON.stringify({ host: "elsewhere", pid: deadPid(), started: "1" }),
      );

      await assert.rejects(lockFolder(folder), { code: "DATA_IN_USE", message: /on elsewhere/ });
    });
  });

  it("gives a stale lock to only one of many concurrent processes", async () => {
    await inFolder(async (folder) => {
      await writeFile(
        join(folder, "homeostat-lock"),
        JSON.stringify({ host: hostname(), pid: deadPid(), started: "1" }),
      );
      // Several processes: the temporary names contain the pid, so attempts within one process would share them.
      const script = `
        const { lockFolder } = await import(${JSON.stringify(new URL("folder-lock.js", import.meta.url).href)});
        try { await lockFolder(process.argv[1]); console.log("mine"); process.stdin.resume(); } catch (error) { console.log(error.code); }`;
      const children = Array.from({ length: 4 }, () =>
        spawn(process.execPath, ["--input-type=module", "-e", script, folder], { stdio: ["pipe", "pipe", "inherit"] }),
      );

      const exits = children.map((child) => new Promise((resolve) => child.once("close", resolve)));
      const outcomes = await Promise.all(
        children.map(
          (child) =>
            new Promise<string>((resolve) => child.stdout.once("data", (data) => resolve(String(data).trim()))),
        ),
      );
      for (const child of children) child.stdin.end();
      await Promise.all(exits);

      assert.deepEqual(outcomes.toSorted(), ["DATA_IN_USE", "DATA_IN_USE", "DATA_IN_USE", "mine"]);
    });
  });
});
