import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord, readPointer } from "@homeostat/core";
import { ConfigMap, Secret, Service } from "@homeostat/kubernetes/core/v1";
import { operatorChart } from "../chart/operator-chart.ts";
import { defineOperator } from "../definition/define-operator.ts";
import type { Operator } from "../definition/operator.ts";
import { OperatorDefinitionError } from "../errors.ts";
import { flag } from "../flags/flag.ts";
import { runOperator } from "../run/run-operator.ts";
import { parts } from "../testing/sample-operator.ts";
import { type Manifest, operatorManifests } from "./operator-manifests.ts";

/** A program that all replicas run, with ports and a certificate. */
const till = defineOperator({
  name: "shop-till",
  version: "1.2.0",
  description: "Takes payments.",
  flags: { settings: flag.text({ default: "shop-settings", help: "name of a ConfigMap" }) },
  installation: {
    leaderElection: false,
    metricsPort: 9091,
    servicePorts: [
      { name: "cash", port: 7000 },
      { name: "cards", port: 7001, from: [{ podSelector: {} }] },
    ],
    secretFiles: [{ name: "certificate", secret: "shop-ca", keys: ["tls.crt", "tls.key"], mountPath: "/etc/tls" }],
  },
  access: [{ type: Service, verbs: ["list", "watch"] }],
  ownAccess: ({ settings }) => [{ type: ConfigMap, verbs: ["list", "watch"], names: [settings] }],
});

const shop = defineOperator({
  name: "shop-operator",
  version: "1.2.0",
  resources: [parts.Shop],
  controllers: [parts.shops],
  ownAccess: [{ type: Secret, verbs: ["get"], names: ["shop-ca"] }],
  companions: [till],
});

function find(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  assert.ok(found, `${kind} ${name}`);
  return found;
}

