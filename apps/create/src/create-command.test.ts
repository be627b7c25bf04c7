import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createCommand } from "./create-command.ts";

const choices = ["--group", "example.com", "--kind", "Site"];
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "create-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Terminal {
  readonly input: PassThrough & { isTTY?: boolean };
  readonly stopping: AbortController;
  readonly text: () => string;
  readonly errors: () => string;
  readonly run: (...words: string[]) => Promise<number>;
}

/** Returns the streams of a process, with a terminal or without. */
function terminal({ isTTY }: { readonly isTTY: boolean }): Terminal {
  const input: Terminal["input"] = Object.assign(new PassThrough(), { isTTY });
  const [output, errors] = [new PassThrough(), new PassThrough()];
  let [text, problems] = ["", ""];
  output.on("data", (piece: Buffer) => (text += piece.toString()));
  errors.on("data", (piece: Buffer) => (problems += piece.toString()));
  const stopping = new AbortController();
  return {
    input,
    stopping,
    text: () => text,
    errors: () => problems,
    run: (...words) =>
      createCommand(words, { program: "create", version: "0.1.0", input, output, errors, signal: stopping.signal }),
  };
}

describe("the command create", () => {
  it("writes a project in which the README explains every file", async () => {
    const { run, text } = terminal({ isTTY: false });
    const path = join(folder, "sites");

    const code = await run(path, ...choices, "--webhooks");

    assert.equal(code, 0);
    assert.match(text(), /Created .*sites with 14 files/);
    const readme = readFileSync(join(path, "README.md"), "utf8");
    const files = readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));
    for (const file of files)
      if (file !== "README.md") assert.match(readme, new RegExp(`^\\| \`${file}\` +\\| \\S`, "m"));
    assert.deepEqual(readdirSync(folder), ["sites"]);
  });

  it("names all wrong choices at once, and writes nothing", async () => {
    const { run, errors } = terminal({ isTTY: false });
    writeFileSync(join(folder, "Sites"), "");

    const code = await run(join(folder, "Sites"), "more", "--group", "example", "--kind", "site");

    assert.equal(code, 2);
    for (const problem of [
      /The name "Sites"/,
      /The group "example"/,
      /The kind "site"/,
      /is a file/,
      /arguments: more/,
    ])
      assert.match(errors(), problem);
    assert.deepEqual(readdirSync(folder), ["Sites"]);
  });

  it("names all missing options without a terminal", async () => {
    const { run, errors } = terminal({ isTTY: false });

    assert.equal(await run(), 2);

    assert.match(errors(), /--name, --group, --kind/);
  });

  it("never changes a folder with files", async () => {
    const { run, errors } = terminal({ isTTY: false });
    mkdirSync(join(folder, "sites"));
    writeFileSync(join(folder, "sites", "mine"), "text");

    assert.equal(await run(join(folder, "sites"), ...choices), 2);

    assert.match(errors(), /is not empty/);
    assert.deepEqual(readdirSync(join(folder, "sites")), ["mine"]);
  });

  it("asks for missing choices until the answers are valid", async () => {
    const { run, input, text } = terminal({ isTTY: true });
    const answers = ["example", "example.com", "Site", "y"];
    input.write(`${answers.shift()}\n`);
    const timer = setInterval(() => {
      const answer = answers.shift();
      if (answer !== undefined) input.write(`${answer}\n`);
    }, 5);

    const code = await run(join(folder, "sites"));
    clearInterval(timer);

    assert.equal(code, 0);
    assert.match(text(), /The group "example" must be a domain/);
    assert.ok(existsSync(join(folder, "sites/src/webhooks/site.ts")));
  });

  it("writes nothing when it is interrupted at a question", async () => {
    const { run, stopping, errors } = terminal({ isTTY: true });

    const ended = run(join(folder, "sites"));
    setImmediate(() => stopping.abort());

    assert.equal(await ended, 130);
    assert.match(errors(), /Nothing was written/);
    assert.deepEqual(readdirSync(folder), []);
  });

  it("prints help and version", async () => {
    const { run, text } = terminal({ isTTY: false });

    assert.deepEqual([await run("--help"), await run("--version")], [0, 0]);
    assert.match(text(), /Usage: create \[FOLDER\] \[options\][\s\S]*0\.1\.0\n/);
  });
});
