import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type JsonRecord, SeededRandom } from "@homeostat/core";
import { listAt, textAt, valueAt } from "../values/fields.ts";
import { ApiServer } from "./api-server.ts";
import { ask, type Asked, type Told, watch } from "../testing/ask.ts";

const maps = "/api/v1/namespaces/default/configmaps";

async function withMaps(
  ...names: readonly string[]
): Promise<{ server: ApiServer; send: (asked: Asked) => Promise<Told> }> {
  const clock = new FakeClock({ now: Date.parse("2026-01-02T03:04:05Z") });
  const server = new ApiServer({ clock, random: new SeededRandom(1) });
  const send = (asked: Asked): Promise<Told> => ask(server, asked);
  for (const name of names) {
    const metadata = { name, labels: { is: name } };
    await send({ method: "POST", path: maps, body: { apiVersion: "v1", kind: "ConfigMap", metadata } });
  }
  return { server, send };
}

const namesOf = ({ body }: Told): string[] => listAt(body, "items").map((each) => textAt(each, "metadata", "name"));

/** Returns the first events of a watch, as type and name. */
async function firstEvents(events: AsyncGenerator<JsonRecord>, count: number): Promise<string[]> {
  const found: string[] = [];
  for await (const event of events) {
    found.push(`${textAt(event, "type")} ${textAt(event, "object", "metadata", "name")}`.trim());
    if (found.length === count) break;
  }
  return found;
}

