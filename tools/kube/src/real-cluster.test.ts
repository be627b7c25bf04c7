import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { RealClusterUnavailableError } from "./errors.ts";
import { realCluster, whyNoRealCluster } from "./real-cluster.ts";

const folder = mkdtempSync(join(tmpdir(), "real-cluster-test-"));
after(() => rmSync(folder, { recursive: true }));
const env = { HOMEOSTAT_CACHE: join(folder, "cache"), PATH: folder };

describe("whyNoRealCluster", () => {
  it("names Go where nothing is built and there is no Go", async () => {
    assert.match((await whyNoRealCluster({ need: "apiserver", env })) ?? "", /^There is no go command on the PATH/);
  });

  it("names what a folder of the user's lacks", async () => {
    const reason = await whyNoRealCluster({ need: "apiserver", env: { ...env, KUBEBUILDER_ASSETS: folder } });

    assert.match(reason ?? "", /KUBEBUILDER_ASSETS is .*, which has no etcd, kube-apiserver\./);
  });

  it("names what a node needs of this machine", async () => {
    assert.match((await whyNoRealCluster({ need: "node", env })) ?? "", /^A node needs /);
  });

  it("trusts a kubeconfig that the user named", async () => {
    assert.equal(await whyNoRealCluster({ need: "node", env: { ...env, HOMEOSTAT_E2E_KUBECONFIG: "x" } }), undefined);
  });
});

describe("realCluster", () => {
  it("rejects a shared cluster whose owner does not run", async () => {
    const shared = { name: "shared", ownerPid: 2 ** 30 };
    // A folder with the programs, so that the owner is what is missing.
    const assets = mkdtempSync(join(folder, "assets-"));
    for (const program of ["etcd", "kube-apiserver"]) writeFileSync(join(assets, program), "", { mode: 0o755 });

    await assert.rejects(
      realCluster({ need: "apiserver", shared, env: { ...env, KUBEBUILDER_ASSETS: assets } }),
      /Process 1073741824, which owns shared, does not run/,
    );
  });

  it("rejects with that reason, and leaves nothing", async () => {
    await assert.rejects(
      realCluster({ need: "control-plane", env }),
      (error) => error instanceof RealClusterUnavailableError && /no go command/.test(error.message),
    );
  });
});
