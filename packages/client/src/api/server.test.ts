import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ForbiddenError, NotFoundError } from "@homeostat/core";
import { MalformedResponseError, TooLongError } from "../errors.ts";
import { failure, key, Widget } from "../testing/kinds.ts";
import { pathOf, queryOf, type Script, ScriptedTransport } from "../testing/scripted-transport.ts";
import { textOf } from "../testing/servers.ts";
import { isWrite } from "../transport/transport.ts";
import { Client } from "../client.ts";

describe("logs", () => {
  it("are split into lines, including empty ones, however they arrive", async () => {
    const { client, sockets } = clientWith({ pieces: ["one\ntw", "o\n\nfo", "ur"] });

    const lines: string[] = [];
    for await (const line of client.logs(key)) lines.push(line);

    assert.deepEqual(lines, ["one", "two", "", "four"]);
    assert.equal(sockets.only.path, "/api/v1/namespaces/shop/pods/a/log");
    assert.equal(sockets.only.headers?.["accept"], "*/*");
    assert.equal(sockets.only.isStream, false);
  });

  it("are requested with all options", async () => {
    const { client, sockets } = clientWith({ pieces: ["x"] });
    const options = {
      container: "main",
      follow: true,
      previous: true,
      tailLines: 0,
      sinceSeconds: 60,
      sinceTime: "2026-01-01T00:00:00Z",
      timestamps: true,
      limitBytes: 1000,
    };

    await client.logs(key, options).next();

    assert.deepEqual(
      queryOf(sockets.only),
      Object.fromEntries(Object.entries(options).map(([name, value]) => [name, String(value)])),
    );
    assert.equal(sockets.only.isStream, true);
    assert.deepEqual(sockets.only.timeouts, { idleMs: Infinity });
  });

  it("are returned as bytes, after a check of the status", async () => {
    const { client, sockets } = clientWith({ pieces: ["a\n", "b"] }, failure(404, "NotFound", { name: "a" }));

    const body = await client.logBytes(key);
    const text = await textOf({ status: 200, headers: {}, body });

    assert.equal(text, "a\nb");
    await assert.rejects(client.logs(key).next(), NotFoundError);
    assert.equal(sockets.open, 0);
  });

  it("throw a TooLongError for an endless line", async () => {
    const { client, sockets } = clientWith({ pieces: ["x".repeat(100), "x".repeat(100)] });

    await assert.rejects(client.logs(key, { lineBytesMax: 150 }).next(), TooLongError);
    assert.equal(sockets.open, 0);
  });
});

describe("access reviews", () => {
  it("review the access of this client", async () => {
    const { client, sockets } = clientWith({ status: 201, json: { status: { allowed: true, reason: "RBAC" } } });

    const verdict = await client.reviewOwnAccess({
      verb: "list",
      type: Widget,
      namespace: "shop",
      subresource: "status",
    });

    assert.deepEqual(verdict, { isAllowed: true, isDenied: false, reason: "RBAC", evaluationError: "" });
    assert.equal(sockets.only.path, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
    assert.ok(!isWrite(sockets.only), "a standby may ask");
    assert.deepEqual(sockets.lastBody, {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: {
        resourceAttributes: {
          verb: "list",
          group: "example.com",
          version: "v1",
          resource: "widgets",
          subresource: "status",
          namespace: "shop",
        },
      },
    });
  });

  it("review the access of other users, and to paths", async () => {
    const { client, sockets } = clientWith({
      json: { status: { allowed: false, denied: true, evaluationError: "oops" } },
    });

    const verdict = await client.reviewAccess(
      { user: "jane", groups: ["dev"], extra: { scopes: ["a"] } },
      { verb: "get", path: "/metrics" },
    );

    assert.deepEqual(verdict, { isAllowed: false, isDenied: true, reason: "", evaluationError: "oops" });
    assert.equal(sockets.only.path, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
    assert.deepEqual(sockets.lastBody, {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: {
        user: "jane",
        groups: ["dev"],
        extra: { scopes: ["a"] },
        nonResourceAttributes: { verb: "get", path: "/metrics" },
      },
    });
  });

  it("throw when the response has no decision", async () => {
    for (const json of [{}, { status: {} }, { status: { allowed: "true" } }, []]) {
      const { client } = clientWith({ json });

      await assert.rejects(client.reviewOwnAccess({ verb: "get", type: Widget }), MalformedResponseError);
    }
  });
});

describe("version", () => {
  it("parses the versions of distributions", async () => {
    const { client } = clientWith({
      json: { major: "1", minor: "36+", gitVersion: "v1.36.3-x", platform: "linux/arm64" },
    });

    assert.deepEqual(await client.version(), { major: 1, minor: 36, gitVersion: "v1.36.3-x", platform: "linux/arm64" });
  });

  it("throws when the response is not a version", async () => {
    for (const json of [{}, { major: "1", minor: "" }, 7]) {
      const { client } = clientWith({ json });

      await assert.rejects(client.version(), MalformedResponseError);
    }
  });
});

describe("raw", () => {
  it("sends the request and throws unsuccessful responses", async () => {
    const { client, sockets } = clientWith({ text: "ok" }, failure(403, "Forbidden"));
    const request = { method: "GET", path: "/readyz?verbose" } as const;

    const response = await client.raw(request);

    assert.equal(await textOf(response), "ok");
    assert.equal(pathOf(sockets.only), "/readyz");
    await assert.rejects(client.raw(request), ForbiddenError);
  });
});

function clientWith(...scripts: Script[]): { client: Client; sockets: ScriptedTransport } {
  const sockets = new ScriptedTransport(...scripts);
  return { client: new Client(sockets), sockets };
}
