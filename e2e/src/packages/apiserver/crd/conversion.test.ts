// Two servers that call the same conversion webhook.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import { apply, del, get, patch, post, until, watch } from "../cases/case.ts";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { differences } from "./compare.ts";
import { type ConverterServer, faultNames, startConverter } from "./converter.ts";
import { definition } from "./definitions.ts";
import { type Servers, startServers } from "./servers.ts";

const skip = (await reasonToSkip({ need: "apiserver" })) ?? false;
const group = "turn.homeostat.test";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

describe("webhook conversion, compared with a real server", { skip }, () => {
  let servers: Servers;
  let converter: ConverterServer;

  before(async () => {
    [servers, converter] = await Promise.all([startServers(), startConverter()]);
    for (const [plural, kind] of [
      ["sites", "Site"],
      ["faulties", "Faulty"],
    ] as const) {
      const steps = [post(definitions, turning(plural, kind, converter)), until(`/apis/${group}/v2/${plural}`)];
      assert.deepEqual(await differences(servers, { name: plural, steps }), []);
    }
  });

  after(async () => {
    converter.close();
    await servers.close();
  });

  const at = (version: string, plural = "sites"): string => `/apis/${group}/${version}/namespaces/{ns}/${plural}`;
  const site = (version: string, name: string, spec: JsonRecord, over: JsonRecord = {}): JsonRecord => ({
    apiVersion: `${group}/${version}`,
    kind: "Site",
    metadata: { name },
    spec,
    ...over,
  });

  it("reads, writes, applies and watches in every version", async () => {
    const steps = [
      post(at("v1"), site("v1", "a", { host: "h", port: 1 })),
      get(`${at("v2")}/a`),
      post(at("v2"), site("v2", "b", { address: "i:2", zz: 1 })),
      get(`${at("v1")}/b`),
      get(at("v2")),
      patch("merge", `${at("v2")}/a`, { spec: { address: "j:3" } }),
      patch("merge", `${at("v2")}/a`, { spec: { address: "much too long:3" } }),
      get(`${at("v1")}/a`),
      apply(`${at("v2")}/a`, "two", site("v2", "a", { address: "k:4" }), { force: true }),
      apply(`${at("v1")}/a`, "one", site("v1", "a", { host: "l" })),
      apply(`${at("v1")}/a`, "one", site("v1", "a", { host: "l" }), { force: true }),
      patch("merge", `${at("v2")}/a/status`, { status: { phase: "Up" } }),
      get(`${at("v2")}?fieldSelector=spec.address%3Di:2`),
      get(at("v2"), { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } }),
      watch(`${at("v2")}?watch=1&resourceVersion=0&timeoutSeconds=2`, 2),
      del(`${at("v2")}/b`),
      get(`${at("v1")}/a`),
    ];

    const found = await differences(servers, { name: "sites", steps }, { isBusy: true });

    assert.equal(found.length, 0, `${found.length} differ\n${found.slice(0, 4).join("\n\n")}`);
  });

  it(`rejects invalid responses of the webhook with the same messages (${faultNames.length} faults)`, async () => {
    const steps = faultNames.flatMap((fault) => [
      post(at("v1", "faulties"), { ...site("v1", fault, { host: "h", port: 1, fault }), kind: "Faulty" }),
      get(`${at("v2", "faulties")}/${fault}`),
      post(`${at("v2", "faulties")}?dryRun=All`, { ...site("v2", "new", { address: "h:1", fault }), kind: "Faulty" }),
    ]);

    const found = await differences(servers, { name: "faulties", steps }, { isBusy: true });

    assert.equal(found.length, 0, `${found.length} differ\n${found.slice(0, 4).join("\n\n")}`);
  });
});

function turning(plural: string, kind: string, { url, caBundle }: ConverterServer): JsonRecord {
  const schema = (properties: JsonRecord): JsonRecord => ({
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: { type: "object", properties: { ...properties, fault: { type: "string" } } },
        status: { type: "object", properties: { phase: { type: "string" } } },
      },
    },
  });
  const text = { type: "string", maxLength: 5 };
  const v1 = schema({ host: text, port: { type: "integer" }, mode: { type: "string", default: "plain" } });
  const v2 = schema({ address: { ...text, maxLength: 9 }, mode: { type: "string" } });
  const rest = { served: true, subresources: { status: {} } };
  return definition(
    {
      group,
      names: { plural, kind },
      versions: [
        { name: "v1", storage: true, schema: v1, ...rest },
        { name: "v2", storage: false, schema: v2, selectableFields: [{ jsonPath: ".spec.address" }], ...rest },
      ],
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url, caBundle }, conversionReviewVersions: ["v7", "v1"] },
      },
    },
    { name: `${plural}.${group}` },
  );
}
