// What is told of tenants on a real node.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { ForbiddenError } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Namespace, Pod, Service } from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { imagesOfHere, type Place } from "./place.ts";
import { login, secretText } from "./redis-login.ts";
import { Visitor } from "./visitor.ts";

/** One story: what it tells, and how it is played. */
export interface Story {
  readonly title: string;
  readonly play: (place: Place) => Promise<void>;
}

const inMemory = { ...imagesOfHere, redis: { ...imagesOfHere.redis, persistence: { enabled: false } } } as const;

/** The stories. They are played at the same time, each with a tenant of its own. */
export const stories: readonly Story[] = [
  { title: "loses no request of fifty a second while the password of Redis is changed", play: rotates },
  { title: "keeps its data when the pod of Redis is gone, and when it sleeps and wakes", play: keepsData },
  {
    title: "is closed off by its policies, and by a level of pod security that takes only pods like its own",
    play: isClosedOff,
  },
  { title: "stays until its namespace is gone, and says what that waits for", play: leavesLast },
  { title: "never takes, changes or deletes a namespace that is somebody else's", play: sparesForeign },
];

async function rotates(place: Place): Promise<void> {
  const name = "rotates";
  await place.create(name, imagesOfHere);
  await place.untilRunning(name);
  const before = (await secretText(place, name, "password")) ?? "";
  assert.equal(await login(place, name, before), "+OK");
  const visitor = await Visitor.of(place, name);
  const visits = visitor.visitSteadily();
  await sleep(1_000);

  await place.change(name, { metadata: { annotations: { "tenant.neurallog.io/rotate-redis-password": "now" } } });
  const over = await place.until(name, "another password", ({ status }) => {
    const { token, step } = status?.redisCredentials ?? {};
    return token === "now" && step === "done" && status?.phase === "Running";
  });
  await sleep(1_000);
  const { sent, lost } = await visits.stop();

  assert.deepEqual(lost, [], `of ${sent}`);
  assert.equal(await visitor.get("/count"), String(sent), "everything that was sent is kept");
  assert.ok(sent > 100, `${sent} requests are no load`);
  const after = (await secretText(place, name, "password")) ?? "";
  assert.notEqual(after, before);
  assert.equal(await secretText(place, name, "previous-password"), undefined);
  assert.equal((await secretText(place, name, "users.acl"))?.match(/#/g)?.length, 1);
  assert.equal(await login(place, name, after), "+OK");
  assert.match(await login(place, name, before), /^-WRONGPASS/);
  assert.ok(!JSON.stringify(over).includes(after) && !place.operator.log.includes(after), "nobody tells the password");
}

async function keepsData(place: Place): Promise<void> {
  const name = "keeps";
  const namespace = `tenant-${name}`;
  await place.create(name, imagesOfHere);
  await place.untilRunning(name);
  const visitor = await Visitor.of(place, name);
  assert.deepEqual(JSON.parse(await visitor.get("/about")), { tenant: name, storage: "redis" });
  await visitor.put("a", "before the restart");

  const first = await redisUid();
  await place.client.delete(Pod, { namespace, name: `${name}-redis-0` });
  await place.eventually("another pod of Redis", async () => ((await redisUid()) === first ? undefined : true));

  assert.equal(await visitor.get("/logs/a"), "before the restart");
  await visitor.put("b", "before the sleep");

  await place.change(name, { spec: { hibernation: { enabled: true } } });
  await place.until(name, "Hibernated", ({ status }) => status?.phase === "Hibernated");
  const { items: asleep } = await place.client.list(Pod, { namespace });
  assert.deepEqual(
    asleep.map(({ metadata }) => metadata.name),
    [],
  );
  await place.change(name, { spec: { hibernation: { enabled: false } } });
  await place.untilRunning(name);

  assert.equal(await visitor.get("/logs/a"), "before the restart");
  assert.equal(await visitor.get("/logs/b"), "before the sleep");
  const { items: awake } = await place.client.list(Pod, { namespace });
  const redisReady = awake
    .find(({ metadata }) => metadata.labels?.["app"] === "redis")
    ?.status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  const serverMade = awake.find(({ metadata }) => metadata.labels?.["app"] === "neurallog-server")?.metadata;
  assert.ok(redisReady !== undefined && (serverMade?.creationTimestamp ?? "") >= redisReady, "Redis wakes first");

  async function redisUid(): Promise<string> {
    const pod = await place.client.get(Pod, { namespace, name: `${name}-redis-0` });
    return pod?.metadata.uid ?? first;
  }
}

/** The network of a node that was started here knows no policies, so that what they say is looked at instead. */
async function isClosedOff(place: Place): Promise<void> {
  const name = "closed";
  await place.create(name, { ...inMemory, networkPolicy: { allowedNamespaces: ["ingress"] } });
  await place.untilRunning(name);

  const { items } = await place.client.list(NetworkPolicy, { namespace: `tenant-${name}` });
  const found = Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec]));

  const tenant = { matchLabels: { "neurallog.io/tenant": name } };
  const named = (namespace: string): object => ({ matchLabels: { "kubernetes.io/metadata.name": namespace } });
  const open = [
    { protocol: "TCP", port: 6379 },
    { protocol: "TCP", port: 3030 },
  ];
  assert.deepEqual(found, {
    "default-deny-all": { podSelector: {}, policyTypes: ["Ingress", "Egress"] },
    "allow-dns-egress": {
      podSelector: {},
      policyTypes: ["Egress"],
      egress: [
        {
          to: [{ namespaceSelector: named("kube-system"), podSelector: { matchLabels: { "k8s-app": "kube-dns" } } }],
          ports: [
            { protocol: "UDP", port: 53 },
            { protocol: "TCP", port: 53 },
          ],
        },
      ],
    },
    "allow-internal-traffic": {
      podSelector: tenant,
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ from: [{ podSelector: tenant }], ports: open }],
      egress: [{ to: [{ podSelector: tenant }], ports: open }],
    },
    "allow-api-access": {
      podSelector: { matchLabels: { app: "neurallog-server", "neurallog.io/tenant": name } },
      policyTypes: ["Ingress"],
      ingress: [{ from: [{ namespaceSelector: named("ingress") }], ports: [{ protocol: "TCP", port: 3030 }] }],
    },
  });
  const { items: pods } = await place.client.list(Pod, { namespace: `tenant-${name}` });
  const denied = items.find(({ metadata }) => metadata.name === "default-deny-all")?.metadata.creationTimestamp ?? "";
  assert.ok(pods.length >= 2);
  for (const { metadata } of pods) assert.ok((metadata.creationTimestamp ?? "") >= denied, "no pod before the policy");
  await refusesMightyPods(place, `tenant-${name}`);
}

