import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codeOnly, isProductCode, lineAt, readFiles } from "./tree.ts";

// A request of Node's HTTP client with handlers for `response` and `error` only never settles when the peer switches protocols, and `fetch`
// loads a second HTTP client. All requests go through @homeostat/http, which passes the hostile peers suite.
const forbidden: readonly RegExp[] = [
  /\b(?:https?|NodeHttps?)(?:\(\))?\.(?:request|get)\b/g,
  /\b(?:httpRequest|httpsRequest)\b/g,
  /(?<![.\w#])fetch\(/g,
  /\brequest\b[^;]*\bgetBuiltinModule\b/g,
];

/**
 * The shared HTTP client, and the Kubernetes client, which waits with `awaitResponse` and passes the same suite. The safe engine of the proxy
 * passes on every event of Node's client, switched protocols included, instead of waiting for a response. The page of the dashboard runs in a
 * browser.
 */
const allowed: readonly string[] = [
  "apps/dashboard/src/page/common/send-write.ts",
  "apps/dashboard/src/page/common/stream.ts",
  "apps/dashboard/src/page/session/session.ts",
  "packages/http/src/request.ts",
  "packages/client/src/sockets/exchange.ts",
  "packages/proxy/src/safe/safe-upstream.ts",
  "packages/proxy/src/safe/upgrade.ts",
];

describe("product code", () => {
  it("sends HTTP requests only through @homeostat/http", () => {
    const files = readFiles((path) => isProductCode(path) && !allowed.includes(path));
    const found = files.flatMap(({ path, text }) =>
      violations(text).map(({ call, line }) => `${path}:${line} uses ${call}; use sendHttp or openHttp instead`),
    );

    assert.deepEqual(found, []);
  });

  it("does not import the request functions of Node", () => {
    const importing = /import\s*\{[^}]*\b(?:request|get)\b[^}]*\}\s*from\s*"node:https?"/g;
    const found = readFiles((path) => isProductCode(path) && !allowed.includes(path)).flatMap(({ path, text }) =>
      [...text.matchAll(importing)].map((match) => `${path}:${lineAt(text, match.index)}`),
    );

    assert.deepEqual(found, []);
  });
});

describe("the HTTP rule", () => {
  it("finds calls in code but not in comments and strings", () => {
    const text = [
      "// http.request()",
      "http.request({});",
      "https().get(url);",
      "await fetch(url);",
      "cache.fetch(key);",
      'const { request } = process.getBuiltinModule("node:http");',
      "const { createServer } = process.getBuiltinModule(name);",
    ].join("\n");

    assert.deepEqual(
      violations(text).map(({ line }) => line),
      [2, 3, 4, 6],
    );
  });
});

function violations(text: string): { call: string; line: number }[] {
  const code = codeOnly(text);
  return forbidden
    .flatMap((pattern) => [...code.matchAll(pattern)])
    .map((match) => ({ call: match[0], line: lineAt(code, match.index) }))
    .sort((one, other) => one.line - other.line);
}
