// Creates projects with the published packages. They pass their own tests, and run on the embedded cluster and on a real control plane.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type LocalRegistry, startLocalRegistry } from "../../guides/local-registry.ts";
import { follow, type Place, RunningCommand } from "../../guides/project.ts";
import { pathFor } from "../../guides/tools.ts";
import { reasonToSkip, startCluster } from "../../harness/cluster.ts";
import { repository } from "../../harness/repository.ts";

const noCluster = (await reasonToSkip({ need: "control-plane" })) ?? false;

describe("a created project", () => {
  let folder = "";
  let registry: LocalRegistry;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "homeostat-create-"));
    registry = await startLocalRegistry();
    const path = await pathFor({ typescript: "", resolution: "nodenext", packageManager: "npm", node: undefined });
    // With the context of this test, the test runner of a project would take itself for a file of this run, and run nothing.
    const { NODE_TEST_CONTEXT: _, ...own } = process.env;
    env = { ...own, NODE_OPTIONS: "", PATH: path, npm_config_registry: registry.url, npm_config_yes: "true" };
  });

  after(async () => {
    await registry?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it("with a webhook passes its tests and runs on the embedded cluster", { timeout: 240_000 }, async () => {
    // npm keeps a program that it has run in its cache, and would not ask the registry again.
    const parent: Place = { cwd: folder, env: { ...env, npm_config_cache: join(folder, "cache") } };
    const words = "web-sites -- --group example.com --kind WebSite --webhooks";
    const created = await follow(`npm create homeostat ${words}`, parent);
    const place: Place = {
      cwd: join(folder, "web-sites"),
      env: { ...env, KUBECONFIG: join(folder, "web-sites", "kubeconfig") },
    };

    const tested = await follow("npm install --no-audit && npm test && npm run --silent chart", place);
    await using cluster = new RunningCommand("npx homeostat cluster --kubeconfig ./kubeconfig", place);
    await cluster.printed(/Press Ctrl-C/);
    await playSample(place, { plural: "websites", file: "web-site" });

    await using dev = new RunningCommand("npm run --silent dev", place);
    await dev.printed(/Applied samples\/web-site\.yaml\.[^]*The operator is ready after \d+ ms\./);

    assert.match(created, /Created web-sites with 14 files/);
    assert.match(tested, /# fail 0\n/);
    assert.match(tested, /# pass 3\n/);
    assert.match(readFileSync(join(place.cwd, "charts/web-sites/Chart.yaml"), "utf8"), /name: web-sites/);
  });

  it(
    "without a webhook passes its tests and runs on a real control plane",
    { skip: noCluster, timeout: 240_000 },
    async () => {
      const program = `"${process.execPath}" "${join(repository, "apps/cli/bin/homeostat.js")}"`;
      await follow(`${program} create shops --group shop.example.com --kind Shop --no-webhooks`, { cwd: folder, env });
      const real = await startCluster({ need: "control-plane" });
      try {
        const place: Place = { cwd: join(folder, "shops"), env: { ...env, KUBECONFIG: real.kubeconfigPath } };

        const tested = await follow("npm install --no-audit && npm test", place);
        await playSample(place, { plural: "shops", file: "shop" });

        assert.match(tested, /# fail 0\n/);
      } finally {
        await real.stop();
      }
    },
  );
});

/** Installs the CRD, runs the operator, and waits until it has reconciled the sample. */
async function playSample(place: Place, { plural, file }: { plural: string; file: string }): Promise<void> {
  // Other suites run beside this one and use the default ports.
  const ports = "--metrics-bind-address 0 --health-probe-bind-address 0 --webhook-port 0";
  await follow("npm run --silent manifests -- --only crds | kubectl apply -f -", place);
  await follow(`kubectl wait --for=condition=Established crd --all --timeout=60s`, place);
  await using operator = new RunningCommand(`npm start -- --namespace default --log-format text ${ports}`, place);
  await follow(`kubectl apply -f samples/${file}.yaml`, place);
  await follow(`kubectl wait --for=condition=Ready ${plural}/sample --timeout=60s`, place).catch((error: Error) => {
    throw new Error(`${error.message}\nthe log of the operator:\n${operator.output}`, { cause: error });
  });
  const text = await follow("kubectl get configmap sample -o jsonpath={.data.message}", place);
  assert.match(text, /^Hello from /);
}
