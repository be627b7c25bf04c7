// Sends the same requests to the real and the embedded API server: admission, and endpoints beyond stored objects.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, it } from "node:test";
import { adminIdentity, ApiServer, standardOptions } from "@homeostat/apiserver";
import type { RealCluster } from "@homeostat/kube";
import { reasonToSkipOwnCluster, startOwnCluster } from "../../../harness/own-cluster.ts";
import { type Embedded, startEmbedded } from "../../../harness/embedded.ts";
import { accountCases, admissionCases, quotaCases } from "./cases.ts";
import { type HookCase, hookCases } from "./hook-cases.ts";
import { HookServer, type ReceivedReview } from "./hook-server.ts";
import { knownDifferences } from "./known-differences.ts";
import { mutatingCases } from "./mutating-cases.ts";
import { bindMutating } from "./mutating-policies.ts";
import { type PolicyCase, policyCases } from "./policy-cases.ts";
import { type Access, normal, Server, type Step, type ComparedResponse } from "./server.ts";

let count = 0;
const nextNamespace = (): string => `admission-${(count += 1)}`;

async function inNamespace(server: Server, namespace: string): Promise<void> {
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  const { status } = await server.send({ method: "POST", path: "/api/v1/namespaces", body });
  assert.equal(status, 201);
}

describe("admission on both servers", { skip: (await reasonToSkipOwnCluster()) ?? false }, () => {
  let cluster: RealCluster;
  let embedded: Embedded;
  let servers: readonly [real: Server, ours: Server];
  const hooks = new HookServer();

  before(async () => {
    [cluster, embedded] = await Promise.all([startOwnCluster(), startEmbedded(), hooks.listen()]);
    servers = [new Server(accessOf(cluster), { settleMs: 1_000 }), new Server(embedded.access)];
  });

  after(async () => {
    for (const server of servers) server.close();
    await Promise.all([cluster.stop(), embedded.stop(), hooks.stop()]);
  });

  for (const [group, cases] of admissionCases) {
    describe(group, () => {
      for (const { name, steps } of cases) {
        it(name, async () => {
          const namespace = nextNamespace();

          const [real, ours] = await Promise.all(
            servers.map(async (server) => {
              await inNamespace(server, namespace);
              return server.run(steps, namespace);
            }),
          );

          const known = knownDifferences.get(`${group}: ${name}`) ?? [];
          assert.deepEqual(differing(ours, real), [...known], message(ours, real, known));
        });
      }
    });
  }

  describe("webhooks", () => {
    /** Names and number of cases are known before the port is. */
    const prepared = hookCases({ port: 1, caBundle: "" }).map(({ name }) => ({ name, namespace: nextNamespace() }));

    before(async () => {
      const cases = hookCases(hooks);
      for (const server of servers) {
        for (const [index, { namespace }] of prepared.entries()) {
          const each = cases[index];
          assert.ok(each !== undefined);
          await inNamespace(server, namespace);
          await server.run(each.before ?? [], namespace);
          await configure(server, each, namespace);
        }
      }
      // The real server learns of configurations with a delay, in this order; the last webhook denies everything.
      const { namespace = "" } = prepared.at(-1) ?? {};
      await until(async () => (await servers[0].send(probeIn(namespace))).status === 500);
    });

    for (const [index, { name, namespace }] of prepared.entries()) {
      it(name, async () => {
        const each = hookCases(hooks)[index];
        assert.ok(each !== undefined);

        const real = await askHooks(servers[0], each, { hooks, namespace });
        const ours = await askHooks(servers[1], each, { hooks, namespace });

        assert.deepEqual(ours, real);
        assert.equal(JSON.stringify(ours.reviews), JSON.stringify(real.reviews), "the order of keys in reviews");
      });
    }
  });

  describe("policies", () => {
    const prepared = policyCases.map((each) => ({ each, namespace: nextNamespace() }));

    before(async () => {
      for (const server of servers) {
        for (const { each, namespace } of prepared) {
          await inNamespace(server, namespace);
          await server.run(each.before ?? [], namespace);
          await bind(server, each, namespace);
        }
      }
      // As for webhooks: the last policy denies everything.
      const { namespace = "" } = prepared.at(-1) ?? {};
      await until(async () => (await servers[0].send(probeIn(namespace))).status === 422);
    });

    for (const { each, namespace } of prepared) {
      it(each.name, async () => {
        const [real, ours] = await Promise.all(servers.map((server) => server.run(each.steps, namespace)));

        assert.deepEqual(ours, real);
      });
    }
  });

  describe("mutating policies", () => {
    const prepared = mutatingCases.map((each) => ({ each, namespace: nextNamespace() }));

    before(async () => {
      for (const server of servers) {
        for (const { each, namespace } of prepared) {
          await inNamespace(server, namespace);
          await server.run(each.before ?? [], namespace);
          await bindMutating(server, each, namespace);
        }
      }
      const { namespace = "" } = prepared.at(-1) ?? {};
      await until(async () => (await servers[0].send(probeIn(namespace))).status === 403);
    });

    for (const { each, namespace } of prepared) {
      it(each.name, async () => {
        const [real, ours] = await Promise.all(servers.map((server) => server.run(each.steps, namespace)));

        assert.deepEqual(ours, real);
      });
    }
  });
});

