import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "@homeostat/core";
import { fuzz } from "@homeostat/fuzz";
import { parseCommand, suggest } from "./arguments.ts";
import { buildTargets } from "../builds/binaries.ts";

describe("parseCommand", () => {
  it("names a cluster default unless a name is given", () => {
    assert.deepEqual(parseCommand(["up"]), {
      run: "up",
      name: "default",
      port: undefined,
      apiserverOnly: false,
      apiserverFlags: [],
    });
  });

  it("accepts flags before and after words, with and without an equals sign", () => {
    const command = parseCommand([
      "up",
      "--name",
      "a-1",
      "--port=6443",
      "--only",
      "apiserver",
      "--apiserver-flag=-v=4",
    ]);

    assert.deepEqual(command, {
      run: "up",
      name: "a-1",
      port: 6443,
      apiserverOnly: true,
      apiserverFlags: ["-v=4"],
    });
  });

  it("builds everything by default", () => {
    assert.deepEqual(parseCommand(["build"]), { run: "build", binaries: buildTargets.all, withPause: true });
    assert.deepEqual(parseCommand(["build", "kubectl"]), { run: "build", binaries: ["kubectl"], withPause: false });
  });

  it("parses the entry point of an image as JSON", () => {
    const command = parseCommand(["image", "dir", "me/op:1", "./root", '["/op","-v"]', "--name=n"]);

    const image = {
      what: "dir",
      name: "docker.io/me/op:1",
      folder: "./root",
      entrypoint: ["/op", "-v"],
      cmd: [],
      user: "",
      env: [],
    };
    assert.deepEqual(command, { run: "image", name: "n", install: false, image });
  });

  it("parses the user and the environment of an image", () => {
    const words = ["image", "dir", "op", "./root", "[]", "--user=1:2", "--env=A=1", "--env", "B=x=y"];
    const command = parseCommand(words);

    assert.ok(command.run === "image" && command.image.what === "dir");
    assert.deepEqual([command.image.user, command.image.env], ["1:2", ["A=1", "B=x=y"]]);
  });

  it("starts as many nodes as requested", () => {
    const counts = [["node"], ["node", "--nodes", "3"]].map((words) => parseCommand(words));

    assert.deepEqual(
      counts.map((command) => command.run === "node" && command.nodes),
      [1, 3],
    );
  });

  it("shows the help page of a command wherever --help appears", () => {
    assert.deepEqual(parseCommand(["--help"]), { run: "help", about: undefined });
    assert.deepEqual(parseCommand(["help", "node"]), { run: "help", about: "node" });
    assert.deepEqual(parseCommand(["down", "--all", "-h"]), { run: "help", about: "down" });
  });

  const wrong: readonly [string[], RegExp][] = [
    [[], /Missing command\. Use build, up/],
    [["upp"], /Unknown command "upp"\. Did you mean up\?/],
    [["__proto__"], /Unknown command "__proto__"/],
    [["up", "--nmae", "x"], /Unknown flag --nmae of up\. Did you mean --name\?/],
    [["list", "--name", "x"], /Unknown flag --name of list/],
    [["up", "--constructor"], /Unknown flag --constructor of up/],
    [["up", "more"], /up takes no argument "more"/],
    [["up", "--port"], /--port needs a value/],
    [["up", "--port", "0"], /Invalid --port 0: must be a number from 1 to 65535/],
    [["up", "--port=65536"], /from 1 to 65535/],
    [["up", "--port=0x50"], /from 1 to 65535/],
    [["node", "--nodes", "0"], /Invalid --nodes 0: must be a number from 1 to 9/],
    [["node", "--nodes=two"], /Invalid --nodes two/],
    [["up", "--nodes", "2"], /Unknown flag --nodes of up/],
    [["up", "--only", "etcd"], /--only takes one value: apiserver/],
    [["up", "--name", "../x"], /"\.\.\/x" is not a valid cluster name/],
    [["up", "--name", "A"], /is not a valid cluster name/],
    [["down", "--all", "--name", "x"], /--all and --name cannot be used together/],
    [["down", "--keep=yes"], /--keep takes no value/],
    [["build", "constructor"], /Unknown build target "constructor"/],
    [["build", "kubctl"], /Did you mean kubectl\?/],
    [["image"], /image needs a kind/],
    [["image", "pause", "more"], /image pause takes no further arguments/],
    [["image", "dir", "a", "b"], /image dir needs NAME ROOTFS ENTRYPOINT-JSON/],
    [["image", "dir", "a", "b", "sh"], /Invalid ENTRYPOINT-JSON sh: must be a JSON list of strings/],
    [["image", "dir", "a", "b", "[]", "--user", "me"], /Invalid --user me: must be UID/],
    [["image", "dir", "a", "b", "[]", "--env", "A"], /Invalid --env A: must be NAME=VALUE/],
    [["image", "dir", "a", "b", "[1]"], /JSON list of strings/],
    [["image", "dir", "UP//", "b", "[]"], /"UP\/\/" is not a valid image name/],
  ];
  for (const [argv, message] of wrong) {
    it(`rejects: ${argv.join(" ") || "an empty command line"}`, () => {
      assert.throws(
        () => parseCommand(argv),
        (error) => error instanceof UsageError && message.test(error.message),
      );
    });
  }

  it("parses random command lines to a command or a usage error", () => {
    const words = [
      "up",
      "node",
      "image",
      "dir",
      "build",
      "down",
      "--name",
      "--port",
      "--all",
      "-h",
      "--",
      "-",
      "--=",
      "=",
      "a",
      "1",
    ];

    const { accepted } = fuzz({
      count: 100_000,
      seed: 7,
      input: (chance) =>
        Array.from({ length: chance.int(6) }, () =>
          chance.int(3) === 0 ? chance.mutate(chance.pick(words), [" ", "~", "=", "é"]) : chance.pick(words),
        ),
      run: parseCommand,
      isExpected: (error) => error instanceof UsageError,
    });

    assert.ok(accepted > 0 && accepted < 100_000, `${accepted} accepted`);
  });
});

describe("suggest", () => {
  it("counts two swapped letters as one mistake", () => {
    assert.equal(suggest("stauts", ["status", "list"]), " Did you mean status?");
  });

  it("lists the known words when none is similar", () => {
    assert.equal(suggest("frobnicate", ["up", "down"]), " Known: up, down.");
    assert.equal(suggest("frobnicate", []), "");
  });
});
