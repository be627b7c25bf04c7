import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SeededRandom, fuzz } from "@homeostat/fuzz";
import { failure, StatusError } from "../status/status.ts";
import { decodeListOptions } from "./list-options.ts";
import { badRequest } from "./option-problem.ts";
import { parseQuery } from "./query.ts";
import { isLongRunning, type RequestInfo, requestInfo } from "./request-info.ts";
import { parseRequestTarget } from "./request-target.ts";
import { requestTimeoutMs } from "./request-timeout.ts";
import {
  decodeCreateOptions,
  decodeDeleteOptions,
  decodeGetOptions,
  decodePatchOptions,
  decodeUpdateOptions,
} from "./write-options.ts";

function infoOf(method: string, uri: string): RequestInfo {
  const target = parseRequestTarget(uri);
  assert.ok(target !== undefined, uri);
  return requestInfo({ method, target, query: parseQuery(target.queryText) });
}

/** Summarizes a request info: verb, prefix, group/version, namespace, resource/subresource, name. */
function brief(method: string, uri: string): string {
  const info = infoOf(method, uri);
  if (!info.isResource) return `${info.verb} ${info.path}`;
  const { verb, prefix, group, version, namespace, resource, subresource, name } = info;
  return [verb, prefix, group, version, namespace, resource, subresource, name].map((word) => word || "-").join(" ");
}

describe("requestInfo", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["GET", "/api/v1/namespaces", "list api - v1 - namespaces - -"],
    ["GET", "/api/v1/namespaces/other", "get api - v1 other namespaces - other"],
    ["GET", "/api/v1/namespaces/other/pods", "list api - v1 other pods - -"],
    ["GET", "/api/v1/namespaces/other/pods/foo", "get api - v1 other pods - foo"],
    ["HEAD", "/api/v1/namespaces/other/pods/foo", "get api - v1 other pods - foo"],
    ["GET", "/api/v1/pods", "list api - v1 - pods - -"],
    ["HEAD", "/api/v1/pods", "list api - v1 - pods - -"],
    ["GET", "/api/v1/namespaces/other/pods/foo/status", "get api - v1 other pods status foo"],
    ["PUT", "/api/v1/namespaces/other/finalize", "update api - v1 other namespaces finalize other"],
    ["PUT", "/api/v1/namespaces/other/status", "update api - v1 other namespaces status other"],
    ["GET", "/api/v1/namespaces/other/finalize/x", "get api - v1 other namespaces finalize other"],
    ["POST", "/api/v1/namespaces/other/pods", "create api - v1 other pods - -"],
    ["PATCH", "/apis/apps/v1/namespaces/a/deployments/b/scale", "patch apis apps v1 a deployments scale b"],
    ["DELETE", "/api/v1/namespaces/other/pods/foo", "delete api - v1 other pods - foo"],
    ["DELETE", "/api/v1/namespaces/other/pods", "deletecollection api - v1 other pods - -"],
    ["DELETE", "/api/v1/namespaces/other", "delete api - v1 other namespaces - other"],
    ["GET", "/api/v1/watch/pods", "watch api - v1 - pods - -"],
    ["GET", "/api/v1/watch/namespaces/other/pods", "watch api - v1 other pods - -"],
    ["GET", "/api/v1/watch/namespaces/other/pods/foo", "watch api - v1 other pods - foo"],
    ["GET", "/api/v1/proxy/namespaces/other/pods/foo/sub", "proxy api - v1 other pods - foo"],
    ["GET", "/api/v1/pods?watch=true", "watch api - v1 - pods - -"],
    ["GET", "/api/v1/pods?watch", "watch api - v1 - pods - -"],
    ["GET", "/api/v1/pods?watch=False", "list api - v1 - pods - -"],
    ["GET", "/api/v1/pods?watch=0", "list api - v1 - pods - -"],
    ["GET", "/api/v1/pods?watch=1&limit=x", "watch api - v1 - pods - -"],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name%3Dabc", "list api - v1 - pods - abc"],
    ["GET", "/api/v1/pods?watch=1&fieldSelector=metadata.name=abc,a=b", "watch api - v1 - pods - abc"],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name!=abc", "list api - v1 - pods - -"],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name=a%2Fb", "list api - v1 - pods - -"],
    ["GET", "/api/v1/pods?limit=x&fieldSelector=metadata.name=abc", "list api - v1 - pods - -"],
    ["DELETE", "/api/v1/pods?fieldSelector=metadata.name=abc", "deletecollection api - v1 - pods - -"],
    ["GET", "/api/v1/namespaces/other/pods/foo?watch=1", "get api - v1 other pods - foo"],
    ["OPTIONS", "/api/v1/pods", "- api - v1 - pods - -"],
    ["GET", "/api/v1/namespaces/a%2Fpods", "list api - v1 a pods - -"],
    ["GET", "/apis/apps/v1", "get /apis/apps/v1"],
    ["GET", "/apis/apps", "get /apis/apps"],
    ["GET", "/api/v1", "get /api/v1"],
    ["GET", "/api", "get /api"],
    ["POST", "/healthz", "post /healthz"],
    ["GET", "/", "get /"],
  ];

  it("parses requests as kube-apiserver does", () => {
    for (const [method, uri, expected] of cases) assert.equal(brief(method, uri), expected, `${method} ${uri}`);
  });

  it("keeps the selectors for authorization if the verb is for many objects", () => {
    const list = infoOf("GET", "/api/v1/pods?fieldSelector=a%3Db&labelSelector=c");
    const get = infoOf("GET", "/api/v1/pods/x?fieldSelector=a%3Db");
    const old = infoOf("GET", "/api/v1/watch/pods?fieldSelector=a%3Db");

    assert.deepEqual([list.fieldSelector, list.labelSelector], ["a=b", "c"]);
    assert.deepEqual([get.fieldSelector, old.fieldSelector], ["", ""]);
  });

  it("recognizes long-running requests", () => {
    assert.equal(isLongRunning(infoOf("GET", "/api/v1/pods?watch=1")), true);
    assert.equal(isLongRunning(infoOf("GET", "/api/v1/namespaces/a/pods/b/log")), true);
    assert.equal(isLongRunning(infoOf("GET", "/api/v1/pods")), false);
    assert.equal(isLongRunning(infoOf("GET", "/healthz")), false);
  });

  it("refuses a path that ends after /watch with the message of kube-apiserver", () => {
    assert.throws(
      () => infoOf("GET", "/api/v1/watch"),
      new StatusError(
        failure({
          code: 500,
          message:
            'Internal Server Error: "/api/v1/watch": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch',
        }),
      ),
    );
  });
});

