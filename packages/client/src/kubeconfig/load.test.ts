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
  it("merges the files of KUBECONFIG and skips missing ones", async () => {
    const env = { KUBECONFIG: [join(folder, "missing"), join(folder, "two"), join(folder, "one")].join(delimiter) };

    const config = await loadKubeconfig({ env, home: folder });

    assert.equal(config?.currentContext, "two");
    assert.deepEqual([...(config?.contexts.keys() ?? [])], ["two", "one"]);
    assert.deepEqual(config?.clusters.get("one")?.certificateAuthority, { path: join(folder, "ca.crt") });
  });

  it("loads ~/.kube/config without KUBECONFIG", async () => {
    const config = await loadKubeconfig({ env: {}, home: folder });

    assert.equal(config?.currentContext, "home");
  });

  it("throws when a given file does not exist", async () => {
    await assert.rejects(
      loadKubeconfig({ file: join(folder, "missing") }),
      (error) => error instanceof KubeconfigError && /missing: does not exist\. Check the path\./.test(error.message),
    );
    await assert.rejects(
      loadKubeconfig({ file: folder }),
      (error) => error instanceof KubeconfigError && /is a directory/.test(error.message),
    );
  });
});

describe("loadConnection", () => {
  it("throws an error with a remedy when there is neither a kubeconfig nor a pod", async () => {
    await assert.rejects(
      loadConnection({ env: {}, home: join(folder, "no-home") }),
      (error) => error instanceof KubeconfigError && /Set KUBECONFIG/.test(error.message),
    );
  });

  it("ignores an empty file, and uses the service account of the pod only if no context is given", async () => {
    await writeFile(join(folder, "empty"), "");
    const env = { KUBECONFIG: join(folder, "empty"), KUBERNETES_SERVICE_HOST: "h", KUBERNETES_SERVICE_PORT: "1" };

    await assert.rejects(loadConnection({ env }), /serviceaccount\/token/, "looks for the pod's own token");
    await assert.rejects(loadConnection({ env, context: "prod" }), /contexts\[name=prod\]: does not exist/);
    await assert.rejects(
      loadConnection({ env: { ...env, KUBECONFIG: join(folder, "missing") }, context: "prod" }),
      /so there is no context "prod"/,
    );
    await assert.rejects(loadConnection({ env: { KUBECONFIG: join(folder, "empty") } }), /is empty, and this process/);
  });

  it("uses the given context", async () => {
    const connection = await loadConnection({
      env: { KUBECONFIG: [join(folder, "one"), join(folder, "two")].join(delimiter) },
      context: "two",
    });

    assert.equal(connection.server, "https://two");
  });
});

describe("inClusterConnection", () => {
  it("reads the service account of the pod, and puts an IPv6 host in brackets", async () => {
    const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };

    const connection = await inClusterConnection({ env, folder: join(folder, "pod") });

    assert.equal(connection.server, "https://[fd00::1]:443");
    assert.equal(connection.namespace, "team");
    assert.deepEqual(connection.identity?.token, { path: join(folder, "pod", "token") });
  });

  it("throws an error that names a missing token file", async () => {
    const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

    await assert.rejects(
      inClusterConnection({ env, folder: join(folder, "nowhere") }),
      (error) =>
        error instanceof KubeconfigError && /token: cannot be read.*automountServiceAccountToken/.test(error.message),
    );
  });
});
