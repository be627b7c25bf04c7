import assert from "node:assert/strict";
import { connect } from "node:http2";
import { after, before, describe, it } from "node:test";
import { createClient, type Client } from "@homeostat/client";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { startCluster, type Cluster } from "./start-cluster.ts";

describe("the pod proxy of the API server", () => {
  let cluster: Cluster;
  let client: Client;

  before(async () => {
    cluster = await startCluster();
    client = createClient(cluster.connection());
    await client.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "echo", namespace: "default" },
      spec: { containers: [{ name: "main", image: "local/echo-server:1", ports: [{ containerPort: 8080 }] }] },
    });
    for (;;) {
      const pod = await client.get(Pod, { namespace: "default", name: "echo" });
      if (pod?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True")) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  after(async () => {
    client.close();
    await cluster.stop();
  });

  async function send(
    path: string,
    { method = "GET", body }: { method?: "GET" | "POST"; body?: string } = {},
  ): Promise<{ status: number; headers: Readonly<Record<string, unknown>>; text: string }> {
    const response = await client.transport.send({
      method,
      path: `/api/v1/namespaces/default/pods/${path}`,
      headers: { "content-type": "text/plain", "x-mine": "1" },
      ...(body === undefined ? {} : { body }),
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body) pieces.push(piece);
    return { status: response.status, headers: response.headers, text: Buffer.concat(pieces).toString() };
  }

  it("forwards path, query, headers and body to the program in the pod", async () => {
    const { status, text } = await send("echo:8080/proxy/a/b?c=d", { method: "POST", body: "hello" });

    assert.equal(status, 200);
    const echoed = JSON.parse(text);
    assert.equal(echoed.method, "POST");
    assert.ok(text.includes("/a/b") && text.includes("hello"), text);
    assert.equal(echoed.headers["x-mine"], "1");
    assert.equal(echoed.headers["authorization"], undefined);
  });

  it("works over HTTP/2, which kubectl uses", async () => {
    const session = connect(cluster.url, adminTls(cluster));
    const stream = session.request({ ":path": "/api/v1/namespaces/default/pods/echo:8080/proxy/a" });
    const pieces: Uint8Array[] = [];

    for await (const piece of stream) pieces.push(piece);
    session.close();

    assert.equal(JSON.parse(Buffer.concat(pieces).toString()).method, "GET");
  });

  it("names the alternative to exec and port-forward", async () => {
    const exec = await send("echo/exec?command=ls");
    const forward = await send("echo/portforward");

    assert.equal(exec.status, 501);
    assert.match(JSON.parse(exec.text).message, /simulated.*kubectl logs -n default echo$/);
    assert.match(
      JSON.parse(forward.text).message,
      /simulated.*\/api\/v1\/namespaces\/default\/pods\/echo:PORT\/proxy\/$/,
    );
  });

  it("redirects to a trailing slash when the path is empty", async () => {
    const { status, headers } = await send("echo/proxy?c=d");

    assert.deepEqual([status, headers["location"]], [301, "/api/v1/namespaces/default/pods/echo/proxy/?c=d"]);
  });

  it("reports that nothing listens on the port", async () => {
    const { status, text } = await send("echo:81/proxy/");

    assert.equal(status, 503);
    assert.match(text, /error trying to reach service: dial tcp 10\.[\d.]+:81: connect: connection refused/);
  });

  it("reports that the pod does not exist", async () => {
    assert.equal((await send("none:80/proxy/")).status, 404);
  });
});

/** Returns the TLS settings of an administrator client. */
function adminTls({ server: { certificates } }: Cluster): { ca: string; cert: string; key: string } {
  return { ca: certificates.ca, ...certificates.client() };
}
