import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "@homeostat/core";
import { registry } from "../registry.ts";
import { type Command, defineCommand } from "./definition.ts";
import { findCommand } from "./find-command.ts";
import type { Flags } from "./flags.ts";
import type { CommandInput } from "./input.ts";
import { readCommandLine } from "./read-command-line.ts";

const flags = {
  filename: { kind: "texts", short: "f", value: "FILE", help: "file" },
  all: { kind: "switch", short: "A", help: "all" },
  wait: { kind: "switch", default: true, help: "wait" },
  "dry-run": { kind: "optional", choices: ["client", "server"], bare: "server", help: "dry run" },
  port: { kind: "integer", value: "N", min: 1, max: 65_535, help: "port" },
  mode: { kind: "choice", choices: ["a", "b"], default: "a", help: "mode" },
  ttl: { kind: "duration", value: "TIME", help: "time" },
  name: { kind: "text", value: "NAME", help: "name" },
} as const satisfies Flags;

type Input = CommandInput<typeof flags>;

function commandWith(onInput: (input: Input) => void): Command {
  return defineCommand({
    words: "shop sell",
    summary: "Sell",
    description: [],
    arguments: [{ name: "NAME" }, { name: "OTHER", isOptional: true, isRepeated: true }],
    flags,
    outputs: ["table", "json"],
    examples: [],
    load: async () => async (input) => {
      onInput(input);
      return 0;
    },
  });
}

/** Returns what a handler reads from a command line. */
async function inputOf(line: string, env: Record<string, string> = {}): Promise<Input> {
  let input: Input | undefined;
  const command = commandWith((read) => (input = read));
  const result = readCommandLine(command, line.split(" "), env);
  assert.ok(!result.isHelp);
  const unused = (): never => assert.fail("not used by this command");
  await command.run(result.parsed, {
    print: unused,
    note: unused,
    readInput: unused,
    connect: unused,
    signal: new AbortController().signal,
    clock: { now: unused, monotonic: unused, sleep: unused, timeout: unused, schedule: unused },
    random: { next: unused, int: unused },
    machine: { env: {}, configFolder: "", stateFolder: "", host: "" },
  });
  assert.ok(input !== undefined);
  return input;
}

