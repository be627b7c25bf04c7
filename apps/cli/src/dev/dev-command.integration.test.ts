// An operator that is changed while it runs: a project of `homeostat create`, compiled by the compiler of this repository.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@homeostat/client";
import { startCluster } from "@homeostat/cluster";
import { systemClock } from "@homeostat/core";
import { ValidatingWebhookConfiguration } from "@homeostat/kubernetes/admissionregistration/v1";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { eventually } from "@homeostat/testing";
import { createCommand } from "create-homeostat";
import type { DevArguments } from "./arguments.ts";
import { devCommand } from "./dev-command.ts";

const packages = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
const Site = { group: "example.com", version: "v1", kind: "Site", plural: "sites", scope: "Namespaced" } as const;
const sample = { namespace: "default", name: "sample" };

describe("homeostat dev", { timeout: 120_000 }, () => {
  const stopping = new AbortController();
  const lines: string[] = [];
  let parent: string;
  let folder: string;
  let running: Promise<number>;
  let client: Client;
  let read = 0;

  /** Returns the first line that matches among those that were printed since the last call. */
  const untilPrinted = async (pattern: RegExp): Promise<string> =>
    eventually(() => {
      const found = lines.findIndex((line, index) => index >= read && pattern.test(line));
      assert.notEqual(found, -1, `${String(pattern)} is not in:\n${lines.slice(read).join("\n")}`);
      read = found + 1;
      return lines[found] ?? "";
    });
  const edit = async (file: string, change: (text: string) => string): Promise<void> => {
    const path = join(folder, file);
    await writeFile(path, change(await readFile(path, "utf8")));
  };

  /** Starts the command in the folder of the project. */
  const start = (args: Partial<DevArguments>, stop = new AbortController()) => ({
    stop,
    running: devCommand(
      {
        run: "dev",
        entry: undefined,
        build: undefined,
        watch: [],
        apply: [],
        kubeconfig: undefined,
        context: undefined,
        data: undefined,
        namespace: "homeostat-dev",
        webhookHost: undefined,
        dashboardPort: 0,
        flags: [],
        ...args,
      },
      {
        print: (line) => lines.push(...line.split("\n")),
        write: (text) => lines.push(...text.trimEnd().split("\n")),
        folder,
        env: process.env,
        clock: systemClock,
        signal: stop.signal,
      },
    ),
  });

  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "dev-"));
    folder = join(parent, "sites");
    const output = new PassThrough().resume();
    const words = [folder, "--group", "example.com", "--kind", "Site", "--webhooks"];
    const code = await createCommand(words, {
      program: "homeostat create",
      version: "0.1.0",
      input: new PassThrough(),
      output,
      errors: output,
      signal: stopping.signal,
    });
    assert.equal(code, 0);
    await symlink(packages, join(folder, "node_modules"));
    running = start({ apply: ["samples/site.yaml"], flags: ["--log-level", "info"] }, stopping).running;
    const line = await untilPrinted(/export KUBECONFIG=/);
    client = await Client.fromKubeconfig({ file: line.split("=")[1] ?? "" });
  });
  after(async () => {
    client.close();
    stopping.abort();
    await running;
    await rm(parent, { recursive: true });
  });

  it("installs the CRD and the webhook, starts the operator, and applies the sample", async () => {
    await untilPrinted(/^Applied CustomResourceDefinition sites\.example\.com\.$/);
    await untilPrinted(/^Applied samples\/site\.yaml\.$/);
    await untilPrinted(/^The operator is ready after \d+ ms\.$/);

    await eventually(async () => assert.match((await messageOf()) ?? "", /^Hello from sites$/));
    await assert.rejects(
      client.patch(Site, sample, { merge: { spec: { message: " spaces" } } }),
      /must not start or end with spaces/,
    );
  });

  it("starts it again after a change, and keeps the objects", async () => {
    const before = await client.get(Site, sample);

    await edit("src/controllers/site.ts", (text) =>
      text.replace("message: spec.message", "message: `${spec.message}!`"),
    );

    await untilPrinted(/^src\/controllers\/site\.ts has changed\.$/);
    await untilPrinted(/^The operator is ready after \d+ ms\.$/);
    await eventually(async () => assert.equal(await messageOf(), "Hello from sites!"));
    assert.equal((await client.get(Site, sample))?.metadata.uid, before?.metadata.uid);
  });

  it("installs a changed CRD", async () => {
    await edit("src/api/site.ts", (text) =>
      text.replace("status: {", 'status: { seen: s.int().optional().describe("Times."), '),
    );

    await untilPrinted(/^Applied CustomResourceDefinition sites\.example\.com\.$/);
    await untilPrinted(/^The operator is ready/);
  });

  it("prints errors of the compiler, and lets the operator run as it was", async () => {
    await edit("src/controllers/site.ts", (text) => text.replace("spec.message", "spec.massage"));

    await untilPrinted(/site\.ts.*error TS\d+: .*massage/);
    await untilPrinted(/^The build has failed\. The operator runs as it was\.$/);
    await client.delete(ConfigMap, sample);
    await eventually(async () => assert.equal(await messageOf(), "Hello from sites!"));

    await edit("src/controllers/site.ts", (text) => text.replace("spec.massage", "spec.message"));
    await untilPrinted(/^The operator is ready/);
  });

  it("says how an operator has ended, and starts it again after the next change", async () => {
    await edit("src/main.ts", (text) => `setTimeout(() => process.exit(3), 300).unref();\n${text}`);
    await untilPrinted(/^The operator ended with code 3\. Save a file to start it again\.$/);

    await edit("src/main.ts", (text) => text.replace(/setTimeout.*\n/, ""));
    await untilPrinted(/^The operator is ready/);
  });

  it("serves webhooks for an existing cluster, and deletes their configuration at the end", async () => {
    await using cluster = await startCluster({ parts: "api" });
    const kubeconfig = join(parent, "kubeconfig");
    await cluster.writeKubeconfig(kubeconfig);
    using other = await Client.fromKubeconfig({ file: kubeconfig });
    const existing = { kubeconfig, webhookHost: "127.0.0.1", namespace: "kube-system" };

    const first = start(existing);
    await untilPrinted(/^The operator is ready/);
    const { items } = await other.list(ValidatingWebhookConfiguration);
    const metadata = { namespace: "default", name: "a" };
    const spaces = { apiVersion: "example.com/v1", kind: "Site", metadata, spec: { message: " spaces" } };
    await assert.rejects(other.create(Site, spaces), /must not start or end with spaces/);
    first.stop.abort();
    assert.equal(await first.running, 0);
    const left = await other.list(ValidatingWebhookConfiguration);
    await other.create(ValidatingWebhookConfiguration, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "sites" },
    });
    const second = start(existing);
    await untilPrinted(/^The operator is ready/);
    second.stop.abort();
    await untilPrinted(/^ValidatingWebhookConfiguration sites still leads to this machine: /);
    await second.running;
    const withoutWebhooks = start({ ...existing, webhookHost: undefined });
    await untilPrinted(/^Webhooks are not installed: .* --webhook-host ADDRESS\.$/);
    withoutWebhooks.stop.abort();
    await withoutWebhooks.running;

    assert.deepEqual(
      items.map(({ webhooks }) => webhooks?.[0]?.clientConfig.url?.startsWith("https://127.0.0.1:")),
      [true],
    );
    assert.deepEqual(left.items, []);
  });

  async function messageOf(): Promise<string | undefined> {
    return (await client.get(ConfigMap, sample))?.data?.["message"];
  }
});