const controlPlaneSkip = (await reasonToSkipOwnCluster("control-plane")) ?? false;

describe("admission with controllers, on both servers", { skip: controlPlaneSkip }, () => {
  let cluster: RealCluster;
  let embedded: ApiServer;
  let servers: readonly [real: Server, ours: Server];

  before(async () => {
    cluster = await startOwnCluster("control-plane");
    embedded = new ApiServer(standardOptions());
    const { url: server } = await embedded.listen();
    const { cert, key } = embedded.certificates.client(adminIdentity);
    servers = [
      new Server(accessOf(cluster), { settleMs: 1_000 }),
      new Server({ server, ca: embedded.certificates.ca, cert, key }),
    ];
  });

  after(async () => {
    for (const server of servers) server.close();
    await Promise.all([cluster.stop(), embedded.stop()]);
  });

  for (const { name, steps } of [...accountCases, ...quotaCases]) {
    it(name, async () => {
      const namespace = nextNamespace();
      const [real, ours] = servers;
      await Promise.all(servers.map((server) => inNamespace(server, namespace)));
      // Objects that controllers of the real control plane create in every namespace.
      await ours.run([account, authority], namespace);
      await until(async () => (await real.send({ method: "GET", path: path(namespace, authority) })).status === 200);
      await until(async () => (await real.send({ method: "GET", path: path(namespace, account) })).status === 200);

      const responses = await runWithPauses(real, steps, namespace);
      const embeddedResponses = await ours.run(steps, namespace);

      assert.deepEqual(embeddedResponses, responses);
    });
  }
});

const account: Step = {
  method: "POST",
  path: "/api/v1/namespaces/{ns}/serviceaccounts",
  body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } },
};
const authority: Step = {
  method: "POST",
  path: "/api/v1/namespaces/{ns}/configmaps",
  body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "kube-root-ca.crt" } },
};

/** Returns the path at which the object of a step can be read. */
function path(namespace: string, { path: collection, body }: Step): string {
  const { metadata } = body as { metadata: { name: string } };
  return `${collection.replace("{ns}", namespace)}/${metadata.name}`;
}

/** Sends steps with pauses for controllers. */
async function runWithPauses(server: Server, steps: readonly Step[], namespace: string): Promise<ComparedResponse[]> {
  const responses: ComparedResponse[] = [];
  for (const step of steps) {
    responses.push(...(await server.run([step], namespace)));
    await sleep(400);
  }
  return responses;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries += 1) {
    assert.ok(tries < 100, "the condition did not become true within 20 s");
    await sleep(200);
  }
}

function accessOf({ server, ca = "", cert = "", key = "" }: RealCluster): Access {
  return { server, ca, cert, key };
}

/** Returns the steps whose responses differ. */
function differing(ours: readonly ComparedResponse[] = [], real: readonly ComparedResponse[] = []): number[] {
  return real.flatMap((responses, index) => (isSame(ours[index], responses) ? [] : [index]));
}

function isSame(ours: unknown, real: unknown): boolean {
  try {
    assert.deepEqual(ours, real);
    return true;
  } catch {
    return false;
  }
}

