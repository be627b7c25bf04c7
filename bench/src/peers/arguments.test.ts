import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isPeerMode, modeNames, peerHelp, readPeerArguments, UsageError } from "./arguments.ts";
import { contestantNames, defaultContestants } from "./contestants.ts";

describe("the command line of a run beside the peers", () => {
  it("reads mode, sizes, rounds and contestants", () => {
    const options = readPeerArguments(["sync", "--n", "50000", "--rounds", "5", "--only", "homeostat,go-typed"]);

    assert.deepEqual(options.modes, ["sync"]);
    assert.deepEqual(options.sizes, [50_000]);
    assert.equal(options.rounds, 5);
    assert.deepEqual(options.contestants, ["homeostat", "go-typed"]);
  });

  it("has defaults: 10,000 objects, three rounds, everybody who matters", () => {
    const options = readPeerArguments(["latency"]);

    assert.deepEqual(options.sizes, [10_000]);
    assert.equal(options.rounds, 3);
    assert.deepEqual(options.contestants, defaultContestants);
    assert.equal(options.isProfiled, false);
    assert.equal(options.before, undefined);
  });

  it("takes several sizes, each once, and several modes", () => {
    const options = readPeerArguments(["idle", "sync", "--n", "100,0,100"]);

    assert.deepEqual(options.sizes, [100, 0]);
    assert.deepEqual(options.modes, ["sync", "idle"]);
  });

  it("knows all modes and all contestants by one word each", () => {
    const options = readPeerArguments(["all", "--only", "all"]);

    assert.deepEqual(options.modes, modeNames);
    assert.deepEqual(options.contestants, contestantNames);
    assert.equal(options.sizes[0], 10_000, "the other modes are about the first size");
  });

  it("takes the folder of another checkout to compare with", () => {
    assert.equal(readPeerArguments(["sync", "--before", "../old"]).before, "../old");
  });

  for (const [what, args] of [
    ["a count that is no number", ["sync", "--n", "many"]],
    ["a negative count", ["sync", "--n=-1"]],
    ["no rounds", ["sync", "--rounds", "0"]],
    ["a stranger among the contestants", ["sync", "--only", "homeostat,operator-of-a-friend"]],
    ["nobody", ["sync", "--only", ""]],
    ["a second word that is no mode", ["sync", "swim"]],
    ["an option that does not exist", ["sync", "--fast"]],
  ] as const) {
    it(`refuses ${what} with words for a person`, () => {
      assert.throws(() => readPeerArguments(args), UsageError);
    });
  }

  it("leaves every other first word to the benchmarks of this process", () => {
    assert.ok(isPeerMode("sync"));
    assert.ok(isPeerMode("all"));
    assert.ok(!isPeerMode("core/equality"));
    assert.ok(!isPeerMode(undefined));
  });

  it("explains every mode and contestant", () => {
    for (const name of [...modeNames, ...contestantNames]) assert.ok(peerHelp.includes(name), name);
  });
});
