import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StatusError } from "../status/status.ts";
import { decodeListOptions } from "./list-options.ts";
import { wantsPretty } from "./pretty.ts";
import { parseQuery } from "./query.ts";
import { requestTimeoutMs } from "./request-timeout.ts";
import {
  decodeCreateOptions,
  decodeDeleteOptions,
  decodeGetOptions,
  decodePatchOptions,
  decodeUpdateOptions,
} from "./write-options.ts";

/** Returns the code and message of the refusal; undefined if there is none. */
function refusal(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof StatusError, String(error));
    return `${error.status.code} ${error.message}`;
  }
  return undefined;
}

const list = (query: string): string | undefined => refusal(() => decodeListOptions(parseQuery(query)));

describe("parseQuery", () => {
  it("parses as Go does: escapes, plus signs, repeated names, invalid pairs dropped", () => {
    const query = parseQuery("a=1&b=x+y%2B&a=2&c&d=%zz&e=1;f=2&=g&%61=3&h=%ff%41");

    assert.deepEqual(query.all("a"), ["1", "2", "3"]);
    assert.equal(query.first("b"), "x y+");
    assert.deepEqual([query.has("c"), query.first("c")], [true, ""]);
    assert.deepEqual([query.has("d"), query.has("e"), query.has("e=1;f")], [false, false, false]);
    assert.equal(query.first("h"), "\ufffdA");
  });

  it("handles parameters named like members of Object.prototype", () => {
    const query = parseQuery("__proto__=1");

    assert.deepEqual(
      [query.first("__proto__"), query.first("constructor"), query.has("toString")],
      ["1", undefined, false],
    );
  });
});

describe("options of lists and watches", () => {
  it("are refused with the messages of kube-apiserver", () => {
    const cases: Record<string, string | undefined> = {
      "limit=x": '400 strconv.ParseInt: parsing "x": invalid syntax',
      "limit=": '400 strconv.ParseInt: parsing "": invalid syntax',
      "limit=9999999999999999999": '400 strconv.ParseInt: parsing "9999999999999999999": value out of range',
      "limit=-1": undefined,
      "limit=%2B07": undefined,
      "timeoutSeconds=1.5": '400 strconv.ParseInt: parsing "1.5": invalid syntax',
      "labelSelector=a%20in%20(": "400 unable to parse requirement: found '', expected: ',', ')' or identifier",
      "labelSelector=a=b=c": "400 found '=', expected: ',' or 'end of string'",
      "labelSelector=,": "400 found ',', expected: !, identifier, or 'end of string'",
      "labelSelector=a,": "400 found '', expected: identifier after ','",
      "labelSelector=a%20b": "400 unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
      "labelSelector=!": "400 unable to parse requirement: found '', expected: identifier",
      "labelSelector=a%3E":
        "400 unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an integer",
      "fieldSelector=foo": "400 invalid selector: 'foo'; can't understand 'foo'",
      "fieldSelector=a=b=c": "400 invalid field selector: unescaped character in value: 61",
      "fieldSelector=a=b%5Cc": "400 invalid field selector: invalid escape sequence: \\c",
      "resourceVersionMatch=Exact":
        '422 ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      "sendInitialEvents=true":
        '422 ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
      "watch=1&resourceVersionMatch=Exact":
        '422 ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
    };
    for (const [query, expected] of Object.entries(cases)) assert.equal(list(query), expected, query);
  });

  it("default a watch without a resourceVersion to start with the current objects", () => {
    const fresh = decodeListOptions(parseQuery("watch=1"));
    const later = decodeListOptions(parseQuery("watch=1&resourceVersion=5"));

    assert.deepEqual([fresh.sendInitialEvents, fresh.resourceVersionMatch], [true, "NotOlderThan"]);
    assert.deepEqual([later.sendInitialEvents, later.resourceVersionMatch], [undefined, ""]);
  });
});

describe("options of writes", () => {
  it("report all problems at once", () => {
    assert.equal(
      refusal(() => decodeCreateOptions(parseQuery("dryRun=z&fieldValidation=foo&fieldManager=%01"))),
      '422 CreateOptions.meta.k8s.io "" is invalid: [fieldManager: Invalid value: "\\x01": invalid character U+0001 (at position 0), dryRun: Unsupported value: ["z"]: supported values: "All", fieldValidation: Unsupported value: "foo": supported values: "", "Ignore", "Strict", "Warn"]',
    );
    assert.equal(
      refusal(() => decodeUpdateOptions(parseQuery(`fieldManager=${"a".repeat(129)}`))),
      '422 UpdateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
    );
  });

  it("require a field manager for an apply and forbid force for other patches", () => {
    assert.equal(
      refusal(() => decodePatchOptions(parseQuery(""), { isApply: true })),
      '422 PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
    assert.equal(
      refusal(() => decodePatchOptions(parseQuery("force=0"), { isApply: false })),
      '422 PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    );
    assert.deepEqual(decodePatchOptions(parseQuery("fieldManager=a&force=zzz&dryRun=All"), { isApply: true }), {
      dryRun: true,
      fieldManager: "a",
      fieldValidation: "",
      force: true,
    });
  });

  it("of a delete are validated together", () => {
    assert.equal(
      refusal(() => decodeDeleteOptions(parseQuery("propagationPolicy=Orphan&orphanDependents=true"))),
      '422 DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    );
    assert.deepEqual(decodeDeleteOptions(parseQuery("uid=u&gracePeriodSeconds=-1&propagationPolicy=Foreground")), {
      dryRun: false,
      gracePeriodSeconds: -1,
      propagationPolicy: "Foreground",
      preconditions: { uid: "u" },
    });
  });
});

describe("other parameters", () => {
  it("set the time limit of a request, up to the maximum of the server", () => {
    const ms = (query: string): number => requestTimeoutMs(parseQuery(query), 60_000);

    assert.deepEqual(
      [ms(""), ms("timeout=5s"), ms("timeout=100h"), ms("timeout=-1s"), ms("timeout=0")],
      [60_000, 5_000, 60_000, 60_000, 60_000],
    );
    const prefix = "400 invalid timeout specified in the request URL - time:";
    assert.equal(
      refusal(() => ms("timeout=x")),
      `${prefix} invalid duration "x"`,
    );
    assert.equal(
      refusal(() => ms("timeout=1")),
      `${prefix} missing unit in duration "1"`,
    );
    assert.equal(
      refusal(() => ms("timeout=1x")),
      `${prefix} unknown unit "x" in duration "1x"`,
    );
  });

  it("request indented responses", () => {
    assert.equal(wantsPretty(parseQuery("pretty=1"), undefined), true);
    assert.equal(wantsPretty(parseQuery("pretty=x"), "curl/8"), false);
    assert.equal(wantsPretty(parseQuery(""), "curl/8"), true);
    assert.equal(wantsPretty(parseQuery(""), "kubectl/v1.36"), false);
  });

  it("that were removed are refused", () => {
    const removed = "400 the export parameter, deprecated since v1.14, is no longer supported";
    assert.equal(
      refusal(() => decodeGetOptions(parseQuery("export=1"))),
      removed,
    );
  });
});
