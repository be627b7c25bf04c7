import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, isRecord, type JsonRecord, SeededRandom } from "@homeostat/core";
import { textAt, valueAt } from "../values/fields.ts";
import { ApiServer } from "./api-server.ts";
import { ask } from "../testing/ask.ts";

const base = "/apis/rbac.authorization.k8s.io/v1";
const clock = new FakeClock({ now: 1_800_000_000_000 });

async function restarted(change: (server: ApiServer) => Promise<void>): Promise<ApiServer> {
  await using first = new ApiServer({ clock, random: new SeededRandom(1) });
  await first.ready();
  await change(first);
  const second = new ApiServer({ clock, random: new SeededRandom(2), from: first.snapshot() });
  await second.ready();
  return second;
}

async function read(server: ApiServer, path: string): Promise<JsonRecord> {
  const { status, body } = await ask(server, { method: "GET", path: `${base}${path}` });
  assert.equal(status, 200, path);
  return isRecord(body) ? body : {};
}

/** Returns the names of all roles and bindings with their resource versions. */
async function versions(server: ApiServer): Promise<readonly string[]> {
  const found: string[] = [];
  for (const resource of ["clusterroles", "clusterrolebindings", "roles", "rolebindings"]) {
    const { items } = await read(server, `/${resource}`);
    for (const item of Array.isArray(items) ? items : []) {
      found.push(`${resource} ${textAt(item, "metadata", "name")} ${textAt(item, "metadata", "resourceVersion")}`);
    }
  }
  return found;
}

describe("a server that starts with stored objects", () => {
  it("restores deleted and reduced default roles and bindings, and keeps additions", async () => {
    const own = { verbs: ["get"], apiGroups: ["example.com"], resources: ["sites"] };
    await using server = await restarted(async (first) => {
      await ask(first, { method: "DELETE", path: `${base}/clusterroles/system:basic-user` });
      await ask(first, { method: "DELETE", path: `${base}/clusterrolebindings/cluster-admin` });
      const role = await read(first, "/clusterroles/system:discovery");
      await ask(first, {
        method: "PUT",
        path: `${base}/clusterroles/system:discovery`,
        body: { ...role, rules: [own] },
      });
    });

    const restored = await read(server, "/clusterroles/system:discovery");
    const rules = restored["rules"];

    assert.equal((await read(server, "/clusterroles/system:basic-user"))["kind"], "ClusterRole");
    assert.equal(valueAt(await read(server, "/clusterrolebindings/cluster-admin"), "roleRef", "name"), "cluster-admin");
    assert.ok(Array.isArray(rules) && rules.length > 1);
    assert.deepEqual(rules[0], own);
  });

  it("replaces a default binding of another role", async () => {
    const path = "/clusterrolebindings/system:basic-user";
    await using server = await restarted(async (first) => {
      const { roleRef: _, ...binding } = await read(first, path);
      await ask(first, { method: "DELETE", path: `${base}${path}` });
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
      const body = { ...binding, metadata: { name: "system:basic-user" }, roleRef };
      await ask(first, { method: "POST", path: `${base}/clusterrolebindings`, body });
    });

    assert.equal(valueAt(await read(server, path), "roleRef", "name"), "system:basic-user");
  });

  it("leaves objects alone that opt out by annotation, and writes nothing if all defaults exist", async () => {
    const path = "/clusterroles/system:discovery";
    let before: readonly string[] = [];
    await using server = await restarted(async (first) => {
      const role = await read(first, path);
      const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
      const metadata = { ...(isRecord(role["metadata"]) ? role["metadata"] : {}), annotations };
      await ask(first, { method: "PUT", path: `${base}${path}`, body: { ...role, metadata, rules: [] } });
      before = await versions(first);
    });

    assert.deepEqual((await read(server, path))["rules"], []);
    assert.equal(before.length, 133);
    assert.deepEqual(await versions(server), before);
  });
});
