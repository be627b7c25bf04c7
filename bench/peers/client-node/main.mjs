// The benchmark program of @kubernetes/client-node: an informer, or a complete controller, for Widgets.
//
// The library has informers but no queue, so this uses a simple one: keys are deduplicated, and a key is never
// processed twice at the same time.

import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from "@kubernetes/client-node";
import { Queue } from "./queue.mjs";

const childrenPerWidget = 3;
const resource = { group: "bench.homeostat.dev", version: "v1", plural: "widgets" };

const { values: options } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
    work: { type: "string", default: "cache" },
    namespace: { type: "string", default: "" },
    workers: { type: "string", default: "1" },
  },
});

let reconciles = 0;

const config = new KubeConfig();
config.loadFromFile(options.kubeconfig);
const customObjects = config.makeApiClient(CustomObjectsApi);
const core = config.makeApiClient(CoreV1Api);

const base = `/apis/${resource.group}/${resource.version}`;
const { namespace } = options;
const where = namespace === "" ? "" : `/namespaces/${namespace}`;
const widgets = makeInformer(config, `${base}${where}/widgets`, () =>
  namespace === ""
    ? customObjects.listClusterCustomObject(resource)
    : customObjects.listNamespacedCustomObject({ ...resource, namespace }),
);
const children = makeInformer(config, `/api/v1${where}/configmaps`, () =>
  namespace === "" ? core.listConfigMapForAllNamespaces() : core.listNamespacedConfigMap({ namespace }),
);

obey();
if (options.work === "cache") {
  await start(widgets);
} else {
  const queue = new Queue(Number(options.workers), reconcile);
  const add = (widget) => queue.add(`${widget.metadata.namespace}/${widget.metadata.name}`);
  widgets.on("add", add);
  widgets.on("update", add);
  if (options.work === "children") {
    const addOwner = (child) => {
      const owner = child.metadata.ownerReferences?.find(({ kind, controller }) => controller && kind === "Widget");
      if (owner !== undefined) queue.add(`${child.metadata.namespace}/${owner.name}`);
    };
    children.on("add", addOwner);
    children.on("update", addOwner);
    children.on("delete", addOwner);
    await start(children);
  }
  await start(widgets);
}
emit({ event: "synced", at: now(), objects: widgets.list().length });

/** Starts an informer and, as the library's own example does, starts it again 5 seconds after an error. */
async function start(informer) {
  informer.on("error", (error) => {
    console.error(String(error));
    setTimeout(() => void informer.start(), 5000);
  });
  await informer.start();
}

/** Reports changes, or creates the children of a Widget and updates its status. */
async function reconcile(key) {
  reconciles += 1;
  const [namespace, name] = key.split("/");
  const widget = widgets.get(name, namespace);
  if (widget === undefined) return;
  if (options.work !== "children") {
    if (widget.spec.sequence > 0) emit({ event: "reconciled", at: now(), name, sequence: widget.spec.sequence });
    return;
  }
  for (let i = 0; i < childrenPerWidget; i += 1) await ensureChild(widget, namespace, `${name}-${i}`);
  const { generation } = widget.metadata;
  if (widget.status?.phase === "Ready" && widget.status.observedGeneration === generation) return;
  const status = { phase: "Ready", observedGeneration: generation, children: childrenPerWidget };
  await customObjects.patchNamespacedCustomObjectStatus(
    { ...resource, namespace, name, body: { status } },
    setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
  );
  emit({ event: "ready", at: now(), name });
}

async function ensureChild(widget, namespace, name) {
  if (children.get(name, namespace) !== undefined) return;
  const owner = widget.metadata;
  const body = {
    metadata: {
      name,
      labels: { "bench.homeostat.dev/widget": owner.name },
      ownerReferences: [
        {
          apiVersion: `${resource.group}/${resource.version}`,
          kind: "Widget",
          name: owner.name,
          uid: owner.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    data: { widget: owner.name },
  };
  try {
    await core.createNamespacedConfigMap({ namespace, body });
  } catch (error) {
    // 409: the informer has not received the object yet.
    if (error.code !== 409) throw error;
  }
}

/** Does what standard input says, until it ends. */
function obey() {
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    if (line === "collect") {
      // Like Go's FreeOSMemory: returns free memory to the system.
      globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
      emit({ event: "collected", at: now(), reconciles });
    } else if (line === "quit") process.exit(0);
  });
  lines.on("close", () => process.exit(0));
}

function emit(line) {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** The machine's monotonic clock in nanoseconds, which all processes share. */
function now() {
  return Number(process.hrtime.bigint());
}
