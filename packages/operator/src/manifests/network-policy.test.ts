import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineOperator } from "../definition/define-operator.ts";
import { sample } from "../testing/sample-operator.ts";
import { networkPolicyManifest } from "./network-policy.ts";
import { operatorManifests } from "./operator-manifests.ts";
import { type ManifestOptions } from "../installation/options.ts";
import { installationOf } from "../definition/installation.ts";

const specOf = (options: ManifestOptions = {}) => networkPolicyManifest(installationOf(sample, options)).spec;
const tcp = (port: number): object => ({ protocol: "TCP", port });

describe("networkPolicyManifest", () => {
  it("is installed by default, opens the ports of the pods and limits no egress", () => {
    const found = operatorManifests(sample).filter(({ kind }) => kind === "NetworkPolicy");

    assert.equal(found.length, 1);
    assert.deepEqual(specOf(), {
      podSelector: {
        matchLabels: { "app.kubernetes.io/name": "shop-operator", "app.kubernetes.io/instance": "shop-operator" },
      },
      policyTypes: ["Ingress"],
      ingress: [{ ports: [tcp(8081), tcp(9443)] }, { ports: [tcp(8080)] }],
    });
    assert.ok(!operatorManifests(sample, { networkPolicy: false }).some(({ kind }) => kind === "NetworkPolicy"));
  });

  it("opens the ports of the installation, and metrics only to the given peers", () => {
    const metricsFrom = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }];

    assert.deepEqual(specOf({ webhookPort: 10_250, metricsPort: 8443, metricsFrom })?.ingress, [
      { ports: [tcp(8081), tcp(10_250)] },
      { ports: [tcp(8443)], from: metricsFrom },
    ]);
    assert.deepEqual(specOf({ webhooks: false, metrics: false })?.ingress, [{ ports: [tcp(8081)] }]);
  });

  it("allows DNS and the given ports when it limits egress", () => {
    const dns = { ports: [{ protocol: "UDP", port: 53 }, tcp(53)] };
    const caller = defineOperator({ name: "caller", installation: { egressPorts: [443, 6443, 8089] } });

    assert.deepEqual(specOf({ limitEgress: true })?.policyTypes, ["Ingress", "Egress"]);
    assert.deepEqual(specOf({ limitEgress: true })?.egress, [dns, { ports: [tcp(443), tcp(6443)] }]);
    assert.deepEqual(specOf({ limitEgress: true, egressPorts: [8443] })?.egress, [dns, { ports: [tcp(8443)] }]);
    assert.deepEqual(networkPolicyManifest(installationOf(caller, { limitEgress: true })).spec?.egress, [
      dns,
      { ports: [tcp(443), tcp(6443), tcp(8089)] },
    ]);
  });
});
