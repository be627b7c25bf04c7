import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const folder = mkdtempSync(join(tmpdir(), "interrupted-compile-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A compiler like the real one: it starts another process, and neither of them ends by SIGTERM. */
const compiler = `
  const { spawn } = require("node:child_process");
  const { renameSync, writeFileSync } = require("node:fs");
  const endless = "process.on('SIGTERM', () => {}); console.log('ready'); setInterval(() => {}, 1000);";
  const child = spawn(process.execPath, ["-e", endless], { stdio: ["ignore", "pipe", "ignore"] });
  process.on("SIGTERM", () => {});
  child.stdout.once("data", () => {
    writeFileSync("pids.new", JSON.stringify([process.pid, child.pid]));
    renameSync("pids.new", "pids.json");
  });
`;

/** Writes a repository with the entry point of npm start and the compiler above. */
function makeRepository(name: string): string {
  const root = join(folder, name);
  for (const path of ["apps/start/bin", "node_modules/typescript/bin"])
    mkdirSync(join(root, path), { recursive: true });
  copyFileSync(fileURLToPath(new URL("../bin/start.js", import.meta.url)), join(root, "apps/start/bin/start.js"));
  writeFileSync(join(root, "apps/start/package.json"), `{ "type": "module" }`);
  writeFileSync(join(root, "node_modules/typescript/package.json"), `{ "type": "commonjs" }`);
  writeFileSync(join(root, "node_modules/typescript/bin/tsc"), compiler);
  return root;
}

/** Reports whether a process runs. A process that has ended and that its parent has not waited for yet does not. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("npm start while it compiles", { skip: process.platform !== "linux" && "needs /proc" }, () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    it(`ends with the exit code of ${signal} and leaves no process behind`, async () => {
      const root = makeRepository(signal);
      const started = spawn(process.execPath, [join(root, "apps/start/bin/start.js")], { stdio: "ignore" });
      const exited = once(started, "exit");
      while (!existsSync(join(root, "pids.json"))) await wait(20);
      const pids = JSON.parse(readFileSync(join(root, "pids.json"), "utf8")) as number[];
      assert.deepEqual(pids.map(isRunning), [true, true]);

      started.kill(signal);

      assert.deepEqual(await exited, [128 + constants.signals[signal], null]);
      while (pids.some(isRunning)) await wait(20);
    });
  }
});
