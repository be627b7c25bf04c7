import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, NetworkError, ServiceUnavailableError } from "@homeostat/core";
import { fuzz } from "@homeostat/fuzz";
import { Client } from "../client.ts";
import { MalformedResponseError } from "../errors.ts";
import { failure } from "../testing/kinds.ts";
import { pathOf, type Scripted, ScriptedTransport } from "../testing/scripted-transport.ts";
import { aggregatedAccept, readAggregated } from "./aggregated.ts";
import type { ApiResource, Discovery } from "./api-resource.ts";
import { readApiGroups, readApiResources, readApiVersions } from "./legacy.ts";
import { ResourceMapper } from "./resource-mapper.ts";

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const core = group("", [
  [
    "v1",
    [
      entry("pods", "Pod", { shortNames: ["po"], categories: ["all"], subresources: [{ subresource: "log" }, {}] }),
      entry("namespaces", "Namespace", { scope: "Cluster", shortNames: ["ns"] }),
      { resource: "nameless" },
    ],
  ],
]);
const apps = group("apps", [
  ["v1", [entry("deployments", "Deployment", { shortNames: ["deploy"], singularResource: "deployment" })]],
  ["v1beta1", [entry("deployments", "Deployment")]],
]);
const odd = group("odd.example", [
  ["v1", [entry("deploys", "Deploy"), entry("pods", "Pod", { shortNames: ["deployments"] })], "Stale"],
]);

describe("discover", () => {
  it("reads aggregated discovery from two documents", async () => {
    const { client, sockets } = serving({
      "/api": aggregated(core),
      "/apis": aggregated(apps, odd),
    });

    const { resources, failures } = await client.discover();

    assert.deepEqual(
      resources.map(({ group: g, version, plural }) => `${plural}.${version}.${g}`),
      [
        "pods.v1.",
        "namespaces.v1.",
        "deployments.v1.apps",
        "deployments.v1beta1.apps",
        "deploys.v1.odd.example",
        "pods.v1.odd.example",
      ],
    );
    assert.deepEqual(resources[0], {
      group: "",
      version: "v1",
      kind: "Pod",
      plural: "pods",
      scope: "Namespaced",
      singular: "pod",
      shortNames: ["po"],
      categories: ["all"],
      verbs: ["get"],
      subresources: ["log"],
    });
    assert.deepEqual([...failures.keys()], ["odd.example/v1"]);
    assert.ok(sockets.requests.every(({ headers }) => headers?.["accept"] === aggregatedAccept));
    assert.equal(sockets.requests.length, 2);
  });

  it("requests each group from a server without aggregated discovery, and lists failed groups", async () => {
    const { client } = serving({
      "/api": { json: { kind: "APIVersions", versions: ["v1"] } },
      "/apis": {
        json: {
          kind: "APIGroupList",
          groups: [
            {
              name: "apps",
              versions: [{ version: "v1beta1" }, { version: "v1" }],
              preferredVersion: { version: "v1" },
            },
            { name: "metrics.k8s.io", versions: [{ version: "v1beta1" }] },
            { name: "broken", versions: [{ version: "v1" }] },
          ],
        },
      },
      "/api/v1": {
        json: {
          resources: [
            { name: "pods", kind: "Pod", namespaced: true, verbs: ["list"], shortNames: ["po"] },
            { name: "pods/log", kind: "Pod" },
            { name: "pods/status", kind: "Pod" },
          ],
        },
      },
      "/apis/apps/v1": { json: { resources: [{ name: "deployments", kind: "Deployment", namespaced: true }] } },
      "/apis/apps/v1beta1": { json: { resources: [] } },
      "/apis/metrics.k8s.io/v1beta1": failure(503, "ServiceUnavailable"),
      "/apis/broken/v1": { text: "<html>" },
    });

    const { resources, failures } = await client.discover();

    assert.deepEqual(
      resources.map(({ plural, group: g }) => `${plural}.${g}`),
      ["pods.", "deployments.apps"],
    );
    assert.deepEqual(resources[0]?.subresources, ["log", "status"]);
    assert.equal(resources[0]?.singular, "pod");
    assert.deepEqual([...failures.keys()], ["metrics.k8s.io/v1beta1", "broken/v1"]);
  });

  it("accepts a missing root, and throws other errors", async () => {
    const half = serving({ "/api": { status: 404, text: "404 page not found" }, "/apis": aggregated(apps) });
    const unavailable = serving({ "/api": failure(503, "ServiceUnavailable"), "/apis": aggregated(apps) });
    const cut = serving({
      "/api": { json: { versions: ["v1"] } },
      "/apis": aggregated(),
      "/api/v1": { error: new NetworkError({}) },
    });
    const lying = serving({ "/api": { json: {}, headers: { "content-type": aggregatedType } }, "/apis": aggregated() });

    assert.equal((await half.client.discover()).resources.length, 2);
    await assert.rejects(unavailable.client.discover(), ServiceUnavailableError);
    await assert.rejects(cut.client.discover(), NetworkError);
    await assert.rejects(lying.client.discover(), MalformedResponseError);
  });

  it("parses mangled documents without an error, each within 100 ms", () => {
    const valid = [
      JSON.stringify({ kind: "APIGroupDiscoveryList", items: [core, apps] }),
      JSON.stringify({
        versions: ["v1"],
        groups: [{ name: "apps", versions: [{ version: "v1" }], preferredVersion: {} }],
      }),
      JSON.stringify({ resources: [{ name: "pods", kind: "Pod", namespaced: true }, { name: "pods/log" }] }),
    ];
    const pieces = [
      "null",
      "[",
      "]",
      "{",
      "}",
      '"',
      ",",
      ":",
      "7",
      "__proto__",
      "constructor",
      "/",
      "[]",
      "{}",
      "true",
    ];

    fuzz({
      count: 100_000,
      input: (chance) => chance.mutate(chance.pick(valid), pieces),
      run: (text) => {
        let document: unknown;
        try {
          document = JSON.parse(text);
        } catch {
          return;
        }
        readAggregated(document);
        readApiVersions(document);
        readApiGroups(document);
        readApiResources(document, { group: "g", version: "v1" });
      },
      isExpected: () => false,
    });
  });
});

