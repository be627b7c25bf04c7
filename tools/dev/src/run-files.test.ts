import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { type Failure, type Outcome, runFiles, type RunFilesOptions } from "./run-files.ts";

const root = mkdtempSync(join(tmpdir(), "homeostat-run-files-"));
const context = process.env["NODE_TEST_CONTEXT"];

// node:test refuses to run files from a test file, which it recognizes by this variable.
before(() => {
  delete process.env["NODE_TEST_CONTEXT"];
});

after(() => {
  if (context !== undefined) process.env["NODE_TEST_CONTEXT"] = context;
  rmSync(root, { recursive: true, force: true });
});

/** Writes compiled test files, each with the same imports, and runs them in one process. */
function runTogether(
  sources: Readonly<Record<string, string>>,
  options: Partial<RunFilesOptions> = {},
): Promise<Outcome> {
  return runFiles(...written(sources, options));
}

/** Runs compiled test files as programs of their own. */
function runAlone(sources: Readonly<Record<string, string>>): Promise<Outcome> {
  const [files, { filesPerProcess: _, ...options }] = written(sources, {});
  return runFiles(files, options);
}

function written(
  sources: Readonly<Record<string, string>>,
  options: Partial<RunFilesOptions>,
): [string[], RunFilesOptions] {
  const folder = mkdtempSync(join(root, "case-"));
  mkdirSync(join(folder, "package/dist"), { recursive: true });
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
  const files = Object.entries(sources).map(([name, text]) => {
    const file = join(folder, "package/dist", `${name}.test.js`);
    writeFileSync(file, `import { after, beforeEach, describe, it, mock } from "node:test";\n${text}`);
    return file;
  });
  const defaults: RunFilesOptions = {
    root: folder,
    folder,
    concurrency: 1,
    filesPerProcess: files.length,
    timeout: 60_000,
    onFailure: () => undefined,
  };
  return [files, { ...defaults, ...options }];
}

function passedOf({ passed }: Outcome): Record<string, number> {
  return Object.fromEntries(passed);
}

function firstLines(failures: readonly Failure[]): string[] {
  return failures.map(({ name, file, cause }) => `${file} ${name}: ${cause.split("\n")[0] ?? ""}`);
}

const passing = `it("passes", () => {});`;

