import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ClusterRole } from "@homeostat/kubernetes/rbac/v1";
import { operatorChart } from "../chart/operator-chart.ts";
import { defineOperator } from "../definition/define-operator.ts";
import type { Operator } from "../definition/operator.ts";
import { defaultSettings } from "../flags/read-flags.ts";
import { manifestFlags, manifestOptionsOf } from "../run/manifest-flags.ts";
import { parts } from "../testing/sample-operator.ts";
import { operatorManifests } from "./operator-manifests.ts";

const role = (name: string, verb: string): ClusterRole => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name, labels: { "example.com/for": "people" } },
  rules: [{ apiGroups: [""], resources: ["pods"], verbs: [verb] }],
});

const operator: Operator = defineOperator({
  name: "shop-operator",
  resources: [parts.Order],
  conversions: [parts.orderConversion],
  installation: {
    namespace: "shops",
    webhookServiceName: "webhook-service",
    webhookSecretName: "webhook-cert",
    terminationGraceSeconds: 15,
    resources: { requests: { cpu: "10m" } },
  },
  extras: {
    shopRoles: { help: "roles for shopkeepers", default: true, objects: () => [role("shopkeeper", "get")] },
    alertRules: {
      help: "alerts",
      default: false,
      objects({ instance }) {
        const { metadata, ...rest } = role(`${instance}-alerts`, "list");
        return [{ ...rest, metadata: { ...metadata, labels: { team: "1" } } }];
      },
    },
  },
});

const names = (options?: Parameters<typeof operatorManifests>[1]): string[] =>
  operatorManifests(operator, options).map(({ kind, metadata }) => `${kind} ${metadata.name}`);

describe("extras", () => {
  it("are installed by default or on request", () => {
    assert.ok(names().includes("ClusterRole shopkeeper"));
    assert.ok(!names().includes("ClusterRole shop-operator-alerts"));

    const others = names({ extras: { shopRoles: false, alertRules: true } });

    assert.ok(!others.includes("ClusterRole shopkeeper"));
    assert.ok(others.includes("ClusterRole shop-operator-alerts"));
  });

  it("have the labels of the installation and their own", () => {
    const found = operatorManifests(operator).find(({ metadata }) => metadata.name === "shopkeeper");

    assert.equal(found?.metadata.labels?.["example.com/for"], "people");
    assert.equal(found.metadata.labels["app.kubernetes.io/instance"], "shop-operator");
  });

  it("are selected on the command line", () => {
    const flags = manifestFlags(operator);
    const settings = { ...defaultSettings(flags), with: ["alert-rules"], without: ["shop-roles"] };

    assert.deepEqual(manifestOptionsOf(settings, operator).extras, { shopRoles: false, alertRules: true });
    assert.ok("problem" in flags.with.read("anything"));
  });

  it("are boolean values of the chart", () => {
    const chart = operatorChart(operator);

    assert.match(chart.get("values.yaml") ?? "", /^ {2}# Alerts\.\n {2}alertRules: false$/m);
    assert.match(chart.get("templates/extra-alert-rules.yaml") ?? "", /^\{\{- if \.Values\.extras\.alertRules \}\}/);
    assert.match(
      chart.get("templates/extra-alert-rules.yaml") ?? "",
      /include "shop-operator\.instance" \$ \}\}-alerts/,
    );
    assert.match(
      chart.get("templates/extra-alert-rules.yaml") ?? "",
      /include "shop-operator\.labels" \$ \| nindent 4 \}\}\n {4}team: "1"\n/,
      "an extra keeps its own labels",
    );
  });
});

describe("an installation with custom names", () => {
  it("uses them in all manifests", () => {
    const objects = operatorManifests(operator, { certificates: "cert-manager" });
    const text = JSON.stringify(objects);

    assert.ok(names().includes("Namespace shops"));
    assert.ok(names().includes("Service webhook-service"));
    assert.ok(text.includes('"dnsNames":["webhook-service.shops.svc","webhook-service.shops.svc.cluster.local"]'));
    assert.ok(text.includes('"secretName":"webhook-cert"'));
    assert.ok(!text.includes("shop-operator-webhook"), text);
  });

  it("uses them in the chart, with its own resources", () => {
    const chart = [...operatorChart(operator).values()].join("\n");

    assert.ok(chart.includes('secretName: {{ "webhook-cert" | quote }}'));
    assert.ok(chart.includes("terminationGracePeriodSeconds: 15"));
    assert.match(chart, /cpu: "?10m"?/);
    assert.ok(!chart.includes("-webhook-certificates"));
  });
});
