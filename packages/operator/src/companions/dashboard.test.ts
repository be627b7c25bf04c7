import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord, readPointer } from "@homeostat/core";
import { operatorChart } from "../chart/operator-chart.ts";
import { defineOperator } from "../definition/define-operator.ts";
import { OperatorDefinitionError } from "../errors.ts";
import { flag } from "../flags/flag.ts";
import { type Manifest, operatorManifests } from "../manifests/operator-manifests.ts";
import { runOperator } from "../run/run-operator.ts";
import { dashboardCompanion, dashboardDefinition } from "./dashboard.ts";

const name = "shop-operator-web-dashboard";
const shop = defineOperator({ name: "shop-operator", companions: [dashboardCompanion("shop-operator")] });
const installed = operatorManifests(shop, { companions: { "web-dashboard": {} } });

function find(objects: readonly Manifest[], kind: string): Manifest | undefined {
  return objects.find((object) => object.kind === kind && object.metadata.name === name);
}

async function printed(...argv: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  let text = "";
  const sink = { write: (part: string) => (text += part) };
  const code = await runOperator(shop, { argv, env: {}, stdout: sink, stderr: sink });
  return { code, text };
}

describe("the dashboard as a companion", () => {
  it("is not installed by default", async () => {
    assert.ok(!operatorManifests(shop).some(({ metadata }) => metadata.name?.includes("dashboard")));
    assert.doesNotMatch((await printed("manifests")).text, /dashboard/);
  });

  it("is installed on demand, with the image of the command line", async () => {
    const { code, text } = await printed(
      "manifests",
      "--with=web-dashboard",
      "--companion-images=web-dashboard=example.com/dashboard:3",
    );

    assert.equal(code, 0);
    assert.match(text, /image: "?example\.com\/dashboard:3/);
    assert.equal((await printed("manifests", "--with=web-dashbord")).code, 2);
  });

  it("has a Deployment, a Service, a NetworkPolicy and no role", () => {
    const kinds = installed.filter(({ metadata }) => metadata.name?.startsWith(name)).map(({ kind }) => kind);

    assert.deepEqual(kinds, ["ServiceAccount", "NetworkPolicy", "Service", "Deployment", "PodDisruptionBudget"]);
    assert.deepEqual(readPointer(find(installed, "Service"), "/spec/ports/0"), {
      name: "http",
      port: 8000,
      targetPort: "http",
      protocol: "TCP",
    });
  });

  it("runs one restricted pod that starts without its Secret", () => {
    const deployment = find(installed, "Deployment");
    const pod = readPointer(deployment, "/spec/template/spec");

    assert.equal(readPointer(deployment, "/spec/replicas"), 1);
    assert.deepEqual(readPointer(pod, "/volumes/0/secret"), {
      secretName: name,
      items: ["proxy-secret", "session-key", "tls.crt", "tls.key"].map((key) => ({ key, path: key })),
      optional: true,
    });
    assert.equal(readPointer(pod, "/securityContext/runAsNonRoot"), true);
    assert.equal(readPointer(pod, "/containers/0/securityContext/readOnlyRootFilesystem"), true);
  });

  it("may impersonate users and groups only with an identity header", () => {
    const settings = { userHeader: "X-Forwarded-User" };
    const objects = operatorManifests(shop, { companions: { "web-dashboard": { settings } } });
    const roles = objects.filter(({ kind }) => kind === "ClusterRole");

    assert.deepEqual(
      roles.map((role) => [role.metadata.name, isRecord(role) ? role["rules"] : undefined]),
      [[`${name}-impersonation`, [{ apiGroups: [""], resources: ["groups", "users"], verbs: ["impersonate"] }]]],
    );
    assert.deepEqual(
      readPointer(find(objects, "Deployment"), "/spec/template/spec/containers/0/args")
        ?.toString()
        .match(/--user-header=[^,]*/)?.[0],
      "--user-header=X-Forwarded-User",
    );
  });

  it("is a subchart that is off, with the role under the condition of the setting", () => {
    const chart = operatorChart(shop, { version: "2.0.0" });

    assert.match(chart.get("values.yaml") ?? "", /^web-dashboard:\n {2}enabled: false$/m);
    assert.match(chart.get("Chart.yaml") ?? "", /condition: web-dashboard\.enabled/);
    assert.match(chart.get("charts/web-dashboard/Chart.yaml") ?? "", /^name: web-dashboard$/m);
    assert.match(
      chart.get("charts/web-dashboard/templates/rbac.yaml") ?? "",
      /\{\{- if \.Values\.settings\.userHeader \}\}\n---\n(?:.*\n)*?.*impersonate/,
    );
    assert.match(chart.get("charts/web-dashboard/templates/deployment.yaml") ?? "", /^ {12}optional: true$/m);
    assert.match(chart.get("charts/web-dashboard/values.yaml") ?? "", /^replicas: 1$/m);
  });

  it("is refused beside an extra of the same name, because --with accepts both", () => {
    const extras = { webDashboard: { help: "", default: false, objects: () => [] } };
    const define = (): unknown =>
      defineOperator({ name: "shop-operator", extras, companions: [dashboardCompanion("shop-operator")] });

    assert.throws(define, /companions\[0\] has the name of the extra webDashboard/);
  });

  it("is refused with settings that contradict each other, and when a permission names no flag", () => {
    const { settingProblems } = dashboardDefinition("a");
    const dashboard = dashboardCompanion("shop-operator");

    assert.equal(dashboard.settingProblems().length, 0);
    assert.equal(dashboard.settingProblems({ groupsHeader: "X-Groups" }).length, 1);
    assert.ok(settingProblems !== undefined);
    const define = (): unknown =>
      defineOperator({
        name: "bad",
        flags: { isOn: flag.boolean({ default: false, help: "" }) },
        settingAccess: ["isOn", "none"].map((setting) => ({ setting, roleSuffix: "a", rules: [] })),
      });
    assert.throws(define, (error: unknown) => {
      assert.ok(error instanceof OperatorDefinitionError);
      assert.deepEqual(
        error.problems.map(({ path }) => path),
        ["settingAccess[0]", "settingAccess[1]"],
      );
      return true;
    });
  });
});
