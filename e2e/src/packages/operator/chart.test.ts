// Compares the chart of an operator, rendered by Helm, with the plain manifests.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { helmPath, whyNoHelm } from "@homeostat/kube";
import { type ManifestOptions, operatorManifests, runOperator } from "@homeostat/operator";
import { byName, objectsIn, withoutHelm } from "../../harness/rendered-chart.ts";
import { siteOperator } from "./sites.ts";

const execute = promisify(execFile);
const skip = (await whyNoHelm()) ?? false;

/** Helm values and the equivalent options of the plain manifests. */
const cases: readonly { readonly title: string; readonly set: string; readonly options: ManifestOptions }[] = [
  { title: "by default", set: "", options: {} },
  { title: "without webhooks", set: "webhook.enabled=false", options: { webhooks: false } },
  {
    title: "with certificates of cert-manager",
    set: "webhook.certificates=cert-manager",
    options: { certificates: "cert-manager" },
  },
  {
    title: "in some namespaces, its own among them",
    set: "watchNamespaces={shop,docs}",
    options: { watchNamespaces: ["shop", "docs"] },
  },
  { title: "without metrics", set: "metrics.enabled=false", options: { metrics: false } },
  {
    title: "with authorized metrics and external certificates",
    set: "metrics.secure=true,metrics.port=8443,metrics.certificateSecret=tls,webhook.certificates=cert-manager",
    options: {
      metricsSecure: true,
      metricsPort: 8443,
      metricsCertificateSecret: "tls",
      certificates: "cert-manager",
    },
  },
  {
    title: "with authorized metrics and a self-signed certificate",
    set: "metrics.secure=true",
    options: { metricsSecure: true },
  },
  {
    title: "with one replica, without leader election",
    set: "leaderElection.enabled=false,replicas=1",
    options: { leaderElection: false, replicas: 1 },
  },
  {
    title: "with all values set",
    set: [
      "rbac.userRoles=true,nameOverride=two,replicas=3,metrics.service=false,podDisruptionBudget.enabled=false",
      "settings.maxPages=2000000,settings.words={x,y},settings.isLoud=true,settings.pause=2m0s,graceSeconds=30",
      "logLevel=debug,labels.team=x,annotations.note=y,podAnnotations.p=q,podLabels.l=m",
      "serviceAccount.annotations.s=t,serviceAccount.name=robot,image.pullPolicy=Always,priorityClassName=high",
      "imagePullSecrets[0].name=registry,nodeSelector.disk=fast,tolerations[0].operator=Exists,env[0].name=A",
      "webhook.port=9444,runtimeClassName=gvisor,podSecurityContext.runAsUser=65532,terminationGracePeriodSeconds=77",
      "containerSecurityContext.privileged=false",
      "webhook.failurePolicy=Ignore,webhook.timeoutSeconds=9,env[0].value=b,args={--log-format=text},image.repository=example.com/x,image.tag=v9",
    ].join(","),
    options: {
      userRoles: true,
      instance: "two",
      replicas: 3,
      metricsService: false,
      disruptionBudget: false,
      settings: { maxPages: 2_000_000, words: ["x", "y"], isLoud: true, pause: 120_000 },
      graceMs: 30_000,
      logLevel: "debug",
      labels: { team: "x" },
      annotations: { note: "y" },
      podAnnotations: { p: "q" },
      podLabels: { l: "m" },
      serviceAccountAnnotations: { s: "t" },
      serviceAccountName: "robot",
      imagePullPolicy: "Always",
      priorityClassName: "high",
      imagePullSecrets: ["registry"],
      nodeSelector: { disk: "fast" },
      tolerations: [{ operator: "Exists" }],
      env: [{ name: "A", value: "b" }],
      args: ["--log-format=text"],
      image: "example.com/x:v9",
      webhookFailurePolicy: "Ignore",
      webhookTimeoutSeconds: 9,
      webhookPort: 9444,
      runtimeClassName: "gvisor",
      podSecurityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: "RuntimeDefault" } },
      containerSecurityContext: {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        privileged: false,
        readOnlyRootFilesystem: true,
      },
      terminationGraceSeconds: 77,
    },
  },
];

const budget = "templates/poddisruptionbudget.yaml";

describe("the chart of an operator", { skip }, () => {
  let helm = "";
  let folder = "";
  before(async () => {
    helm = await helmPath({ env: process.env, report: (line) => process.stderr.write(`kube: ${line}\n`) });
    folder = await mkdtemp(join(tmpdir(), "chart-"));
    const code = await runOperator(siteOperator, { argv: ["chart", folder], env: {} });
    assert.equal(code, 0);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const template = async (...args: string[]): Promise<string> => {
    const { stdout } = await execute(helm, ["template", "release", folder, "--namespace", "shop", ...args]);
    return stdout;
  };

  it("passes helm lint", async () => {
    const { stdout } = await execute(helm, ["lint", folder, "--strict"]);

    assert.match(stdout, /1 chart\(s\) linted, 0 chart\(s\) failed/);
  });

  for (const { title, set, options } of cases) {
    it(`renders to the plain manifests: ${title}`, async () => {
      const rendered = objectsIn(await template(...(set === "" ? [] : ["--set", set])));

      const plain = operatorManifests(siteOperator, { namespace: "shop", createNamespace: false, ...options });
      assert.deepEqual(byName(rendered.map(withoutHelm)), byName(plain));
    });
  }

  it("keeps its CRDs when it is uninstalled, unless configured otherwise", async () => {
    const kept = (text: string): number => text.split("helm.sh/resource-policy: keep").length - 1;

    assert.equal(kept(await template()), siteOperator.resources.length);
    assert.equal(kept(await template("--set", "crds.keep=false")), 0);
    assert.doesNotMatch(await template("--set", "crds.install=false"), /kind: CustomResourceDefinition/);
  });

  it("sets the maxUnavailable of its disruption budget", async () => {
    const text = await template("--set", "podDisruptionBudget.maxUnavailable=3", "--show-only", budget);
    const plain = operatorManifests(siteOperator, { namespace: "shop", unavailableMax: 3 });

    const [rendered] = objectsIn(text).map(withoutHelm);
    assert.deepEqual(
      rendered,
      plain.find(({ kind }) => kind === "PodDisruptionBudget"),
    );
  });

  it("accepts names of Secrets as strings, too", async () => {
    const text = await template("--set", "imagePullSecrets={a,b}", "--show-only", "templates/deployment.yaml");

    assert.match(text, /imagePullSecrets:\n\s+- name: "a"\n\s+- name: "b"\n/);
  });

  it("rejects several replicas without leader election", async () => {
    await assert.rejects(
      template("--set", "leaderElection.enabled=false"),
      /Set replicas to 1, or enable leader election/,
    );
  });

  it("rejects unknown values", async () => {
    await assert.rejects(template("--set", "replica=3"), /additional properties 'replica' not allowed/);
    await assert.rejects(template("--set", "webhook.certificates=none"), /webhook\/certificates/);
  });
});
