import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SeededRandom, fuzz } from "@homeostat/fuzz";
import { createEnvironment } from "../environment.ts";
import { CelEvaluationError } from "../errors.ts";
import { stringType } from "../types/type.ts";
import { fillFormat } from "./format-clauses.ts";
import { fillClause } from "./format-values.ts";
import { formatIpAddress, parseIpAddress } from "./ip-address.ts";
import { formatIpPrefix, parseIpPrefix } from "./ip-prefix.ts";
import { Malformed } from "./malformed.ts";
import { namedFormats } from "./named-formats.ts";
import { quantityLibrary } from "./quantities.ts";
import { formatSemanticVersion, parseLooseVersion, parseSemanticVersion } from "./semantic-version.ts";
import { checkUrl, parseUrl } from "./url-parse.ts";
import { escapedPathOf, formatUrl, hostnameOf, portOf, queryOf } from "./url-text.ts";

const inputCount = 100_000;

const hostile = [
  "\0",
  "\n",
  " ",
  "é",
  "😀",
  "\ud800",
  "\uffff",
  "__proto__",
  "constructor",
  "toString",
  "%",
  "\\",
  '"',
];

/** Returns a valid string with parts removed and inserted, sometimes a very long one. */
function mutate(chance: SeededRandom, seeds: readonly string[], pieces: readonly string[]): string {
  let text = chance.pick(seeds);
  for (let edits = chance.int(4); edits >= 0; edits--) {
    const at = chance.int(text.length + 1);
    const piece = chance.int(4) === 0 ? chance.pick(hostile) : chance.pick(pieces);
    const repeated = chance.int(2_000) === 0 ? piece.repeat(2_000) : piece;
    text = text.slice(0, at) + repeated + text.slice(at + chance.int(3));
  }
  return text;
}

/** Parses many strings: each must quickly result in a value or a problem with a message. */
function survives(
  seeds: readonly string[],
  pieces: readonly string[],
  read: (text: string) => string | Malformed,
): void {
  let refused = 0;

  fuzz({
    count: inputCount,
    seed: 0x2545f491,
    input: (chance) => mutate(chance, seeds, pieces),
    run: (text) => {
      const result = read(text);
      if (!(result instanceof Malformed)) return;
      refused += 1;
      assert.notEqual(result.problem, "");
    },
    isExpected: () => false,
  });

  assert.ok(refused > 0 && refused < inputCount, `${refused} of ${inputCount} refused`);
}

describe("parsers with hostile input", () => {
  it("parse URLs that format and parse to the same value", () => {
    const seeds = [
      "https://user:pass@example.com:80/path?query=val#fragment",
      "https://[fe80::1%25eth0]:8080/x",
      "/a?b=c&d",
      "mailto:joe@example.com",
      "file:///etc/hosts",
      "//host/path",
      "https://example.com/a%20b?c=%20",
    ];
    const pieces = ["%41", "%zz", "%25", ":", "/", "//", "?", "#", "@", "[", "]", "+", "&", "=", ";", "80", "::1", "*"];

    survives(seeds, pieces, (text) => {
      const url = parseUrl(text);
      if (url instanceof Malformed) return url;
      const printed = formatUrl(url);
      const again = parseUrl(printed);
      assert.equal(checkUrl(text), undefined);
      if (!(again instanceof Malformed)) assert.equal(formatUrl(again), printed, text);
      return [hostnameOf(url), portOf(url), escapedPathOf(url), ...queryOf(url).keys()].join();
    });
  });

  it("parse addresses and networks that format and parse to the same value", () => {
    const pieces = [":", "::", ".", "0", "1", "255", "256", "ffff", "g", "/", "/24", "%1", "00", "1.2.3.4"];

    survives(["127.0.0.1", "2001:db8::1", "::1.2.3.4", "1:2:3:4:5:6:7:8", "fe80::1%eth0"], pieces, (text) => {
      const address = parseIpAddress(text);
      if (address instanceof Malformed) return address;
      assert.deepEqual(parseIpAddress(formatIpAddress(address)), address);
      return text;
    });
    survives(["10.0.0.0/8", "2001:db8::/32", "::1/128", "0.0.0.0/0"], pieces, (text) => {
      const prefix = parseIpPrefix(text);
      if (prefix instanceof Malformed) return prefix;
      assert.deepEqual(parseIpPrefix(formatIpPrefix(prefix)), prefix);
      return text;
    });
  });

  it("parse semantic versions that format and parse to the same value", () => {
    const pieces = [".", "-", "+", "0", "00", "1", "v", "a", "rc", "_", "18446744073709551616", "..", "A-"];

    survives(["1.2.3", "0.1.0-alpha.1", "1.0.0-rc.1+build.5", "v1.2", "01.02.03"], pieces, (text) => {
      const strict = parseSemanticVersion(text);
      const version = strict instanceof Malformed ? parseLooseVersion(text) : strict;
      if (version instanceof Malformed) return version;
      assert.deepEqual(parseSemanticVersion(formatSemanticVersion(version)), version);
      return text;
    });
  });

  it("fill format strings", () => {
    const values = [1.5, "text", 255n, true, null, new Uint8Array([0xff])];
    const pieces = ["%", "%%", "%s", "%d", "%.", ".", "1", "99999", "f", "e", "x", "%.3f", "%X", "-", "%.32768f"];

    survives(["%s", "%d and %s", "100%%", "%.2f", "%e|%x", "plain"], pieces, (text) => {
      const filled = fillFormat(text, {
        count: values.length,
        reportsEndFirst: false,
        fill: (clause, index) => fillClause(clause, values[index] ?? null),
      });
      return filled instanceof Malformed ? filled : filled.text;
    });
  });

  it("check names, dates and other formats", () => {
    const formats = [...namedFormats.values()];
    const pieces = ["-", ".", "/", "_", "A", "9", "T", "Z", ":", "=", "+", "aaaaaaaa"];

    survives(["my-name", "example.com/name", "2024-02-29T12:34:56Z", "aGVsbG8=", "a.b.c"], pieces, (text) => {
      // Check each string against a third of the formats, selected by its length.
      const asked = formats.filter((_, index) => index % 3 === text.length % 3);
      const problems = asked.flatMap((format) => format.problemsOf(text));
      return problems.length < asked.length ? text : new Malformed(problems.join());
    });
  });

  it("parse quantities in an expression", () => {
    const environment = createEnvironment({ libraries: [quantityLibrary], variables: { text: stringType } });
    const program = environment.compile("sign(quantity(text).add(1))");
    const pieces = [".", "e", "E", "i", "k", "Ki", "m", "-", "+", "0", "000", "9", "e-9", "e18", "e999", "Ei"];

    survives(["1.5Gi", "100m", "1e3", "-0.5", "9223372036854775807", "1Ki"], pieces, (text) => {
      try {
        return program.evaluate({ text }) === 0n ? "zero" : "another";
      } catch (error) {
        if (error instanceof CelEvaluationError) return new Malformed(error.message);
        throw error;
      }
    });
  });
});
