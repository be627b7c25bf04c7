import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { readYaml } from "@homeostat/apiserver/internal";
import { isRecord } from "@homeostat/core";
import { operatorAccess, operatorChart, operatorManifests, type Manifest } from "@homeostat/operator";
import { tenantOperator } from "../operator.ts";
import { tenantAlerts } from "./alerts.ts";

const operator = tenantOperator();
const manifests = operatorManifests(operator);

const find = (kind: string, name: string): Manifest => {
  const found = manifests.find((object) => object.kind === kind && object.metadata.name === name);
  assert.ok(found, `${kind} ${name}`);
  return found;
};

const readText = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");

/** Returns a nested field by names and indexes. */
const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((inside, step) => {
    if (Array.isArray(inside)) return (inside as unknown[])[Number(step)];
    return isRecord(inside) ? inside[step] : undefined;
  }, value);

const all = "create delete get list patch watch";

/** All permissions of the operator: resources and verbs. */
const rights: Readonly<Record<string, string>> = {
  "neurallog.io/tenants": "get list patch watch",
  "neurallog.io/tenants/status": "patch",
  "neurallog.io/tenants/finalizers": "update",
  "/namespaces": all,
  "/services": all,
  "/configmaps": all,
  "/serviceaccounts": all,
  "/resourcequotas": all,
  "/limitranges": all,
  "/secrets": "create delete get patch",
  "/persistentvolumeclaims": "list patch watch",
  "/pods": "list watch",
  "/events": "list",
  "events.k8s.io/events": "create patch",
  "apps/statefulsets": all,
  "apps/deployments": all,
  "networking.k8s.io/networkpolicies": all,
  "rbac.authorization.k8s.io/rolebindings": all,
  "rbac.authorization.k8s.io/clusterroles [neurallog-tenant-admin neurallog-tenant-editor neurallog-tenant-viewer]":
    "bind",
  "policy/poddisruptionbudgets": all,
  "storage.k8s.io/storageclasses": "get",
  "authentication.k8s.io/tokenreviews": "create",
  "authorization.k8s.io/subjectaccessreviews": "create",
  "apiextensions.k8s.io/customresourcedefinitions [tenants.neurallog.io]": "get",
  "admissionregistration.k8s.io/mutatingwebhookconfigurations [neurallog-operator]": "get update",
  "admissionregistration.k8s.io/validatingwebhookconfigurations [neurallog-operator]": "get update",
  "neurallog-system: /secrets": "create",
  "neurallog-system: /secrets [webhook-server-cert]": "get update",
  "neurallog-system: coordination.k8s.io/leases": "create",
  "neurallog-system: coordination.k8s.io/leases [neurallog-operator.neurallog.io]": "get update",
};

describe("the permissions of the operator", () => {
  it("are exactly those that it needs", () => {
    const found = operatorAccess(operator).map((rule) => {
      const place = rule.namespace === undefined ? "" : `${rule.namespace}: `;
      const part = rule.subresource === undefined ? "" : `/${rule.subresource}`;
      const names = rule.names === undefined ? "" : ` [${rule.names.join(" ")}]`;
      return [`${place}${rule.group}/${rule.resource}${part}${names}`, rule.verbs.toSorted().join(" ")];
    });

    assert.deepEqual(Object.fromEntries(found), rights);
  });

  it("have no wildcard, and neither create nor delete tenants", () => {
    const text = JSON.stringify(manifests.filter(({ kind }) => kind.endsWith("Role")));

    assert.ok(!text.includes('"*"'));
    assert.doesNotMatch(rights["neurallog.io/tenants"] ?? "", /create|delete/);
  });
});

