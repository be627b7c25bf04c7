import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type KubeObject, UsageError } from "@homeostat/core";
import { hasWebhooks, installedObjects } from "./installed-objects.ts";

const server = { host: "172.18.0.1", port: 9443, authority: "PEM" };
const service = { namespace: "default", name: "sites", path: "/validate", port: 443 };
const object = (kind: string, fields: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "sites" },
  ...fields,
});
const crd = (spec: object = {}): KubeObject => object("CustomResourceDefinition", { spec: { group: "a", ...spec } });
const conversion = {
  strategy: "Webhook",
  webhook: { conversionReviewVersions: ["v1"], clientConfig: { service: { ...service, path: "/convert" } } },
};
const validating = object("ValidatingWebhookConfiguration", {
  webhooks: [{ name: "a", clientConfig: { service }, sideEffects: "None" }],
});
const caBundle = Buffer.from("PEM").toString("base64");

describe("objects that are installed for a program on this machine", () => {
  it("are CRDs and webhook configurations, whose webhooks are called at an address", () => {
    const others = ["Deployment", "ServiceAccount", "ClusterRole", "Service"].map((kind) => object(kind));

    assert.deepEqual(installedObjects([...others, crd({ conversion }), validating], server), [
      crd({
        conversion: {
          strategy: "Webhook",
          webhook: {
            conversionReviewVersions: ["v1"],
            clientConfig: { url: "https://172.18.0.1:9443/convert", caBundle },
          },
        },
      }),
      object("ValidatingWebhookConfiguration", {
        webhooks: [
          { name: "a", clientConfig: { url: "https://172.18.0.1:9443/validate", caBundle }, sideEffects: "None" },
        ],
      }),
    ]);
  });

  it("are CRDs only if the API server cannot reach this machine, unless one converts by a webhook", () => {
    assert.deepEqual(installedObjects([crd(), validating], undefined), [crd()]);
    assert.throws(
      () => installedObjects([crd({ conversion })], undefined),
      (error) => error instanceof UsageError && /versions of sites are converted .* --webhook-host/.test(error.message),
    );
  });

  it("write IPv6 addresses in brackets", () => {
    const [installed] = installedObjects([validating], { ...server, host: "::1" });

    assert.match(JSON.stringify(installed), /https:\/\/\[::1\]:9443\/validate/);
  });

  it("have webhooks if a configuration or a conversion is among them", () => {
    assert.equal(hasWebhooks([crd(), object("Deployment")]), false);
    assert.equal(hasWebhooks([crd({ conversion })]), true);
    assert.equal(hasWebhooks([validating]), true);
  });
});
