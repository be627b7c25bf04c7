import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
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

describe("readFlags", () => {
  it("parses or refuses random command lines quickly", () => {
    const manifests = manifestFlags(sample);

    const { accepted } = fuzz({
      count: 100_000,
      input: (chance, n) => {
        const text = (): string => Array.from({ length: chance.int(6) }, () => chance.pick(pieces)).join("");
        const flags = n % 2 === 0 ? runFlags : manifests;
        const argv = Array.from({ length: chance.int(4) }, text);
        return { flags, argv, grace: text(), address: text(), image: text() };
      },
      run: ({ flags, argv, grace, address, image }) => {
        const { problems } = readFlags(flags, { argv, env: { SHUTDOWN_GRACE: grace } });
        parseBindAddress(address);
        splitImage(image);
        assert.ok(problems.every((problem) => problem.length > 0));
        if (problems.length > 0) throw new RefusedError();
      },
      isExpected: (error) => error instanceof RefusedError,
    });

    assert.ok(accepted > 0 && accepted < 100_000, `${accepted} accepted`);
  });
});

/** Marks a command line that was refused with problems, so that it is not counted as accepted. */
class RefusedError extends Error {}
