// Reads, applies, lists, watches and updates objects. A fake API server is at the end of the file.
//
// Prints:
//   no settings found
//   the settings are {"theme":"dark"}, version 2
//   settings: dark
//   MODIFIED settings: light
//   CONFLICT: PUT /api/v1/namespaces/shop/configmaps/settings: the object has been modified (409 Conflict). Read the object again and repeat the change.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createClient } from "@homeostat/client";
import { ConflictError } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";

const server = createServer((request, response) => void respond(request, response));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = server.address();
const port = typeof address === "object" ? address?.port : undefined;

// region: create
// Usually `await Client.fromKubeconfig()`: it finds the cluster as kubectl does, or uses the service account inside a pod.
const client = createClient({ server: `http://127.0.0.1:${port}` }, { defaults: { fieldManager: "shop" } });
// endregion

// region: get
const key = { namespace: "shop", name: "settings" };
const before = await client.get(ConfigMap, key);
console.log(before === undefined ? "no settings found" : "settings found");
// endregion

// region: apply
const settings = await client.apply(ConfigMap, { metadata: key, data: { theme: "dark" } });
console.log(`the settings are ${JSON.stringify(settings.data)}, version ${settings.metadata.resourceVersion}`);
// endregion

// region: items
for await (const { metadata, data } of client.items(ConfigMap, { namespace: "shop", limit: 100 })) {
  console.log(`${metadata.name}: ${data?.["theme"]}`);
}
// endregion

// region: watch
const { resourceVersion } = await client.list(ConfigMap, { namespace: "shop" });
for await (const event of client.watch(ConfigMap, { namespace: "shop", resourceVersion })) {
  if (event.type === "BOOKMARK") continue;
  console.log(`${event.type} ${event.object.metadata.name}: ${event.object.data?.["theme"]}`);
  break;
}
// endregion

// region: conflict
try {
  await client.update(ConfigMap, { ...settings, data: { theme: "blue" } });
} catch (error) {
  if (!(error instanceof ConflictError)) throw error;
  console.log(`${error.code}: ${error.message}`);
}
// endregion

client.close();
server.close();

/** Fake API server with one ConfigMap, which another client changes as soon as it is watched. */
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let sent = "";
  for await (const piece of request) sent += String(piece);
  const { pathname, searchParams } = new URL(request.url ?? "", "http://stand-in");
  const reply = (status: number, body: object): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const metadata = { ...key, resourceVersion: "2" };
  const stored = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { theme: "dark" } };
  if (request.method === "PATCH") reply(201, { ...JSON.parse(sent), metadata });
  else if (request.method === "PUT") {
    reply(409, { kind: "Status", apiVersion: "v1", reason: "Conflict", message: "the object has been modified" });
  } else if (searchParams.has("watch")) {
    const changed = { ...stored, metadata: { ...metadata, resourceVersion: "3" }, data: { theme: "light" } };
    response.writeHead(200).write(`${JSON.stringify({ type: "MODIFIED", object: changed })}\n`);
  } else if (pathname.endsWith("/settings")) {
    reply(404, { kind: "Status", apiVersion: "v1", reason: "NotFound", details: { name: "settings" } });
  } else reply(200, { kind: "ConfigMapList", metadata: { resourceVersion: "2" }, items: [stored] });
}
