// Stories of tenants on a real node.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { ForbiddenError } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Namespace, Pod, Service } from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { commonSpec, type TenantStage } from "./stage.ts";
import { login, secretText } from "./redis-login.ts";
import { LogClient } from "./log-client.ts";

/** One story: its test name and its steps. */
export interface Story {
  readonly title: string;
  readonly play: (stage: TenantStage) => Promise<void>;
}

const inMemory = { ...commonSpec, redis: { ...commonSpec.redis, persistence: { enabled: false } } } as const;

/** The stories. They run in parallel, each with its own tenant. */
export const stories: readonly Story[] = [
  { title: "loses none of 50 requests per second while the Redis password is rotated", play: rotates },
  { title: "keeps its data when the Redis pod is deleted and when the tenant is paused and resumed", play: keepsData },
  {
    title: "is isolated by NetworkPolicies and by a Pod Security level that admits only pods like its own",
    play: isClosedOff,
  },
  { title: "exists until its namespace is deleted, and reports what the deletion waits for", play: leavesLast },
  { title: "never adopts, changes or deletes a namespace of another owner", play: sparesForeign },
];

async function rotates(stage: TenantStage): Promise<void> {
  const name = "rotates";
  await stage.create(name, commonSpec);
  await stage.untilRunning(name);
  const before = (await secretText(stage, name, "password")) ?? "";
  assert.equal(await login(stage, name, before), "+OK");
  const logClient = await LogClient.of(stage, name);
  const visits = logClient.visitSteadily();
  await sleep(1_000);

  await stage.change(name, { metadata: { annotations: { "tenant.neurallog.io/rotate-redis-password": "now" } } });
  const over = await stage.until(name, "another password", ({ status }) => {
    const { token, step } = status?.redisCredentials ?? {};
    return token === "now" && step === "done" && status?.phase === "Running";
  });
  await sleep(1_000);
  const { sent, lost } = await visits.stop();

  assert.deepEqual(lost, [], `of ${sent}`);
  assert.equal(await logClient.get("/count"), String(sent), "every request was stored");
  assert.ok(sent > 100, `only ${sent} requests were sent`);
  const after = (await secretText(stage, name, "password")) ?? "";
  assert.notEqual(after, before);
  assert.equal(await secretText(stage, name, "previous-password"), undefined);
  assert.equal((await secretText(stage, name, "users.acl"))?.match(/#/g)?.length, 1);
  assert.equal(await login(stage, name, after), "+OK");
  assert.match(await login(stage, name, before), /^-WRONGPASS/);
  assert.ok(
    !JSON.stringify(over).includes(after) && !stage.operator.log.includes(after),
    "the password is neither in the status nor in the log",
  );
}

async function keepsData(stage: TenantStage): Promise<void> {
  const name = "keeps";
  const namespace = `tenant-${name}`;
  await stage.create(name, commonSpec);
  await stage.untilRunning(name);
  const logClient = await LogClient.of(stage, name);
  assert.deepEqual(JSON.parse(await logClient.get("/about")), { tenant: name, storage: "redis" });
  await logClient.put("a", "before the restart");

  const first = await redisUid();
  await stage.client.delete(Pod, { namespace, name: `${name}-redis-0` });
  await stage.eventually("a new Redis pod", async () => ((await redisUid()) === first ? undefined : true));

  assert.equal(await logClient.get("/logs/a"), "before the restart");
  await logClient.put("b", "before the sleep");

  await stage.change(name, { spec: { hibernation: { enabled: true } } });
  await stage.until(name, "Hibernated", ({ status }) => status?.phase === "Hibernated");
  const { items: asleep } = await stage.client.list(Pod, { namespace });
  assert.deepEqual(
    asleep.map(({ metadata }) => metadata.name),
    [],
  );
  await stage.change(name, { spec: { hibernation: { enabled: false } } });
  await stage.untilRunning(name);

  assert.equal(await logClient.get("/logs/a"), "before the restart");
  assert.equal(await logClient.get("/logs/b"), "before the sleep");
  const { items: awake } = await stage.client.list(Pod, { namespace });
  const redisReady = awake
    .find(({ metadata }) => metadata.labels?.["app"] === "redis")
    ?.status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  const serverMade = awake.find(({ metadata }) => metadata.labels?.["app"] === "neurallog-server")?.metadata;
  assert.ok(redisReady !== undefined && (serverMade?.creationTimestamp ?? "") >= redisReady, "Redis is resumed first");

  async function redisUid(): Promise<string> {
    const pod = await stage.client.get(Pod, { namespace, name: `${name}-redis-0` });
    return pod?.metadata.uid ?? first;
  }
}

/** Checks the content of NetworkPolicies: the network of a node started here does not enforce them. */
async function isClosedOff(stage: TenantStage): Promise<void> {
  const name = "closed";
  await stage.create(name, { ...inMemory, networkPolicy: { allowedNamespaces: ["ingress"] } });
  await stage.untilRunning(name);

  const { items } = await stage.client.list(NetworkPolicy, { namespace: `tenant-${name}` });
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
  const { items: pods } = await stage.client.list(Pod, { namespace: `tenant-${name}` });
  const denied = items.find(({ metadata }) => metadata.name === "default-deny-all")?.metadata.creationTimestamp ?? "";
  assert.ok(pods.length >= 2);
  for (const { metadata } of pods)
    assert.ok((metadata.creationTimestamp ?? "") >= denied, "no pod is created before the policy");
  await refusesMightyPods(stage, `tenant-${name}`);
}

async function refusesMightyPods({ client }: TenantStage, namespace: string): Promise<void> {
  const home = await client.get(Namespace, { name: namespace });
  assert.equal(home?.metadata.labels?.["pod-security.kubernetes.io/enforce"], "restricted");

  const attempt = client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, name: "mighty" },
    spec: {
      containers: [{ name: "mighty", image: commonSpec.redis.image, securityContext: { privileged: true } }],
    },
  });

  await assert.rejects(attempt, (error) => {
    assert.ok(error instanceof ForbiddenError);
    assert.match(error.serverMessage, /violates PodSecurity "restricted:latest"/);
    return true;
  });
}