describe("runFiles with several files in a process", { concurrency: 3 }, () => {
  it("runs the files one after the other and counts their tests", async () => {
    const outcome = await runTogether({ a: `${passing}\n${passing}`, b: `describe("b", () => { ${passing} });` });

    assert.deepEqual(passedOf(outcome), { "package/src/a.test.ts": 2, "package/src/b.test.ts": 1 });
    assert.deepEqual(outcome.failures, []);
    assert.deepEqual([...outcome.times.keys()], ["package/src/a.test.ts", "package/src/b.test.ts"]);
  });

  it("starts one process for files that share it, and one more for a file that must not", async () => {
    const tellPid = `it("fails", () => { throw new Error(process.pid); });`;

    const outcome = await runTogether(
      { a: tellPid, b: tellPid, c: tellPid },
      { isAlone: (file) => /c\.test/.test(file) },
    );

    const pids = firstLines(outcome.failures.toSorted((a, b) => (a.file < b.file ? -1 : 1)));
    const [a, b, c] = pids.map((line) => line.replace(/^.*: /, ""));
    assert.equal(a, b);
    assert.notEqual(a, c);
  });

  it("reports a failed test by its name and file and runs the files after it", async () => {
    const outcome = await runTogether({ a: `it("fails", () => { throw new Error("no"); });`, b: passing });

    assert.deepEqual(firstLines(outcome.failures), ["package/src/a.test.ts fails: Error: no"]);
    assert.deepEqual(passedOf(outcome), { "package/src/b.test.ts": 1 });
  });

  it("reports a file that cannot be loaded", async () => {
    const outcome = await runTogether({ a: `import "./missing.js";`, b: passing });

    assert.match(
      firstLines(outcome.failures).join(),
      /^package\/src\/a\.test\.ts package\/src\/a\.test\.ts: Error.*missing\.js/,
    );
    assert.deepEqual(passedOf(outcome), { "package/src/b.test.ts": 1 });
  });

  it("applies hooks and mocks of a file to that file only", async () => {
    const hooks = `beforeEach(() => { throw new Error("hook of a"); }); mock.method(Date, "now", () => 0);`;
    const check = `it("sees the time", () => { if (Date.now() === 0) throw new Error("mock of a"); });`;

    const outcome = await runTogether({ a: hooks, b: check });

    assert.deepEqual(outcome.failures, []);
    assert.deepEqual(passedOf(outcome), { "package/src/b.test.ts": 1 });
  });

  it("fails the file that prints, changes the process or leaves errors behind, and no other", async () => {
    const outcome = await runTogether({
      prints: `${passing} after(() => console.log("hello"));`,
      changes: `it("passes", () => { process.env.LEFT_BEHIND = "1"; process.on("SIGTERM", () => {}); });`,
      late: `it("passes", () => { setTimeout(() => { throw new Error("late"); }, 5); });`,
      clean: passing,
    });

    assert.deepEqual(firstLines(outcome.failures), [
      "package/src/prints.test.ts package/src/prints.test.ts: Error: printed something; a passing test is silent:",
      "package/src/changes.test.ts package/src/changes.test.ts: Error: changes the environment variable LEFT_BEHIND",
      "package/src/late.test.ts package/src/late.test.ts: Error: throws outside of a test: Error: late",
    ]);
    assert.equal(outcome.passed.get("package/src/clean.test.ts"), 1);
  });

  it("fails the file that leaves a handle open", async () => {
    const leaking = `${passing} setInterval(() => {}, 1000);`;

    const outcome = await runTogether({ a: leaking, b: passing }, { handlesCloseMs: 50 });

    assert.deepEqual(firstLines(outcome.failures), [
      "package/src/a.test.ts package/src/a.test.ts: Error: leaves 1 Timeout open",
    ]);
    assert.equal(outcome.passed.get("package/src/b.test.ts"), 1);
  });

  it("fails a file that ends the process and runs the files after it in a new one", async () => {
    const outcome = await runTogether({ a: passing, b: `it("exits", () => process.exit(0));`, c: passing, d: passing });

    assert.deepEqual(firstLines(outcome.failures), [
      "package/src/b.test.ts package/src/b.test.ts: The process ended before the file did.",
    ]);
    assert.deepEqual(passedOf(outcome), {
      "package/src/a.test.ts": 1,
      "package/src/c.test.ts": 1,
      "package/src/d.test.ts": 1,
    });
  });

  it("ends a file that blocks the process and names the test that runs", async () => {
    const marker = join(root, "blocked");
    const blocks = `import { writeFileSync } from "node:fs";
    it("blocks", async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      writeFileSync(${JSON.stringify(marker)}, "");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
    const timers = new ManualTimers();

    const running = runTogether({ a: blocks, b: passing }, { timeout: 10_000, startTimer: timers.start });
    while (!existsSync(marker)) await wait(5);
    // The event that names the test was written before the marker; these turns read it.
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    timers.fire();
    const outcome = await running;

    assert.deepEqual(firstLines(outcome.failures), [
      "package/src/a.test.ts blocks: Did not end within 10 s; its process was ended.",
    ]);
    assert.equal(outcome.passed.get("package/src/b.test.ts"), 1);
  });

  it("ends a file that waits after an error that no test caught, and shows the error", async () => {
    const waits = `it("waits", () => new Promise(() => {
      setInterval(() => {}, 1000);
      setTimeout(() => { throw new Error("stray"); }, 1);
    }));`;

    const outcome = await runTogether({ a: waits, b: passing }, { errorEndsMs: 50 });

    assert.deepEqual(
      outcome.failures.map(({ file }) => file),
      ["package/src/a.test.ts"],
    );
    assert.match(outcome.printed.get("package/src/a.test.ts") ?? "", /throws outside of a test: Error: stray/);
    assert.equal(outcome.passed.get("package/src/b.test.ts"), 1);
  });

  it("fails a test that is declared while tests run", async () => {
    const late = `describe("suite", async () => {
      await new Promise((resolve) => setImmediate(resolve));
      it("is late", () => {});
    });`;

    const outcome = await runTogether({ a: late, b: passing });

    assert.match(
      firstLines(outcome.failures).join("\n"),
      /^package\/src\/a\.test\.ts is late: Declared after the tests of the file have started\./,
    );
    assert.equal(outcome.passed.get("package/src/b.test.ts"), 1);
  });

  it("pauses the tracking of promises while tests run, and not while they are declared", async () => {
    const source = `import { executionAsyncId } from "node:async_hooks";
    let inSuite = 0;
    describe("suite", () => {
      beforeEach(() => { inSuite += 1; });
      it("is in the suite and not tracked", async () => {
        await undefined;
        if (inSuite !== 1) throw new Error("not in the suite");
        if (executionAsyncId() !== 0) throw new Error("tracked");
      });
    });`;

    const outcome = await runTogether({ a: source, b: source });

    assert.deepEqual(outcome.failures, []);
    assert.deepEqual(passedOf(outcome), { "package/src/a.test.ts": 1, "package/src/b.test.ts": 1 });
  });

  it("runs a file that waits beside the others", async () => {
    const folder = mkdtempSync(join(root, "met-"));
    // Each of the two ends only when the other one runs as well.
    const meet = (own: string, other: string): string => `import { existsSync, writeFileSync } from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    it("meets", { timeout: 50_000 }, async () => {
      writeFileSync(${JSON.stringify(join(folder, own))}, "");
      while (!existsSync(${JSON.stringify(join(folder, other))})) await sleep(10);
    });`;

    const outcome = await runTogether(
      { a: meet("a", "b"), b: meet("b", "a") },
      { isWaiting: (file) => /a\.test/.test(file) },
    );

    assert.deepEqual(outcome.failures, []);
    assert.deepEqual(passedOf(outcome), { "package/src/a.test.ts": 1, "package/src/b.test.ts": 1 });
  });

  it("collects the output of a file that is a program", async () => {
    const outcome = await runAlone({ a: `${passing} console.log("hello");` });

    assert.deepEqual(Object.fromEntries(outcome.printed), { "package/src/a.test.ts": "hello\n" });
    assert.deepEqual(passedOf(outcome), { "package/src/a.test.ts": 1 });
  });

  it("names the test of an error that no test caught in a file that is a program", async () => {
    const outcome = await runAlone({
      a: `it("waits", () => new Promise(() => setTimeout(() => { throw new Error("stray"); }, 1)));`,
    });

    assert.deepEqual(firstLines(outcome.failures), ["package/src/a.test.ts waits: Error: stray"]);
  });
});

/** Timers that fire when the test says so. */
class ManualTimers {
  readonly #running = new Set<() => void>();

  readonly start = (_ms: number, run: () => void): (() => void) => {
    this.#running.add(run);
    return () => void this.#running.delete(run);
  };

  /** Fires all timers that run. */
  fire(): void {
    for (const run of this.#running) run();
  }
}
