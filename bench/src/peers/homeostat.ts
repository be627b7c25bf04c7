// The contestant for homeostat: a cache, or a whole controller, over Widgets.

import { createClient, loadConnection } from "@homeostat/client";
import { type KubeObject, type ResourceType, systemClock, systemRandom } from "@homeostat/core";
import { Cache, clientSources, WorkQueue } from "@homeostat/runtime";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { emit, obey, readOptions } from "./homeostat-protocol.ts";
import { now } from "./time.ts";
import { group } from "./widget.ts";

interface Widget extends KubeObject {
  readonly spec: { readonly sequence: number };
  readonly status?: { readonly phase?: string; readonly observedGeneration?: number; readonly children?: number };
}

const Widget: ResourceType<Widget> = { group, version: "v1", kind: "Widget", plural: "widgets", scope: "Namespaced" };
const childrenPerWidget = 3;

const options = readOptions();
const { signal } = new AbortController();
let reconciles = 0;
obey(() => reconciles);

const client = createClient(await loadConnection({ file: options.kubeconfig }));
const cache = new Cache({ sources: clientSources(client), clock: systemClock, random: systemRandom });
const scope = options.namespace === undefined ? {} : { namespace: options.namespace };
const widgets = cache.informer(Widget, scope);

if (options.work === "cache") {
  const running = cache.run(signal);
  await widgets.ready();
  emit({ event: "synced", at: now(), objects: widgets.size });
  await running;
} else {
  const hasChildren = options.work === "children";
  const children = hasChildren ? cache.informer(ConfigMap, { ...scope, metadataOnly: true }) : undefined;
  const queue = new WorkQueue({ name: "widgets", clock: systemClock });
  widgets.subscribe((event) => {
    if (!event.isKnownTo(event.key)) queue.add(event.key);
  });
  children?.subscribe((event) => {
    const owner = event.object.metadata.ownerReferences?.find(({ kind }) => kind === Widget.kind);
    const key = `${event.object.metadata.namespace}/${owner?.name}`;
    if (owner !== undefined && !event.isKnownTo(key)) queue.add(key);
  });
  const work = async (): Promise<void> => {
    for await (const item of queue.take(signal)) {
      try {
        await reconcile(item.key, children);
        queue.done(item);
      } catch (error) {
        console.error(error);
        queue.fail(item);
      }
    }
  };
  const running = cache.run(signal);
  await widgets.ready();
  await children?.ready();
  emit({ event: "synced", at: now(), objects: widgets.size });
  await Promise.all([running, ...Array.from({ length: options.workers }, work)]);
}

/** Tells of changes, or gives a Widget its children and says so in its status. */
async function reconcile(key: string, children: { has(key: string): boolean } | undefined): Promise<void> {
  reconciles += 1;
  const widget = widgets.get(key);
  if (widget === undefined) return;
  const { name, namespace = "", generation, uid } = widget.metadata;
  if (name === undefined || uid === undefined) return;
  if (children === undefined) {
    const { sequence } = widget.spec;
    if (sequence > 0) emit({ event: "reconciled", at: now(), name, sequence });
    return;
  }
  for (let i = 0; i < childrenPerWidget; i += 1) {
    const child = { namespace, name: `${name}-${i}` };
    if (children.has(`${namespace}/${child.name}`)) continue;
    using ticket = cache.write(ConfigMap, child, key);
    const owner = { apiVersion: `${group}/v1`, kind: "Widget", name, uid, controller: true, blockOwnerDeletion: true };
    const labels = { "bench.homeostat.dev/widget": name };
    const made = await client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { ...child, labels, ownerReferences: [owner] },
      data: { widget: name },
    });
    ticket.wrote(made, { isNew: true });
  }
  if (widget.status?.phase === "Ready" && widget.status.observedGeneration === generation) return;
  using ticket = cache.write(Widget, { namespace, name }, key);
  const status = { phase: "Ready", observedGeneration: generation ?? 0, children: childrenPerWidget };
  const written = await client.patch(Widget, { namespace, name }, { merge: { status } }, { subresource: "status" });
  ticket.wrote(written, { sent: { status } });
  emit({ event: "ready", at: now(), name });
}
