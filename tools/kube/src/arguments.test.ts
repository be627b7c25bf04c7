import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseCommand, suggest } from "./arguments.ts";
import { buildTargets } from "./binaries.ts";
import { KubeUsageError } from "./errors.ts";

describe("parseCommand", () => {
  it("gives a cluster the name default when none is said", () => {
    assert.deepEqual(parseCommand(["up"]), {
      run: "up",
      name: "default",
      port: undefined,
      apiserverOnly: false,
      apiserverFlags: [],
    });
  });

  it("understands flags before and after words, with and without an equals sign", () => {
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

  it("builds everything unless told what", () => {
    assert.deepEqual(parseCommand(["build"]), { run: "build", binaries: buildTargets.all, withPause: true });
    assert.deepEqual(parseCommand(["build", "kubectl"]), { run: "build", binaries: ["kubectl"], withPause: false });
  });

  it("reads the words of an image's entry point as JSON", () => {
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

  it("reads the user and the environment of an image", () => {
    const words = ["image", "dir", "op", "./root", "[]", "--user=1:2", "--env=A=1", "--env", "B=x=y"];
    const command = parseCommand(words);

    assert.ok(command.run === "image" && command.image.what === "dir");
    assert.deepEqual([command.image.user, command.image.env], ["1:2", ["A=1", "B=x=y"]]);
  });

  it("shows the page of a command wherever --help stands", () => {
    assert.deepEqual(parseCommand(["--help"]), { run: "help", about: undefined });
    assert.deepEqual(parseCommand(["help", "node"]), { run: "help", about: "node" });
    assert.deepEqual(parseCommand(["down", "--all", "-h"]), { run: "help", about: "down" });
  });

  const wrong: readonly [string[], RegExp][] = [
    [[], /Say what to do: build, up/],
    [["upp"], /There is no command "upp"\. Did you mean up\?/],
    [["__proto__"], /There is no command "__proto__"/],
    [["up", "--nmae", "x"], /up does not know --nmae\. Did you mean --name\?/],
    [["list", "--name", "x"], /list does not know --name/],
    [["up", "--constructor"], /up does not know --constructor/],
    [["up", "more"], /up does not take "more"/],
    [["up", "--port"], /--port needs a value/],
    [["up", "--port", "0"], /--port is 0; it has to be a number from 1 to 65535/],
    [["up", "--port=65536"], /from 1 to 65535/],
    [["up", "--port=0x50"], /from 1 to 65535/],
    [["up", "--only", "etcd"], /--only takes one value: apiserver/],
    [["up", "--name", "../x"], /"\.\.\/x" cannot name a cluster/],
    [["up", "--name", "A"], /cannot name a cluster/],
    [["down", "--all", "--name", "x"], /either --all or --name/],
    [["down", "--keep=yes"], /--keep takes no value/],
    [["build", "constructor"], /build does not know "constructor"/],
    [["build", "kubctl"], /Did you mean kubectl\?/],
    [["image"], /image needs a kind/],
    [["image", "pause", "more"], /image pause takes nothing more/],
    [["image", "dir", "a", "b"], /image dir needs NAME ROOTFS ENTRYPOINT-JSON/],
    [["image", "dir", "a", "b", "sh"], /ENTRYPOINT-JSON is sh; it has to be a JSON list of strings/],
    [["image", "dir", "a", "b", "[]", "--user", "me"], /--user is me; it has to be a number/],
    [["image", "dir", "a", "b", "[]", "--env", "A"], /--env is A; it has to be NAME=VALUE/],
    [["image", "dir", "a", "b", "[1]"], /JSON list of strings/],
    [["image", "dir", "UP//", "b", "[]"], /"UP\/\/" cannot name an image/],
  ];
  for (const [argv, message] of wrong) {
    it(`refuses: ${argv.join(" ") || "nothing"}`, () => {
      assert.throws(
        () => parseCommand(argv),
        (error) => error instanceof KubeUsageError && message.test(error.message),
      );
    });
  }

  it("answers 100,000 random command lines with a command or a usage error, and nothing else", () => {
    const next = xorshift(7);
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
    const pick = (list: readonly string[]): string => list[next() % list.length] ?? "";
    const letter = (): string => String.fromCharCode(32 + (next() % 95));
    for (let i = 0; i < 100_000; i++) {
      const argv = Array.from({ length: next() % 6 }, () =>
        next() % 3 === 0 ? letter() + letter() + pick(words) : pick(words),
      );
      try {
        parseCommand(argv);
      } catch (error) {
        assert.ok(error instanceof KubeUsageError, `${JSON.stringify(argv)} raised ${String(error)}`);
      }
    }
    assert.deepEqual(Object.keys(Object.prototype), []);
  });
});

describe("suggest", () => {
  it("counts two swapped letters as one mistake", () => {
    assert.equal(suggest("stauts", ["status", "list"]), " Did you mean status?");
  });

  it("lists what is known when nothing is near", () => {
    assert.equal(suggest("frobnicate", ["up", "down"]), " Known: up, down.");
    assert.equal(suggest("frobnicate", []), "");
  });
});

/** A small generator of numbers that are the same every time. */
function xorshift(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
