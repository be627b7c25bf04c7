import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, before, describe, it } from "node:test";
import { createClient, type Layer } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { checkCluster, servedFindings } from "./cluster.ts";
import { doctorCommand } from "./doctor-command.ts";
import { programAsker } from "./ask-program.ts";

describe("homeostat doctor", () => {
  const { signal } = new AbortController();
  let cluster: Cluster;
  let folder: string;
  let kubeconfig: string;

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    folder = await mkdtemp(join(tmpdir(), "doctor-"));
    kubeconfig = join(folder, "kubeconfig");
    await cluster.writeKubeconfig(kubeconfig);
  });
  after(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true });
  });

  async function doctor(
    args: { readonly kubeconfig?: string; readonly context?: string; readonly hasCluster?: boolean } = {},
  ) {
    const lines: string[] = [];
    const code = await doctorCommand(
      { run: "doctor", kubeconfig, context: undefined, hasCluster: true, ...args },
      {
        print: (line) => lines.push(line),
        ask: async () => ({ version: "1.0.0" }),
        nodeVersion: "24.0.0",
        signal,
      },
    );
    return { code, text: lines.join("\n") };
  }

  it("finds nothing to complain about on an embedded cluster", async () => {
    const { code, text } = await doctor();

    assert.equal(code, 0, text);
    assert.match(text, /^This machine\n {2}ok {7}Node\.js 24\.0\.0\n/);
    assert.match(
      text,
      /\n\nThe cluster of the kubeconfig\n {2}ok {7}Kubernetes v1\.\d+\.\d+ at https:\/\/127\.0\.0\.1:\d+\n/,
    );
    assert.match(text, /ok {7}The clocks of this machine and of the API server agree\n/);
    assert.match(text, /ok {7}You are the user \S+\n {2}ok {7}You may install operators$/);
  });

  it("checks this machine only if there is no cluster to check", async () => {
    const { code, text } = await doctor({ hasCluster: false });

    assert.equal(code, 0);
    assert.doesNotMatch(text, /cluster of the kubeconfig/);
  });

  it("reports a kubeconfig that cannot be read, and a cluster that does not respond", async () => {
    const closed = join(folder, "closed");
    await writeFile(
      closed,
      `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {}}]
`,
    );

    const missing = await doctor({ kubeconfig: join(folder, "none") });
    const unknown = await doctor({ context: "staging" });
    const dead = await doctor({ kubeconfig: closed });

    assert.deepEqual([missing.code, unknown.code, dead.code], [1, 1, 1]);
    assert.match(missing.text, /\n {2}problem {2}.*none/);
    assert.match(unknown.text, /\n {2}problem {2}.*staging/);
    assert.match(dead.text, /\n {2}problem {2}The API server at http:\/\/127\.0\.0\.1:1 does not respond: /);
  });

  it("names missing permissions, an old version, and a wrong clock", async () => {
    const withOldVersion: Layer = (next) => ({
      async send(request) {
        if (request.path !== "/version") return next.send(request);
        const version = Buffer.from('{"major":"1","minor":"27","gitVersion":"v1.27.4"}');
        const body = Object.assign(Readable.from([version]), { cancel: () => undefined });
        return { status: 200, headers: { "content-type": "application/json" }, body };
      },
    });
    const impersonate = { user: "jane", uid: undefined, groups: [], extra: new Map() };
    using client = createClient({ ...cluster.connection(), impersonate }, { layers: [withOldVersion] });

    const findings = await checkCluster({ client, server: "https://old", clockOffsetMs: () => -95_000, signal });

    const texts = findings.map(({ state, text }) => `${state} ${text}`);
    assert.match(
      texts[0] ?? "",
      /^problem Kubernetes v1\.27\.4 at https:\/\/old is too old: .* need 1\.30 or newer\.$/,
    );
    assert.match(texts[1] ?? "", /^problem The clock of this machine is 95 s ahead of that of the API server/);
    assert.equal(texts[2], "ok You are the user jane");
    assert.match(
      texts[3] ?? "",
      /^note You may not install operators: permission to create customresourcedefinitions\.apiextensions\.k8s\.io, namespaces, /,
    );
  });

  it("names kinds that the API server does not serve", () => {
    const [first, ...others] = servedFindings([]);

    assert.match(
      first?.text ?? "",
      /does not serve customresourcedefinitions\.apiextensions\.k8s\.io in version v1: required for custom resources/,
    );
    assert.equal(others.length, 3);
  });

  it("asks real programs for their versions", async () => {
    const ask = programAsker(signal);

    const node = await ask(process.execPath, ["--version"]);
    const broken = await ask(process.execPath, ["--no-such-option"]);

    assert.deepEqual(node, { version: process.version });
    assert.equal(await ask("no-such-program", []), "missing");
    assert.match(broken !== "missing" && "problem" in broken ? broken.problem : "", /no-such-option/);
  });
});
