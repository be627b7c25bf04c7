// The benchmark program of Homeostat: a cache, or a complete controller, for Widgets.

import { createClient, loadConnection } from "@homeostat/client";
import { systemClock, systemRandom } from "@homeostat/core";
import { Cache, clientSources, createManager } from "@homeostat/runtime";
import { childrenController, reconciles, watchingController, Widget } from "./homeostat-controller.ts";
import { emit, runCommands, readOptions } from "./homeostat-protocol.ts";
import { now } from "./time.ts";

const options = readOptions();
const { signal } = new AbortController();
runCommands(reconciles);

const connection = await loadConnection({ file: options.kubeconfig });
const scope = options.namespace === undefined ? {} : { namespace: options.namespace };

/** Reports when the cache is complete. */
async function announce(cache: Cache): Promise<void> {
  const widgets = cache.informer(Widget, scope);
  await widgets.ready();
  emit({ event: "synced", at: now(), objects: widgets.size });
}

if (options.work === "cache") {
  const sources = clientSources(createClient(connection));
  const cache = new Cache({ sources, clock: systemClock, random: systemRandom });
  await Promise.all([cache.run(signal), announce(cache)]);
} else {
  const controller = options.work === "children" ? childrenController(options) : watchingController(options);
  const manager = createManager({
    name: "bench",
    connection,
    controllers: [controller],
    services: [({ cache }) => ({ name: "announce", when: "always", run: async () => announce(cache) })],
  });
  await manager.run(signal);
}
