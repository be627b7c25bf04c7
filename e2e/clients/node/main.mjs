// Uses @kubernetes/client-node as its users do, and prints what it observes.
//
//   node main.mjs          everything except logs
//   node main.mjs logs     the logs of a pod, which need a node

import { Writable } from "node:stream";
import {
  ApisApi,
  AppsV1Api,
  AuthorizationV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  Log,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  VersionApi,
  Watch,
} from "@kubernetes/client-node";
import { line, object, refusal, until } from "./transcript.mjs";

const namespace = "client-node";
const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const apps = config.makeApiClient(AppsV1Api);
const untyped = KubernetesObjectApi.makeApiClient(config);
const as = (strategy) => setHeaderOptions("Content-Type", strategy);
const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example.com/web:1" }] } };

async function discovery() {
  const { major, minor } = await config.makeApiClient(VersionApi).getCode();
  line(`version ${major}.${minor}`);
  const { groups } = await config.makeApiClient(ApisApi).getAPIVersions();
  for (const { name, preferredVersion } of groups) line(`group ${name} ${preferredVersion?.groupVersion}`);
  const { resources } = await apps.getAPIResources();
  for (const { name, kind, verbs } of resources) line(`${name} ${kind} ${verbs.join(",")}`);
}

async function configMaps() {
  const made = await core.createNamespacedConfigMap({
    namespace,
    fieldManager: "node",
    body: { metadata: { name: "one", labels }, data: { text: "ä\n" }, binaryData: { bytes: "AP8=" } },
  });
  object("created", made);
  object("read", await core.readNamespacedConfigMap({ namespace, name: "one" }));
  const body = { ...made, data: { ...made.data, more: "1" } };
  object("replaced", await core.replaceNamespacedConfigMap({ namespace, name: "one", body }));
  await refusal("replaced from an old copy", () => core.replaceNamespacedConfigMap({ namespace, name: "one", body }));
  await refusal("created twice", () =>
    core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "one" } } }),
  );
  object(
    "dry run",
    await core.createNamespacedConfigMap({ namespace, dryRun: "All", body: { metadata: { name: "dry" } } }),
  );
  await refusal("read of an object that does not exist", () =>
    core.readNamespacedConfigMap({ namespace, name: "dry" }),
  );
  for (const name of ["two", "three"]) {
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels } } });
  }
  let next;
  do {
    const page = await core.listNamespacedConfigMap({ namespace, labelSelector: "app=web", limit: 2, _continue: next });
    const { _continue: token, remainingItemCount } = page.metadata ?? {};
    line(`page of ${page.items.map(({ metadata }) => metadata.name).join()}, ${remainingItemCount} remain`);
    next = token;
  } while (next !== undefined && next !== "");
  await refusal("an invalid continue token", () => core.listNamespacedConfigMap({ namespace, _continue: "rubbish" }));
}

async function patches() {
  const name = "one";
  const patch = (body, strategy) => core.patchNamespacedConfigMap({ namespace, name, body }, as(strategy));
  object("merge", await patch({ data: { more: null, merged: "1" } }, PatchStrategy.MergePatch));
  const move = [
    { op: "test", path: "/data/merged", value: "1" },
    { op: "move", from: "/data/merged", path: "/data/moved" },
  ];
  object("json", await patch(move, PatchStrategy.JsonPatch));
  await refusal("a test that fails", () => patch(move.slice(0, 1), PatchStrategy.JsonPatch));
  await apps.createNamespacedDeployment({
    namespace,
    body: {
      metadata: { name: "web" },
      spec: { replicas: 0, paused: true, selector: { matchLabels: labels }, template },
    },
  });
  const side = { spec: { template: { spec: { containers: [{ name: "side", image: "example.com/side:1" }] } } } };
  const deployment = { namespace, name: "web" };
  const merged = await apps.patchNamespacedDeployment(
    { ...deployment, body: side },
    as(PatchStrategy.StrategicMergePatch),
  );
  object("strategic", merged.spec);
  object("scale", await apps.readNamespacedDeploymentScale(deployment));
  const scaled = await apps.patchNamespacedDeploymentScale(
    { ...deployment, body: { spec: { replicas: 2 } } },
    as(PatchStrategy.MergePatch),
  );
  line(`scaled to ${scaled.spec?.replicas}`);
  await apps.deleteNamespacedDeployment({ ...deployment, propagationPolicy: "Foreground" });
  const isGone = () =>
    apps.readNamespacedDeployment(deployment).then(
      () => false,
      () => true,
    );
  line(`gone ${await until(isGone)}`);
}

