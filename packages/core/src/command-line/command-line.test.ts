import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseArgs } from "node:util";
import { ArgumentError } from "../errors/argument-error.ts";
import { parseIntegerOption, parseOptions } from "./options.ts";
import { CommandStartError, exitCodeOf, failureTextOf, UsageError } from "./usage-error.ts";

describe("parseOptions", () => {
  const parse = (args: string[]): unknown =>
    parseOptions(
      () => parseArgs({ args, options: { data: { type: "string" }, fast: { type: "boolean" } } }).values,
      "See shop --help.",
    );

  it("returns the parsed values", () => {
    assert.deepEqual({ ...Object(parse(["--data", "a", "--fast"])) }, { data: "a", fast: true });
  });

  it("appends the hint to the problem of the parser", () => {
    const isUnknown = (error: unknown): boolean =>
      error instanceof UsageError &&
      /^Unknown option '--colour'.*\. See shop --help\.$/s.test(error.message) &&
      error.cause instanceof Error;
    assert.throws(() => parse(["--colour"]), isUnknown);
  });

  it("shortens the message about an option without its value", () => {
    assert.throws(() => parse(["--data", "--fast"]), { message: "--data requires a value. See shop --help." });
  });
});

describe("parseIntegerOption", () => {
  it("accepts the limits of the range", () => {
    assert.equal(parseIntegerOption("--port", "0", { min: 0, max: 65_535 }), 0);
    assert.equal(parseIntegerOption("--port", "65535", { min: 0, max: 65_535 }), 65_535);
  });

  for (const text of ["65536", "-1", "1e3", " 1", "", "0x10", "9999999999"]) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseIntegerOption("--port", text, { min: 0, max: 65_535 }), {
        code: "USAGE",
        message: `--port is ${JSON.stringify(text)}; it must be an integer from 0 to 65535.`,
      });
    });
  }
});

describe("exitCodeOf", () => {
  it("returns 2 for usage errors, 127 for programs that cannot be started, and 1 for others", () => {
    assert.equal(exitCodeOf(new UsageError("--port requires a value.")), 2);
    assert.equal(exitCodeOf(new CommandStartError("tool", new Error("spawn tool EACCES"))), 127);
    assert.equal(exitCodeOf(new ArgumentError({ argument: "port", problem: "is too large" })), 1);
    assert.equal(exitCodeOf("thrown text"), 1);
  });
});

describe("failureTextOf", () => {
  it("returns the message of an expected error and the stack of a bug", () => {
    assert.equal(failureTextOf(new UsageError("--port requires a value.")), "--port requires a value.");
    assert.match(failureTextOf(new TypeError("broken")), /^TypeError: broken\n\s+at /);
    assert.equal(failureTextOf("thrown text"), "thrown text");
  });
});