async function refusesMightyPods({ client }: Place, namespace: string): Promise<void> {
  const home = await client.get(Namespace, { name: namespace });
  assert.equal(home?.metadata.labels?.["pod-security.kubernetes.io/enforce"], "restricted");

  const attempt = client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, name: "mighty" },
    spec: {
      containers: [{ name: "mighty", image: imagesOfHere.redis.image, securityContext: { privileged: true } }],
    },
  });

  await assert.rejects(attempt, (error) => {
    assert.ok(error instanceof ForbiddenError);
    assert.match(error.serverMessage, /violates PodSecurity "restricted:latest"/);
    return true;
  });
}

async function leavesLast(place: Place): Promise<void> {
  const name = "leaves";
  const namespace = `tenant-${name}`;
  const { client } = place;
  await place.create(name, inMemory);
  await place.until(name, "a namespace", ({ status }) => status?.namespace === namespace);
  const held = { namespace, name: "held" };
  const finalizers = ["example.com/not-yet"];
  await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { ...held, finalizers } });

  await place.delete(name);
  const waiting = await place.until(name, "word of what it waits for", ({ status }) =>
    /example\.com\/not-yet|configmaps/.test(status?.message ?? ""),
  );

  assert.equal(waiting.status?.phase, "Terminating");
  assert.deepEqual(waiting.metadata.finalizers, ["tenant.neurallog.io/finalizer"]);
  assert.equal((await client.get(Namespace, { name: namespace }))?.status?.phase, "Terminating");

  await client.patch(ConfigMap, held, { merge: { metadata: { finalizers: null } } });
  await place.eventually("the end of the tenant", async () =>
    (await place.tenant(name)) === undefined ? true : undefined,
  );
  assert.equal(await client.get(Namespace, { name: namespace }), undefined);
}

async function sparesForeign(place: Place): Promise<void> {
  const name = "foreign";
  const namespace = `tenant-${name}`;
  const { client } = place;
  const labels = { "neurallog.io/tenant": name, "neurallog.io/managed-by": "tenant-operator" };
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } });
  const own = { namespace, name: "precious" };
  await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: own, data: { a: "b" } });
  const before = await client.get(Namespace, { name: namespace });

  await place.create(name, inMemory);
  const { status } = await place.until(name, "Failed", (tenant) => tenant.status?.phase === "Failed");
  assert.match(status?.message ?? "", /namespace "tenant-foreign" already exists and is not owned by this Tenant/);
  await place.delete(name);
  await place.eventually("the end of the tenant", async () =>
    (await place.tenant(name)) === undefined ? true : undefined,
  );

  assert.deepEqual((await client.get(Namespace, { name: namespace }))?.metadata, before?.metadata);
  assert.deepEqual((await client.get(ConfigMap, own))?.data, { a: "b" });
  const made = [
    (await client.list(StatefulSet, { namespace })).items,
    (await client.list(Deployment, { namespace })).items,
    (await client.list(Service, { namespace })).items,
    (await client.list(NetworkPolicy, { namespace })).items,
  ];
  assert.deepEqual(made.flat(), []);
}
