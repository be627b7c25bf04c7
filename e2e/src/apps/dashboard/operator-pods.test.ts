// The dashboard on a real node, where the operator runs in two pods: `homeostat dashboard` reads their debug pages by port-forward, and the chart installs
// the dashboard in a pod of its own.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { Client } from "@homeostat/client";
import { helmPath, kubectl, type RealCluster, whyNoHelm } from "@homeostat/kube";
import { ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { ClusterRole, ClusterRoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { BackgroundProgram } from "../../harness/background-program.ts";
import { reasonToSkip, startCluster } from "../../harness/cluster.ts";
import { Browser } from "../../harness/browser.ts";
import { whyNoProgram } from "../../harness/debian-programs.ts";
import { Installed } from "../../harness/installed.ts";
import { importOperatorImage, importProgramImage, operatorImage } from "../../harness/operator-image.ts";
import { repository } from "../../harness/repository.ts";
import { installAxe, seriousFindings } from "./axe.ts";

const run = promisify(execFile);
const skip = (await whyNoHelm()) ?? (await whyNoProgram("chromium")) ?? (await reasonToSkip({ need: "node" })) ?? false;
const dashboard = {
  name: "neurallog-operator-web-dashboard",
  repository: "docker.io/local/apps-dashboard",
  tag: "e2e",
};
const rbac = "rbac.authorization.k8s.io";
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
  let forward: BackgroundProgram | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "dashboard-"));
    cluster = await startCluster({ need: "node" });
    const image = operatorImage("tenant");
    importOperatorImage(cluster.kubeconfigPath, image);
    client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
    importProgramImage(cluster.kubeconfigPath, "apps/dashboard", `${dashboard.repository}:${dashboard.tag}`);
    const helm = await helmPath({ env: process.env, report: (line) => process.stderr.write(`kube: ${line}\n`) });
    await run(process.execPath, [image.program, "chart", folder]);
    const values = [
      `image.repository=${image.repository},image.tag=${image.tag}`,
      "web-dashboard.enabled=true",
      `web-dashboard.image.repository=${dashboard.repository},web-dashboard.image.tag=${dashboard.tag}`,
    ];
    const at = ["--namespace", names.namespace, "--create-namespace", "--kubeconfig", cluster.kubeconfigPath];
    await run(helm, ["install", names.deployment, folder, ...values.flatMap((value) => ["--set", value]), ...at]);
    await new Installed(cluster, client, names).available(2);
    await new Installed(cluster, client, { ...names, deployment: dashboard.name }).available(1);
  });
  after(async () => {
    await program?.[Symbol.asyncDispose]();
    await forward?.[Symbol.asyncDispose]();
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
    await createTenant("acme");
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

  it("serves each user of a port-forward with the rights of their token", async () => {
    const owner = await createUser("owner", ["get", "list", "watch", "delete"]);
    const viewer = await createUser("viewer", ["get", "list", "watch"]);
    const stranger = await createUser("stranger", []);
    await createTenant("umbrella");
    const origin = await forwarded();
    const query = "group=neurallog.io&kind=Tenant&name=umbrella";

    const [asOwner, asViewer, asStranger] = await Promise.all([
      logIn(origin, owner),
      logIn(origin, viewer),
      logIn(origin, stranger),
    ]);
    const pages = await Promise.all([asOwner, asViewer, asStranger].map((send) => send(`/api/resource?${query}`)));
    const { uid } = (await (await asViewer(`/api/resource?${query}`)).json()) as { readonly uid: string };
    const { rows } = (await (await asStranger("/api/overview")).json()) as { readonly rows: readonly unknown[] };
    const deletion = { group: "neurallog.io", kind: "Tenant", name: "umbrella", uid };
    const deletions: number[] = [];
    for (const send of [asStranger, asViewer, asOwner]) deletions.push((await send("/api/delete", deletion)).status);

    assert.equal((await fetch(`${origin}/api/overview`)).status, 401);
    assert.deepEqual(
      pages.map(({ status }) => status),
      [200, 200, 403],
    );
    assert.deepEqual(rows, []);
    assert.deepEqual(deletions, [403, 403, 200]);
  });

  it("lets a user log in and out in a browser", async () => {
    const viewer = await createUser("reader", ["get", "list", "watch"]);
    await createTenant("initech");
    const [origin, axe] = await Promise.all([forwarded(), installAxe()]);
    await using browser = await Browser.start();
    const form = `document.querySelector("form.login input") === document.activeElement`;
    const overflow = "document.documentElement.scrollWidth - innerWidth";
    const enter = async (token: string): Promise<void> => {
      await browser.until(form);
      await browser.evaluate(`document.activeElement.select()`);
      await browser.type(token);
      await browser.press("Enter");
    };

    await browser.setSize(360, 900);
    await browser.open(`${origin}/resource/neurallog.io/Tenant/-/initech`);
    await browser.until(form);
    assert.ok(Number(await browser.evaluate(overflow)) <= 0);
    assert.deepEqual(await seriousFindings(browser, axe), []);
    assert.deepEqual(browser.takeProblems(), []);
    await enter("not-a-token");
    await browser.until(`document.querySelector("[role=alert]").innerText.includes("does not accept this token")`);
    // The browser itself reports the status of the response.
    assert.deepEqual(
      browser.takeProblems().map((problem) => /401/.test(problem)),
      [true],
    );
    await enter(viewer);
    await browser.until(`document.body.innerText.includes("Owned objects")`);

    assert.equal(
      await browser.evaluate(`document.querySelector(".user span").title`),
      "system:serviceaccount:default:reader",
    );
    assert.ok(Number(await browser.evaluate(overflow)) <= 0);
    assert.deepEqual(await seriousFindings(browser, axe), []);
    assert.equal(await browser.evaluate("document.cookie"), "");
    await browser.evaluate(`document.querySelector(".user button").click()`);
    await browser.until(form);
    assert.deepEqual(browser.takeProblems(), []);
  });

  /** Starts a port-forward to the dashboard, if none runs. Returns its origin. */
  async function forwarded(): Promise<string> {
    const words = ["--kubeconfig", cluster.kubeconfigPath, "--namespace", names.namespace];
    forward ??= new BackgroundProgram(await kubectl(), [
      ...words,
      "port-forward",
      `service/${dashboard.name}`,
      ":8000",
    ]);
    const [, port = ""] = /127\.0\.0\.1:(\d+) ->/.exec(await forward.firstLine()) ?? [];
    return `http://localhost:${port}`;
  }

  async function createTenant(name: string): Promise<void> {
    const tenant = { apiVersion: "neurallog.io/v1", kind: "Tenant", metadata: { name }, spec: {} };
    await new Installed(cluster, client, names).create("/apis/neurallog.io/v1/tenants", tenant);
  }

  /** Creates a service account with rights on tenants. Returns a token of it. */
  async function createUser(name: string, verbs: readonly string[]): Promise<string> {
    const metadata = { namespace: "default", name };
    await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata });
    const rules = [
      ...(verbs.length === 0 ? [] : [{ apiGroups: ["neurallog.io"], resources: ["tenants"], verbs: [...verbs] }]),
      { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list", "watch"] },
    ];
    await client.create(ClusterRole, { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules });
    await client.create(ClusterRoleBinding, {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
    });
    const words = ["--kubeconfig", cluster.kubeconfigPath, "create", "token", name, "--namespace", "default"];
    return (await run(await kubectl(), words)).stdout.trim();
  }
});

/** Sends a request as a user: a write if there is a body. */
type SendAs = (path: string, body?: object) => Promise<Response>;

/** Logs in as a browser does. Returns a function that sends requests with the cookie. */
async function logIn(origin: string, token: string): Promise<SendAs> {
  const own = { origin, "content-type": "application/json", "x-homeostat-dashboard": "1" };
  const write = (path: string, body: object, cookie: string) =>
    fetch(`${origin}${path}`, { method: "POST", headers: { ...own, cookie }, body: JSON.stringify(body) });
  const login = await write("/api/login", { token }, "");
  assert.equal(login.status, 200, await login.clone().text());
  const cookie = String(login.headers.get("set-cookie")).split(";", 1)[0] ?? "";
  return (path, body) =>
    body === undefined ? fetch(`${origin}${path}`, { headers: { cookie } }) : write(path, body, cookie);
}

/** Reports whether a process leads and has reconciled the resource. */
function isComplete({ processes, histories }: Why): boolean {
  const count = histories[0]?.explanation.reconciles.length ?? 0;
  return count > 0 && processes.some(({ isLeading }) => isLeading === true);
}
