// Compares the charts of all operators, rendered by Helm, with their plain manifests.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { releaseVersion, type KubeObject } from "@homeostat/core";
import { helmPath, whyNoHelm } from "@homeostat/kube";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { type ManifestOptions, type Operator, operatorManifests, runOperator } from "@homeostat/operator";
import { repository } from "../../harness/repository.ts";
import { byName, isHook, objectsIn, withoutHelm } from "../../harness/rendered-chart.ts";
import { operators, type TestedOperator } from "./operators.ts";

const execute = promisify(execFile);
const skip = (await whyNoHelm()) ?? false;

/** Helm values and the equivalent options of the plain manifests. */
interface ChartCase {
  readonly title: string;
  readonly values: string;
  /** File with values; undefined for none. */
  readonly file?: string;
  readonly options: ManifestOptions;
}

/** Values of the guide that install the dashboard, with the equivalent options of its manifests. */
const dashboardSamples = [
  { file: "install.yaml", options: { replicas: 2, settings: { hostNames: ["dashboard.example.com"] } } },
  {
    file: "single-sign-on.yaml",
    options: {
      settings: {
        hostNames: ["dashboard.example.com"],
        userHeader: "X-Forwarded-User",
        groupsHeader: "X-Forwarded-Groups",
      },
      portsFrom: { http: [{ podSelector: { matchLabels: { "app.kubernetes.io/name": "oauth2-proxy" } } }] },
    },
  },
] as const;

function casesOf({ operator, settings }: TestedOperator): readonly ChartCase[] {
  const all = allExtras(operator, true);
  const none = allExtras(operator, false);
  return [
    { title: "by default", values: "", options: {} },
    {
      title: "with restricted egress and metrics, and custom ports",
      values:
        "networkPolicy.limitEgress=true,networkPolicy.egressPorts={8443},metrics.enabled=true,metrics.port=8444," +
        "networkPolicy.metricsFrom[0].podSelector.matchLabels.app=prometheus,webhook.port=9444",
      options: {
        limitEgress: true,
        egressPorts: [8443],
        metrics: true,
        metricsPort: 8444,
        metricsFrom: [{ podSelector: { matchLabels: { app: "prometheus" } } }],
        webhookPort: 9444,
      },
    },
    { title: "without a NetworkPolicy", values: "networkPolicy.enabled=false", options: { networkPolicy: false } },
    {
      title: "with verified client certificates of API servers",
      values: "webhook.clientCaConfigMap=api-server-ca,webhook.clientNames={a,b}",
      options: { webhookClientCaConfigMap: "api-server-ca", webhookClientNames: ["a", "b"] },
    },
    {
      title: "with the dashboard",
      values: "web-dashboard.enabled=true",
      options: { companions: { "web-dashboard": {} } },
    },
    ...dashboardSamples.map(({ file, options }) => ({
      title: `with the dashboard of ${file}`,
      values: "",
      file: join(repository, "apps/dashboard/samples", file),
      options: {
        companions: {
          "web-dashboard": { image: `registry.example.com/homeostat-dashboard:${releaseVersion}`, ...options },
        },
      },
    })),
    ...(Object.keys(operator.extras).length === 0
      ? []
      : [
          { title: "with all extras", values: extraValues(all), options: { extras: all } },
          { title: "without extras", values: extraValues(none), options: { extras: none } },
        ]),
    ...(settings === undefined
      ? []
      : [{ title: "with its settings", values: settings.values, options: { settings: settings.settings } }]),
  ];
}

function allExtras({ extras }: Operator, isEnabled: boolean): Readonly<Record<string, boolean>> {
  return Object.fromEntries(Object.keys(extras).map((name) => [name, isEnabled]));
}

function extraValues(extras: Readonly<Record<string, boolean>>): string {
  return Object.entries(extras)
    .map(([name, isEnabled]) => `extras.${name}=${isEnabled}`)
    .join(",");
}

/** Removes the environment variables that only the chart has: it sets each of `chartVariables` to its default. */
function withoutVariables(object: KubeObject, { chartVariables }: Operator): KubeObject {
  if (!isDeployment(object)) return object;
  const names = new Set(chartVariables.map(({ variable }) => variable));
  const copy = structuredClone(object);
  for (const container of copy.spec.template.spec?.containers ?? [])
    container.env = container.env?.filter((variable) => !names.has(variable.name)) ?? [];
  return copy;
}

function isDeployment(object: KubeObject): object is Deployment {
  return object.kind === Deployment.kind;
}

for (const [name, tested] of Object.entries(operators)) {
  const { operator, namespace } = tested;

  describe(`the chart of operators/${name}`, { skip }, () => {
    let helm = "";
    let folder = "";
    before(async () => {
      helm = await helmPath({ env: process.env, report: (line) => process.stderr.write(`kube: ${line}\n`) });
      folder = await mkdtemp(join(tmpdir(), "chart-"));
      assert.equal(await runOperator(operator, { argv: ["chart", folder], env: {} }), 0);
    });
    after(() => rm(folder, { recursive: true, force: true }));

    it("passes helm lint --strict", async () => {
      const { stdout } = await execute(helm, ["lint", folder, "--strict"]);

      assert.match(stdout, /1 chart\(s\) linted, 0 chart\(s\) failed/);
    });

    it("renders the hook of the uninstallation, if the operator has one, with Roles in watched namespaces", async () => {
      const words = ["template", "release", folder, "--namespace", namespace];
      const hookOf = async (values: string): Promise<readonly KubeObject[]> => {
        const { stdout } = await execute(helm, [...words, "--set", values], { maxBuffer: 1 << 26 });
        return objectsIn(stdout).filter(isHook);
      };
      const kindsOf = (objects: readonly KubeObject[]) => objects.map(({ kind }) => kind).toSorted();
      const everywhere = await hookOf("labels.team=a");
      if (operator.uninstall === undefined) {
        assert.deepEqual(everywhere, []);
        return;
      }
      assert.deepEqual(kindsOf(everywhere), ["ClusterRole", "ClusterRoleBinding", "Job", "ServiceAccount"]);
      assert.deepEqual(kindsOf(await hookOf("watchNamespaces={a,b}")), [
        "Job",
        "Role",
        "Role",
        "RoleBinding",
        "RoleBinding",
        "ServiceAccount",
      ]);
      assert.deepEqual(await hookOf("uninstall.hook=false"), []);
      assert.deepEqual(kindsOf(await hookOf("rbac.create=false")), ["Job"]);
    });

    for (const { title, values, file, options } of casesOf(tested)) {
      it(`renders the plain manifests ${title}`, async () => {
        const words = ["template", "release", folder, "--namespace", namespace];
        const given = [...(values === "" ? [] : ["--set", values]), ...(file === undefined ? [] : ["--values", file])];
        const { stdout } = await execute(helm, [...words, ...given], { maxBuffer: 1 << 26 });

        const plain = operatorManifests(operator, { namespace, createNamespace: false, ...options });
        const installed = objectsIn(stdout).filter((object) => !isHook(object));
        const rendered = installed.map((object) => withoutVariables(withoutHelm(object), operator));
        assert.deepEqual(byName(rendered), byName(plain));
      });
    }
  });
}