/** Describes the first response that differs unexpectedly. */
function message(
  ours: readonly ComparedResponse[] = [],
  real: readonly ComparedResponse[] = [],
  known: readonly number[] = [],
): string {
  const index = differing(ours, real).find((each) => !known.includes(each));
  if (index === undefined) return "the responses are equal now: remove the case from the list of known differences";
  try {
    assert.deepEqual(ours[index], real[index]);
    return "";
  } catch (error) {
    return `step ${index}, ${real[index]?.request ?? ""}: ${(error as Error).message}`;
  }
}

/** A dry-run request that shows which configurations are in force. */
function probeIn(namespace: string): Step {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "probe" } };
  return { method: "POST", path: `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`, body };
}

/** Creates a policy and its bindings for one namespace. */
async function bind(server: Server, { policy, bindings }: PolicyCase, namespace: string): Promise<void> {
  const group = "admissionregistration.k8s.io/v1";
  const create = async (plural: string, kind: string, name: string, spec: object): Promise<void> => {
    const body = { apiVersion: group, kind, metadata: { name }, spec };
    const made = await server.send({ method: "POST", path: `/apis/${group}/${plural}`, body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
  };
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": namespace } };
  const matchConstraints = { namespaceSelector, ...policy.matchConstraints };
  await create("validatingadmissionpolicies", "ValidatingAdmissionPolicy", namespace, { ...policy, matchConstraints });
  for (const [index, { matchResources, ...rest }] of bindings.entries()) {
    const spec = { policyName: namespace, matchResources: { namespaceSelector, ...matchResources }, ...rest };
    await create(
      "validatingadmissionpolicybindings",
      "ValidatingAdmissionPolicyBinding",
      `${namespace}-${index}`,
      spec,
    );
  }
}

/** Creates the webhook configuration of a case for its namespace. */
async function configure(server: Server, { sort, hooks }: HookCase, namespace: string): Promise<void> {
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": namespace } };
  const filled = JSON.parse(JSON.stringify(hooks).replaceAll("{ns}", namespace)) as object[];
  const made = await server.send({
    method: "POST",
    path: `/apis/admissionregistration.k8s.io/v1/${sort.toLowerCase()}webhookconfigurations`,
    body: {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: `${sort}WebhookConfiguration`,
      metadata: { name: namespace },
      webhooks: filled.map((hook) => ({ namespaceSelector, ...hook })),
    },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
}

/**
 * Returns the reviews of the last attempt to write each object.
 *
 * The real server updates the object of its watch cache first. If that is older than the stored one, the write fails after admission, and
 * the server repeats it, with admission, for the stored object. Reviews of the first attempt have an older `oldObject`.
 */
function lastAttempt<R extends Pick<ReceivedReview, "url" | "review">>(received: readonly R[]): readonly R[] {
  const versionOf = ({ review }: R): string | undefined => review.request.oldObject?.metadata.resourceVersion;
  const versions = new Map(received.map((each) => [each.review.request.name, versionOf(each)]));
  return received.filter((each) => versionOf(each) === versions.get(each.review.request.name));
}

/** Runs a case. Returns the responses and the reviews that the webhooks received. */
async function askHooks(
  server: Server,
  { sort, steps, hasManagers = false }: HookCase,
  { hooks, namespace }: { hooks: HookServer; namespace: string },
): Promise<{ responses: ComparedResponse[]; reviews: unknown[] }> {
  const responses: ComparedResponse[] = [];
  const reviews: unknown[] = [];
  for (const step of steps) {
    const before = hooks.reviews.length;
    responses.push(...(await server.run([step], namespace, { hasManagers })));
    const newReviews = lastAttempt(hooks.reviews.slice(before).map(({ url, review }) => ({ url, review })));
    // Validating webhooks are called in parallel, so in no fixed order. The last review of each webhook counts.
    const last = new Map(newReviews.map((each) => [each.url, each]));
    const counted = sort === "Mutating" ? newReviews : [...last.values()].toSorted((a, b) => (a.url < b.url ? -1 : 1));
    reviews.push(...counted.map((each) => normal(each, namespace)));
  }
  return { responses, reviews };
}
