import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { flag } from "./flag.ts";
import { helpOf } from "./help.ts";
import { argumentsOf, defaultSettings, readFlags } from "./read-flags.ts";

const flags = {
  title: flag.text({ default: "shop", help: "the title" }),
  owner: flag.optional({
    help: "who it belongs to",
    check: (text) => (text.includes(" ") ? "must be one word" : undefined),
  }),
  mode: flag.choice({ default: "fast", choices: ["fast", "slow"], help: "how" }),
  isStrict: flag.boolean({ default: false, help: "be strict" }),
  isOpen: flag.boolean({ default: true, help: "be open", env: "OPEN" }),
  maxUsers: flag.integer({ default: 10, min: 1, max: 100, help: "how many" }),
  pollInterval: flag.duration({ default: 30_000, minMs: 1_000, help: "how often" }),
  regions: flag.list({ default: [], help: "where" }),
  secret: flag.text({ default: "", help: "not from the environment", env: null }),
};
const read = (argv: readonly string[], env: Record<string, string> = {}) => readFlags(flags, { argv, env });

describe("flags", () => {
  it("have their defaults when none is given", () => {
    const { settings, given, problems, positionals } = read([]);

    assert.deepEqual(settings, defaultSettings(flags));
    assert.deepEqual([[...given], problems, positionals], [[], [], []]);
  });

  it("are read from the command line in every syntax", () => {
    const { settings, problems, positionals } = read([
      "--title=a=b",
      "--owner",
      "me",
      "--mode",
      "slow",
      "--is-strict",
      "--no-is-open",
      "--max-users=5",
      "--poll-interval",
      "1m30s",
      "--regions=a,b",
      "--regions",
      "c,a",
      "word",
    ]);

    assert.deepEqual(problems, []);
    assert.deepEqual(positionals, ["word"]);
    assert.deepEqual(settings, {
      ...defaultSettings(flags),
      title: "a=b",
      owner: "me",
      mode: "slow",
      isStrict: true,
      isOpen: false,
      maxUsers: 5,
      pollInterval: 90_000,
      regions: ["a", "b", "c"],
    });
  });

  it("are read from the environment, with precedence for the command line", () => {
    const env = { MAX_USERS: "7", OPEN: "f", IS_STRICT: "TRUE", SECRET: "x", OWNER: "" };

    const { settings, problems } = read(["--max-users=8"], env);

    assert.deepEqual(problems, []);
    assert.deepEqual(settings, { ...defaultSettings(flags), maxUsers: 8, isOpen: false, isStrict: true });
  });

  it("report all problems at once, each with its flag or variable", () => {
    const argv = ["--max-users=0", "--mode", "--is-strict=maybe", "--titel=x", "--no-title", "--owner=a b"];

    const { problems } = read(argv, { POLL_INTERVAL: "soon" });

    assert.deepEqual(problems, [
      "--mode requires a value: --mode=fast|slow.",
      "unknown flag --titel; did you mean --title?",
      "unknown flag --no-title.",
      '--owner is "a b"; it must be one word.',
      '--is-strict is "maybe"; it must be true or false.',
      '--max-users is "0"; it must be an integer from 1 to 100.',
      'environment variable POLL_INTERVAL is "soon"; it must be a duration such as 30s or 5m, from 1s.',
    ]);
  });

  it("are not confused with inherited properties of objects", () => {
    const { settings, problems } = read(["--constructor=1", "--__proto__", "--to-string=x"]);

    assert.equal(problems.length, 3);
    assert.deepEqual(settings, defaultSettings(flags));
    assert.deepEqual(readFlags({ toString: flag.text({ default: "d", help: "" }) }, { argv: [], env: {} }).settings, {
      toString: "d",
    });
  });

  it("round-trip through argumentsOf and readFlags", () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
    const settings = fc.record({
      title: fc.string(),
      mode: fc.constantFrom("fast", "slow"),
      isStrict: fc.boolean(),
      isOpen: fc.boolean(),
      maxUsers: fc.integer({ min: 1, max: 100 }),
      pollInterval: fc.integer({ min: 1_000, max: 10_000_000 }),
      regions: fc.uniqueArray(word),
    });

    fc.assert(
      fc.property(settings, (given) => {
        const argv = argumentsOf(flags, given);
        const { settings: found, problems } = read(argv);
        assert.deepEqual(problems, []);
        assert.deepEqual(found, { ...defaultSettings(flags), ...given });
      }),
    );
  });

  it("never throw, whatever the command line is", () => {
    const piece = fc.oneof(
      fc.constantFrom("--", "-", "--title", "--no-", "--is-open", "--=", "=", "--max-users="),
      fc.string(),
    );

    fc.assert(
      fc.property(fc.array(piece), (argv) => {
        const { problems, settings } = read(argv);
        assert.ok(problems.every((problem) => problem.endsWith(".") || problem.endsWith("?")));
        assert.equal(Object.keys(settings).length, Object.keys(flags).length);
      }),
      { numRuns: 2_000 },
    );
  });

  it("are listed in the help with their default and environment variable", () => {
    const help = helpOf("Flags", { maxUsers: flags.maxUsers, isOpen: flags.isOpen, secret: flags.secret });

    assert.equal(
      help,
      "Flags:\n  --max-users number  how many (default 10, $MAX_USERS)\n  --[no-]is-open      be open ($OPEN)\n  --secret text       not from the environment\n",
    );
  });
});
