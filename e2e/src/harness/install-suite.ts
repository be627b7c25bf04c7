// An operator in a real cluster: installed by its chart and by its manifests, with exactly its permissions and two replicas.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { Client } from "@homeostat/client";
import { helmPath, type RealCluster, whyNoHelm } from "@homeostat/kube";
import { reasonToSkip, startCluster } from "./cluster.ts";
import { type InstallationPlace, Installed } from "./installed.ts";
import { importOperatorImage, operatorImage } from "./operator-image.ts";

const run = promisify(execFile);
const need = "node";
const replicas = 2;

/** What an operator hands in for the test of its installation. */
export interface InstallSuite extends InstallationPlace {
  /** The operator's folder in `operators/`. */
  readonly operator: string;
  /** Values of the chart beside those of the image. */
  readonly values?: object;
  /** Imports the images of the workloads that the operator starts. */
  prepare(kubeconfigPath: string): Promise<void>;
  /** What the operator does when it was installed by its chart; killing the leader is part of it. */
  readonly byChart: { readonly title: string; play(installed: Installed): Promise<void> };
  /** What it does when it was installed by its manifests. */
  readonly byManifests: { readonly title: string; play(installed: Installed): Promise<void> };
}

/** Declares the tests of an operator's installation. */
export async function describeInstall(title: string, suite: InstallSuite): Promise<void> {
  const skip = (await whyNoHelm()) ?? (await reasonToSkip({ need })) ?? false;
  const { operator, namespace, deployment, values = {}, byChart, byManifests } = suite;
  const image = operatorImage(operator);

  describe(title, { skip, timeout: 900_000 }, () => {
    let cluster: RealCluster;
    let client: Client;
    let installed: Installed;
    let helm = "";
    let folder = "";

    before(async () => {
      helm = await helmPath({ env: process.env, report: (line) => process.stderr.write(`kube: ${line}\n`) });
      cluster = await startCluster({ need });
      await suite.prepare(cluster.kubeconfigPath);
      importOperatorImage(cluster.kubeconfigPath, image);
      client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
      installed = new Installed(cluster, client, suite);
      folder = await mkdtemp(join(tmpdir(), "install-"));
    });

    after(async () => {
      client?.close();
      await cluster?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it(`installed by its chart, ${byChart.title}`, async () => {
      const chart = join(folder, "chart");
      const file = join(folder, "values.json");
      await run(process.execPath, [image.program, "chart", chart]);
      const { repository, tag } = image;
      await writeFile(file, JSON.stringify({ image: { repository, tag, pullPolicy: "IfNotPresent" }, ...values }));
      const at = ["--namespace", namespace, "--kubeconfig", cluster.kubeconfigPath];
      await run(helm, ["install", deployment, chart, "--create-namespace", "--values", file, ...at]);
      await installed.available(replicas);

      await byChart.play(installed);

      await noneWasForbidden();
      await run(helm, ["uninstall", deployment, "--wait", ...at]);
    });

    it(`installed by its manifests, ${byManifests.title}`, async () => {
      const flags = ["--image", image.name, "--image-pull-policy", "IfNotPresent", "--namespace", namespace];
      const { stdout } = await run(process.execPath, [image.program, "manifests", ...flags], { maxBuffer: 1 << 26 });
      const file = join(folder, "manifests.yaml");
      await writeFile(file, stdout);
      await installed.kubectl("apply", "--server-side", "--force-conflicts", "-f", file);
      await installed.available(replicas);

      await byManifests.play(installed);

      await noneWasForbidden();
    });

    /** Checks that RBAC refused no request. Quotas and policies may refuse one for a moment; their messages name no user. */
    async function noneWasForbidden(): Promise<void> {
      assert.doesNotMatch(await installed.logs(), /is forbidden: User /);
    }
  });
}
