import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { proxyFromEnvironment } from "./proxy-environment.ts";

const proxy = "http://proxy:3128";

describe("proxyFromEnvironment", () => {
  const cases: [string, string, Record<string, string>, string | undefined][] = [
    ["none asked for", "https://h", {}, undefined],
    ["for https", "https://h", { HTTPS_PROXY: proxy }, "http://proxy:3128/"],
    ["in small letters", "https://h", { https_proxy: proxy }, "http://proxy:3128/"],
    ["empty, and in small letters", "https://h", { HTTPS_PROXY: "", https_proxy: proxy }, "http://proxy:3128/"],
    ["for http only", "https://h", { HTTP_PROXY: proxy }, undefined],
    ["for http", "http://h", { HTTP_PROXY: proxy }, "http://proxy:3128/"],
    ["set by a request to a CGI program", "http://h", { HTTP_PROXY: proxy, REQUEST_METHOD: "GET" }, undefined],
    ["without a scheme", "https://h", { HTTPS_PROXY: "proxy:3128" }, "http://proxy:3128/"],
    ["socks", "https://h", { HTTPS_PROXY: "socks5h://p:1" }, "socks5h://p:1"],
    ["of a kind we do not know", "https://h", { HTTPS_PROXY: "ftp://p" }, undefined],
    ["for this machine", "https://localhost:6443", { HTTPS_PROXY: proxy }, undefined],
    ["for a loopback address", "https://127.0.0.9", { HTTPS_PROXY: proxy }, undefined],
    ["for ::1", "https://[::1]:6443", { HTTPS_PROXY: proxy }, undefined],
    ["for a name that looks like loopback", "https://127.example.com", { HTTPS_PROXY: proxy }, "http://proxy:3128/"],
  ];
  for (const [what, server, env, expected] of cases) {
    it(`reads a proxy ${what}`, () => {
      assert.equal(proxyFromEnvironment(new URL(server), env)?.href, expected);
    });
  }

  const exemptions: [string, string, boolean][] = [
    ["*", "https://h", true],
    ["example.com", "https://example.com", true],
    ["example.com", "https://api.example.com", true],
    ["example.com", "https://notexample.com", false],
    [".example.com", "https://api.example.com", true],
    [".example.com", "https://example.com", false],
    ["*.example.com", "https://api.example.com", true],
    ["*.example.com", "https://example.com", false],
    ["a, b ,example.com:443", "https://example.com", true],
    ["example.com:6443", "https://example.com", false],
    ["example.com:6443", "https://example.com:6443", true],
    ["10.0.0.0/8", "https://10.96.0.1", true],
    ["10.0.0.0/8", "https://11.0.0.1", false],
    ["10.0.0.0/99", "https://10.0.0.1", false],
    ["10.0.0.1", "https://10.0.0.1", true],
    ["0.0.1", "https://10.0.0.1", false],
    ["fd00::/8", "https://[fd12::1]:6443", true],
    ["fd00::/8", "https://[fe80::1]", false],
    ["fd12::1", "https://[fd12::1]", true],
    ["[fd12::1]:6443", "https://[fd12::1]:6443", true],
    ["[fd12::1]:6443", "https://[fd12::1]", false],
    [",,", "https://h", false],
  ];
  for (const [list, server, isExempt] of exemptions) {
    it(`with NO_PROXY=${list} connects ${isExempt ? "directly" : "through the proxy"} to ${server}`, () => {
      const found = proxyFromEnvironment(new URL(server), { HTTPS_PROXY: proxy, NO_PROXY: list });

      assert.equal(found === undefined, isExempt);
    });
  }
});
