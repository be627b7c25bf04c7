import assert from "node:assert/strict";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { KubeconfigError } from "./errors.ts";
import { inClusterConnection } from "./in-cluster.ts";
import { loadConnection, loadKubeconfig } from "./load.ts";

let folder = "";
const text = (server: string, context: string): string =>
  `current-context: ${context}\nclusters: [{ name: ${context}, cluster: { server: "${server}", certificate-authority: ca.crt } }]\ncontexts: [{ name: ${context}, context: { cluster: ${context} } }]\n`;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "homeostat-kubeconfig-"));
  await mkdir(join(folder, ".kube"));
  await mkdir(join(folder, "pod"));
  await writeFile(join(folder, ".kube", "config"), text("https://home", "home"));
  await writeFile(join(folder, "one"), text("https://one", "one"));
  await writeFile(join(folder, "two"), text("https://two", "two"));
  await writeFile(join(folder, "pod", "token"), "t");
  await writeFile(join(folder, "pod", "namespace"), "team\n");
});
after(() => rm(folder, { recursive: true }));

describe("loadKubeconfig", () => {
  it("merges the files of KUBECONFIG and passes over those that are missing", async () => {
    const env = { KUBECONFIG: [join(folder, "gone"), join(folder, "two"), join(folder, "one")].join(delimiter) };

    const config = await loadKubeconfig({ env, home: folder });

    assert.equal(config?.currentContext, "two");
    assert.deepEqual([...(config?.contexts.keys() ?? [])], ["two", "one"]);
    assert.deepEqual(config?.clusters.get("one")?.certificateAuthority, { path: join(folder, "ca.crt") });
  });

  it("takes the file of the home folder without KUBECONFIG", async () => {
    const config = await loadKubeconfig({ env: {}, home: folder });

    assert.equal(config?.currentContext, "home");
  });

  it("insists on a file that was asked for", async () => {
    await assert.rejects(
      loadKubeconfig({ file: join(folder, "gone") }),
      (error) => error instanceof KubeconfigError && /gone: does not exist\. Check the path\./.test(error.message),
    );
    await assert.rejects(
      loadKubeconfig({ file: folder }),
      (error) => error instanceof KubeconfigError && /is a folder/.test(error.message),
    );
  });
});

describe("loadConnection", () => {
  it("says what to do when there is neither a kubeconfig nor a pod", async () => {
    await assert.rejects(
      loadConnection({ env: {}, home: join(folder, "nobody") }),
      (error) => error instanceof KubeconfigError && /Set KUBECONFIG/.test(error.message),
    );
  });

  it("takes an empty file for none, and goes by the pod only when no context is named", async () => {
    await writeFile(join(folder, "empty"), "");
    const env = { KUBECONFIG: join(folder, "empty"), KUBERNETES_SERVICE_HOST: "h", KUBERNETES_SERVICE_PORT: "1" };

    await assert.rejects(loadConnection({ env }), /serviceaccount\/token/, "looks for the pod's own token");
    await assert.rejects(loadConnection({ env, context: "prod" }), /contexts\[name=prod\]: does not exist/);
    await assert.rejects(
      loadConnection({ env: { ...env, KUBECONFIG: join(folder, "gone") }, context: "prod" }),
      /so there is no context "prod"/,
    );
    await assert.rejects(loadConnection({ env: { KUBECONFIG: join(folder, "empty") } }), /is empty, and this process/);
  });

  it("uses the named context", async () => {
    const connection = await loadConnection({
      env: { KUBECONFIG: [join(folder, "one"), join(folder, "two")].join(delimiter) },
      context: "two",
    });

    assert.equal(connection.server, "https://two");
  });
});

describe("inClusterConnection", () => {
  it("reads the pod's service account and brackets an IPv6 host", async () => {
    const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };

    const connection = await inClusterConnection({ env, folder: join(folder, "pod") });

    assert.equal(connection.server, "https://[fd00::1]:443");
    assert.equal(connection.namespace, "team");
    assert.deepEqual(connection.identity?.token, { path: join(folder, "pod", "token") });
  });

  it("names the token file when it is missing", async () => {
    const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

    await assert.rejects(
      inClusterConnection({ env, folder: join(folder, "nowhere") }),
      (error) =>
        error instanceof KubeconfigError && /token: cannot be read.*automountServiceAccountToken/.test(error.message),
    );
  });
});
