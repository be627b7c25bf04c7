import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createEnvironment } from "../environment.ts";
import { CelEvaluationError } from "../errors.ts";
import type { CelValue } from "../values/value.ts";
import { Malformed } from "./malformed.ts";
import { checkUrl, parseUrl } from "./url-parse.ts";
import { escapedPathOf, formatUrl, hostnameOf, hostOf, portOf, queryOf } from "./url-text.ts";
import { urlLibrary } from "./urls.ts";

const environment = createEnvironment({ libraries: [urlLibrary] });

function evaluate(expression: string): CelValue {
  return environment.compile(expression).evaluate({});
}

function read(text: string): Exclude<ReturnType<typeof parseUrl>, Malformed> {
  const url = parseUrl(text);
  assert.ok(!(url instanceof Malformed), text);
  return url;
}

function problem(text: string): string {
  const url = parseUrl(text);
  assert.ok(url instanceof Malformed, text);
  return url.problem;
}

describe("URLs", () => {
  it("are parsed into scheme, user, host, port, path, query and fragment", () => {
    const url = read("HTTPS://us%20er:p%40ss@Example.com:8080/a%2fb/c d?x=1#frag");

    assert.equal(url.scheme, "https");
    assert.deepEqual(url.user, { name: "us er", password: "p@ss" });
    assert.equal(hostOf(url), "Example.com:8080");
    assert.equal(hostnameOf(url), "Example.com");
    assert.equal(portOf(url), "8080");
    assert.equal(escapedPathOf(url), "/a/b/c%20d", "an invalid escaped path is escaped again");
    assert.equal(escapedPathOf(read("/a%2fb/c%20d")), "/a%2fb/c%20d", "what is stays as it was written");
    assert.equal(url.fragment, "frag");
  });

  it("may be only a path, have no authority, or be opaque", () => {
    assert.equal(escapedPathOf(read("/path")), "/path");
    assert.equal(hostOf(read("//host/path")), "host");
    assert.equal(hostOf(read("///path")), "");
    assert.equal(read("mailto:joe@example.com").opaque, "joe@example.com");
    assert.equal(read("file:/etc").omitsHost, true);
    assert.match(
      problem("https://host#fragment"),
      /invalid character "#" in host name/,
      "checked before it is cut off",
    );
  });

  it("have IPv6 addresses in brackets, with zones", () => {
    const url = read("https://[fe80::1%25en%200]:443/");

    assert.equal(hostOf(url), "[fe80::1%en 0]:443");
    assert.equal(hostnameOf(url), "fe80::1%en 0");
    assert.equal(problem("https://[1.2.3.4]/"), 'parse "https://[1.2.3.4]/": invalid IP-literal');
    assert.match(problem("https://[g::1]/"), /invalid host: ParseAddr\("g::1"\)/);
  });

  it("are not normalized as in a browser", () => {
    assert.ok(checkUrl(" https://example.com") instanceof Malformed, "nothing is trimmed");
    assert.ok(checkUrl("example.com/path") instanceof Malformed, "nothing is relative");
    assert.equal(hostOf(read("https://exämple.com/")), "exämple.com", "nothing becomes punycode");
    assert.equal(escapedPathOf(read("https://example.com/a/../b")), "/a/../b", "nothing is resolved");
    assert.equal(hostOf(read("https://example.com:443/")), "example.com:443", "no port is left out");
  });

  it("are rejected with the messages of the API server", () => {
    assert.equal(problem(""), 'parse "": empty url');
    assert.equal(problem("a b"), 'parse "a b": invalid URI for request');
    assert.equal(problem(":x"), 'parse ":x": missing protocol scheme');
    assert.equal(problem("/a\nb"), String.raw`parse "/a\nb": net/url: invalid control character in URL`);
    assert.equal(problem("/%zz"), 'parse "/%zz": invalid URL escape "%zz"');
    assert.equal(problem("/%a😀"), String.raw`parse "/%a😀": invalid URL escape "%a\xf0"`);
    assert.equal(problem("https://a b/"), 'parse "https://a b/": invalid character " " in host name');
    assert.equal(problem("https://a:b/"), 'parse "https://a:b/": invalid port ":b" after host');
    assert.equal(problem("https://a:1:2/"), 'parse "https://a:1:2/": invalid port ":1:2" after host');
    assert.equal(problem("https://[::1"), `parse "https://[::1": missing ']' in host`);
    assert.equal(problem("https://é@host/"), 'parse "https://é@host/": net/url: invalid userinfo');
  });

  it("have queries with repeated keys, without malformed parameters", () => {
    assert.deepEqual(
      [...queryOf(read("/?a=1&b=x+y&a=2&c"))],
      [
        ["a", ["1", "2"]],
        ["b", ["x y"]],
        ["c", [""]],
      ],
    );
    assert.deepEqual([...queryOf(read("/?a;b=1&%zz=2&c=%zz&__proto__=3"))], [["__proto__", ["3"]]]);
    assert.equal(queryOf(read(`/?${"a&".repeat(10_001)}`)).size, 0, "too many are none");
  });

  it("format and parse to the same value", () => {
    for (const text of ["https://u:p@h:1/p?q#f", "a:", "a://", "a:///", "/p?", "*", "file:/x", "https://[::1]/%2F"]) {
      assert.equal(formatUrl(read(formatUrl(read(text)))), formatUrl(read(text)), text);
    }
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (text) => {
        const url = read(text);

        assert.equal(formatUrl(url), text);
        assert.equal(hostnameOf(url), new URL(text).hostname);
      }),
    );
  });
});

describe("the library of URLs", () => {
  it("distinguishes URLs from other strings", () => {
    assert.equal(evaluate("isURL('https://example.com/')"), true);
    assert.equal(evaluate("isURL('../relative')"), false);
    assert.throws(
      () => evaluate("url('../relative')"),
      new CelEvaluationError(
        'URL parse error during conversion from string: parse "../relative": invalid URI for request',
      ),
    );
  });

  it("compares URLs by their formatted strings", () => {
    assert.equal(evaluate("url('https://example.com/a') == url('HTTPS://example.com/a')"), true);
    assert.equal(evaluate("url('/a') == url('/%61')"), false);
    assert.equal(evaluate("url('/a#b') == url('/a')"), false);
    assert.throws(() => evaluate("dyn(url('/a')) == 'a'"), new CelEvaluationError("no such overload"));
  });

  it("returns the query as a map of lists", () => {
    assert.equal(evaluate("url('/?k=a&k=b').getQuery()['k'][1]"), "b");
    assert.equal(evaluate("size(url('/path').getQuery())"), 0n);
  });
});
