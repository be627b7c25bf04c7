import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { scheduler } from "node:timers/promises";
import { UsageError } from "@homeostat/core";
import { readDevArguments } from "./arguments.ts";
import { buildProject } from "./build.ts";
import { readProject } from "./project.ts";

const choices = { entry: undefined, build: undefined, watch: [], apply: [] };

describe("the arguments of homeostat dev", () => {
  it("pass everything after -- to the operator", () => {
    const read = readDevArguments([
      "src/main.ts",
      "--apply",
      "a.yaml",
      "--apply",
      "b.yaml",
      "--",
      "--log-level",
      "debug",
    ]);

    assert.ok(read.run === "dev");
    assert.deepEqual(
      [read.entry, read.apply, read.flags],
      ["src/main.ts", ["a.yaml", "b.yaml"], ["--log-level", "debug"]],
    );
    assert.deepEqual(readDevArguments(["--help"]), { run: "help", of: "dev" });
  });

  it("are refused with all problems at once", () => {
    assert.throws(
      () => readDevArguments(["a.ts", "b.ts", "--kubeconfig", "k", "--data", "d", "--build", ""]),
      (error) =>
        error instanceof UsageError &&
        ["one program", "--data is for the embedded", "--build is empty"].every((text) => error.message.includes(text)),
    );
    assert.throws(() => readDevArguments(["--webhook-host", "h"]), /--webhook-host requires --kubeconfig or --context/);
    assert.throws(() => readDevArguments(["--dashboard-port", "70000"]), /from 0 to 65535/);
  });
});

describe("the program of homeostat dev", () => {
  it("ends when the process that has started it is killed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dev-"));
    const program = join(folder, "program.mjs");
    writeFileSync(program, "console.log(process.pid); setInterval(() => undefined, 1_000);");
    const module = new URL("child-program.js", import.meta.url).href;
    const script = `
      import { ChildProgram } from ${JSON.stringify(module)};
      const write = (text) => process.stdout.write(text);
      new ChildProgram({ folder: ".", env: process.env, clock: {}, write, onExit: () => undefined })
        .start(${JSON.stringify(program)}, []);`;
    const parent = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      env: { ...process.env, NODE_OPTIONS: "" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [printed]: unknown[] = await once(parent.stdout, "data");
    const pid = Number(String(printed));
    parent.kill("SIGKILL");

    const isAlive = (): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    while (isAlive()) await scheduler.wait(10);
    rmSync(folder, { recursive: true });
  });
});

describe("the project of homeostat dev", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "dev-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("names what is missing", async () => {
    await assert.rejects(readProject(choices, folder), /finds none of src\/main\.ts, main\.ts/);
    await assert.rejects(readProject({ ...choices, entry: "a.js" }, folder), /a\.js does not exist/);
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src/main.ts"), "");
    await assert.rejects(readProject(choices, folder), /is TypeScript, but the folder has no tsconfig\.json/);
    writeFileSync(join(folder, "tsconfig.json"), "{}");
    await assert.rejects(readProject(choices, folder), /has no compiler; run npm install --save-dev typescript/);
    await assert.rejects(
      readProject({ ...choices, entry: "src/main.ts", watch: ["none"], apply: ["a.yaml"] }, folder),
      /--watch none does not exist; --apply a\.yaml does not exist/,
    );
  });

  it("starts JavaScript as it is, after a build command if there is one", async () => {
    writeFileSync(join(folder, "main.js"), "");

    const plain = await readProject({ ...choices, entry: "main.js" }, folder);
    const built = await readProject(
      { ...choices, entry: "main.js", build: "echo built; exit 3", watch: ["src"] },
      folder,
    );
    const { signal } = new AbortController();
    const result = await buildProject(built, { stateFile: join(folder, "state"), signal });

    assert.deepEqual([plain.program, plain.build, plain.watched], [join(folder, "main.js"), undefined, [folder]]);
    assert.deepEqual(built.watched, [join(folder, "src")]);
    assert.deepEqual(result, { isDone: false, output: "built" });
    assert.deepEqual(await buildProject(plain, { stateFile: "", signal }), { isDone: true, output: "" });
  });
});
