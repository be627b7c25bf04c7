import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DriftEntry, DriftView, Overview, ResourceView, WhyView } from "../api/types.ts";
import { plainPage } from "./plain-page.ts";

const nowMs = Date.parse("2026-01-01T01:00:00Z");
const driftEntry: DriftEntry = {
  at: "2026-01-01T00:58:00Z",
  object: "Deployment shop/web",
  fields: ["spec.replicas"],
  managers: ["kubectl-edit"],
  wasDeleted: false,
  reconcileId: "1",
  controller: "sites",
};
const hostile = `<img src=x onerror="alert(1)">`;
const site = { group: "example.com", version: "v1", kind: "Site", plural: "sites", namespace: "shop", name: "web" };

function render(path: string, state: unknown, secondState?: unknown): string {
  return plainPage(new URL(path, "http://localhost"))?.render(state, nowMs, secondState) ?? "";
}

describe("plainPage", () => {
  it("lists resources with problems first, and links to pages without scripts", () => {
    const row = { ...site, uid: "1", createdAt: "2026-01-01T00:00:00Z" };
    const overview: Overview = {
      kinds: [{ ...site, isNamespaced: true, problem: "sites is forbidden" }],
      rows: [
        { ...row, state: "ready", word: "Ready", message: "" },
        { ...row, name: "broken", uid: "2", state: "problem", word: "Failed", message: hostile },
      ],
    };

    const text = render("/?plain", overview);

    assert.match(text, /1 problem, 0 progressing, 0 unknown, 1 ready, 0 finished/);
    assert.match(text, /Site: sites is forbidden/);
    assert.match(text, /<a href="\/resource\/example.com\/Site\/shop\/broken\?plain">broken<\/a>/);
    assert.ok(text.indexOf(">broken<") < text.indexOf(">web<"));
    assert.match(text, /title="2026-01-01T00:00:00Z">1 h</);
    assert.doesNotMatch(text, /<img/);
    assert.doesNotMatch(text, /<script/);
  });

  it("limits the number of resources, and says how many are missing", () => {
    const rows = Array.from({ length: 1_002 }, (_, index) => ({
      ...site,
      name: `web-${index}`,
      uid: String(index),
      createdAt: "2026-01-01T00:00:00Z",
      state: "ready" as const,
      word: "Ready",
      message: "",
    }));

    const text = render("/?plain", { kinds: [], rows });

    assert.equal(text.match(/<tr>/g)?.length, 1_001, "with the head");
    assert.match(text, /2 more resources are not shown/);
  });

  it("shows the tree, conditions, events and YAML of a resource", () => {
    const node = { ...site, uid: "1", createdAt: "2026-01-01T00:00:00Z", state: "ready", word: "Ready" } as const;
    const resource: ResourceView = {
      ref: site,
      uid: "1",
      resourceVersion: "7",
      health: { state: "progressing", word: "Starting", message: "1 of 2 pods are ready" },
      tree: [
        { ...node, message: "" },
        { ...node, kind: "Deployment", name: "web-server", uid: "2", parent: "1", message: "" },
        { ...node, kind: "Pod", name: "web-server-0", uid: "3", parent: "2", message: hostile },
      ],
      treeOmitted: 3,
      hiddenKinds: ["secrets"],
      conditions: [
        {
          type: "Ready",
          status: "False",
          reason: "Starting",
          message: "",
          since: "2026-01-01T00:30:00Z",
          meaning: "Pods start.",
          action: "Wait.",
        },
      ],
      events: [
        {
          uid: "9",
          type: "Warning",
          reason: "BackOff",
          message: hostile,
          count: 4,
          at: "2026-01-01T00:59:00Z",
          reporter: "kubelet",
          about: "Pod shop/web-server-0",
        },
      ],
      yaml: [{ text: "kind: Site", managers: ["kubectl"] }],
      labels: {},
      spec: {},
      status: {},
      actions: [],
      mayDelete: true,
    };

    const drift: DriftView = { entries: [driftEntry], hasHistory: true, problems: [] };
    const text = render("/resource/example.com/Site/shop/web?plain", resource, drift);

    assert.match(text, /<h1>Site web<\/h1>/);
    assert.match(text, /1 of 2 pods are ready/);
    assert.match(text, /web-server<\/a>[^]*<ul class="tree">\s*<li>[^]*web-server-0<\/a>/);
    assert.match(text, /3 more objects are not shown[^]*You are not allowed to list secrets/);
    assert.match(text, /<td>Ready<\/td><td>False<\/td><td>Starting<\/td>[^]*Pods start. Wait./);
    assert.match(text, /<td>BackOff<\/td><td>Pod shop\/web-server-0<\/td>[^]*<td>4<\/td>/);
    assert.match(text, /<td>Deployment shop\/web<\/td><td>spec.replicas<\/td><td>kubectl-edit<\/td>/);
    assert.match(
      render("/resource/example.com/Site/shop/web?plain", resource, { entries: [], hasHistory: true, problems: [] }),
      /has corrected no drift/,
    );
    assert.match(text, /<pre class="scroll" tabindex="0">kind: Site<\/pre>/);
    assert.doesNotMatch(text, /<img|<button/);
  });

  it("says that an object does not exist", () => {
    assert.match(render("/resource/example.com/Site/shop/gone?plain", undefined), /The object does not exist/);
  });

  it("shows reconciles and processes", () => {
    const why: WhyView = {
      ref: site,
      histories: [
        {
          process: "operator-0",
          controller: "sites",
          explanation: {
            now: { state: "delayed", held: { why: "hot-loop", until: "2026-01-01T01:00:30Z" } },
            reconciles: [
              {
                startedAt: "2026-01-01T00:59:50Z",
                durationMs: 12,
                why: ["Site changed"],
                result: "retry",
                error: { code: "CONFLICT", message: hostile },
                reads: [
                  { verb: "get", resource: "pods", source: "cache", of: ["shop/web-0"], reads: 9, objects: 8 },
                  {
                    verb: "list",
                    resource: "secrets",
                    source: "live",
                    of: ["all"],
                    reads: 1,
                    objects: 0,
                    ms: 3,
                    failures: 1,
                  },
                ],
                decisions: [{ about: "gate", result: "closed" }],
                writes: [{ verb: "apply", resource: "deployments", key: "shop/web", result: "conflict", ms: 4 }],
                writesOmitted: 2,
              },
            ],
            drifts: [{ ...driftEntry, fields: [], managers: [], wasDeleted: true }],
          },
        },
      ],
      processes: [{ name: "operator-1", problem: "does not respond", controllers: [], informers: [] }],
    };

    const text = render("/why/example.com/Site/shop/web?plain", why);

    assert.match(text, /Now delayed. Held because of hot-loop, ends in 30 s./);
    assert.match(text, /<td>Site changed<\/td><td>retry: CONFLICT: &lt;img/);
    assert.match(text, /get pods from the cache, 9 reads, 8 found \(shop\/web-0\)/);
    assert.match(text, /list secrets from the API server, 3 ms, nothing found, 1 failed \(all\)/);
    assert.match(text, /gate: closed/);
    assert.match(text, /<td>Deployment shop\/web<\/td><td>deleted<\/td><td>another client<\/td>/);
    assert.match(text, /apply deployments shop\/web: conflict, 4 ms; 2 more/);
    assert.match(text, /Process operator-1[^]*does not respond/);
    assert.match(render("/operators?plain", { histories: [], processes: [] }), /No operator process was found/);
  });

  it("has no page for other addresses", () => {
    assert.equal(plainPage(new URL("http://localhost/settings?plain")), undefined);
  });
});
