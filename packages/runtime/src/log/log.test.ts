import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError, FakeClock } from "@homeostat/core";
import { recordOfError, sentenceOfError } from "./error-record.ts";
import { plainFields } from "./field-values.ts";
import { recordingLogger, type LogLine } from "./keeping-logger.ts";
import { pinoLogger } from "./pino-logger.ts";
import { textLogger } from "./text-logger.ts";

const clock = new FakeClock({ now: Date.UTC(2026, 10, 16, 9) });

describe("textLogger", () => {
  it("writes one line with time, level, message and fields", () => {
    const lines: string[] = [];
    const log = textLogger({ clock, write: (line) => lines.push(line) }).child({ controller: "tenants" });

    log.info("Created a job", { job: "default/load", tries: 2, note: 'two "words"' });

    assert.deepEqual(lines, [
      '2026-11-16T09:00:00.000Z info  Created a job controller=tenants job=default/load tries=2 note="two \\"words\\""\n',
    ]);
  });

  it("discards messages below its level", () => {
    const lines: string[] = [];
    const log = textLogger({ clock, level: "warn", write: (line) => lines.push(line) });

    log.debug("a");
    log.info("b");
    log.warn("c");
    log.error("d");

    assert.deepEqual(
      lines.map((line) => line.split(" ").slice(1).join(" ")),
      ["warn  c\n", "error d\n"],
    );
  });

  it("writes an error with its code and its causes", () => {
    const lines: string[] = [];
    const cause = Object.assign(new Error("connect refused"), { code: "ECONNREFUSED" });
    const error = new ArgumentError({ argument: "port", problem: "is taken." }, { cause });

    textLogger({ clock, write: (line) => lines.push(line) }).error("Failed", { error });

    const [line = ""] = (lines[0] ?? "").split("\n", 1);
    assert.match(line, /error="port is taken. \(ARGUMENT\); caused by: connect refused \(ECONNREFUSED\)"$/);
  });

  it("writes the stacks of an error and its causes below the line at level error only", () => {
    const lines: string[] = [];
    const log = textLogger({ clock, write: (line) => lines.push(line) });
    const error = new Error("outer\n2026-11-16T09:00:00.000Z error forged\u001b[2J", { cause: new TypeError("inner") });

    log.warn("Retrying", { error });
    log.error("Failed", { error });

    const [warned = "", failed = ""] = lines;
    assert.equal(warned.split("\n").length, 2, "one line and its line feed");
    const [, ...below] = failed.trimEnd().split("\n");
    assert.match(below[0] ?? "", /^ {4}Error: outer$/);
    assert.match(below[1] ?? "", /^ {8}at .*log\.test\.js/);
    assert.ok(below.some((line) => line === "    caused by TypeError: inner"));
    assert.ok(below.every((line) => line.startsWith("    ") && !line.includes("\u001b")));
    assert.ok(!below.some((line) => line.includes("node:internal")));
  });

  it("writes a multi-line text below the line, ready to be pasted", () => {
    const lines: string[] = [];
    const rules = '- apiGroups: [""]\n  verbs: ["get"]';

    textLogger({ clock, write: (line) => lines.push(line) }).warn("Waiting", { rules, part: "sites" });

    assert.deepEqual((lines[0] ?? "").split("\n"), [
      "2026-11-16T09:00:00.000Z warn  Waiting part=sites",
      "    rules:",
      '    - apiGroups: [""]',
      '      verbs: ["get"]',
      "",
    ]);
  });

  it("escapes everything that would break the line or move the cursor", () => {
    const lines: string[] = [];

    textLogger({ clock, write: (line) => lines.push(line) }).info("a\nb\u001b[2J", { "k\r": "x\u009b1m\u2028\u202ey" });

    assert.equal(lines.length, 1);
    // oxlint-disable-next-line no-control-regex -- the test looks for control characters
    assert.doesNotMatch((lines[0] ?? "").slice(0, -1), /[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
  });
});

describe("pinoLogger", () => {
  it("writes JSON lines with level, time, message and fields", async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const log = await pinoLogger({ clock, destination, fields: { program: "p" } });

    log.child({ controller: "tenants" }).warn("Slow", { ms: 12, level: "mine" });
    log.debug("not written");

    assert.deepEqual(lines.map(parsed), [
      {
        level: "warn",
        time: "2026-11-16T09:00:00.000Z",
        program: "p",
        controller: "tenants",
        ms: 12,
        level_: "mine",
        msg: "Slow",
      },
    ]);
  });

  it("writes an error with its code, causes and stacks", async () => {
    const lines: string[] = [];
    const log = await pinoLogger({ clock, destination: { write: (line) => void lines.push(line) } });
    const error = new ArgumentError({ argument: "a", problem: "b" }, { cause: new Error("c") });

    log.error("Failed", { error });

    const written = parsed(lines[0] ?? "") as { error: ReturnType<typeof recordOfError> };
    assert.equal(written.error.code, "ARGUMENT");
    assert.equal(written.error.message, "a b");
    assert.equal(written.error.cause?.message, "c");
    assert.match(written.error.stack ?? "", /log\.test/);
  });

  it("writes percent signs unchanged", async () => {
    const lines: string[] = [];
    const log = await pinoLogger({ clock, destination: { write: (line) => void lines.push(line) } });

    log.info("at 100%s", {});

    assert.equal((parsed(lines[0] ?? "") as { msg: string }).msg, "at 100%s");
  });
});

describe("log fields", () => {
  it("hide values that may be secret", () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "a", name: "b" }, data: { x: "hush" } };
    class Request {
      authorization = "hush";
    }
    const fields = {
      secret,
      object: secret,
      headers: { authorization: "hush" },
      nested: { password: "hush", token: "hush", fine: 1 },
      accessToken: "hush",
      list: [{ cookie: "hush" }],
      request: new Request(),
      error: Object.assign(new Error("no"), { request: { token: "hush" } }),
    };

    const text = JSON.stringify(plainFields(fields));

    assert.doesNotMatch(text, /hush/);
    assert.match(text, /"object":"Secret a\/b"/);
    assert.match(text, /"fine":1/);
  });

  it("show durations as whole milliseconds and times in ISO 8601", () => {
    const at = Date.UTC(2026, 10, 16, 9) + 0.4336;

    const plain = plainFields({ inMs: 1140.0747188934965, ms: 0.4, nextRetryAt: at, held: { until: at }, seats: 2.5 });

    assert.deepEqual(plain, {
      inMs: 1140,
      ms: 0,
      nextRetryAt: "2026-11-16T09:00:00.000Z",
      held: { until: "2026-11-16T09:00:00.000Z" },
      seats: 2.5,
    });
  });

  it("show small numbers unchanged in fields named like times", () => {
    assert.deepEqual(plainFields({ failedAt: 3 }), { failedAt: 3 });
  });

  it("are limited in depth, members and length for any value", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, i]));

    const plain = plainFields({ loop, wide, long: "x".repeat(100_000), many: Array.from({ length: 1000 }, () => 1) });

    assert.ok(JSON.stringify(plain).length < 5000);
  });

  it("treat a key named __proto__ as an ordinary key", () => {
    const fields: Record<string, unknown> = JSON.parse('{"__proto__":{"polluted":1}}');

    const plain = plainFields({ fields, ...fields });

    assert.equal(Object.getPrototypeOf(plain), Object.prototype);
    assert.equal("polluted" in {}, false);
  });
});

describe("error records", () => {
  it("end for an error that is its own cause", () => {
    const error = new Error("round");
    error.cause = error;

    assert.ok(JSON.stringify(recordOfError(error)).length < 50_000);
    assert.equal(sentenceOfError(error).split("caused by").length, 6);
  });

  it("contain the parts of an AggregateError and thrown values that are not errors", () => {
    const record = recordOfError(new AggregateError([new Error("a"), "b", { token: "hush" }, null], "all"));

    assert.deepEqual(
      record.errors?.map(({ name, message }) => [name, message]),
      [
        ["Error", "a"],
        ["thrown string", "b"],
        ["thrown object", ""],
        ["null", ""],
      ],
    );
  });
});

function parsed(line: string): unknown {
  return JSON.parse(line);
}

describe("keepingLogger", () => {
  it("records its own and its children's messages with the fields of both", () => {
    const lines: LogLine[] = [];
    const log = recordingLogger(lines);

    log.warn("Slow", { ms: 7 });
    log.child({ controller: "tenants" }).child({ key: "a" }).error("Broken", { key: "b" });

    assert.deepEqual(lines, [
      { level: "warn", message: "Slow", ms: 7 },
      { level: "error", message: "Broken", controller: "tenants", key: "b" },
    ]);
  });
});