describe("lists", () => {
  it("return pages of one consistent state", async () => {
    const { send } = await withMaps("a", "b", "c");

    const first = await send({ path: `${maps}?limit=2` });
    await send({ method: "DELETE", path: `${maps}/c` });
    const rest = await send({ path: `${maps}?limit=2&continue=${textAt(first.body, "metadata", "continue")}` });

    assert.deepEqual([namesOf(first), namesOf(rest)], [["a", "b"], ["c"]]);
    assert.equal(valueAt(first.body, "metadata", "remainingItemCount"), 1);
    assert.equal(textAt(rest.body, "metadata", "resourceVersion"), textAt(first.body, "metadata", "resourceVersion"));
  });

  it("are assembled from stored bytes, without the kind of each item", async () => {
    const { send } = await withMaps("a");

    const { body, text } = await send({ path: maps });
    const one = await send({ path: `${maps}/a` });

    assert.deepEqual(Object.keys(body), ["kind", "apiVersion", "metadata", "items"]);
    assert.ok(text.includes(one.text.trim().slice('{"kind":"ConfigMap","apiVersion":"v1",'.length)));
    assert.ok(text.endsWith("]}\n"));
  });

  it("filter by labels and by the field selectors of the kind", async () => {
    const { send } = await withMaps("a", "b");

    const [label, field, unknown] = [
      await send({ path: `${maps}?labelSelector=is%3Db` }),
      await send({ path: `${maps}?fieldSelector=metadata.name%3Da` }),
      await send({ path: `${maps}?fieldSelector=data%3Da` }),
    ];

    assert.deepEqual([namesOf(label), namesOf(field)], [["b"], ["a"]]);
    assert.equal(
      unknown.body["message"],
      '"data" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });

  it("fail with 410 for a compacted resourceVersion", async () => {
    const { server, send } = await withMaps("a");
    const first = await send({ path: `${maps}?limit=1` });
    await send({ method: "DELETE", path: `${maps}/a` });

    server.compact();
    const version = textAt(first.body, "metadata", "resourceVersion");
    const old = await send({ path: `${maps}?resourceVersion=${version}&resourceVersionMatch=Exact` });

    assert.deepEqual([old.status, old.body["reason"]], [410, "Expired"]);
  });

  it("are available as tables and as metadata", async () => {
    const { send } = await withMaps("a");
    const as = (kind: string): Asked => ({
      path: maps,
      headers: { accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` },
    });

    const [table, metadata] = [await send(as("Table")), await send(as("PartialObjectMetadataList"))];

    assert.deepEqual(valueAt(table.body, "rows", 0, "cells"), ["a", 0, "0s"]);
    assert.equal(textAt(valueAt(metadata.body, "items", 0), "kind"), "PartialObjectMetadata");
  });
});

describe("watches", () => {
  it("send the current objects first and then changes", async () => {
    const { server, send } = await withMaps("a");
    const stop = new AbortController();
    const events = watch(server, { path: `${maps}?watch=1&allowWatchBookmarks=1` }, stop.signal);

    const begun = firstEvents(events, 3);
    await send({ method: "DELETE", path: `${maps}/a` });

    assert.deepEqual(await begun, ["ADDED a", "BOOKMARK", "DELETED a"]);
    stop.abort();
  });

  it("send ADDED and DELETED for an object that starts or stops matching", async () => {
    const { server, send } = await withMaps("a");
    const stop = new AbortController();
    const events = watch(server, { path: `${maps}?watch=1&labelSelector=is%3Da` }, stop.signal);
    const merge = { "content-type": "application/merge-patch+json" };
    const label = (is: string): Promise<Told> =>
      send({ method: "PATCH", path: `${maps}/a`, headers: merge, body: { metadata: { labels: { is } } } });

    const found = firstEvents(events, 3);
    await label("b");
    await label("a");

    assert.deepEqual(await found, ["ADDED a", "DELETED a", "ADDED a"]);
    stop.abort();
  });

  it("send a 410 error event for a compacted resourceVersion", async () => {
    const { server, send } = await withMaps("a");
    server.compact();

    const { status, body } = await send({ path: `${maps}?watch=1&resourceVersion=3` });

    assert.equal(status, 200);
    assert.deepEqual(
      [body["type"], valueAt(body, "object", "reason"), valueAt(body, "object", "code")],
      ["ERROR", "Expired", 410],
    );
  });

  it("send table rows, the first with the column definitions", async () => {
    const { server } = await withMaps("a", "b");
    const stop = new AbortController();
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const events = watch(server, { path: `${maps}?watch=1`, headers: { accept } }, stop.signal);

    const [first, second] = [await events.next(), await events.next()].map(({ value }) => value);

    assert.equal(listAt(first, "object", "columnDefinitions").length, 3);
    assert.equal(valueAt(second, "object", "columnDefinitions"), null);
    stop.abort();
  });
});

describe("paths", () => {
  it("that do not exist return the responses of kube-apiserver", async () => {
    const { send } = await withMaps();
    const status = async (method: string, path: string): Promise<string> => {
      const response = await send({ method, path });
      return `${response.status} ${response.type}`;
    };

    assert.equal(await status("GET", "/apis/absent.example/v1/things"), "404 text/plain; charset=utf-8");
    assert.equal(await status("GET", "/apis/apps/v1/things"), "404 application/json");
    assert.equal(await status("GET", "/api/v1/pods/x"), "404 application/json");
    assert.equal(await status("DELETE", "/api/v1/configmaps"), "405 application/json");
    assert.equal(await status("GET", `${maps}/a/status`), "404 application/json");
  });

  it("of discovery and OpenAPI list the served resources", async () => {
    const { send } = await withMaps();
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

    const whole = await send({ path: "/apis", headers: { accept } });
    const legacy = await send({ path: "/apis/apps/v1" });
    const documents = await send({ path: "/openapi/v3" });

    assert.ok(listAt(whole.body, "items").length > 15);
    assert.ok(listAt(legacy.body, "resources").some((each) => textAt(each, "name") === "deployments/status"));
    assert.ok(isServed(documents, "apis/apps/v1"));
  });
});

function isServed({ body }: Told, key: string): boolean {
  return textAt(body, "paths", key, "serverRelativeURL").startsWith(`/openapi/v3/${key}?hash=`);
}

describe("users", () => {
  it("are authorized by their roles only", async () => {
    const { send } = await withMaps("a");
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "eve" }];
    const binding = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "b" },
      roleRef,
      subjects,
    };

    const before = await send({ path: `${maps}/a`, user: "eve" });
    await send({ method: "POST", path: rbac, body: binding });
    const after = await send({ path: `${maps}/a`, user: "eve" });
    const write = await send({ method: "DELETE", path: `${maps}/a`, user: "eve" });

    assert.equal(
      before.body["message"],
      'configmaps "a" is forbidden: User "eve" cannot get resource "configmaps" in API group "" in the namespace "default"',
    );
    assert.deepEqual([before.status, after.status, write.status], [403, 200, 403]);
  });

  it("cannot grant permissions that they do not have", async () => {
    const { send } = await withMaps();
    const group = "rbac.authorization.k8s.io";
    const path = `/apis/${group}/v1/namespaces/default`;
    const rule = (resources: string[], verbs: string[]): JsonRecord => ({ apiGroups: [group], resources, verbs });
    const role = {
      apiVersion: `${group}/v1`,
      kind: "Role",
      metadata: { name: "r" },
      rules: [rule(["roles"], ["create"])],
    };
    const subjects = [{ apiGroup: group, kind: "User", name: "eve" }];
    const roleRef = { apiGroup: group, kind: "Role", name: "r" };
    await send({ method: "POST", path: `${path}/roles`, body: role });
    await send({
      method: "POST",
      path: `${path}/rolebindings`,
      body: { apiVersion: `${group}/v1`, kind: "RoleBinding", metadata: { name: "b" }, roleRef, subjects },
    });

    const more = { ...role, metadata: { name: "more" }, rules: [rule(["*"], ["*"])] };
    const { status, body } = await send({ method: "POST", path: `${path}/roles`, body: more, user: "eve" });

    assert.equal(status, 403);
    assert.match(String(body["message"]), /is attempting to grant RBAC permissions not currently held/);
  });
});

describe("a fork", () => {
  it("starts with the state of another server and changes independently", async () => {
    const { server, send } = await withMaps("a");
    const { clock } = server.tools;
    const fork = new ApiServer({ clock, random: new SeededRandom(2), from: server.snapshot() });

    await ask(fork, { method: "DELETE", path: `${maps}/a` });

    assert.equal((await send({ path: `${maps}/a` })).status, 200);
    assert.equal((await ask(fork, { path: `${maps}/a` })).status, 404);
  });
});
