// `homeostat dashboard` on a real node: the operator runs in two pods, and the dashboard reads their debug pages by port-forward.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { Client } from "@homeostat/client";
import type { RealCluster } from "@homeostat/kube";
import { BackgroundProgram } from "../../harness/background-program.ts";
import { reasonToSkip, startCluster } from "../../harness/cluster.ts";
import { Installed } from "../../harness/installed.ts";
import { importOperatorImage, operatorImage } from "../../harness/operator-image.ts";
import { repository } from "../../harness/repository.ts";

const run = promisify(execFile);
const skip = (await reasonToSkip({ need: "node" })) ?? false;
const names = {
  namespace: "neurallog-system",
  deployment: "neurallog-operator",
  lease: "neurallog-operator.neurallog.io",
};

interface Why {
  readonly processes: readonly { readonly name: string; readonly isLeading?: boolean; readonly problem?: string }[];
  readonly histories: readonly {
    readonly process: string;
    readonly explanation: { readonly reconciles: readonly unknown[] };
  }[];
}

describe("the dashboard of operators in pods", { skip, timeout: 600_000 }, () => {
  let cluster: RealCluster;
  let client: Client;
  let folder = "";
  let program: BackgroundProgram | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "dashboard-"));
    cluster = await startCluster({ need: "node" });
    const image = operatorImage("tenant");
    importOperatorImage(cluster.kubeconfigPath, image);
    client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
    const installed = new Installed(cluster, client, names);
    const flags = ["--image", image.name, "--image-pull-policy", "IfNotPresent", "--namespace", names.namespace];
    const { stdout } = await run(process.execPath, [image.program, "manifests", ...flags], { maxBuffer: 1 << 26 });
    const file = join(folder, "manifests.yaml");
    await writeFile(file, stdout);
    await installed.kubectl("apply", "--server-side", "-f", file);
    await installed.available(2);
  });
  after(async () => {
    await program?.[Symbol.asyncDispose]();
    client?.close();
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("shows both processes, the leader, and the reconciles of a resource", async () => {
    const words = [join(repository, "apps/cli/bin/homeostat.js"), "dashboard", "--kubeconfig", cluster.kubeconfigPath];
    program = new BackgroundProgram(process.execPath, words);
    await program.firstLine();
    const link = /http:\/\/127\.0\.0\.1:\d+\/login\?token=[\w-]+/;
    while (!link.test(program.output)) await new Promise((resolve) => setTimeout(resolve, 20));
    const [url = ""] = link.exec(program.output) ?? [];
    const login = await fetch(url);
    const cookie = String(login.headers.get("set-cookie")).split(";", 1)[0] ?? "";
    const tenant = { apiVersion: "neurallog.io/v1", kind: "Tenant", metadata: { name: "acme" }, spec: {} };
    await client.raw({ method: "POST", path: "/apis/neurallog.io/v1/tenants", body: JSON.stringify(tenant) });
    const query = "group=neurallog.io&kind=Tenant&name=acme";

    // One of the two becomes the leader some seconds after both are ready.
    let why: Why;
    do {
      const response = await fetch(new URL(`/api/why?${query}`, url), { headers: { cookie } });
      assert.equal(response.status, 200, await response.clone().text());
      why = (await response.json()) as Why;
    } while (!isComplete(why));

    assert.deepEqual(
      why.processes.map(({ name, problem }) => [name.startsWith("neurallog-system/neurallog-operator-"), problem]),
      [
        [true, undefined],
        [true, undefined],
      ],
    );
    const leaders = why.processes.filter(({ isLeading }) => isLeading === true);
    assert.equal(leaders.length, 1);
    assert.equal(why.histories[0]?.process, leaders[0]?.name);
  });
});

/** Reports whether a process leads and has reconciled the resource. */
function isComplete({ processes, histories }: Why): boolean {
  const count = histories[0]?.explanation.reconciles.length ?? 0;
  return count > 0 && processes.some(({ isLeading }) => isLeading === true);
}
