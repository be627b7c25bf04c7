import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { ParseError } from "../errors/parse-error.ts";
import { formatDuration, parseDuration } from "./duration.ts";
import { humanDuration, shortHumanDuration } from "./human-duration.ts";
import { formatMicroTime, parseMicroTime } from "./micro-time.ts";
import { formatTime, parseTime } from "./time.ts";

interface Printed {
  at: string;
  text: string;
}

const durations = read("duration") as {
  versions: Record<string, string>;
  texts: { in: string; error?: true; ns: string; text: string }[];
  humans: { ms: number; human: string; short: string }[];
};
const times = read("time") as {
  versions: Record<string, string>;
  texts: { in: string; time?: Printed; micro?: Printed }[];
};

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), "utf8"));
}

describe("durations and times compared with results of Go and Kubernetes", () => {
  it("come from the supported Kubernetes release, and are many", () => {
    assert.equal(durations.versions["k8s.io/apimachinery"], "v0.36.3");
    assert.equal(times.versions["k8s.io/apimachinery"], "v0.36.3");
    assert.ok(durations.texts.length > 2000 && durations.humans.length > 500 && times.texts.length > 1500);
  });

  it("parse the same durations to the nanosecond, and format them like Go", () => {
    for (const vector of durations.texts) {
      if (vector.error) {
        assert.throws(() => parseDuration(vector.in), ParseError, JSON.stringify(vector.in));
        continue;
      }
      const nanoseconds = parseDuration(vector.in);

      assert.equal(nanoseconds, BigInt(vector.ns), vector.in);
      assert.equal(formatDuration(nanoseconds), vector.text, vector.in);
    }
  });

  it("format ages like Kubernetes", () => {
    for (const { ms, human, short } of durations.humans) {
      assert.equal(humanDuration(ms), human, String(ms));
      assert.equal(shortHumanDuration(ms), short, String(ms));
    }
  });

  it("parse the same times to the millisecond, and format them like Kubernetes", () => {
    for (const { in: text, time } of times.texts) {
      if (time === undefined) {
        assert.throws(() => parseTime(text), ParseError, JSON.stringify(text));
        continue;
      }
      const ms = parseTime(text);

      assert.equal(ms, Number(time.at), text);
      assert.equal(formatTime(ms), time.text, text);
    }
  });

  it("parse the same micro times to the microsecond, and format them like Kubernetes", () => {
    for (const { in: text, micro } of times.texts) {
      if (micro === undefined) {
        assert.throws(() => parseMicroTime(text), ParseError, JSON.stringify(text));
        continue;
      }
      const micros = parseMicroTime(text);

      assert.equal(micros, BigInt(micro.at), text);
      assert.equal(formatMicroTime(micros), micro.text, text);
    }
  });
});