const paths = [
  "/api/v1/namespaces/default/pods/web/status",
  "/apis/apps/v1/namespaces/a/deployments/b/scale",
  "/api/v1/watch/namespaces/a/pods",
  "/api/v1/proxy/pods/a/b/c",
  "/apis/a.b/v1/namespaces",
  "/healthz/poststarthook/a",
  "/",
];
const queries = [
  "watch=true&allowWatchBookmarks=1&resourceVersion=0&timeoutSeconds=300",
  "limit=500&continue=abc&resourceVersionMatch=Exact&resourceVersion=10",
  "labelSelector=a%3Db%2Cc+in+(d,e),!f&fieldSelector=metadata.name%3Dx,a!%3Db",
  "dryRun=All&fieldManager=me&fieldValidation=Strict&force=true",
  "gracePeriodSeconds=0&propagationPolicy=Orphan&uid=1&resourceVersion=2",
  "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&watch=1&pretty=true&timeout=10s",
];
const pieces = [
  "/",
  "//",
  "%2F",
  "%",
  "%zz",
  "%00",
  "%ff",
  "?",
  "&",
  "=",
  ";",
  "+",
  "__proto__",
  "constructor",
  "toString",
  "watch",
  "proxy",
  "namespaces",
  "..",
  ".",
  "\\",
  ",",
  "(",
  ")",
  "!",
  "in",
  "notin",
  ">",
  "<",
  "\t",
  "é",
  "\u{1f600}",
  "9".repeat(30),
  "(".repeat(500),
  "metadata.name=",
  "\\,",
  "1e9",
  "-1",
  "0x10",
  "a".repeat(300),
];

describe("random paths and queries", () => {
  it("are parsed, or refused with a StatusError", () => {
    const expected = (error: unknown): boolean =>
      error instanceof StatusError && (error.status.code ?? 0) >= 400 && error.message !== "";
    const make = (chance: SeededRandom, n: number): string => {
      const path = chance.int(3) === 0 ? chance.pick(paths) : chance.mutate(chance.pick(paths), pieces);
      const query = chance.mutate(chance.pick(queries), pieces);
      return n % 1000 === 0 ? `${path}?labelSelector=${chance.pick(pieces).repeat(2000)}` : `${path}?${query}`;
    };
    const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "FOO", ""];

    const { accepted } = fuzz({
      count: 100_000,
      input: (chance, n) => ({ uri: make(chance, n), method: chance.pick([...methods, "x"]) }),
      run: ({ uri, method }) => {
        const target = parseRequestTarget(uri);
        if (target === undefined) throw badRequest("target");
        const query = parseQuery(target.queryText);
        const info = requestInfo({ method, target, query });
        if (info.isResource) {
          if (info.verb === "list" || info.verb === "watch") decodeListOptions(query);
          else if (info.verb === "create") decodeCreateOptions(query);
          else if (info.verb === "update") decodeUpdateOptions(query);
          else if (info.verb === "patch") decodePatchOptions(query, { isApply: uri.length % 2 === 0 });
          else if (info.verb === "get") decodeGetOptions(query);
          else decodeDeleteOptions(query);
        }
        requestTimeoutMs(query, 60_000);
      },
      isExpected: expected,
    });

    assert.ok(accepted > 10_000 && accepted < 95_000, `${accepted} accepted`);
  });
});
