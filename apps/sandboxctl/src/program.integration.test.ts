// The bundled program as a process: logins of kubeconfigs, environment, interrupts.

import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { releaseVersion } from "@homeostat/core";
import { kubeconfigParts } from "./testing/kubeconfig.ts";

const bin = fileURLToPath(new URL("../bin/sandboxctl.js", import.meta.url));

interface Finished {
  readonly code: number | string | null | undefined;
  readonly out: string;
  readonly err: string;
}

describe("the program sandboxctl", () => {
  let cluster: Cluster;
  let folder: string;
  /** Contexts and clusters in one file, users in another. */
  let kubeconfig: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "sandboxctl-"));
    cluster = await startCluster({ parts: "api" });
    const { cluster: clusterEntry, clientCertificate, clientKey } = kubeconfigParts(cluster.connection());
    const status = { clientCertificateData: clientCertificate, clientKeyData: clientKey };
    const credential = { apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status };
    const plugin = join(folder, "login.mjs");
    await writeFile(
      plugin,
      `const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
if (process.env.LOGIN !== "yes" || spec.interactive) process.exit(1);
process.stdout.write(${JSON.stringify(JSON.stringify(credential))});
`,
    );
    const exec = {
      apiVersion: credential.apiVersion,
      command: process.execPath,
      args: [plugin],
      interactiveMode: "Never",
    };
    const first = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "broken",
      clusters: [{ name: "c", cluster: clusterEntry }],
      contexts: [
        { name: "dev", context: { cluster: "c", user: "plugin", namespace: "shop" } },
        { name: "broken", context: { cluster: "c", user: "failing" } },
      ],
    };
    const users = [
      { name: "plugin", user: { exec: { ...exec, env: [{ name: "LOGIN", value: "yes" }] } } },
      { name: "failing", user: { exec } },
    ];
    await writeFile(join(folder, "clusters.json"), JSON.stringify(first));
    await writeFile(join(folder, "users.json"), JSON.stringify({ apiVersion: "v1", kind: "Config", users }));
    kubeconfig = ["clusters.json", "missing.json", "users.json"].map((name) => join(folder, name)).join(delimiter);
  });
  after(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true });
  });

  const run = (words: readonly string[], env: Record<string, string> = {}): Promise<Finished> =>
    new Promise((resolve) => {
      const options = { env: { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: kubeconfig, ...env } };
      execFile(process.execPath, [bin, ...words], options, (error, out, err) =>
        resolve({ code: error === null ? 0 : (error.code ?? error.signal), out, err }),
      );
    });

  it("logs in with an exec plugin of a list of kubeconfigs, in another context than the current one", async () => {
    const { code, out, err } = await run(["version", "--context", "dev", "-o", "json"]);

    assert.equal(code, 0, err);
    assert.match(out, /"kubernetes": "v1\./);
    assert.match(out, /"operator": "not installed in sandbox-system"/);
  });

  it("names the plugin that fails, and still prints its own version", async () => {
    const { code, out, err } = await run(["version"]);

    assert.equal(code, 1);
    assert.match(out, /^client: +\d+\.\d+\.\d+\n/);
    assert.match(err, /^sandboxctl: .*exited with code 1/m);
  });

  it("uses the namespace of the context, of the environment and of the configuration", async () => {
    const namespaceOf = async (words: readonly string[], env = {}): Promise<string> =>
      (await run(["sandbox", "get", "x", "-v", ...words], { SANDBOXCTL_CONTEXT: "dev", ...env })).err;

    assert.match(
      await namespaceOf([]),
      /GET \/apis\/sandbox\.example\.com\/v1alpha1\/namespaces\/shop\/sandboxes\/x 404/,
    );
    assert.match(await namespaceOf([], { SANDBOXCTL_NAMESPACE: "bank" }), /namespaces\/bank\//);
    assert.equal((await run(["config", "set", "namespace", "stored"])).code, 0);
    assert.match(await namespaceOf([]), /namespaces\/stored\//);
    assert.match(await namespaceOf(["-n", "given"]), /namespaces\/given\//);
    assert.equal((await run(["config", "get", "namespace"])).out, "stored\n");
    assert.equal((await run(["config", "set", "namespace"])).code, 0);
    assert.equal((await run(["config", "get", "namespace"])).code, 5);
  });

  it("reports kubeconfigs and contexts that do not exist", async () => {
    const missing = await run(["sandbox", "list", "--kubeconfig", join(folder, "nothing")]);
    assert.equal(missing.code, 1);
    assert.match(missing.err, /nothing: does not exist/);

    const context = await run(["sandbox", "list", "--context", "nothing"]);
    assert.equal(context.code, 1);
    assert.match(context.err, /available: dev, broken/);
  });

  it("reports errors of the operating system in one line", async () => {
    const { code, err } = await run(["diagnostics", "--context", "dev", "-o", join(folder, "missing", "report.json")]);

    assert.equal(code, 1);
    assert.match(err, /^sandboxctl: ENOENT: .*report\.json'\. Check the path or address\.\n$/);
  });

  it("prints its version without a cluster", async () => {
    const { code, out } = await run(["--version"]);

    assert.equal(code, 0);
    assert.equal(out, `client:           ${releaseVersion}\ntunnel protocol:  1\n`);
  });

  it("refuses options without a command", async () => {
    const { code, err } = await run(["-x"]);
    assert.equal(code, 2);
    assert.match(err, /Unknown option -x without a command\. See sandboxctl --help\./);
    assert.equal((await run([])).code, 0);
  });

  it("prints no error when the reader of its output has left", async () => {
    const words = [bin, "completion", "bash"];
    const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"], env: { HOME: folder } });
    child.stdout.destroy();
    const errors = await child.stderr.setEncoding("utf8").toArray();

    assert.equal(errors.join(""), "");
  });

  it("completes lines of a real bash", async () => {
    const complete = (line: string): string => {
      const words = line.split(" ");
      const script = [
        `sandboxctl() { "${process.execPath}" "${bin}" "$@"; }`,
        "source <(sandboxctl completion bash)",
        "complete -p sandboxctl >/dev/null",
        `COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")})`,
        `COMP_CWORD=${words.length - 1}`,
        "_sandboxctl",
        'echo "${COMPREPLY[*]-}"',
      ].join("\n");
      const env = { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: kubeconfig };
      return execFileSync("bash", ["--norc", "--noprofile", "-euc", script], { env, encoding: "utf8" }).trimEnd();
    };

    assert.equal(complete("sandboxctl local dis"), "disconnect");
    assert.equal(complete("sandboxctl sandbox list --context d"), "dev");
    assert.equal(complete("sandboxctl nothing x"), "");
    // Bash splits words at = and completes only the rest.
    assert.equal(complete("sandboxctl local run --transport = w"), "wss");
    assert.equal(complete("sandboxctl local run --transport = wss --wait r"), "ready");
  });

  it("prints its help with the CPU time of a start within 150 ms", () => {
    /** Returns the least CPU time of a command in milliseconds, as bash reports it for its children. */
    const cpuMsOf = (command: string): number => {
      const samples = Array.from({ length: 4 }, () => {
        const lines = execFileSync("bash", ["-c", `${command} >/dev/null; times`], { encoding: "utf8" })
          .trim()
          .split("\n");
        const times = [...(lines[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
        return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000, 0);
      });
      return Math.min(...samples);
    };

    const node = cpuMsOf(`"${process.execPath}" -e 0`);
    const help = cpuMsOf(`"${process.execPath}" "${bin}" --help`);

    // Node 20 alone takes 40 ms on a quiet core, and Node 24 half of that. A slower machine gets more, by ratio.
    const limit = Math.max(150, node * 2.75);
    assert.ok(help < limit, `--help took ${help} ms, Node alone ${node} ms`);
  });

  it("is a file of less than 1.85 MB, which Node parses at each start", () => {
    const { size } = statSync(fileURLToPath(new URL("../dist/program.js", import.meta.url)));

    // Parsing takes most of the time beyond that of Node itself, about 35 ms for each MB.
    assert.ok(size < 1_850_000, `the program has ${size} bytes; import large libraries only where they are needed`);
  });

  it("stops at the first interrupt with the code 130", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    assert.ok(typeof address === "object" && address !== null);
    const url = `http://127.0.0.1:${address.port}`;
    const words = [bin, "route", "explain", "--service", "shop/cart", "--server", url];
    const child = execFile(process.execPath, words, { env: { PATH: process.env["PATH"], HOME: folder } });

    // The server accepts the connection and never responds.
    const [socket] = await once(server, "connection");
    child.kill("SIGINT");
    const [code] = await once(child, "exit");

    assert.equal(code, 130);
    assert.ok(socket instanceof Socket);
    socket.destroy();
    server.close();
  });
});
