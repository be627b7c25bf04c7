// Installs an operator in a real cluster by its chart and by its manifests, with exactly its permissions and two replicas.

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
import { type InstallationNames, Installed } from "./installed.ts";
import { importOperatorImage, operatorImage } from "./operator-image.ts";

const run = promisify(execFile);
const need = "node";
const replicas = 2;

/** An operator and the steps of its installation test. */
export interface InstallSuite extends InstallationNames {
  /** The operator's folder in `operators/`. */
  readonly operator: string;
  /** Chart values in addition to the image. */
  readonly values?: object;
  /** Imports the images of the workloads that the operator starts. */
  prepare(kubeconfigPath: string): Promise<void>;
  /** Checks the operator installed by its chart, including the loss of the leader. */
  readonly byChart: { readonly title: string; play(installed: Installed): Promise<void> };
  /** Checks the operator installed by its manifests. */
  readonly byManifests: { readonly title: string; play(installed: Installed): Promise<void> };
}

/** Declares the installation tests of an operator. */
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

    it(`works when installed by its chart: ${byChart.title}`, async () => {
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

    it(`works when installed by its manifests: ${byManifests.title}`, async () => {
      const flags = ["--image", image.name, "--image-pull-policy", "IfNotPresent", "--namespace", namespace];
      const { stdout } = await run(process.execPath, [image.program, "manifests", ...flags], { maxBuffer: 1 << 26 });
      const file = join(folder, "manifests.yaml");
      await writeFile(file, stdout);
      await installed.kubectl("apply", "--server-side", "--force-conflicts", "-f", file);
      await installed.available(replicas);

      await byManifests.play(installed);

      await noneWasForbidden();
    });

    /** Checks that RBAC denied no request. Quotas and policies may deny one temporarily; their messages do not name the user. */
    async function noneWasForbidden(): Promise<void> {
      assert.doesNotMatch(await installed.logs(), /is forbidden: User /);
    }
  });
}