async function printed(
  operator: Operator,
  ...argv: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runOperator(operator, {
    argv,
    env: {},
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, out: out.join(""), err: err.join("") };
}

describe("a companion", () => {
  const manifests = operatorManifests(shop, { namespace: "shops", labels: { team: "a" } });

  it("is installed with the operator, in its namespace", () => {
    const names = manifests.filter(({ metadata }) => metadata.name?.startsWith("shop-till")).map(({ kind }) => kind);

    assert.deepEqual(names, [
      "ServiceAccount",
      "ClusterRole",
      "ClusterRoleBinding",
      "Role",
      "RoleBinding",
      "NetworkPolicy",
      "Service",
      "Deployment",
      "PodDisruptionBudget",
    ]);
    const { metadata } = find(manifests, "Deployment", "shop-till");
    assert.deepEqual([metadata.namespace, metadata.labels?.["team"]], ["shops", "a"]);
    assert.equal(manifests.filter(({ kind }) => kind === "Namespace").length, 1);
  });

  it("serves its ports and metrics at one Service", () => {
    const service = find(manifests, "Service", "shop-till");
    const ports = readPointer(service, "/spec/ports");

    assert.deepEqual(ports, [
      { name: "cash", port: 7000, targetPort: "cash", protocol: "TCP" },
      { name: "cards", port: 7001, targetPort: "cards", protocol: "TCP" },
      { name: "metrics", port: 9091, targetPort: "metrics", protocol: "TCP" },
    ]);
    assert.ok(!manifests.some(({ metadata }) => metadata.name === "shop-till-metrics"));
  });

  it("mounts only the listed keys of a Secret and needs no leader", () => {
    const pod = readPointer(find(manifests, "Deployment", "shop-till"), "/spec/template/spec");

    assert.deepEqual(readPointer(pod, "/volumes"), [
      {
        name: "certificate",
        secret: {
          secretName: "shop-ca",
          items: [
            { key: "tls.crt", path: "tls.crt" },
            { key: "tls.key", path: "tls.key" },
          ],
        },
      },
    ]);
    assert.deepEqual(readPointer(pod, "/containers/0/volumeMounts"), [
      { name: "certificate", mountPath: "/etc/tls", readOnly: true },
    ]);
    const args = readPointer(pod, "/containers/0/args");
    assert.ok(Array.isArray(args) && args.includes("--leader-elect=false"));
    const ports = readPointer(pod, "/containers/0/ports");
    assert.ok(Array.isArray(ports));
    assert.deepEqual(
      ports.map((each) => (isRecord(each) ? [each["name"], each["containerPort"]] : each)),
      [
        ["metrics", 9091],
        ["health", 8081],
        ["cash", 7000],
        ["cards", 7001],
      ],
    );
  });

  it("limits ports with peers in the NetworkPolicy, and options replace the peers", () => {
    const rulesOf = (objects: readonly Manifest[]): unknown =>
      readPointer(find(objects, "NetworkPolicy", "shop-till"), "/spec/ingress");
    const cash = { ports: [{ protocol: "TCP", port: 7000 }] };
    const cards = { ports: [{ protocol: "TCP", port: 7001 }] };
    const base = [{ ports: [{ protocol: "TCP", port: 8081 }] }, { ports: [{ protocol: "TCP", port: 9091 }] }];

    assert.deepEqual(rulesOf(manifests), [...base, cash, { ...cards, from: [{ podSelector: {} }] }]);
    const peers = [{ ipBlock: { cidr: "10.0.0.0/8" } }];
    const other = operatorManifests(shop, { companions: { "shop-till": { portsFrom: { cards: peers } } } });
    assert.deepEqual(rulesOf(other), [...base, cash, { ...cards, from: peers }]);
  });

  it("has permissions of its own, in its namespace those of ownAccess", () => {
    const rules = (kind: string, name: string): unknown => readPointer(find(manifests, kind, name), "/rules");

    assert.deepEqual(rules("ClusterRole", "shop-till"), [
      { apiGroups: [""], resources: ["services"], verbs: ["list", "watch"] },
    ]);
    assert.deepEqual(rules("Role", "shop-till-own"), [
      { apiGroups: [""], resources: ["configmaps"], resourceNames: ["shop-settings"], verbs: ["list", "watch"] },
    ]);
    const role = find(manifests, "Role", "shop-operator-own");
    assert.equal(role.metadata.namespace, "shops");
    const own = readPointer(role, "/rules");
    assert.ok(Array.isArray(own));
    assert.deepEqual(own[0], { apiGroups: [""], resources: ["secrets"], resourceNames: ["shop-ca"], verbs: ["get"] });
  });

  it("has a name of its own in a second installation, and can be left out", () => {
    const second = operatorManifests(shop, { instance: "second" });
    find(second, "Deployment", "second-shop-till");
    const without = operatorManifests(shop, { companions: { "shop-till": false } });
    assert.ok(!without.some(({ metadata }) => metadata.name?.startsWith("shop-till")));
  });

  it("is a subchart with a condition", () => {
    const chart = operatorChart(shop, { version: "2.0.0" });

    assert.match(chart.get("Chart.yaml") ?? "", /dependencies:\n\s*- (?:.*\n)*?.*condition: shop-till\.enabled/);
    assert.match(chart.get("values.yaml") ?? "", /^shop-till:\n {2}enabled: true$/m);
    assert.match(chart.get("charts/shop-till/Chart.yaml") ?? "", /^version: "?2\.0\.0"?$/m);
    const schema: unknown = JSON.parse(chart.get("charts/shop-till/values.schema.json") ?? "");
    assert.deepEqual(readPointer(schema, "/properties/enabled"), { type: "boolean" });
    const templates = [...chart.keys()].filter((path) => path.startsWith("charts/shop-till/templates/"));
    assert.ok(templates.includes("charts/shop-till/templates/service.yaml"));
    assert.ok(!templates.includes("charts/shop-till/templates/metrics-service.yaml"));
    assert.doesNotMatch(chart.get("charts/shop-till/templates/deployment.yaml") ?? "", /fail "replicas/);
  });

  it("gets its image from the command line", async () => {
    const { out } = await printed(shop, "manifests", "--companion-images", "shop-till=example.com/till:9");
    assert.match(out, /image: "?example\.com\/till:9/);
    assert.doesNotMatch((await printed(shop, "manifests", "--without", "shop-till")).out, /shop-till/);
    const { code, err } = await printed(shop, "manifests", "--companion-images", "other=x");
    assert.deepEqual([code, err.includes("NAME=IMAGE")], [2, true]);
  });

  it("is refused with ports that clash and with names that repeat", () => {
    const define = (): unknown =>
      defineOperator({
        name: "bad",
        companions: [till, till],
        installation: {
          servicePorts: [
            { name: "A_b", port: 8081 },
            { name: "x", port: 70_000 },
            { name: "x", port: 7000 },
            { name: "range", port: 7100, endPort: 7099 },
          ],
        },
        ownAccess: [{ type: Secret, verbs: ["*"] }],
      });

    assert.throws(define, (error: unknown) => {
      assert.ok(error instanceof OperatorDefinitionError);
      const paths = error.problems.map(({ path }) => path);
      assert.deepEqual(paths, [
        "ownAccess[0]",
        "installation.servicePorts[2]",
        "installation.servicePorts[0]",
        "installation.servicePorts[0]",
        "installation.servicePorts[1]",
        "installation.servicePorts[3]",
        "companions[1]",
      ]);
      return true;
    });
  });
});
