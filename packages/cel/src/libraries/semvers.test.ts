import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createEnvironment } from "../environment.ts";
import { CelEvaluationError } from "../errors.ts";
import type { CelValue } from "../values/value.ts";
import { Malformed } from "./malformed.ts";
import {
  compareSemanticVersions,
  formatSemanticVersion,
  parseLooseVersion,
  parseSemanticVersion,
  type SemanticVersion,
} from "./semantic-version.ts";
import { semverLibrary } from "./semvers.ts";

const environment = createEnvironment({ libraries: [semverLibrary] });

function evaluate(expression: string): CelValue {
  return environment.compile(expression).evaluate({});
}

function read(text: string): SemanticVersion {
  const version = parseSemanticVersion(text);
  assert.ok(!(version instanceof Malformed), text);
  return version;
}

const number = fc.bigInt({ min: 0n, max: 3n });
const identifier = fc.oneof(number, fc.constantFrom("alpha", "beta", "A", "x-1", "0a"));
const version: fc.Arbitrary<SemanticVersion> = fc.record(
  {
    major: number,
    minor: number,
    patch: number,
    prerelease: fc.array(identifier, { maxLength: 3 }),
    build: fc.array(fc.constantFrom("001", "b", "x-y"), { maxLength: 2 }),
  },
  { noNullPrototype: true },
);

describe("semantic versions", () => {
  it("format and parse to the same value", () => {
    fc.assert(
      fc.property(version, (made) => {
        assert.deepEqual(parseSemanticVersion(formatSemanticVersion(made)), made);
        assert.deepEqual(parseLooseVersion(`v${formatSemanticVersion(made)}`), made);
      }),
    );
  });

  it("have a total order that ignores build metadata", () => {
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        assert.equal(compareSemanticVersions(a, b), -compareSemanticVersions(b, a) + 0);
        if (compareSemanticVersions(a, b) <= 0 && compareSemanticVersions(b, c) <= 0) {
          assert.ok(compareSemanticVersions(a, c) <= 0);
        }
        assert.equal(compareSemanticVersions(a, { ...a, build: [] }), 0);
      }),
    );
  });

  it("follow the example of semver.org", () => {
    const inOrder = [
      "1.0.0-alpha",
      "1.0.0-alpha.1",
      "1.0.0-alpha.beta",
      "1.0.0-beta",
      "1.0.0-beta.2",
      "1.0.0-beta.11",
      "1.0.0-rc.1",
      "1.0.0",
      "1.0.1",
      "1.1.0",
      "2.0.0",
    ].map(read);

    const shuffled = inOrder.toReversed().sort(compareSemanticVersions);

    assert.deepEqual(shuffled, inOrder);
  });

  it("are rejected with the messages of the API server", () => {
    const problem = (text: string): string => {
      const result = parseSemanticVersion(text);
      assert.ok(result instanceof Malformed, text);
      return result.problem;
    };

    assert.equal(problem(""), "Version string empty");
    assert.equal(problem("1.2"), "No Major.Minor.Patch elements found");
    assert.equal(problem("v1.2.3"), 'Invalid character(s) found in major number "v1"');
    assert.equal(problem("1.02.3"), 'Minor number must not contain leading zeroes "02"');
    assert.equal(problem("1.2.3-"), "Prerelease is empty");
    assert.equal(problem("1.2.3-01"), 'Numeric PreRelease version must not contain leading zeroes "01"');
    assert.equal(problem("1.2.3+a_b"), 'Invalid character(s) found in build meta data "a_b"');
    assert.equal(
      problem("18446744073709551616.0.0"),
      'strconv.ParseUint: parsing "18446744073709551616": value out of range',
    );
  });

  it("may have a v, missing parts and leading zeros in lenient mode", () => {
    const loose = (text: string): string => {
      const result = parseLooseVersion(text);
      return result instanceof Malformed ? result.problem : formatSemanticVersion(result);
    };

    assert.equal(loose("v1"), "1.0.0");
    assert.equal(loose("01.02"), "1.2.0");
    assert.equal(loose("1.2.003-rc.1"), "1.2.3-rc.1");
    assert.equal(loose("1.2-rc.1"), 'Invalid character(s) found in minor number "2-rc"');
    assert.equal(loose("1-rc"), "short version cannot contain PreRelease/Build meta data");
  });
});

describe("the library of semantic versions", () => {
  it("parses, compares and returns the parts", () => {
    assert.equal(evaluate("semver('1.2.3').minor()"), 2n);
    assert.equal(evaluate("semver('18446744073709551615.0.0').major()"), -1n, "64 bits without sign, taken as an int");
    assert.equal(evaluate("semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))"), true);
    assert.equal(evaluate("semver('1.0.0').compareTo(semver('v1', true))"), 0n);
    assert.equal(evaluate("semver('1.0.0+a') == semver('1.0.0+b')"), true);
    assert.equal(evaluate("isSemver('v1.0') || isSemver('v1.0', false)"), false);
    assert.throws(() => evaluate("semver('x')"), new CelEvaluationError("No Major.Minor.Patch elements found"));
  });
});
