import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "@homeostat/core";
import { isPeerMode, modeNames, peerHelp, readPeerArguments } from "./arguments.ts";
import { runtimeNames, defaultRuntimes } from "./runtimes.ts";

describe("readPeerArguments", () => {
  it("reads mode, sizes, rounds and runtimes", () => {
    const options = readPeerArguments(["sync", "--n", "50000", "--rounds", "5", "--only", "homeostat,go-typed"]);

    assert.deepEqual(options.modes, ["sync"]);
    assert.deepEqual(options.sizes, [50_000]);
    assert.equal(options.rounds, 5);
    assert.deepEqual(options.runtimes, ["homeostat", "go-typed"]);
  });

  it("defaults to 10,000 objects, three rounds and the default runtimes", () => {
    const options = readPeerArguments(["latency"]);

    assert.deepEqual(options.sizes, [10_000]);
    assert.equal(options.rounds, 3);
    assert.deepEqual(options.runtimes, defaultRuntimes);
    assert.equal(options.isProfiled, false);
    assert.equal(options.before, undefined);
  });

  it("accepts several modes and several sizes without duplicates", () => {
    const options = readPeerArguments(["idle", "sync", "--n", "100,0,100"]);

    assert.deepEqual(options.sizes, [100, 0]);
    assert.deepEqual(options.modes, ["sync", "idle"]);
  });

  it("expands all to every mode and every runtime", () => {
    const options = readPeerArguments(["all", "--only", "all"]);

    assert.deepEqual(options.modes, modeNames);
    assert.deepEqual(options.runtimes, runtimeNames);
    assert.equal(options.sizes[0], 10_000, "the other modes use the first size");
  });

  it("accepts the folder of another checkout to compare with", () => {
    assert.equal(readPeerArguments(["sync", "--before", "../old"]).before, "../old");
  });

  for (const [what, args] of [
    ["a count that is not a number", ["sync", "--n", "many"]],
    ["a negative count", ["sync", "--n=-1"]],
    ["no rounds", ["sync", "--rounds", "0"]],
    ["an unknown runtime", ["sync", "--only", "homeostat,unknown-runtime"]],
    ["an empty list of runtimes", ["sync", "--only", ""]],
    ["an unknown mode", ["sync", "swim"]],
    ["an unknown option", ["sync", "--fast"]],
  ] as const) {
    it(`rejects ${what} with a UsageError`, () => {
      assert.throws(() => readPeerArguments(args), UsageError);
    });
  }

  it("does not treat other arguments as modes", () => {
    assert.ok(isPeerMode("sync"));
    assert.ok(isPeerMode("all"));
    assert.ok(!isPeerMode("core/equality"));
    assert.ok(!isPeerMode(undefined));
  });

  it("lists every mode and runtime in the help", () => {
    for (const name of [...modeNames, ...runtimeNames]) assert.ok(peerHelp.includes(name), name);
  });
});
