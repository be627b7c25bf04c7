import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord } from "@homeostat/core";
import { defineOperator } from "../definition/define-operator.ts";
import { parts, sample } from "../testing/sample-operator.ts";
import { type Manifest, operatorManifests, toYamlDocuments } from "./operator-manifests.ts";
import type { ManifestOptions } from "../installation/options.ts";

const list = (options?: ManifestOptions): string[] =>
  operatorManifests(sample, options).map(
    ({ kind, metadata }) =>
      `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`,
  );

const find = (kind: string, options?: ManifestOptions): Manifest => {
  const found = operatorManifests(sample, options).find((object) => object.kind === kind);
  assert.ok(found, kind);
  return found;
};

/** Returns a nested field by names and indexes. */
const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((inside, step) => {
    if (Array.isArray(inside)) return (inside as unknown[])[Number(step)];
    return isRecord(inside) ? inside[step] : undefined;
  }, value);

const container = (options?: ManifestOptions): unknown =>
  at(find("Deployment", options), "spec", "template", "spec", "containers", 0);

describe("operatorManifests", () => {
  it("returns the objects in the order in which to apply them", () => {
    assert.deepEqual(list(), [
      "Namespace shop-operator-system",
      "CustomResourceDefinition orders.shop.example.com",
      "CustomResourceDefinition shops.shop.example.com",
      "ServiceAccount shop-operator-system/shop-operator",
      "ClusterRole shop-operator",
      "ClusterRoleBinding shop-operator",
      "Role shop-operator-system/shop-operator-own",
      "RoleBinding shop-operator-system/shop-operator-own",
      "ClusterRole shop-operator-certificates",
      "ClusterRoleBinding shop-operator-certificates",
      "Role shop-operator-system/shop-operator-certificates",
      "RoleBinding shop-operator-system/shop-operator-certificates",
      "NetworkPolicy shop-operator-system/shop-operator",
      "Service shop-operator-system/shop-operator-webhook",
      "Service shop-operator-system/shop-operator-metrics",
      "Deployment shop-operator-system/shop-operator",
      "PodDisruptionBudget shop-operator-system/shop-operator",
      "ValidatingWebhookConfiguration shop-operator",
    ]);
  });

  it("leaves out the objects that options disable", () => {
    const less = list({
      createNamespace: false,
      metricsService: false,
      disruptionBudget: false,
      networkPolicy: false,
      webhooks: false,
    });

    assert.deepEqual(
      less.map((line) => line.split(" ")[0]),
      [
        "CustomResourceDefinition",
        "CustomResourceDefinition",
        "ServiceAccount",
        "ClusterRole",
        "ClusterRoleBinding",
        "Role",
        "RoleBinding",
        "Deployment",
      ],
    );
  });

  it("returns only the Deployment and its companions for an empty operator", () => {
    const bare = operatorManifests(defineOperator({ name: "bare" }), { createNamespace: false });

    assert.deepEqual(
      bare.map(({ kind }) => kind),
      ["ServiceAccount", "NetworkPolicy", "Service", "Deployment", "PodDisruptionBudget"],
    );
  });

  it("returns a Role in each watched namespace", () => {
    const roles = list({ namespace: "a", watchNamespaces: ["a", "b"], webhooks: false }).filter((line) =>
      line.startsWith("Role "),
    );

    assert.deepEqual(roles, [
      "Role default/shop-operator-fixed",
      "Role a/shop-operator-own",
      "Role a/shop-operator",
      "Role b/shop-operator",
    ]);
  });

  it("uses the name of the installation in all objects", () => {
    const other = operatorManifests(sample, { instance: "two" });

    const wrong = other.filter(
      ({ kind, metadata }) => kind !== "CustomResourceDefinition" && !metadata.name?.startsWith("two"),
    );
    assert.deepEqual(wrong, []);
    assert.ok((at(container({ instance: "two" }), "args") as string[]).includes("--instance=two"));
  });

  it("sets the conversion webhook of a CRD, and serves only the storage version without webhooks", () => {
    const served = (options?: ManifestOptions): unknown[] => {
      const crd = find("CustomResourceDefinition", options);
      const versions = at(crd, "spec", "versions") as { name: string; served: boolean }[];
      return [at(crd, "spec", "conversion", "strategy"), ...versions.map((it) => `${it.name} ${it.served}`)];
    };

    assert.deepEqual(served(), ["Webhook", "v1 true", "v2 true"]);
    assert.deepEqual(served({ webhooks: false }), ["None", "v1 false", "v2 true"]);
    assert.deepEqual(at(find("CustomResourceDefinition"), "spec", "conversion", "webhook", "clientConfig"), {
      service: { namespace: "shop-operator-system", name: "shop-operator-webhook", path: "/convert", port: 443 },
    });
  });

  it("leaves certificates to cert-manager on request", () => {
    const options: ManifestOptions = { certificates: "cert-manager", namespace: "shop" };

    const lines = list(options);

    assert.ok(lines.includes("Certificate shop/shop-operator-webhook-certificates"));
    assert.ok(lines.includes("Issuer shop/shop-operator-webhook-certificates"));
    assert.ok(!lines.some((line) => /Role .*-certificates/.test(line)));
    for (const kind of ["CustomResourceDefinition", "ValidatingWebhookConfiguration"]) {
      assert.deepEqual(find(kind, options).metadata.annotations, {
        "cert-manager.io/inject-ca-from": "shop/shop-operator-webhook-certificates",
      });
    }
    assert.ok((at(container(options), "args") as string[]).includes("--webhook-cert-dir=/etc/webhook-certificates"));
  });

  it("mounts the CAs of API servers when client certificates are required", () => {
    const options = { webhookClientCaConfigMap: "api-server-ca", webhookClientNames: ["a", "b"] };
    const args = (more: ManifestOptions): string[] =>
      (at(container(more), "args") as string[]).filter((word) => word.startsWith("--webhook-client"));

    assert.deepEqual(args(options), [
      "--webhook-client-ca=/etc/webhook-client-ca/ca.crt",
      "--webhook-client-names=a,b",
    ]);
    assert.deepEqual(at(find("Deployment", options), "spec", "template", "spec", "volumes"), [
      { name: "webhook-client-ca", configMap: { name: "api-server-ca" } },
    ]);
    assert.deepEqual(at(container(options), "volumeMounts"), [
      { name: "webhook-client-ca", mountPath: "/etc/webhook-client-ca", readOnly: true },
    ]);
    assert.deepEqual(args({ ...options, webhooks: false }), []);
  });

  it("sets a termination grace period that is longer than that of reconciles", () => {
    const seconds = (graceMs?: number): unknown =>
      at(find("Deployment", { graceMs }), "spec", "template", "spec", "terminationGracePeriodSeconds");

    assert.deepEqual([seconds(), seconds(0), seconds(60_500)], [40, 30, 91]);
  });

  it("probes the readiness of the webhooks, or of everything without webhooks", () => {
    const path = (options?: ManifestOptions): unknown => at(container(options), "readinessProbe", "httpGet", "path");

    assert.deepEqual([path(), path({ webhooks: false })], ["/readyz/service/webhooks", "/readyz"]);
  });

  it("passes settings that differ from the default as arguments", () => {
    const args = at(container({ settings: { maxOrders: 5, regions: ["x"] }, args: ["--more"] }), "args");

    assert.deepEqual(args, [
      "--leader-elect=true",
      "--metrics-bind-address=:8080",
      "--metrics-secure=false",
      "--health-probe-bind-address=:8081",
      "--log-level=info",
      "--grace=10s",
      "--drain=3s",
      "--webhooks",
      "--max-orders=5",
      "--regions=x",
      "--more",
    ]);
  });

  it("sets NODE_OPTIONS to --expose-gc unless env sets it", () => {
    const options = (env?: ManifestOptions["env"]): unknown =>
      (at(container(env === undefined ? {} : { env }), "env") as { name: string; value?: string }[])
        .filter(({ name }) => name === "NODE_OPTIONS")
        .map(({ value }) => value);

    assert.deepEqual(options(), ["--expose-gc"]);
    assert.deepEqual(options([{ name: "NODE_OPTIONS", value: "--max-old-space-size=300" }]), [
      "--max-old-space-size=300",
    ]);
  });

  it("grants no wildcard and no permission on roles", () => {
    const text = JSON.stringify(operatorManifests(sample).filter(({ kind }) => kind.endsWith("Role")));

    assert.doesNotMatch(text, /"\*"|"rbac\.authorization\.k8s\.io"\],"resources"/);
  });

  it("returns roles that aggregate to the built-in ones on request", () => {
    const roles = operatorManifests(sample, { userRoles: true }).filter(({ metadata }) =>
      /-(view|edit|admin)$/.test(metadata.name ?? ""),
    );

    assert.deepEqual(
      roles.map(({ metadata }) => [
        metadata.name,
        Object.keys(metadata.labels ?? {}).filter((key) => key.includes("aggregate")),
      ]),
      ["view", "edit", "admin"].map((word) => [
        `shop-operator-${word}`,
        [`rbac.authorization.k8s.io/aggregate-to-${word}`],
      ]),
    );
    assert.deepEqual(at(roles[0], "rules"), [
      { apiGroups: ["shop.example.com"], resources: ["orders", "shops"], verbs: ["get", "list", "watch"] },
      { apiGroups: ["shop.example.com"], resources: ["orders/status"], verbs: ["get"] },
    ]);
  });

  it("returns equal objects each time, which the caller may change", () => {
    const first = operatorManifests(sample);
    const text = toYamlDocuments(first);
    for (const object of first) object.metadata.name = "changed";

    const second = operatorManifests(sample);

    assert.equal(toYamlDocuments(second), text);
    assert.equal(text.split(/^---$/m).length - 1, second.length);
    assert.ok(parts.Order.crd().metadata.name === "orders.shop.example.com");
  });
});
