import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import { splitCommand } from "./command-line.ts";
import { effectiveArguments } from "../api/effective-arguments.ts";

const seeds = [
  "--locustfile /lotest/src/shop.py --host http://shop --users 50 --spawn-rate 5 --run-time 1h2m3s",
  "-u 5 -r0.5 -t 90 -P 9000 -s 10 --headless --web-login --tls-cert=/c --tls-key /k --processes -1",
];
const pieces = [
  "--",
  "-u",
  "=",
  "$(",
  ")",
  " ",
  "\n",
  "\u0000",
  "9".repeat(50),
  "h",
  "m",
  "s",
  "-",
  "__proto__",
  "\ud800",
];

const paths = ["/locust", "/team-a/locust/", "//evil.example/", "/a/../b?c#d"];
const pathPieces = [...pieces, "/", "..", "/./", "?", "#", "%2e", "\\", "@", ":", "\r\n", "\t", "\u007f"];

describe("effectiveArguments with random command lines", () => {
  it("returns finite numbers quickly", () => {
    const { accepted } = fuzz({
      count: 100_000,
      input: (chance) => chance.mutate(chance.pick(seeds), pieces),
      run: (seed) => {
        const args = splitCommand(seed);
        const env = args.map((value) => ({ name: "LOCUST_RUN_TIME", value }));
        const { users, runTime, webPort, stopTimeout, processes } = effectiveArguments({ args, env });
        for (const value of [users, runTime, webPort, stopTimeout, processes]) {
          assert.ok(value === undefined || Number.isFinite(value), `${seed}: ${value}`);
        }
      },
      isExpected: () => false,
    });

    assert.equal(accepted, 100_000);
  });

  it("returns a base path that a URL does not change", () => {
    const { accepted } = fuzz({
      count: 50_000,
      input: (chance) => chance.mutate(chance.pick(paths), pathPieces),
      run: (seed) => {
        const { webBasePath } = effectiveArguments({ args: [`--web-base-path=${seed}`] });
        const url = new URL(`http://localhost:8089${webBasePath}/stats`);
        assert.deepEqual(
          [url.host, url.pathname, url.search, url.hash],
          ["localhost:8089", `${webBasePath}/stats`, "", ""],
        );
      },
      isExpected: () => false,
    });

    assert.equal(accepted, 50_000);
  });

  it("takes time linear in the length", () => {
    const { accepted } = fuzz({
      count: 20,
      input: (chance) => chance.pick(["1", "1h", "--users ", "-t", " \n", "=", "$("]).repeat(40_000),
      run: (seed) => effectiveArguments({ args: [...splitCommand(seed), "--run-time", seed] }),
      isExpected: () => false,
      milliseconds: 500,
    });

    assert.equal(accepted, 20);
  });
});
