import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/core";
import { splitImage } from "../chart/image.ts";
import { manifestFlags } from "../run/manifest-flags.ts";
import { parseBindAddress, runFlags } from "./run-flags.ts";
import { sample } from "../testing/sample-operator.ts";
import { readFlags } from "./read-flags.ts";

const pieces = [
  ..."abz019-=,:.[]{}\0\n\"'%@/ é".split(""),
  "--",
  "--no-",
  "--grace=",
  "--watch-namespaces=",
  "--metrics-bind-address=",
  "__proto__",
  "constructor",
  "127.0.0.1:80",
  "[::1]:9",
  "9".repeat(40),
  "a".repeat(300),
  "1h",
  "-5",
];
const count = Math.min(100_000, Number(process.env["HOMEOSTAT_FUZZ_INPUTS"] ?? Infinity));

describe("readFlags", () => {
  it("parses or refuses random command lines quickly", () => {
    const random = new SeededRandom("flags");
    const manifests = manifestFlags(sample);
    const text = (): string => Array.from({ length: random.int(6) }, () => pieces[random.int(pieces.length)]).join("");
    const before = Object.getOwnPropertyNames(Object.prototype).length;
    let slowestMs = 0;

    for (let i = 0; i < count; i += 1) {
      const argv = Array.from({ length: random.int(4) }, text);
      const [grace, address, image] = [text(), text(), text()];
      const took = (): number => {
        // CPU time: other processes may stop this one for longer than the limit.
        const started = process.cpuUsage();
        const { problems } = readFlags(i % 2 === 0 ? runFlags : manifests, {
          argv,
          env: { SHUTDOWN_GRACE: grace },
        });
        parseBindAddress(address);
        splitImage(image);
        assert.ok(problems.every((problem) => problem.length > 0));
        return process.cpuUsage(started).user / 1000;
      };
      const ms = took();
      // Measure slow input again, to tell it apart from garbage collection.
      slowestMs = Math.max(slowestMs, ms < 100 ? ms : Math.min(took(), took()));
    }

    assert.ok(slowestMs < 100, `${slowestMs} ms`);
    assert.equal(Object.getOwnPropertyNames(Object.prototype).length, before);
  });
});
