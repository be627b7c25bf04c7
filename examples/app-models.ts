// Simulates programs on the embedded cluster: an app model defined here, and the Redis model of the Tenant operator.
//
// Prints:
//   store: HELLO
//   redis: +PONG

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { type AppModel, imageBaseName, serveTcp } from "@homeostat/cluster/app-model";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { redisModel } from "@homeostat/tenant-operator/app-model";
import { createClient } from "homeostat";

// region: write
const store: AppModel = {
  name: "store",
  runs: ({ image }) => imageBaseName(image) === "store",
  start: (context) => {
    const server = serveTcp(context, 7000, (socket) => {
      socket.on("data", (data) => socket.write(data.toString().toUpperCase()));
    });
    context.print("store is listening on port 7000");
    return {
      servesPorts: true,
      terminate: () => {
        server[Symbol.dispose]();
        context.exit({ exitCode: 0 });
      },
      kill: () => server[Symbol.dispose](),
    };
  },
};
// endregion

// region: models
await using cluster = await startCluster({ models: [store, redisModel] });
// endregion
using client = createClient(cluster.connection());

/** Runs a pod, sends a line to one of its ports and returns the reply. */
async function ask(name: string, image: string, { port, line }: { port: number; line: string }): Promise<string> {
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "default", name },
    spec: { automountServiceAccountToken: false, containers: [{ name, image }] },
  });
  const address = await listening(cluster, name, port);
  const socket = connect(address);
  socket.write(`${line}\r\n`);
  for await (const data of socket) return String(data).trim();
  return "";
}

async function listening(on: Cluster, name: string, port: number): Promise<{ host: string; port: number }> {
  for (;;) {
    const pod = await client.get(Pod, { namespace: "default", name });
    const address = on.addressOf(pod?.status?.podIP ?? "", port);
    if (address !== undefined) return address;
    await sleep(20);
  }
}

console.log("store:", await ask("store", "example.com/store:1", { port: 7000, line: "hello" }));
console.log("redis:", await ask("cache", "redis:7", { port: 6379, line: "PING" }));
