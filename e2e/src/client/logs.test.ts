// Logs through a real API server. The kubelet behind it is played here, so that every piece comes when the test says so.

import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { Client } from "@homeostat/client";
import { BadRequestError, NotFoundError, systemClock } from "@homeostat/core";
import { Node, Pod, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { reasonToSkip, startCluster } from "../harness/cluster.ts";

const need = "apiserver";
const skip = (await reasonToSkip({ need })) ?? false;

describe("logs on a real API server", { skip }, () => {
  it("come as they are written, and stop when the reader does", async (t) => {
    // Without an authority for kubelets, the server takes any certificate of theirs.
    await using cluster = await startCluster({ need, apiserverFlags: ["--kubelet-certificate-authority="] });
    if (cluster.isExternal) {
      t.skip("a cluster of somebody else's is no place for a made-up node");
      return;
    }
    const asked: IncomingMessage[] = [];
    const answers: ServerResponse[] = [];
    const kubelet = createServer({ cert: cluster.cert, key: cluster.key }, (request, response) => {
      asked.push(request);
      answers.push(response);
      response.writeHead(200, { "content-type": "text/plain" }).flushHeaders();
    });
    await new Promise<void>((resolve) => kubelet.listen(0, "127.0.0.1", resolve));
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
            daemonEndpoints: { kubeletEndpoint: { Port: (kubelet.address() as AddressInfo).port } },
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
    await until(() => answers.length === 1);
    answers[0]?.write("one\ntw");
    const one = await first;
    answers[0]?.write("o\n");
    const two = await lines.next();
    let isLeft = false;
    answers[0]?.on("close", () => (isLeft = true));
    await lines.return?.();
    await until(() => isLeft);

    assert.deepEqual([one.value, two.value], ["one", "two"]);
    assert.match(
      asked[0]?.url ?? "",
      /^\/containerLogs\/default\/talker\/main\?follow=true&tailLines=5&timestamps=true/,
    );

    const whole = client.logBytes(key, { container: "side" });
    await until(() => answers.length === 2);
    answers[1]?.end("\u00e4\nb");
    const pieces: Uint8Array[] = [];
    for await (const piece of await whole) pieces.push(piece);

    assert.equal(Buffer.concat(pieces).toString(), "ä\nb");
    await assert.rejects(client.logs(key).next(), BadRequestError, "the pod has two containers");
    await assert.rejects(client.logs({ ...key, name: "nobody" }).next(), NotFoundError);
    kubelet.close();
    kubelet.closeAllConnections();
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !condition(); tries += 1) await systemClock.sleep(20);
  assert.ok(condition());
}