async function leavesLast(stage: TenantStage): Promise<void> {
  const name = "leaves";
  const namespace = `tenant-${name}`;
  const { client } = stage;
  await stage.create(name, inMemory);
  await stage.until(name, "a namespace", ({ status }) => status?.namespace === namespace);
  const held = { namespace, name: "held" };
  const finalizers = ["example.com/not-yet"];
  await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { ...held, finalizers } });

  await stage.delete(name);
  const waiting = await stage.until(name, "a message about the pending deletion", ({ status }) =>
    /example\.com\/not-yet|configmaps/.test(status?.message ?? ""),
  );

  assert.equal(waiting.status?.phase, "Terminating");
  assert.deepEqual(waiting.metadata.finalizers, ["tenant.neurallog.io/finalizer"]);
  assert.equal((await client.get(Namespace, { name: namespace }))?.status?.phase, "Terminating");

  await client.patch(ConfigMap, held, { merge: { metadata: { finalizers: null } } });
  await stage.eventually("the deletion of the tenant", async () =>
    (await stage.tenant(name)) === undefined ? true : undefined,
  );
  assert.equal(await client.get(Namespace, { name: namespace }), undefined);
}

async function sparesForeign(stage: TenantStage): Promise<void> {
  const name = "foreign";
  const namespace = `tenant-${name}`;
  const { client } = stage;
  const labels = { "neurallog.io/tenant": name, "neurallog.io/managed-by": "tenant-operator" };
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } });
  const own = { namespace, name: "precious" };
  await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: own, data: { a: "b" } });
  const before = await client.get(Namespace, { name: namespace });

  await stage.create(name, inMemory);
  const { status } = await stage.until(name, "Failed", (tenant) => tenant.status?.phase === "Failed");
  assert.match(status?.message ?? "", /namespace "tenant-foreign" already exists and is not owned by this Tenant/);
  await stage.delete(name);
  await stage.eventually("the deletion of the tenant", async () =>
    (await stage.tenant(name)) === undefined ? true : undefined,
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
