// kubectl prints the same for the embedded API server and for the real one.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import { after, before, describe, it } from "node:test";
import { kubectl } from "@homeostat/kube";
import { reasonToSkipOwnCluster } from "../harness/own-cluster.ts";
import { type BothServers, bothServers, type ServerUnderTest } from "../harness/both-servers.ts";
import { normalisedOutput } from "../harness/normalise.ts";

const skip = (await reasonToSkipOwnCluster()) ?? false;

/** Output and exit code of a program. */
interface Printed {
  readonly code: number;
  readonly text: string;
}

/** A kubectl command and its standard input. */
interface Command {
  readonly arguments: string;
  readonly input?: string;
}

const deployment = (image: string): string =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", labels: { app: "web" } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image }] } },
    },
  });

/** Commands in order: later ones depend on the effects of earlier ones. */
const commands: readonly Command[] = [
  { arguments: "get namespaces --show-labels" },
  { arguments: "create namespace shop" },
  { arguments: "create configmap settings -n shop --from-literal=a=1 --from-literal=b=two" },
  { arguments: "create configmap settings -n shop" },
  { arguments: "get configmap settings -n shop -o yaml --show-managed-fields" },
  { arguments: "get configmap settings -n shop -o jsonpath={.data}" },
  { arguments: "create secret generic keys -n shop --from-literal=k=v" },
  { arguments: "get secrets -n shop" },
  { arguments: "describe secret keys -n shop" },
  { arguments: "label configmap settings -n shop tier=front" },
  { arguments: "annotate configmap settings -n shop note=x" },
  { arguments: "get cm -n shop -l tier=front -o name" },
  { arguments: "get cm -n shop --field-selector metadata.name=settings" },
  { arguments: 'patch cm settings -n shop --type merge -p {"data":{"c":"3"}}' },
  { arguments: "apply -n shop -f -", input: deployment("web:1") },
  { arguments: "apply -n shop -f -", input: deployment("web:1") },
  { arguments: "diff -n shop -f -", input: deployment("web:1") },
  { arguments: "apply -n shop -f -", input: deployment("web:2") },
  { arguments: "apply -n shop --server-side --force-conflicts -f -", input: deployment("web:3") },
  { arguments: "apply -n shop --server-side --field-manager other -f -", input: deployment("web:4") },
  { arguments: "get deployment web -n shop -o wide" },
  { arguments: "get deployment web -n shop -o yaml" },
  { arguments: "set image deployment/web -n shop c=web:5" },
  { arguments: "get deploy,rs,pods,svc -n shop" },
  {
    arguments: "apply -n shop -f -",
    input: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"colour":1}',
  },
  { arguments: "create -n shop -f -", input: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"Bad_Name"}}' },
  { arguments: "create -n absent -f -", input: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}' },
  { arguments: "explain deployment.spec.strategy" },
  { arguments: "explain pods --recursive" },
  { arguments: "api-versions" },
  { arguments: "api-resources --sort-by=name -o wide" },
  { arguments: "create role reader -n shop --verb=get --resource=pods" },
  { arguments: "create rolebinding reads -n shop --role=reader --user=eve" },
  { arguments: "get roles,rolebindings -n shop -o wide" },
  { arguments: "get pods -n shop --as eve" },
  { arguments: "get nodes" },
  { arguments: "get pods -A" },
  { arguments: "get apiservices" },
  { arguments: "get flowschemas,prioritylevelconfigurations" },
  { arguments: "get deviceclasses,resourceclaims,resourceslices -A" },
  { arguments: "get nothing" },
  { arguments: "get cm absent -n shop" },
  { arguments: "delete deployment web -n shop --wait=false" },
  { arguments: "delete cm --all -n shop" },
  { arguments: "delete cm absent -n shop --ignore-not-found" },
  { arguments: "version -o json --client=false" },
];

describe("kubectl on both servers", { skip }, () => {
  let servers: BothServers;
  let program: string;

  before(async () => {
    [servers, program] = await Promise.all([bothServers(), kubectl()]);
  });

  after(async () => {
    await servers[Symbol.asyncDispose]();
  });

  for (const command of commands) {
    it(`prints the same for ${command.arguments}`, async () => {
      const [real, embedded] = await Promise.all([
        run(program, servers.real, command),
        run(program, servers.embedded, command),
      ]);

      assert.deepEqual(embedded, real);
    });
  }

  it("gets the FlowSchema of its requests in a header", async () => {
    const requests = [
      { path: "/api/v1/namespaces", user: "" },
      { path: "/api/v1/namespaces", user: "eve" },
      { path: "/healthz", user: "eve" },
      { path: "/apis/coordination.k8s.io/v1/leases", user: "system:serviceaccount:kube-system:x" },
    ];
    const flowNames = (server: ServerUnderTest): Promise<string[]> =>
      Promise.all(requests.map((each) => flowOf(server, each)));

    const [real, embedded] = await Promise.all([flowNames(servers.real), flowNames(servers.embedded)]);

    assert.deepEqual(embedded, real);
    assert.equal(embedded[0], "exempt");
  });

  it("prints changes while it watches", async () => {
    // The watch ends by its timeout only, so this is also the time in which the object must be created.
    const watching = (server: ServerUnderTest): Promise<Printed> =>
      run(program, server, { arguments: "get cm -n shop --watch --request-timeout=12s -o name" });
    const making = async (server: ServerUnderTest): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await run(program, server, { arguments: "create configmap later -n shop" });
    };

    const [real, embedded] = await Promise.all([
      watching(servers.real),
      watching(servers.embedded),
      making(servers.real),
      making(servers.embedded),
    ]);

    assert.deepEqual(embedded, real);
    assert.match(embedded.text, /configmap\/later/);
  });
});

/** Returns the name of the FlowSchema that a response header refers to. */
async function flowOf(server: ServerUnderTest, { path, user }: { path: string; user: string }): Promise<string> {
  const impersonation: Record<string, string> = user === "" ? {} : { "impersonate-user": user };
  const { headers } = await sendRequest(server, path, impersonation);
  const flows: unknown = JSON.parse(
    (await sendRequest(server, "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", {})).text,
  );
  const { items } = flows as { items: readonly { metadata: { name: string; uid: string } }[] };
  const found = items.find(({ metadata }) => metadata.uid === headers["x-kubernetes-pf-flowschema-uid"]);
  return found?.metadata.name ?? "none";
}

function sendRequest(
  { server, ca, cert, key }: ServerUnderTest,
  path: string,
  headers: Record<string, string>,
): Promise<{ headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const sending = request(new URL(path, server), { ca, cert, key, headers, agent: false }, (response) => {
      let text = "";
      response.on("data", (piece: Buffer) => void (text += piece.toString("utf8")));
      response.on("error", reject);
      response.on("end", () => resolve({ headers: response.headers, text }));
    });
    sending.on("error", reject);
    sending.end();
  });
}

function run(program: string, { kubeconfigPath }: ServerUnderTest, command: Command): Promise<Printed> {
  const { arguments: words, input } = command;
  const env = { PATH: process.env["PATH"], KUBECONFIG: kubeconfigPath, HOME: `${kubeconfigPath}.home` };
  return new Promise((resolve, reject) => {
    const child = execFile(program, words.split(" "), { env, timeout: 60_000 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== "number") return reject(error);
      const code = typeof error?.code === "number" ? error.code : 0;
      resolve({ code, text: normalisedOutput(`${stdout}${stderr}`) });
    });
    child.stdin?.end(input ?? "");
  });
}
