// Bundles programs with esbuild as users do: without a banner and without external packages.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { build, type BuildOptions } from "esbuild";
import { isTestCode, readFiles, root } from "../tidy/tree.ts";

/** Creates an object in the cluster of its kubeconfig and prints the name that the server generated. */
const script = `
  import { createClient, loadConnection } from "homeostat";
  import { ConfigMap } from "@homeostat/kubernetes/core/v1";

  async function main(): Promise<void> {
    using client = createClient(await loadConnection());
    const { metadata } = await client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "default", generateName: "bundled-" },
    });
    console.log(metadata.name);
  }
  void main();
`;

let folder = "";
let cluster: Cluster;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "bundle-"));
  cluster = await startCluster({ parts: "api" });
  await writeFile(join(folder, "kubeconfig"), cluster.kubeconfig());
});
after(async () => {
  await cluster.stop();
  await rm(folder, { recursive: true });
});

async function bundle(outfile: string, options: BuildOptions): Promise<string> {
  const file = join(folder, outfile);
  const { warnings } = await build({ bundle: true, platform: "node", outfile: file, logLevel: "silent", ...options });
  assert.deepEqual(warnings, []);
  return file;
}

interface ProcessResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a bundle in a folder without node_modules, with the kubeconfig of the cluster. */
async function run(file: string, args: readonly string[] = []): Promise<ProcessResult> {
  const env = { ...process.env, KUBECONFIG: join(folder, "kubeconfig") };
  const child = spawn(process.execPath, [file, ...args], { cwd: folder, env, timeout: 60_000 });
  const [stdout, stderr, [code]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

async function textOf(stream: NonNullable<ChildProcess["stdout"]>): Promise<string> {
  let text = "";
  for await (const piece of stream.setEncoding("utf8")) text += piece;
  return text;
}

describe("a user's bundle", () => {
  for (const format of ["esm", "cjs"] as const) {
    it(`of a program that loads a kubeconfig runs in ${format} format`, async () => {
      const stdin = { contents: script, resolveDir: join(root, "examples"), loader: "ts" } as const;
      const file = await bundle(`script.${format === "esm" ? "mjs" : "cjs"}`, {
        stdin,
        format,
        target: "node20.19",
      });

      const { code, stdout, stderr } = await run(file);

      assert.equal(stderr, "");
      assert.equal(code, 0);
      using client = createClient(cluster.connection());
      assert.ok(await client.get(ConfigMap, { namespace: "default", name: stdout.trim() }), stdout);
    });
  }

  it("has each class of a package once, although the package has an internal subpath", async () => {
    const contents = `
      import { DecodeError } from "@homeostat/apiserver";
      import { openEnvelope } from "@homeostat/apiserver/internal";

      try {
        openEnvelope(new Uint8Array([0]));
      } catch (error) {
        console.log(error instanceof DecodeError);
      }
    `;
    const stdin = { contents, resolveDir: join(root, "e2e"), loader: "ts" } as const;
    const file = await bundle("internal.mjs", { stdin, format: "esm" });

    const { stdout, stderr } = await run(file);

    assert.equal(stderr, "");
    assert.equal(stdout, "true\n");
  });

  it("of an operator prints CRDs, logs JSON, and exits with 1 and one error when its webhook port is in use", async () => {
    const file = await bundle("operator.mjs", {
      entryPoints: [join(root, "e2e/src/packages/operator/program.ts")],
      format: "esm",
    });
    using client = createClient(cluster.connection());
    const crds = await run(file, ["manifests", "--only=crds"]);
    for (const document of crds.stdout.split(/^---$/m).filter((text) => text.trim() !== "")) {
      await client.raw({
        method: "POST",
        path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        headers: { "content-type": "application/yaml", accept: "application/json" },
        body: document,
      });
    }
    const holder = createServer().listen(0);
    await once(holder, "listening");
    const address = holder.address();
    const port = typeof address === "object" ? address?.port : undefined;

    const { code, stdout, stderr } = await run(file, [
      `--webhook-port=${port}`,
      "--namespace=default",
      "--health-probe-bind-address=0",
      "--metrics-bind-address=0",
    ]);
    holder.close();

    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line): { level: string; msg: string; part?: string; error?: { message: string } } => JSON.parse(line));
    // A busy machine delays the event loop, which the operator also logs.
    const problems = lines.filter(
      ({ level, msg }) => level === "error" || (level === "warn" && msg !== "Event loop blocked"),
    );
    assert.equal(stderr, "");
    assert.equal(code, 1, stdout);
    assert.deepEqual(
      problems.map(({ msg, part }) => [msg, part]),
      [["Part failed, stopping", "service/webhooks"]],
      stdout,
    );
    assert.match(problems[0]?.error?.message ?? "", new RegExp(`^Cannot listen on port ${port} for webhooks: `));
  });
});

describe("product code", () => {
  it("has no require calls that bundlers cannot see", () => {
    const hidden = readFiles((path) => /^(packages|operators)\/[^/]+\/src\/.*\.ts$/.test(path) && !isTestCode(path))
      .filter(({ text }) => /\bcreateRequire\b|\brequire\(/.test(text))
      .map(({ path }) => path);

    // The published bundle replaces this module with the library.
    assert.deepEqual(hidden, ["packages/apiserver/src/codec/yaml-library.ts"]);
  });
});
