import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEnvironment } from "../environment.ts";
import { optionalLibrary } from "../standard/optionals.ts";
import type { CelValue } from "../values/value.ts";
import { formatLibrary } from "./formats.ts";
import { namedFormats } from "./named-formats.ts";

const environment = createEnvironment({ libraries: [optionalLibrary, formatLibrary] });

function evaluate(expression: string): CelValue {
  return environment.compile(expression).evaluate({});
}

function problems(name: string, text: string): readonly string[] {
  const format = namedFormats.get(name);
  assert.ok(format, name);
  return format.problemsOf(text);
}

describe("named formats", () => {
  it("accept names as the API server does", () => {
    for (const [name, text] of [
      ["dns1123Label", "123-abc"],
      ["dns1123Subdomain", "a.b-c.d"],
      ["dns1035Label", "abc-123"],
      ["qualifiedName", "example.com/My.Name_1"],
      ["labelValue", ""],
      ["dns1123LabelPrefix", "my-name-"],
      ["uri", "/path"],
      ["uuid", "123E4567e89b12d3a456426614174000"],
      ["byte", "aGVsbG8="],
      ["date", "2024-02-29"],
      ["datetime", "2024-02-29t23:59:59.5+99:99"],
    ] as [string, string][]) {
      assert.deepEqual(problems(name, text), [], `${name} ${text}`);
    }
  });

  it("report all problems of a string", () => {
    const long = "A".repeat(64);

    assert.equal(problems("dns1123Label", long).length, 2);
    assert.equal(problems("dns1123Label", long)[0], "must be no more than 63 characters");
    assert.deepEqual(problems("dns1123Label", "a.b"), ["must not contain dots"]);
    assert.deepEqual(problems("labelValue", "é".repeat(32)).slice(0, 1), ["must be no more than 63 bytes"]);
    assert.deepEqual(problems("qualifiedName", "/").slice(0, 2), [
      "prefix part must be non-empty",
      "name part must be non-empty",
    ]);
    assert.match(
      problems("qualifiedName", "a/b/c")[0] ?? "",
      /^a valid label key must consist of .*'example.com\/MyName'\)$/,
    );
    assert.match(problems("dns1035Label", "1a")[0] ?? "", /e\.g\. 'my-name', {2}or 'abc-123', regex used/);
  });

  it("allow one dash at the end of a prefix, and ignore the character before it", () => {
    assert.deepEqual(problems("dns1123LabelPrefix", "a--"), []);
    assert.equal(problems("dns1123LabelPrefix", "-").length, 1);
    assert.deepEqual(problems("dns1123LabelPrefix", "a---"), []);
  });

  it("reject dates that do not exist and strings that are not base64", () => {
    for (const text of ["2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "2024-1-1", "10000-01-01"]) {
      assert.deepEqual(problems("date", text), ["invalid date"], text);
    }
    for (const text of ["", "a", "a===", "aa=a", "aa-_", "aaaa\n"]) {
      assert.deepEqual(problems("byte", text), ["invalid base64"], text);
    }
    assert.deepEqual(problems("datetime", "2024-01-01T24:00:00Z"), ["invalid datetime"]);
    assert.deepEqual(problems("uuid", "x"), ["does not match the UUID format"]);
  });
});

describe("the library of named formats", () => {
  it("finds formats by name and by function", () => {
    assert.equal(evaluate("format.named('uri').value() == format.uri()"), true);
    assert.equal(evaluate("format.named('constructor').hasValue()"), false);
    assert.equal(evaluate("format.uri() == format.uuid()"), false);
  });

  it("returns an empty optional, or the problems", () => {
    assert.equal(evaluate("format.dns1123Label().validate('my-name').hasValue()"), false);
    assert.equal(evaluate("format.dns1123Label().validate('a.b').value()[0]"), "must not contain dots");
  });
});
