// The chart of the Tenant operator, rendered by the real helm, beside its plain manifests.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { helmPath, whyNoHelm } from "@homeostat/kube";
import { type ManifestOptions, operatorManifests, runOperator } from "@homeostat/operator";
import { tenantOperator } from "@homeostat/tenant-operator";
import { byName, objectsIn, withoutHelm } from "../../operator/rendered.ts";

const execute = promisify(execFile);
const skip = (await whyNoHelm()) ?? false;
const operator = tenantOperator();
const namespace = "neurallog-system";
const [everything, nothing] = [true, false].map((is) =>
  Object.fromEntries(Object.keys(operator.extras).map((name) => [name, is])),
);

/** Values for helm, and the options for the plain manifests that say the same. */
const cases: readonly { readonly title: string; readonly values: string; readonly options: ManifestOptions }[] = [
  { title: "by default", values: "", options: {} },
  {
    title: "with everything beside it",
    values: set(everything),
    options: { extras: everything },
  },
  {
    title: "with nothing beside it",
    values: set(nothing),
    options: { extras: nothing },
  },
  {
    title: "with its settings",
    values: "settings.maxConcurrentReconciles=8,settings.resyncInterval=10m0s",
    options: { settings: { maxConcurrentReconciles: 8, resyncInterval: 600_000 } },
  },
];

function set(extras: Readonly<Record<string, boolean>> = {}): string {
  return Object.entries(extras)
    .map(([name, is]) => `extras.${name}=${is}`)
    .join(",");
}

describe("the chart of the Tenant operator", { skip }, () => {
  let helm = "";
  let folder = "";
  before(async () => {
    helm = await helmPath({ env: process.env, report: (line) => process.stderr.write(`kube: ${line}\n`) });
    folder = await mkdtemp(join(tmpdir(), "chart-"));
    assert.equal(await runOperator(operator, { argv: ["chart", folder], env: {} }), 0);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("has nothing that helm complains about", async () => {
    const { stdout } = await execute(helm, ["lint", folder, "--strict"]);

    assert.match(stdout, /1 chart\(s\) linted, 0 chart\(s\) failed/);
  });

  for (const { title, values, options } of cases) {
    it(`renders to the plain manifests: ${title}`, async () => {
      const words = ["template", "release", folder, "--namespace", namespace];
      const { stdout } = await execute(helm, [...words, ...(values === "" ? [] : ["--set", values])], {
        maxBuffer: 1 << 26,
      });

      const plain = operatorManifests(operator, { namespace, createNamespace: false, ...options });
      assert.deepEqual(byName(objectsIn(stdout).map(withoutHelm)), byName(plain));
    });
  }
});
