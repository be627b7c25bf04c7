import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError, isRecord, type ResourceType } from "@homeostat/core";
import { mutatingWebhook, validatingWebhook } from "../admission/define-admission.ts";
import { caBundleTarget, readCaBundle, withCaBundle } from "./ca-bundle.ts";
import { clientConfig } from "./client-config.ts";
import { webhookManifests } from "./configurations.ts";

const Pod: ResourceType = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };
const webhooks = [
  validatingWebhook({ for: Pod, validate: () => [] }),
  mutatingWebhook({ for: Pod, mutate: () => undefined }),
];
const location = { service: { namespace: "shop", name: "hook" } };
const options = { name: "shop", webhooks, location, ownNamespace: "shop" };

describe("webhookManifests", () => {
  it("lists each webhook and excludes the program that serves it", () => {
    const { validating, mutating } = webhookManifests({ ...options, ownLabel: { key: "app", value: "shop" } });

    assert.deepEqual(validating?.webhooks, [
      {
        name: "validate--v1-pod.shop.core.k8s.io",
        admissionReviewVersions: ["v1"],
        clientConfig: { service: { namespace: "shop", name: "hook", path: "/validate--v1-pod" } },
        failurePolicy: "Fail",
        matchPolicy: "Equivalent",
        namespaceSelector: {
          matchExpressions: [
            { key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["shop", "kube-system"] },
          ],
        },
        objectSelector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["shop"] }] },
        rules: [
          {
            apiGroups: [""],
            apiVersions: ["v1"],
            operations: ["CREATE", "UPDATE"],
            resources: ["pods"],
            scope: "Namespaced",
          },
        ],
        sideEffects: "None",
        timeoutSeconds: 5,
      },
    ]);
    assert.equal(mutating?.webhooks?.[0]?.clientConfig.service?.path, "/mutate--v1-pod");
  });

  it("uses the name of a webhook that has one", () => {
    const named = [
      validatingWebhook({ for: Pod, validate: () => [], name: "vpod.example.com" }),
      mutatingWebhook({ for: Pod, mutate: () => undefined, name: "mpod.example.com" }),
    ];

    const { validating, mutating } = webhookManifests({ ...options, webhooks: named });

    assert.equal(validating?.webhooks?.[0]?.name, "vpod.example.com");
    assert.equal(mutating?.webhooks?.[0]?.name, "mpod.example.com");
  });

  it("calls a webhook as its definition says", () => {
    const expression = "has(object.metadata.annotations)";
    const calls = {
      operations: ["CREATE"],
      failurePolicy: "Ignore",
      reinvocationPolicy: "IfNeeded",
      matchConditions: [{ name: "annotated", expression }],
      excludedNamespaces: ["quiet"],
    } as const;
    const called = [mutatingWebhook({ for: Pod, mutate: () => undefined, calls })];

    const [webhook] = webhookManifests({ ...options, webhooks: called }).mutating?.webhooks ?? [];

    assert.deepEqual(webhook?.rules?.[0]?.operations, ["CREATE"]);
    assert.deepEqual([webhook?.failurePolicy, webhook?.reinvocationPolicy], ["Ignore", "IfNeeded"]);
    assert.deepEqual(webhook?.matchConditions, [{ name: "annotated", expression }]);
    assert.deepEqual(webhook?.namespaceSelector?.matchExpressions?.[0]?.values, ["shop", "kube-system", "quiet"]);
  });

  it("omits a configuration without webhooks", () => {
    assert.deepEqual(webhookManifests({ ...options, webhooks: [] }), {});
  });

  it("refuses a timeout that API servers refuse", () => {
    assert.throws(() => webhookManifests({ ...options, timeoutSeconds: 31 }), ArgumentError);
    assert.throws(() => clientConfig({ url: "http://127.0.0.1" }, "/x"), ArgumentError);
    assert.deepEqual(clientConfig({ url: "https://127.0.0.1:9443" }, "/x"), { url: "https://127.0.0.1:9443/x" });
  });
});

describe("a CA bundle", () => {
  it("is written to every webhook of a configuration and read from there", () => {
    const { validating } = webhookManifests({ ...options, webhooks: webhooks.concat(webhooks) });
    assert.ok(isRecord(validating));

    const trusted = withCaBundle(validating, "PEM");

    assert.equal(readCaBundle(validating), "");
    assert.equal(readCaBundle(trusted), "PEM");
    assert.match(JSON.stringify(trusted), /"caBundle":"UEVN".*"caBundle":"UEVN"/);
  });

  it("is written to the conversion of a CRD, and nowhere if it has none", () => {
    const webhook = { clientConfig: clientConfig(location, "/convert"), conversionReviewVersions: ["v1"] };
    const crd = { spec: { conversion: { strategy: "Webhook", webhook } } };

    assert.equal(readCaBundle(withCaBundle(crd, "PEM")), "PEM");
    assert.deepEqual(withCaBundle({ spec: {} }, "PEM"), { spec: {} });
  });

  it("is written with the resourceVersion that was read, once there is a webhook", async () => {
    let stored: Record<string, unknown> = { metadata: { resourceVersion: "7" }, webhooks: [] };
    const target = caBundleTarget({
      name: "x",
      read: async () => stored,
      replace: async (object) => void (stored = object),
    });

    assert.equal(await target.read(), undefined);
    stored = {
      metadata: { resourceVersion: "8" },
      webhooks: [{ clientConfig: {} }, { clientConfig: { caBundle: "UEVN" } }],
    };
    const read = await target.read();
    await target.write("PEM", "8");

    assert.deepEqual(read, { bundle: "\nPEM", resourceVersion: "8" });
    assert.equal(readCaBundle(stored), "PEM");
  });
});
