import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { binariesFor, findBinaries } from "./binaries.ts";
import { stagingReplacements } from "./build.ts";
import { BinariesMissingError } from "../errors.ts";
import { goProblem } from "./go.ts";
import { binariesFolder } from "../cache/paths.ts";
import { packagesSentence, platformProblem } from "../nodes/requirements.ts";
import { versions } from "../versions.ts";

const root = mkdtempSync(join(tmpdir(), "binaries-test-"));
after(() => rmSync(root, { recursive: true }));

function folderWith(name: string, files: readonly string[]): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  for (const file of files) {
    writeFileSync(join(folder, file), "");
    chmodSync(join(folder, file), 0o755);
  }
  return folder;
}

describe("findBinaries", () => {
  it("returns the binaries that are missing in the cache", () => {
    const env = { HOMEOSTAT_CACHE: join(root, "cache") };
    mkdirSync(binariesFolder(env), { recursive: true });
    writeFileSync(join(binariesFolder(env), "etcd"), "", { mode: 0o755 });
    writeFileSync(join(binariesFolder(env), "kube-apiserver"), "not executable", { mode: 0o644 });

    const source = findBinaries("apiserver", env);

    assert.deepEqual(source, { from: "cache", folder: binariesFolder(env), missing: ["kube-apiserver"] });
  });

  it("uses a folder of the user that has all required binaries", () => {
    const folder = folderWith("assets", ["etcd", "kube-apiserver", "kubectl"]);

    assert.deepEqual(findBinaries("apiserver", { KUBEBUILDER_ASSETS: folder }), { from: "assets", folder });
  });

  it("rejects a folder of the user with missing binaries, and names them", () => {
    const folder = folderWith("assets", ["etcd", "kube-apiserver", "kubectl"]);

    assert.throws(
      () => findBinaries("control-plane", { KUBEBUILDER_ASSETS: folder }),
      (error) =>
        error instanceof BinariesMissingError &&
        /does not contain kube-controller-manager, kube-scheduler\./.test(error.message),
    );
  });

  it("treats its own cache as cache when KUBEBUILDER_ASSETS refers to it", () => {
    const env = { HOMEOSTAT_CACHE: join(root, "empty") };

    const source = findBinaries("node", { ...env, KUBEBUILDER_ASSETS: binariesFolder(env) });

    assert.deepEqual(source, { from: "cache", folder: binariesFolder(env), missing: binariesFor("node") });
  });
});

describe("goProblem", () => {
  it("returns nothing if Go is new enough or can download a newer version", () => {
    for (const version of [versions.go, `${versions.go}.1`, "2.0", "1.100"])
      assert.equal(goProblem(version, "local"), undefined);
    assert.equal(goProblem("1.21.3", "auto"), undefined);
  });

  it("reports that Go is missing or too old", () => {
    assert.match(goProblem(undefined, "") ?? "", /The go command, which builds Kubernetes, is not on the PATH/);
    assert.match(goProblem("1.25.9", "local") ?? "", /Go 1\.25\.9 is too old/);
    assert.match(goProblem("1.20", "auto") ?? "", /too old/);
  });
});

describe("stagingReplacements", () => {
  it("points the staging modules of Kubernetes at their releases", () => {
    const goMod = {
      Require: [{ Path: "k8s.io/api", Version: "v0.0.0" }, { Path: "example.org/x", Version: "v1.2.3" }, { Path: 3 }],
    };
    const release = `v0.${versions.kubernetes.slice(2)}`;

    assert.deepEqual(stagingReplacements(goMod), [
      `require k8s.io/api ${release}`,
      `replace k8s.io/api => k8s.io/api ${release}`,
    ]);
    assert.deepEqual(stagingReplacements(undefined), []);
  });
});

describe("the requirements of a node", () => {
  it("are Linux and root", () => {
    assert.equal(platformProblem("node", "linux", 0), undefined);
    assert.match(platformProblem("node", "linux", 1000) ?? "", /A node needs root/);
    assert.match(platformProblem("node", "darwin", 0) ?? "", /A node needs Linux/);
  });

  it("are reported with the command that installs them", () => {
    assert.match(
      packagesSentence("node", ["runc", "nftables"]),
      /needs runc, nftables; run: apt-get install -y runc nftables/,
    );
  });
});
