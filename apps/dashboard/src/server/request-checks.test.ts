import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkRequest } from "./request-checks.ts";

const host = "127.0.0.1:8080";
const hosts = new Set([host]);

function statusOf(headers: Record<string, string>, method = "GET", path = "/api/overview"): number | undefined {
  return checkRequest({ method, headers: { host, ...headers } }, { hosts, path })?.status;
}

describe("checkRequest", () => {
  it("accepts requests of the page and of programs", () => {
    assert.equal(statusOf({}), undefined);
    assert.equal(statusOf({ origin: `http://${host}`, "sec-fetch-site": "same-origin" }), undefined);
    assert.equal(statusOf({ "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }, "GET", "/"), undefined);
  });

  it("refuses other host names, as a site whose name was rebound to this address sends them", () => {
    for (const name of ["evil.example.com:8080", "127.0.0.1", "127.0.0.1:80", ""])
      assert.equal(statusOf({ host: name }), 421, name);
  });

  it("refuses other origins, also other ports of the same host", () => {
    for (const origin of ["http://evil.example.com", "http://127.0.0.1:9090", "null"])
      assert.equal(statusOf({ origin }), 403, origin);
    for (const site of ["cross-site", "same-site"]) assert.equal(statusOf({ "sec-fetch-site": site }), 403, site);
  });

  it("accepts a link on another site to a page, but not to data", () => {
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };

    assert.deepEqual(
      [statusOf(link, "GET", "/"), statusOf(link, "GET", "/api/overview"), statusOf(link, "POST", "/")],
      [undefined, 403, 403],
    );
  });

  it("refuses writes that a form of another site could send", () => {
    const write = { origin: `http://${host}`, "content-type": "application/json", "x-homeostat-dashboard": "1" };
    const { origin: _, ...withoutOrigin } = write;

    assert.equal(statusOf(write, "POST"), undefined);
    assert.equal(statusOf(withoutOrigin, "POST"), 403);
    assert.equal(statusOf({ ...write, "x-homeostat-dashboard": "" }, "POST"), 403);
    assert.equal(statusOf({ ...write, "content-type": "text/plain" }, "POST"), 415);
    assert.equal(statusOf(write, "DELETE"), 405);
  });
});
