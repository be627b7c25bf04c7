// An envtest suite passes on the CLI's shims as it does on the real binaries.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dirname, join } from "node:path";
import { kubectl, whyNoTool } from "@homeostat/kube";
import { reasonToSkip } from "../harness/cluster.ts";
import { buildGo } from "./builds.ts";
import { runProgram } from "./program.ts";
import { repository } from "../harness/repository.ts";

const skip = (await reasonToSkip({ need: "apiserver" })) ?? (await whyNoTool("go", ["version"])) ?? false;
const cli = join(repository, "apps/cli/bin/homeostat.js");

describe("an envtest suite", { skip }, () => {
  const passes = async (assets: string): Promise<void> => {
    const suite = await buildGo("envtest", "tests");
    const { code, stdout, stderr } = await runProgram(suite, ["-test.v"], { env: { KUBEBUILDER_ASSETS: assets } });

    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /--- PASS: TestOperator\/authenticates_its_users/);
  };

  it("passes on the embedded API server", async () => {
    const { code, stdout, stderr } = await runProgram(process.execPath, [cli, "assets"]);
    assert.equal(code, 0, stderr);

    await passes(stdout.trim());
  });

  it("passes on the real API server", async () => {
    await passes(dirname(await kubectl()));
  });
});
