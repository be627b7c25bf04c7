// Cleanup runs once per deletion, even if the watch of the primary kind lags behind those of the owned kinds.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { type Body, Client, type Layer } from "@homeostat/client";
import { systemClock, systemRandom } from "@homeostat/core";
import { ConfigMap, Namespace, Secret } from "@homeostat/kubernetes/core/v1";
import { Cache, clientSources, created, defineController, ReconcileHistory, type Informer } from "@homeostat/runtime";
import { controllerUnit } from "@homeostat/runtime/internal";
import { eachServer } from "../../../harness/each-server.ts";
import type { TestServer } from "../../../harness/test-server.ts";

/** Holds back watch events while it is closed. */
class Gate {
  #opened: Promise<void> | undefined;
  #open: () => void = () => undefined;

  close(): void {
    this.#opened ??= new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
    this.#opened = undefined;
  }

  /** Returns the body; its chunks wait until the gate is open. */
  through(body: Body): Body {
    const passed = async function* (this: Gate): AsyncGenerator<Uint8Array> {
      for await (const piece of body) {
        await this.#opened;
        yield piece;
      }
    };
    return { cancel: () => body.cancel(), [Symbol.asyncIterator]: passed.bind(this) };
  }
}

await eachServer("the cleanup of a controller", ({ start }) => {
  const namespace = `cleanup-${process.pid}`;
  const finalizer = "e2e.homeostat.dev/cleanup";
  const names = Array.from({ length: 10 }, (_, at) => `site-${at}`);
  const cleanups: string[] = [];
  const gate = new Gate();
  const history = new ReconcileHistory();
  const life = new AbortController();
  let server: TestServer;
  let user: Client;
  let client: Client;
  let secrets: Informer<Secret>;
  let running: Promise<unknown> = Promise.resolve();

  const sites = defineController({
    name: "sites",
    for: ConfigMap,
    select: { namespace, labels: "e2e=site" },
    owns: { token: created(Secret) },
    finalizer,
    async reconcile({ object, owned }) {
      await owned.token.create({ metadata: { name: object.metadata.name }, stringData: { token: "0000" } });
    },
    async cleanup({ object }) {
      cleanups.push(object.metadata.name);
      gate.close();
      return "done";
    },
  });

  before(async () => {
    server = await start();
    user = await Client.fromKubeconfig({ file: server.kubeconfigPath, defaults: { fieldManager: "a-user" } });
    await user.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const gated: Layer = (next) => ({
      async send(request) {
        const response = await next.send(request);
        const { verb, resource } = request.about ?? {};
        if (verb !== "watch" || resource !== "configmaps") return response;
        return { ...response, body: gate.through(response.body) };
      },
    });
    client = await Client.fromKubeconfig({ file: server.kubeconfigPath, layers: [gated] });
    const cache = new Cache({ sources: clientSources(client), clock: systemClock, random: systemRandom });
    const unit = controllerUnit(sites, { client, cache, clock: systemClock, random: systemRandom, history });
    unit.open();
    secrets = cache.informer(Secret);
    const caching = cache.run(life.signal);
    await unit.ready(AbortSignal.timeout(60_000));
    const leading = unit.lead({ stop: life.signal, abort: life.signal }).finally(() => unit.close());
    running = Promise.all([caching, leading]);
  });
  after(async () => {
    gate.open();
    life.abort();
    await running;
    await user.delete(Namespace, { name: namespace });
    client.close();
    user.close();
    await server.stop();
  });

  it("runs once per deletion", async () => {
    for (const name of names) {
      const metadata = { namespace, name, labels: { e2e: "site" } };
      await user.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata });
      await until(() => secrets.has({ namespace, name }));
      await user.delete(ConfigMap, { namespace, name });
      await until(async () => (await user.get(ConfigMap, { namespace, name })) === undefined);

      // The controller observes a change of an owned object before the deletion of the primary object.
      await user.patch(Secret, { namespace, name }, { merge: { metadata: { labels: { seen: "yes" } } } });
      await until(() => secrets.get({ namespace, name })?.metadata.labels?.["seen"] === "yes");
      await until(() => history.explain("sites", `${namespace}/${name}`).now?.state === "idle");
      gate.open();
    }

    assert.deepEqual(cleanups, names);
  });
});

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = systemClock.monotonic() + 60_000;
  while (!(await isTrue())) {
    assert.ok(systemClock.monotonic() < deadline, "the condition did not become true in time");
    await systemClock.sleep(10);
  }
}