async function apply() {
  const wish = (data) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "applied" }, data });
  const send = (data, manager, force) =>
    untyped.patch(wish(data), undefined, undefined, manager, force, PatchStrategy.ServerSideApply);
  object("applied", await send({ a: "1", b: "1" }, "first"));
  object("less", await send({ a: "1" }, "first"));
  await refusal("a conflict", () => send({ a: "2" }, "second"));
  object("forced", await send({ a: "2" }, "second", true));
  const header = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "applied" } };
  object("read", await untyped.read(header));
  object("deleted", await untyped.delete(header));
  await refusal("an unknown kind", () => untyped.read({ ...header, apiVersion: "example.com/v1", kind: "Thing" }));
}

async function watching() {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const selector = "watched=yes";
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: selector });
  const make = (name) =>
    core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { watched: "yes" } } } });
  const change = (name, body) => core.patchNamespacedConfigMap({ namespace, name, body }, as(PatchStrategy.MergePatch));
  await make("before");
  const seen = [];
  const informer = makeInformer(config, path, list, selector);
  for (const verb of ["add", "update", "delete"])
    informer.on(verb, ({ metadata }) => seen.push(`${verb} ${metadata.name}`));
  let isConnected = false;
  informer.on("connect", () => (isConnected = true));
  informer.on("error", (error) => seen.push(`error ${error.message}`));
  await informer.start();
  line(`connected ${await until(() => isConnected)}`);
  const next = async (count) => line(`${await until(() => seen.length >= count)}: ${seen.join(", ")}`);
  await next(1);
  await make("after");
  await next(2);
  await change("after", { data: { a: "1" } });
  await next(3);
  // An object that leaves the selector is reported as deleted.
  await change("after", { metadata: { labels: { watched: null } } });
  await next(4);
  await core.deleteNamespacedConfigMap({ namespace, name: "before" });
  await next(5);
  line(`${informer.list(namespace).length} in the cache`);
  await informer.stop();
  const events = [];
  let ended;
  await new Watch(config).watch(
    path,
    { resourceVersion: "0", labelSelector: "app=web", timeoutSeconds: 1 },
    (type, { metadata }) => events.push(`${type} ${metadata.name}`),
    (error) => (ended = String(error)),
  );
  line(`ended ${await until(() => ended !== undefined)}: ${events.toSorted((a, b) => (a < b ? -1 : 1)).join(", ")}`);
}

async function refusals() {
  await refusal("a namespace that does not exist", () =>
    core.createNamespacedConfigMap({ namespace: "nowhere", body: { metadata: { name: "a" } } }),
  );
  await refusal("an invalid name", () =>
    core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "A_" } } }),
  );
  await refusal("a pod without containers", () =>
    core.createNamespacedPod({ namespace, body: { metadata: { name: "empty" }, spec: { containers: [] } } }),
  );
  await core.createNamespacedPod({
    namespace,
    body: { metadata: { name: "idle" }, spec: { ...template.spec, schedulerName: "nobody" } },
  });
  await refusal("logs of a pod without a node", () => core.readNamespacedPodLog({ namespace, name: "idle" }));
  const review = await config.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({
    body: { spec: { resourceAttributes: { namespace, verb: "delete", resource: "pods" } } },
  });
  object("may delete pods", review.status);
  await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "app=web" });
  const { items } = await core.listNamespacedConfigMap({ namespace, labelSelector: "app" });
  line(`${items.length} left`);
}

async function logs() {
  const name = "talker";
  const containers = [{ name: "main", image: "busybox:1", command: ["sh", "-c", "echo one; echo two"] }];
  await core.createNamespacedPod({
    namespace,
    body: { metadata: { name }, spec: { restartPolicy: "Never", containers } },
  });
  const phase = async () => (await core.readNamespacedPod({ namespace, name })).status?.phase;
  line(`succeeded ${await until(async () => (await phase()) === "Succeeded")}`);
  line(JSON.stringify(await core.readNamespacedPodLog({ namespace, name, tailLines: 1 })));
  let text = "";
  let isOver = false;
  const sink = new Writable({
    write: (piece, _, done) => {
      text += piece;
      done();
    },
    final: (done) => {
      isOver = true;
      done();
    },
  });
  await new Log(config).log(namespace, name, "main", sink, { follow: true });
  line(`followed to its end ${await until(() => isOver)}: ${JSON.stringify(text)}`);
}

const parts = process.argv[2] === "logs" ? { logs } : { discovery, configMaps, patches, apply, watching, refusals };
await core.createNamespace({ body: { metadata: { name: namespace } } });
await until(() =>
  core.readNamespacedServiceAccount({ namespace, name: "default" }).then(
    () => true,
    () => false,
  ),
);
for (const [name, run] of Object.entries(parts)) {
  line(`== ${name}`);
  await run();
}
line("== done");
