import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readArguments } from "../arguments.ts";
import { help } from "../help.ts";
import { commandNames, suggest } from "./suggest.ts";

describe("completion", () => {
  const words = (...line: readonly string[]): readonly string[] => suggest(line).words;

  it("suggests every command of the help, and each of them exists", () => {
    const inHelp = [...help.matchAll(/^ {2}(\w+) +[A-Z]/gm)].map(([, name = ""]) => name);

    assert.deepEqual(commandNames.toSorted(), inHelp.toSorted());
    for (const name of commandNames)
      if (name !== "create" && name !== "version") assert.doesNotThrow(() => readArguments([name, "--help"]), name);
    assert.deepEqual(words("c"), ["create", "cluster", "completion"]);
    assert.deepEqual(words("--v"), ["--version"]);
  });

  it("suggests options of the command, and words of its own", () => {
    assert.deepEqual(words("cluster", "--n"), ["--no-fsync", "--nodes"]);
    assert.deepEqual(words("generate", ""), ["types"]);
    assert.deepEqual(words("generate", "types", "--from"), ["--from-crd", "--from-cluster"]);
    assert.deepEqual(words("completion", ""), ["bash", "zsh", "fish"]);
    assert.deepEqual(words("rehearse", "-o", "j"), ["json"]);
    assert.deepEqual(words("rehearse", "--output=t"), ["--output=text"]);
    assert.deepEqual(words("unknown", "-"), []);
  });

  it("leaves paths to the shell", () => {
    const hasFiles = (...line: readonly string[]): boolean => suggest(line).hasFiles;

    assert.ok(hasFiles("rehearse", ""));
    assert.ok(hasFiles("dashboard", "--kubeconfig", ""));
    assert.ok(hasFiles("cluster", "--data=./s"));
    assert.ok(hasFiles("cluster", "--", "kub"));
    assert.ok(!hasFiles("dashboard", "--context", ""));
    assert.ok(!hasFiles("dashboard", ""));
  });
});
