import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inputCount } from "@homeostat/fuzz";
import { isForImage, readScripts } from "./script.ts";

describe("the simulation annotation", () => {
  it("applies to all containers except init containers, and its entries in containers to one of them", () => {
    const scripts = readScripts(
      '{"readyAfter":"2s","exitCode":1,"containers":{"side":{"exitAfter":"1m30s","exitCode":3}}}',
    );

    assert.deepEqual(scripts.problems, []);
    assert.deepEqual(scripts.for("main", false), { readyAfterMs: 2_000, exitCode: 1 });
    assert.deepEqual(scripts.for("side", false), { readyAfterMs: 2_000, exitCode: 3, exitAfterMs: 90_000 });
    assert.deepEqual(scripts.for("main", true), {});
    assert.deepEqual(scripts.for("side", true), { exitAfterMs: 90_000, exitCode: 3 });
  });

  it("reports each problem with its path and the expected value, and applies the rest", () => {
    const scripts = readScripts(
      '{"readyAfter":2,"exitCode":256,"neverReady":"yes","log":[1],"what":1,"pullError":"","times":0,"options":{"a":[]},"containers":{"a":1,"b":{"exitAfter":"-1s"}},"ignoreSigterm":true}',
    );

    assert.deepEqual(
      scripts.problems.map(({ path, message }) => `${path} ${message.slice(0, 30)}`),
      [
        'readyAfter must be a duration such as "5s',
        "exitCode must be an integer from 0 to 2",
        "neverReady must be true or false",
        "log must be a list of strings",
        "what is unknown; known fields are p",
        "pullError must be a non-empty string",
        "times must be an integer from 1 to 1",
        "options must be an object with string,",
        "containers.a must be an object",
        'containers.b.exitAfter must be a duration such as "5s',
      ],
    );
    assert.deepEqual(scripts.for("x", false), { ignoreSigterm: true });
  });

  it("reports when it is not a JSON object", () => {
    for (const text of ["", "1", "[]", "{", "null", '"x"'])
      assert.deepEqual(
        readScripts(text).problems,
        [{ path: "", message: 'must be a JSON object such as {"readyAfter":"2s"}' }],
        text,
      );
    assert.equal(readScripts("x".repeat(100_000)).problems[0]?.message, "is too long");
  });

  it("is parsed without an exception, whatever its value", () => {
    const pieces = [
      '"readyAfter"',
      '"2s"',
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      '"__proto__"',
      '"constructor"',
      '"containers"',
      "1",
      "true",
      "null",
      '"exitCode"',
      "1e999",
      '"\\u0000"',
    ];
    let state = 42;
    const next = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % below;
    };
    for (let round = 0; round < inputCount(100_000); round += 1) {
      const text =
        round % 2 === 0
          ? Array.from({ length: next(14) }, () => pieces[next(pieces.length)]).join("")
          : `{${pieces[next(pieces.length)]}:{${pieces[next(pieces.length)]}:${pieces[next(pieces.length)]}}}`;
      const scripts = readScripts(text);
      scripts.for("__proto__", false);
      scripts.for("constructor", true);
    }
    assert.equal(Object.keys(Object.prototype).length, 0);
    assert.equal(({} as { readyAfterMs?: number }).readyAfterMs, undefined);
  });

  it("has a counterpart for images, by the whole name or its last part", () => {
    assert.ok(isForImage({ image: "redis", script: {} }, "docker.io/library/redis:7"));
    assert.ok(isForImage({ image: "team/app:1", script: {} }, "team/app:1"));
    assert.ok(!isForImage({ image: "redis", script: {} }, "redis-exporter:1"));
  });
});
