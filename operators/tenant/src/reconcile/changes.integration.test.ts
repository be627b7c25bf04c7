import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isRecord } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Service } from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { annotations } from "../api/identity.ts";
import { Bench, conditionOf } from "../testing/bench.ts";

/** The tests run in order on one tenant. */
describe("changes of a running tenant", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;
  /** The objects of a tenant with an empty spec. */
  let basics: readonly string[];
  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
    await bench.create("acme", { displayName: "Acme" });
    await bench.running("acme");
    basics = await bench.objects("tenant-acme");
  });
  after(async () => {
    await operator.stop();
    await bench[Symbol.asyncDispose]();
  });

  const server = (): Promise<Deployment> => bench.object(Deployment, "tenant-acme", "acme-server");
  const redis = (): Promise<StatefulSet> => bench.object(StatefulSet, "tenant-acme", "acme-redis");

  it("applies replicas, image and variables of the server, and removes what is no longer set", async () => {
    await bench.change("acme", {
      server: {
        replicas: 3,
        image: "neurallog/server:2.0.0",
        env: [
          { name: "LOG_LEVEL", value: "silly" },
          { name: "MORE", value: "1" },
        ],
      },
    });
    await bench.running("acme");
    const three = await server();
    const budget = (await bench.objects("tenant-acme")).filter((each) => each.startsWith("PodDisruptionBudget"));
    await bench.change("acme", { server: { replicas: 1, env: null } });
    await bench.running("acme");
    const one = await server();

    const env = (object: Deployment): readonly string[] =>
      (object.spec?.template.spec?.containers[0]?.env ?? []).map(({ name, value }) => `${name}=${value}`);
    assert.equal(three.spec?.replicas, 3);
    assert.equal(three.spec.template.spec?.containers[0]?.image, "neurallog/server:2.0.0");
    assert.deepEqual(
      env(three).filter((each) => each.startsWith("LOG_LEVEL")),
      ["LOG_LEVEL=silly"],
    );
    assert.ok(env(three).includes("MORE=1"));
    assert.deepEqual(budget, ["PodDisruptionBudget acme-server"]);
    assert.equal(one.spec?.replicas, 1);
    assert.deepEqual(
      env(one).filter((each) => /LOG_LEVEL|MORE/.test(each)),
      ["LOG_LEVEL=info"],
    );
    assert.deepEqual(await bench.objects("tenant-acme"), basics);
  });

  it("rolls Redis once for a changed configuration, and not for another order of keys", async () => {
    const first = await redis();
    await bench.change("acme", { redis: { config: { "lua-time-limit": "1000", timeout: "10" } } });
    await bench.running("acme");
    const second = await redis();
    await bench.change("acme", { redis: { config: null } });
    await bench.change("acme", { redis: { config: { timeout: "10", "lua-time-limit": "1000" } } });
    await bench.running("acme");
    const third = await redis();
    const { data } = await bench.object(ConfigMap, "tenant-acme", "acme-redis-config");

    const sum = (object: StatefulSet): string | undefined =>
      object.spec?.template.metadata?.annotations?.[annotations.configChecksum];
    assert.notEqual(sum(first), sum(second));
    assert.equal(sum(second), sum(third));
    assert.match(data?.["redis.conf"] ?? "", /lua-time-limit 1000\ntimeout 10\n$/);
    await bench.change("acme", { redis: { config: { timeout: "10\nrequirepass x" } } });
    const refused = await bench.phase("acme", "Failed");
    assert.match(conditionOf(refused, "Ready") ?? "", /InvalidSpec: .*single line/);
    assert.equal(
      (await bench.object(ConfigMap, "tenant-acme", "acme-redis-config")).data?.["redis.conf"],
      data?.["redis.conf"],
    );
    await bench.change("acme", { redis: { config: null } });
    await bench.running("acme");
  });

  it("keeps policies exactly as the spec says, and deletes the denying one first", async () => {
    const rule = {
      description: "scrape",
      from: { app: "prometheus" },
      namespaces: ["monitoring"],
      ports: [{ port: 3030 }],
    };
    await bench.change("acme", { networkPolicy: { allowedNamespaces: ["ingress"], ingressRules: [rule] } });
    await bench.running("acme");
    const policies = async (): Promise<string[]> =>
      (await bench.objects("tenant-acme")).filter((each) => each.startsWith("NetworkPolicy"));
    const all = await policies();
    const custom = await bench.object(NetworkPolicy, "tenant-acme", "custom-ingress-0");
    await bench.change("acme", { networkPolicy: { ingressRules: null } });
    await bench.running("acme");
    const fewer = await policies();
    const writes = operator.writes().length;
    await bench.change("acme", { networkPolicy: { enabled: false } });
    const open = await bench.running("acme");
    const none = await policies();
    const removed = operator
      .writes()
      .slice(writes)
      .filter((each) => each.startsWith("DELETE"));
    await bench.change("acme", { networkPolicy: { enabled: true, allowedNamespaces: null } });
    await bench.running("acme");

    assert.deepEqual(
      all.map((each) => each.slice("NetworkPolicy ".length)),
      ["allow-api-access", "allow-dns-egress", "allow-internal-traffic", "custom-ingress-0", "default-deny-all"],
    );
    assert.deepEqual(custom.spec, {
      podSelector: { matchLabels: { "neurallog.io/tenant": "acme" } },
      policyTypes: ["Ingress"],
      ingress: [
        {
          from: [
            {
              namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } },
              podSelector: { matchLabels: { app: "prometheus" } },
            },
          ],
          ports: [{ port: 3030, protocol: "TCP" }],
        },
      ],
    });
    assert.equal(fewer.length, 4);
    assert.deepEqual(none, []);
    assert.equal(removed[0], "DELETE networkpolicies/default-deny-all", "what forbids goes before what allows");
    assert.match(conditionOf(open, "NetworkPoliciesReady") ?? "", /^True Disabled/);
    assert.equal((await policies()).length, 3);
  });

  /** The first change of an object that was created with POST takes two requests; see `field-upgrade.ts` of the runtime. */
  const workloadWrites = (from: number): readonly string[] =>
    operator
      .writes()
      .slice(from)
      .filter((each, index, all) => /statefulsets|deployments/.test(each) && each !== all[index - 1]);

  it("follows the hibernation order", async () => {
    await bench.create("nap");
    await bench.running("nap");
    const before = operator.writes().length;
    await bench.change("nap", { hibernation: { enabled: true } });
    const asleep = await bench.phase("nap", "Hibernated");
    const sleeping = workloadWrites(before);
    const replicas = [
      (await bench.object(StatefulSet, "tenant-nap", "nap-redis")).spec?.replicas,
      (await bench.object(Deployment, "tenant-nap", "nap-server")).spec?.replicas,
    ];
    const kept = await bench.objects("tenant-nap");
    const middle = operator.writes().length;
    await bench.change("nap", { hibernation: { enabled: false } });
    await bench.running("nap");
    const waking = workloadWrites(middle);
    await bench.pass(2_000);

    assert.deepEqual(sleeping, ["PATCH deployments/nap-server", "PATCH statefulsets/nap-redis"]);
    assert.deepEqual(waking, ["PATCH statefulsets/nap-redis", "PATCH deployments/nap-server"]);
    assert.deepEqual(replicas, [0, 0]);
    assert.equal(kept.length, basics.length);
    assert.match(conditionOf(asleep, "Ready") ?? "", /^False Hibernated/);
    const events = await bench.events("nap");
    assert.ok(events.includes("Normal Hibernated: Tenant is hibernated"));
    assert.ok(events.includes("Normal Resumed: Tenant resumed"));
  });

  it("writes nothing while it is paused", async () => {
    await bench.change("acme", { paused: true });
    await bench.waitFor("acme", (tenant) => conditionOf(tenant, "Paused")?.startsWith("True") ?? false);
    const before = operator.writes().length;
    await bench.client.delete(Service, { namespace: "tenant-acme", name: "acme-server" });
    await bench.pass(400_000, 10);
    const paused = await bench.objects("tenant-acme");
    const writes = operator.writes().slice(before);
    await bench.change("acme", { paused: false });
    await bench.running("acme");

    assert.ok(!paused.includes("Service acme-server"));
    assert.deepEqual(writes, []);
    assert.deepEqual(await bench.objects("tenant-acme"), basics);
  });

  it("grants access by role bindings, replaces a wrong roleRef, and revokes access", async () => {
    await bench.change("acme", {
      access: { admins: [{ kind: "Group", name: "acme-ops" }], viewers: [{ kind: "User", name: "eve" }] },
    });
    await bench.running("acme");
    const bound = (await bench.objects("tenant-acme")).filter((each) => each.startsWith("RoleBinding"));
    await bench.change("acme", { access: null });
    await bench.running("acme");

    assert.deepEqual(bound, ["RoleBinding neurallog-admins", "RoleBinding neurallog-viewers"]);
    assert.deepEqual(await bench.objects("tenant-acme"), basics);
  });

  it("shows printer columns and the status of the newest generation", async () => {
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    const { body } = await bench.client.raw({ method: "GET", path: "/apis/neurallog.io/v1/tenants", headers });
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    const table: unknown = JSON.parse(Buffer.concat(pieces).toString());
    await bench.change("acme", { displayName: "Acme Inc." });
    const tenant = await bench.running("acme");

    assert.ok(isRecord(table) && Array.isArray(table["columnDefinitions"]) && Array.isArray(table["rows"]));
    assert.deepEqual(
      table["columnDefinitions"].map((column: unknown) => isRecord(column) && column["name"]),
      ["Name", "Status", "Namespace", "Server", "Redis", "Age", "Display Name", "Ready", "Message"],
    );
    const [row]: unknown[] = table["rows"];
    assert.ok(isRecord(row) && Array.isArray(row["cells"]));
    assert.deepEqual(row["cells"].toSpliced(5, 1), [
      "acme",
      "Running",
      "tenant-acme",
      "Running",
      "Running",
      "Acme",
      "True",
      "Tenant is running",
    ]);
    assert.equal(tenant.status?.observedGeneration, tenant.metadata.generation);
  });
});
