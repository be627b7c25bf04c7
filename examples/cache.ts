// Reads objects from a cache, reads its own write back at once, and receives events. A fake API server is at the end of the file.
//
// Prints:
//   add shop/summer: light
//   add shop/winter: dark
//   2 settings; dark is winter
//   updated, and read back at once: blue
//   update shop/summer: green, was light
//   shop/summer is green now
//   cache_objects{group="",resource="configmaps",version="v1"} 2

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createClient } from "@homeostat/client";
import { systemClock, systemRandom } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { Cache, CacheMetrics, clientSources, Registry } from "@homeostat/runtime";

const objects = [setting("summer", 1, "light"), setting("winter", 2, "dark")];
const watchers: ServerResponse[] = [];
const changes: string[] = [];
const server = createServer((request, response) => void respond(request, response));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = server.address();
const port = typeof address === "object" ? address?.port : undefined;
const client = createClient({ server: `http://127.0.0.1:${port}` });

// region: create
const registry = new Registry();
const metrics = new CacheMetrics(registry);
const cache = new Cache({
  sources: clientSources(client),
  clock: systemClock,
  random: systemRandom,
  observer: metrics,
});
const stop = new AbortController();
const running = cache.run(stop.signal);
// endregion

// region: informer
using settings = cache
  .informer(ConfigMap, { namespace: "shop", labels: "kind=settings" })
  .index("theme", ({ data }) => data?.["theme"]);
// endregion

// region: subscribe
using subscription = settings.subscribe((event) => {
  if (event.isKnownTo("painter")) return;
  const was = event.old === undefined ? "" : `, was ${event.old.data?.["theme"]}`;
  console.log(`${event.type} ${event.key}: ${event.object.data?.["theme"]}${was}`);
});
// endregion

// region: read
await settings.ready(stop.signal);
const dark = settings.by("theme", "dark").map(({ metadata }) => metadata.name);
console.log(`${settings.size} settings; dark is ${dark.join()}`);
// endregion

// region: write
const winter = settings.get("shop/winter");
if (winter !== undefined) {
  using ticket = cache.write(ConfigMap, { namespace: "shop", name: "winter" }, "painter");
  const painted = await client.update(ConfigMap, { ...winter, data: { theme: "blue" } });
  ticket.wrote(painted, { basedOn: winter.metadata.resourceVersion });
  console.log(`updated, and read back at once: ${settings.get("shop/winter")?.data?.["theme"]}`);
}
// endregion

change(setting("summer", 4, "green"));

// region: events
for await (const { key, object } of settings.events(stop.signal)) {
  if (object.data?.["theme"] !== "green") continue;
  console.log(`${key} is green now`);
  break;
}
// endregion

// region: measure
metrics.measure(cache);
console.log(registry.expose().match(/^cache_objects\{.*$/m)?.[0]);
// endregion

// region: stop
stop.abort();
await running;
// endregion

subscription[Symbol.dispose]();
client.close();
server.closeAllConnections();
server.close();

function setting(name: string, version: number, theme: string): ConfigMap {
  const metadata = { namespace: "shop", name, uid: `uid-${name}`, labels: { kind: "settings" } };
  const kind = { apiVersion: "v1", kind: "ConfigMap" } as const;
  return { ...kind, metadata: { ...metadata, resourceVersion: String(version) }, data: { theme } };
}

/** Sends a change to all watchers, current and later ones. */
function change(object: ConfigMap): void {
  const event = `${JSON.stringify({ type: "MODIFIED", object })}\n`;
  changes.push(event);
  for (const watcher of watchers) watcher.write(event);
}

/** Fake API server with two ConfigMaps: lists and watches them, and accepts updates. */
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let sent = "";
  for await (const piece of request) sent += String(piece);
  if (request.method === "PUT") {
    const object: ConfigMap = JSON.parse(sent);
    object.metadata = { ...object.metadata, resourceVersion: "3" };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(object));
    change(object);
  } else if (request.url?.includes("watch=true") === true) {
    response.writeHead(200).flushHeaders();
    for (const event of changes) response.write(event);
    watchers.push(response);
  } else {
    const list = { kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "2" }, items: objects };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(list));
  }
}
