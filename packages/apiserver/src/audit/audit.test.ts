import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { handleLocally } from "../http/local-request.ts";
import { ApiServer } from "../server/api-server.ts";
import { standardOptions } from "../server/standard-options.ts";
import { openAuditLog } from "./audit-log.ts";
import type { AuditEvent } from "./event.ts";

const admin = { user: "admin", group: "system:masters" };
const random = new SeededRandom(1);

async function audited(run: (send: Send) => Promise<void>): Promise<readonly AuditEvent[]> {
  const clock = new FakeClock();
  const events: AuditEvent[] = [];
  await using server = new ApiServer(standardOptions({ clock, random, audit: (event) => void events.push(event) }));
  await server.ready();
  await run(async (method, path, { headers = {}, identity = admin, body, read = true } = {}) => {
    const { signal } = new AbortController();
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await handleLocally(
      server.handler,
      { method, path, headers, identity, ...text },
      { random, signal },
    );
    if (response === "cut" || !("stream" in response) || !read) return;
    const iterator = response.stream[Symbol.asyncIterator]();
    await iterator.next();
    assert.equal(events.length, 0, "the event of a watch comes at its end");
    await iterator.return?.();
  });
  return events;
}

type Send = (
  method: string,
  path: string,
  options?: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly identity?: { readonly user: string; readonly group?: string };
    readonly body?: object;
    readonly read?: boolean;
  },
) => Promise<void>;

describe("the audit log", () => {
  it("has user, verb, object and status of each request", async () => {
    const metadata = { name: "a", namespace: "default" };
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata };
    const path = "/api/v1/namespaces/default/configmaps";
    const events = await audited(async (send) => {
      const headers = { "audit-id": "my-id", "user-agent": "test/1" };
      await send("POST", path, { body, headers });
      await send("GET", `${path}/missing`);
      await send("GET", `${path}/a`, { identity: { user: "stranger" } });
      await send("GET", "/readyz");
      await send("DELETE", `${path}/a`);
    });

    const shown = events.map(({ verb, user, objectRef, responseStatus: { code, reason, status } }) => [
      verb,
      user.username,
      objectRef?.name,
      code,
      status,
      reason,
    ]);
    assert.deepEqual(shown, [
      ["create", "admin", "a", 201, undefined, undefined],
      ["get", "admin", "missing", 404, "Failure", "NotFound"],
      ["get", "stranger", "a", 403, "Failure", "Forbidden"],
      ["get", "admin", undefined, 200, undefined, undefined],
      ["delete", "admin", "a", 200, "Success", undefined],
    ]);
    assert.deepEqual(events[0], {
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: "Metadata",
      auditID: "my-id",
      stage: "ResponseComplete",
      requestURI: path,
      verb: "create",
      user: events[0]?.user,
      sourceIPs: ["127.0.0.1"],
      userAgent: "test/1",
      objectRef: { resource: "configmaps", namespace: "default", name: "a", apiVersion: "v1" },
      responseStatus: { metadata: {}, code: 201 },
      requestReceivedTimestamp: "2026-01-01T00:00:00.000000Z",
      stageTimestamp: "2026-01-01T00:00:00.000000Z",
      annotations: { "authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": "" },
    });
    assert.equal(events[2]?.annotations?.["authorization.k8s.io/decision"], "forbid");
  });

  it("names the impersonated user beside the authenticated one", async () => {
    const [event] = await audited((send) =>
      send("GET", "/api/v1/namespaces", { headers: { "impersonate-user": "jane", "impersonate-group": "dev" } }),
    );

    assert.equal(event?.user.username, "admin");
    assert.deepEqual(event?.impersonatedUser, { username: "jane", groups: ["dev", "system:authenticated"] });
  });

  it("has the event of a watch when the watch ends", async () => {
    const events = await audited((send) => send("GET", "/api/v1/namespaces?watch=true"));

    assert.deepEqual(
      events.map(({ verb, stage, responseStatus }) => [verb, stage, responseStatus.code]),
      [["watch", "ResponseComplete", 200]],
    );
  });

  it("is appended to a file, one event per line", async () => {
    const folder = mkdtempSync(join(tmpdir(), "homeostat-audit-"));
    const path = join(folder, "audit.log");
    const [event] = await audited((send) => send("GET", "/version"));
    assert.ok(event !== undefined);

    for (let opened = 0; opened < 2; opened += 1) {
      using log = openAuditLog(path);
      log.write(event);
    }
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    rmSync(folder, { recursive: true });

    assert.deepEqual(
      lines.map((line): unknown => JSON.parse(line)),
      [event, event],
    );
  });
});
