// Starts an API server in this process, writes to it with an ordinary client, and forks its state.
//
// Prints:
//   created ConfigMap default/settings
//   the fork has theme light, the original still has theme dark

import { ApiServer, standardOptions } from "@homeostat/apiserver";
import { type Client, connectionOf, createClient, parseKubeconfig } from "@homeostat/client";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";

// region: start
await using server = new ApiServer(standardOptions());
await server.listen(); // a free port of 127.0.0.1; kubectl can use server.kubeconfig() too
using client = await clientFor(server);

const key = { namespace: "default", name: "settings" };
await client.apply(ConfigMap, { metadata: key, data: { theme: "dark" } });
console.log(`created ConfigMap ${key.namespace}/${key.name}`);
// endregion

// region: fork
await using fork = new ApiServer(standardOptions({ from: server.snapshot() }));
await fork.listen();
using forkClient = await clientFor(fork);

await forkClient.apply(ConfigMap, { metadata: key, data: { theme: "light" } });
console.log(`the fork has theme ${await themeOf(forkClient)}, the original still has theme ${await themeOf(client)}`);
// endregion

async function themeOf(reader: Client): Promise<string | undefined> {
  return (await reader.get(ConfigMap, key))?.data?.["theme"];
}

async function clientFor(apiServer: ApiServer): Promise<Client> {
  const kubeconfig = await parseKubeconfig(apiServer.kubeconfig(), { file: "kubeconfig", folder: "." });
  return createClient(connectionOf(kubeconfig), { defaults: { fieldManager: "example" } });
}