describe("ResourceMapper", () => {
  const names: [string, string | undefined][] = [
    ["pods", "pods.v1."],
    ["pod", "pods.v1."],
    ["Pod", "pods.v1."],
    ["PO", "pods.v1."],
    ["deploy", "deploys.v1.odd.example"],
    ["deployments", "deployments.v1.apps"],
    ["deployments.apps", "deployments.v1.apps"],
    ["deployment.v1beta1.apps", "deployments.v1beta1.apps"],
    ["pods.odd.example", "pods.v1.odd.example"],
    ["pods.v1.", "pods.v1."],
    ["deployments.v9.apps", undefined],
    ["nothing", undefined],
    ["", undefined],
    ["__proto__", undefined],
  ];
  for (const [name, expected] of names) {
    it(`maps ${JSON.stringify(name)} to ${expected ?? "undefined"}`, async () => {
      const { mapper } = mapping(core, apps, odd);

      assert.equal(shown(await mapper.byName(name)), expected);
    });
  }

  it("finds a kind in the preferred version or in a given one", async () => {
    const { mapper } = mapping(core, apps);

    assert.equal(shown(await mapper.byKind({ group: "apps", kind: "Deployment" })), "deployments.v1.apps");
    assert.equal(
      shown(await mapper.byKind({ group: "apps", kind: "Deployment", version: "v1beta1" })),
      "deployments.v1beta1.apps",
    );
    assert.equal(await mapper.byKind({ group: "", kind: "Deployment" }), undefined);
    assert.equal(await mapper.byKind({ group: "apps", kind: "deployment" }), undefined);
  });

  it("runs discovery once for concurrent lookups, and again only for kinds that are not found", async () => {
    const { mapper, clock, state } = mapping(core);

    await Promise.all([mapper.byName("pods"), mapper.byName("ns"), mapper.all()]);
    const atFirst = state.asked;
    await mapper.byName("deploy");
    const tooSoon = state.asked;
    await clock.advance(1000);
    state.groups = [core, apps];
    const found = await mapper.byName("deploy");
    await mapper.byName("deploy");

    assert.deepEqual([atFirst, tooSoon, state.asked], [1, 1, 2]);
    assert.equal(shown(found), "deployments.v1.apps");
  });

  it("runs discovery again on request and after a failure", async () => {
    const { mapper, state } = mapping(core);
    state.error = new Error("no network");

    await assert.rejects(mapper.byName("pods"), /no network/);
    state.error = undefined;
    await mapper.byName("pods");
    await mapper.all();
    await mapper.all({ isFresh: true });

    assert.equal(state.asked, 3);
  });

  it("lets one caller abort without affecting the others", async () => {
    const { mapper } = mapping(core);
    const controller = new AbortController();

    const first = mapper.byName("pods", controller.signal);
    const second = mapper.byName("pods");
    controller.abort(new Error("enough"));

    await assert.rejects(first, /enough/);
    assert.equal(shown(await second), "pods.v1.");
  });
});

function entry(resource: string, kind: string, extra: object = {}): object {
  return { resource, responseKind: { kind }, scope: "Namespaced", verbs: ["get"], ...extra };
}

function group(name: string, versions: [string, object[], string?][]): object {
  return {
    metadata: { name },
    versions: versions.map(([version, resources, freshness = "Current"]) => ({ version, resources, freshness })),
  };
}

function aggregated(...items: object[]): Scripted {
  return { json: { kind: "APIGroupDiscoveryList", items }, headers: { "content-type": aggregatedType } };
}

function serving(scripts: Readonly<Record<string, Scripted>>): { client: Client; sockets: ScriptedTransport } {
  const sockets = new ScriptedTransport((request) => scripts[pathOf(request)] ?? { status: 500, text: request.path });
  return { client: new Client(sockets), sockets };
}

function mapping(...groups: object[]): {
  mapper: ResourceMapper;
  clock: FakeClock;
  state: { asked: number; groups: object[]; error: Error | undefined };
} {
  const clock = new FakeClock();
  const state: { asked: number; groups: object[]; error: Error | undefined } = { asked: 0, groups, error: undefined };
  const discover = async (): Promise<Discovery> => {
    state.asked += 1;
    await Promise.resolve();
    if (state.error !== undefined) throw state.error;
    const found = readAggregated({ kind: "APIGroupDiscoveryList", items: state.groups });
    assert.ok(found !== undefined);
    return found;
  };
  return { mapper: new ResourceMapper({ clock, discover }), clock, state };
}

function shown(resource: ApiResource | undefined): string | undefined {
  return resource === undefined ? undefined : `${resource.plural}.${resource.version}.${resource.group}`;
}