describe("the manifests of the operator", () => {
  it("have the documented names", () => {
    assert.equal(find("Namespace", "neurallog-system").kind, "Namespace");
    const service = find("Service", "webhook-service");
    assert.equal(at(service, "spec", "ports", 0, "port"), 443);
    assert.equal(at(service, "metadata", "namespace"), "neurallog-system");
  });

  it("run two replicas with restricted security and small requests", () => {
    const spec = at(find("Deployment", "neurallog-operator"), "spec");
    const pod = at(spec, "template", "spec");
    const container = at(pod, "containers", 0);

    assert.equal(at(spec, "replicas"), 2);
    assert.equal(at(pod, "terminationGracePeriodSeconds"), 15);
    assert.equal(at(pod, "securityContext", "runAsNonRoot"), true);
    assert.deepEqual(at(pod, "securityContext", "seccompProfile"), { type: "RuntimeDefault" });
    assert.deepEqual(at(container, "resources"), {
      requests: { cpu: "10m", memory: "64Mi" },
      limits: { cpu: "500m", memory: "256Mi" },
    });
    assert.equal(at(container, "securityContext", "readOnlyRootFilesystem"), true);
    assert.deepEqual(at(container, "securityContext", "capabilities"), { drop: ["ALL"] });
    assert.equal(at(container, "livenessProbe", "initialDelaySeconds"), 15);
    assert.equal(at(container, "livenessProbe", "periodSeconds"), 20);
    assert.ok(JSON.stringify(at(container, "args")).includes("--leader-elect=true"));
  });

  it("serve metrics to authenticated readers only, by flag, roles and chart value", () => {
    const args = at(find("Deployment", "neurallog-operator"), "spec", "template", "spec", "containers", 0, "args");
    const values = readYaml(operatorChart(operator).get("values.yaml") ?? "").value;
    const open = operatorManifests(operator, { metricsSecure: false });

    assert.ok(JSON.stringify(args).includes("--metrics-secure=true"));
    assert.deepEqual(at(find("ClusterRole", "neurallog-operator-metrics-reader"), "rules"), [
      { nonResourceURLs: ["/metrics"], verbs: ["get"] },
    ]);
    assert.equal(find("ClusterRoleBinding", "neurallog-operator-metrics-auth").kind, "ClusterRoleBinding");
    assert.equal(at(values, "metrics", "secure"), true);
    assert.equal(at(values, "settings", "minimumPodSecurity"), "baseline");
    assert.ok(JSON.stringify(open).includes("--metrics-secure=false"), "an administrator can open them");
  });

  it("have the names that the documented scrape configurations use", () => {
    const page = readText("docs/reference/tenant-runbook.md");
    const [plain, monitor] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(
      (match) => readYaml(match[1] ?? "").value,
    );
    const service = find("Service", "neurallog-operator-metrics");
    const job = at(plain, "scrape_configs", 0);

    assert.equal(at(job, "relabel_configs", 0, "regex"), service.metadata.name);
    assert.deepEqual(at(job, "kubernetes_sd_configs", 0, "namespaces", "names"), [service.metadata.namespace]);
    assert.deepEqual([at(job, "scheme"), at(monitor, "spec", "endpoints", 0, "scheme")], ["https", "https"]);
    assert.equal(at(monitor, "spec", "endpoints", 0, "port"), at(service, "spec", "ports", 0, "name"));
    const key = "app.kubernetes.io/name";
    assert.equal(at(monitor, "spec", "selector", "matchLabels", key), service.metadata.labels?.[key]);
    for (const name of ["neurallog-operator-metrics-reader", "neurallog-operator-confinement"]) {
      assert.ok(
        manifests.some(({ metadata }) => metadata.name === name),
        name,
      );
      assert.ok(readText("docs/guides/give-a-team-its-tenant.md").includes(name), name);
    }
  });

  it("register the webhooks as documented", () => {
    const hooks = [
      ["MutatingWebhookConfiguration", "mtenant.kb.io", "/mutate-neurallog-io-v1-tenant", ["CREATE", "UPDATE"]],
      [
        "ValidatingWebhookConfiguration",
        "vtenant.kb.io",
        "/validate-neurallog-io-v1-tenant",
        ["CREATE", "UPDATE", "DELETE"],
      ],
    ] as const;

    for (const [kind, name, path, operations] of hooks) {
      const hook = at(find(kind, "neurallog-operator"), "webhooks", 0);
      assert.equal(at(hook, "name"), name);
      assert.deepEqual(at(hook, "clientConfig", "service"), {
        namespace: "neurallog-system",
        name: "webhook-service",
        path,
        port: 443,
      });
      assert.deepEqual(at(hook, "rules", 0, "operations"), operations);
      assert.deepEqual(at(hook, "rules", 0, "resources"), ["tenants"]);
      assert.equal(at(hook, "failurePolicy"), "Fail");
      assert.equal(at(hook, "sideEffects"), "None");
      assert.equal(at(hook, "timeoutSeconds"), 5);
      assert.deepEqual(at(hook, "admissionReviewVersions"), ["v1"]);
    }
  });

  it("follow the options", () => {
    const kinds = (extras: Readonly<Record<string, boolean>>, networkPolicy?: boolean): Set<string> =>
      new Set(operatorManifests(operator, { extras, networkPolicy }).map(({ kind }) => kind));

    const more = kinds({ alertRules: true });
    const less = kinds({ namespaceProtection: false, operatorConfinement: false }, false);

    assert.ok(more.has("NetworkPolicy") && more.has("PrometheusRule") && more.has("ValidatingAdmissionPolicy"));
    assert.ok(!less.has("NetworkPolicy") && !less.has("PrometheusRule") && !less.has("ValidatingAdmissionPolicy"));
  });

  it("are also a chart", () => {
    const chart = operatorChart(operator);

    assert.deepEqual(
      [...chart.keys()].filter((path) => path.includes("extra-")),
      [
        "templates/extra-tenant-roles.yaml",
        "templates/extra-namespace-protection.yaml",
        "templates/extra-operator-confinement.yaml",
        "templates/extra-alert-rules.yaml",
        "templates/extra-dashboard.yaml",
      ],
    );
    const account =
      /'system:serviceaccount:\{\{ \$\.Release\.Namespace \}\}:\{\{ include "neurallog-operator\.serviceAccount" \$ \}\}'/;
    for (const name of ["namespace-protection", "operator-confinement"]) {
      assert.match(chart.get(`templates/extra-${name}.yaml`) ?? "", account);
    }
    // Helm must not expand the templates of Prometheus.
    assert.match(chart.get("templates/extra-alert-rules.yaml") ?? "", /\{\{ "\{\{" \}\} \$labels\.kind \}\}/);
  });
});

describe("the alerts", () => {
  it("have a summary and a description", () => {
    const place = { instance: "i", namespace: "n", serviceAccount: "s", podLabels: {} };
    const rules = tenantAlerts(place);

    assert.equal(new Set(rules.map(({ name }) => name)).size, rules.length);
    for (const { summary, description } of rules) assert.ok(description.length > summary.length);
  });
});