describe("a command line", () => {
  it("accepts options in all forms, before and after arguments", async () => {
    const input = await inputOf("-f a -fb --filename=c --port=80 x -A y --mode b z --ttl 1h30m --name=");

    assert.deepEqual(input.texts("filename"), ["a", "b", "c"]);
    assert.equal(input.integer("port"), 80);
    assert.equal(input.isSet("all"), true);
    assert.equal(input.choice("mode", ["a", "b"]), "b");
    assert.equal(input.durationMs("ttl"), 5_400_000);
    assert.equal(input.text("name"), "");
    assert.equal(input.argument("NAME"), "x");
    assert.deepEqual(input.repeatedArgument("OTHER"), ["y", "z"]);
  });

  it("has the defaults of the definition", async () => {
    const input = await inputOf("x");

    assert.deepEqual(input.texts("filename"), []);
    assert.equal(input.isSet("all"), false);
    assert.equal(input.isSet("wait"), true);
    assert.equal(input.optional("dry-run", ["client", "server"]), undefined);
    assert.equal(input.choice("mode", ["a", "b"]), "a");
    assert.equal(input.output, "table");
    assert.equal(input.connection.timeoutMs, 30_000);
  });

  it("accepts switches with a value, and options with an optional one", async () => {
    const input = await inputOf("x --wait=false --dry-run");
    assert.equal(input.isSet("wait"), false);
    assert.equal(input.optional("dry-run", ["client", "server"]), "server");

    const client = await inputOf("x --dry-run=client");
    assert.equal(client.optional("dry-run", ["client", "server"]), "client");
  });

  it("takes options of all commands from the environment, after the command line", async () => {
    const env = { SANDBOXCTL_NAMESPACE: "shop", SANDBOXCTL_OUTPUT: "json", SANDBOXCTL_TIMEOUT: "5s" };

    const input = await inputOf("x", env);
    assert.deepEqual([input.connection.namespace, input.output, input.connection.timeoutMs], ["shop", "json", 5_000]);

    const given = await inputOf("x -n other -o table", env);
    assert.deepEqual([given.connection.namespace, given.output], ["other", "table"]);
  });

  it("ignores a format of the environment that the command does not have", async () => {
    assert.equal((await inputOf("x", { SANDBOXCTL_OUTPUT: "yaml" })).output, "table");
  });

  const invalid: readonly (readonly [line: string, says: RegExp, env?: Record<string, string>])[] = [
    ["", /^sandboxctl shop sell requires NAME\. See sandboxctl shop sell --help\.$/],
    ["x --colour", /^Unknown option --colour\. See/],
    ["x --filenam a", /^Unknown option --filenam; did you mean --filename\?/],
    ["x -q", /^Unknown option -q\./],
    ["x --port", /^--port requires a value\./],
    ["x --port --all", /^--port requires a value\./],
    ["x -f", /^-f requires a value\./],
    ["x --port 0", /^--port is "0"; it must be an integer from 1 to 65535\.$/],
    ["x --port 1e3", /it must be an integer/],
    ["x --port 1 --port 2", /^--port is given twice\./],
    ["x --all=maybe", /^--all is "maybe"; it must be true or false\.$/],
    ["x --dry-run=maybe", /^--dry-run is "maybe"; it must be client or server\.$/],
    ["x --mode c", /^--mode is "c"; it must be a or b\.$/],
    ["x --ttl soon", /^--ttl is "soon"; it must be a duration/],
    ["x --timeout 0s", /^--timeout is "0s"; it must be a duration such as 30s, at most 1h\.$/],
    ["x --timeout 2h", /at most 1h/],
    ["x -o yaml", /^--output is "yaml"; it must be table or json\.$/],
    ["x -- ls", /takes no command after --/],
    ["x", /^SANDBOXCTL_TIMEOUT is "soon", which is not a valid value of --timeout/, { SANDBOXCTL_TIMEOUT: "soon" }],
    ["x --__proto__ 1", /^Unknown option --__proto__/],
  ];
  for (const [line, says, env = {}] of invalid) {
    it(`refuses "${line}"${Object.keys(env).length === 0 ? "" : " with an invalid environment"}`, () => {
      const words = line.split(" ").filter((word) => word !== "");
      assert.throws(
        () =>
          readCommandLine(
            commandWith(() => undefined),
            words,
            env,
          ),
        (error) => {
          assert.ok(error instanceof UsageError, String(error));
          assert.match(error.message, says);
          return true;
        },
      );
    });
  }
});

describe("findCommand", () => {
  const found: readonly (readonly [line: string, words: string | undefined, rest: readonly string[]])[] = [
    ["policy check -f a", "policy check", ["-f", "a"]],
    [
      "-n shop --context=prod policy --verbose check x",
      "policy check",
      ["-n", "shop", "--context=prod", "--verbose", "x"],
    ],
    ["explain --service cart", "route explain", ["--service", "cart"]],
    ["route explain check", "route explain", ["check"]],
    ["help policy check", "policy check", ["--help"]],
  ];
  for (const [line, words, rest] of found) {
    it(`finds the command of "${line}"`, () => {
      const result = findCommand(line.split(" "), registry);

      assert.ok("command" in result);
      assert.equal(result.command.words, words);
      assert.deepEqual(result.words, rest);
    });
  }

  it("shows the commands of a group and of the program", () => {
    for (const line of [[], ["help"], ["--help"], ["-n", "shop"]])
      assert.deepEqual(findCommand(line, registry), { group: undefined });
    for (const line of [
      ["policy", "--help"],
      ["help", "policy"],
    ]) {
      const result = findCommand(line, registry);
      assert.ok("group" in result && result.group?.word === "policy");
    }
  });

  const unknown: readonly (readonly [line: string, says: RegExp])[] = [
    ["fly", /^Unknown command "fly"\. Available commands: /],
    ["polici check", /^Unknown command "polici"\. Did you mean policy\?/],
    ["policy chek", /^Unknown command "policy chek"\. Did you mean check\? See sandboxctl policy --help\.$/],
    ["policy", /^sandboxctl policy requires one of the commands check\. See sandboxctl policy --help\.$/],
    ["help fly", /^Unknown command "fly"/],
    ["__proto__", /^Unknown command "__proto__"/],
  ];
  for (const [line, says] of unknown) {
    it(`refuses "${line}"`, () => {
      assert.throws(
        () => findCommand(line.split(" "), registry),
        (error) => {
          assert.ok(error instanceof UsageError, String(error));
          assert.match(error.message, says);
          return true;
        },
      );
    });
  }
});
