// Logs through an API server. The test simulates the kubelet, so that it controls when each chunk arrives.

import assert from "node:assert/strict";
import { it } from "node:test";
import { Client } from "@homeostat/client";
import { BadRequestError, NotFoundError, systemClock } from "@homeostat/core";
import { Node, Pod, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { eachServer } from "../../harness/each-server.ts";
import { type LogRequest, localKubelet, remoteKubelet } from "./simulated-kubelet.ts";

await eachServer("logs", ({ start }) => {
  it("are streamed while they are written, and stop when the reader stops", async (t) => {
    const requests: LogRequest[] = [];
    // Without a CA for kubelets, the real server accepts any kubelet certificate.
    const apiserverFlags = ["--kubelet-certificate-authority="];
    await using cluster = await start({ apiserverFlags, kubelets: localKubelet(requests) });
    if (cluster.isExternal) {
      t.skip("an external cluster must not get a simulated node");
      return;
    }
    using kubelet = await remoteKubelet(cluster, requests);
    using client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath });
    const key = { namespace: "default", name: "talker" };
    await client.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name: "made-up" } });
    await client.patch(
      Node,
      { name: "made-up" },
      {
        merge: {
          status: {
            addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
            daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
          },
        },
      },
      { subresource: "status" },
    );
    await client.apply(
      ServiceAccount,
      { metadata: { namespace: "default", name: "default" } },
      { fieldManager: "suite" },
    );
    await client.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: key,
      spec: {
        nodeName: "made-up",
        automountServiceAccountToken: false,
        containers: [
          { name: "main", image: "x" },
          { name: "side", image: "x" },
        ],
      },
    });

    const lines = client.logs(key, { container: "main", follow: true, tailLines: 5, timestamps: true });
    const first = lines.next();
    await until(() => requests.length === 1);
    requests[0]?.write("one\ntw");
    const one = await first;
    requests[0]?.write("o\n");
    const two = await lines.next();
    await lines.return?.();
    await until(() => requests[0]?.isLeft === true);

    assert.deepEqual([one.value, two.value], ["one", "two"]);
    assert.match(
      requests[0]?.path ?? "",
      /^\/containerLogs\/default\/talker\/main\?follow=true&tailLines=5&timestamps=true/,
    );

    const whole = client.logBytes(key, { container: "side" });
    await until(() => requests.length === 2);
    requests[1]?.end("\u00e4\nb");
    const pieces: Uint8Array[] = [];
    for await (const piece of await whole) pieces.push(piece);

    assert.equal(Buffer.concat(pieces).toString(), "ä\nb");
    await assert.rejects(client.logs(key).next(), BadRequestError, "the pod has two containers");
    await assert.rejects(client.logs({ ...key, name: "nobody" }).next(), NotFoundError);
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 3000 && !condition(); tries += 1) await systemClock.sleep(20);
  assert.ok(condition());
}
