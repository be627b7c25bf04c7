import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { RealClusterUnavailableError } from "../errors.ts";
import { realCluster, whyNoRealCluster } from "./real-cluster.ts";

const folder = mkdtempSync(join(tmpdir(), "real-cluster-test-"));
after(() => rmSync(folder, { recursive: true }));
const env = { HOMEOSTAT_CACHE: join(folder, "cache"), PATH: folder };

describe("whyNoRealCluster", () => {
  it("reports a missing Go if no binaries are built", async () => {
    assert.match(
      (await whyNoRealCluster({ need: "apiserver", env })) ?? "",
      /^The go command, which builds Kubernetes, is not on the PATH/,
    );
  });

  it("reports the binaries that a folder of the user lacks", async () => {
    const reason = await whyNoRealCluster({ need: "apiserver", env: { ...env, KUBEBUILDER_ASSETS: folder } });

    assert.match(reason ?? "", /KUBEBUILDER_ASSETS is .*, which does not contain etcd, kube-apiserver\./);
  });

  it("reports the requirements of a node", async () => {
    assert.match((await whyNoRealCluster({ need: "node", env })) ?? "", /^A node needs /);
  });

  it("accepts a kubeconfig that the user named", async () => {
    assert.equal(await whyNoRealCluster({ need: "node", env: { ...env, HOMEOSTAT_E2E_KUBECONFIG: "x" } }), undefined);
  });
});

describe("realCluster", () => {
  it("rejects a shared cluster whose owner does not run", async () => {
    const shared = { name: "shared", ownerPid: 2 ** 30 };
    // A folder with the programs, so that only the owner is missing.
    const assets = mkdtempSync(join(folder, "assets-"));
    for (const program of ["etcd", "kube-apiserver"]) writeFileSync(join(assets, program), "", { mode: 0o755 });

    await assert.rejects(
      realCluster({ need: "apiserver", shared, env: { ...env, KUBEBUILDER_ASSETS: assets } }),
      /Process 1073741824, the owner of shared, is not running/,
    );
  });

  it("rejects with that reason, and leaves nothing behind", async () => {
    await assert.rejects(
      realCluster({ need: "control-plane", env }),
      (error) =>
        error instanceof RealClusterUnavailableError &&
        /go command, which builds Kubernetes, is not on the PATH/.test(error.message),
    );
  });
});
