// Plays a story of a tenant with an operator that dies at a chosen request, and another that takes over.

import assert from "node:assert/strict";
import { isRecord, type KubeObject } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Namespace, type Secret } from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import type { CrashPoint, RunningOperator, SentRequest } from "@homeostat/operator-testing";
import { annotations } from "../api/identity.ts";
import { Tenant } from "../api/tenant.ts";
import { denyAllName } from "../build/policies.ts";
import { readCredentials, secretText } from "../credentials/read-secret.ts";
import { secretKeys, usersAcl } from "../credentials/files.ts";
import { childTypes } from "../reconcile/kinds.ts";
import type { Bench } from "./bench.fixture.test.ts";

/** How a story ended: what can be seen, and what was done to get there. */
export interface Ending {
  /** What the tenant and its objects say, without times, uids and passwords. */
  readonly picture: unknown;
  /** How many requests the first operator has sent. */
  readonly requests: number;
  /** Which of them changed something, counted from 1. */
  readonly changes: readonly number[];
  /** What was written after everything had come to rest. */
  readonly lateWrites: readonly string[];
}

/** One tenant, and whoever looks after it. Nobody else does: no controller runs beside the operator. */
class Story {
  readonly bench: Bench;
  readonly name: string;
  #running: RunningOperator | undefined;
  #first: RunningOperator | undefined;

  constructor(bench: Bench, name: string) {
    this.bench = bench;
    this.name = name;
  }

  get namespace(): string {
    return `tenant-${this.name}`;
  }

  async begin(crash: CrashPoint | undefined): Promise<void> {
    this.#first = await this.#run(crash);
    this.#running = this.#first;
  }

  /** Waits until something is so, while the cluster does its part and a dead operator is followed by another. */
  async until(what: string, look: () => Promise<boolean>): Promise<void> {
    await this.bench.until(what, async () => {
      await this.#revive();
      await this.#tick();
      return look();
    });
  }

  async phase(phase: string): Promise<void> {
    await this.until(`${this.name} is ${phase}`, async () => {
      const tenant = await this.bench.client.get(Tenant, { name: this.name });
      const { status, metadata } = tenant ?? {};
      return status?.phase === phase && status.observedGeneration === metadata?.generation;
    });
  }

  async gone(): Promise<void> {
    await this.until(
      `${this.name} is gone`,
      async () => (await this.bench.client.get(Tenant, { name: this.name })) === undefined,
    );
  }

  async delete(): Promise<void> {
    await this.bench.client.delete(Tenant, { name: this.name });
  }

  async end(): Promise<Ending> {
    // Whoever was to die later, if ever, does so now or never.
    await this.#rest();
    await this.#revive();
    await this.#rest();
    const before = this.#running?.writes().length ?? 0;
    await this.bench.pass(400_000, 6);
    const lateWrites = this.#running?.writes().slice(before) ?? [];
    await this.#running?.stop();
    return {
      picture: await this.#picture(),
      requests: this.#first?.sent.length ?? 0,
      changes: (this.#first?.sent ?? []).flatMap(({ method }, index) => (method === "GET" ? [] : [index + 1])),
      lateWrites,
    };
  }

  async #rest(): Promise<void> {
    for (let times = 0; times < 4; times += 1) {
      await this.#tick();
      await this.bench.pass(500);
    }
  }

  async #run(crash: CrashPoint | undefined): Promise<RunningOperator> {
    return this.bench.run({ crash, onWrite: (sent) => this.#check(sent) });
  }

  async #revive(): Promise<void> {
    if (this.#running?.hasCrashed !== true) return;
    await this.#running.stop();
    this.#running = await this.#run(undefined);
  }

  /** Nothing that makes pods is written before the tenant is closed off. */
  async #check({ method, path }: SentRequest): Promise<void> {
    if (method === "DELETE" || !/\/(?:statefulsets|deployments)\//.test(path)) return;
    const { namespace } = this;
    const deny = await this.bench.client.get(NetworkPolicy, { namespace, name: denyAllName });
    assert.notEqual(deny, undefined, `${method} ${path} before the policy that forbids everything`);
  }

  /** What controllers would do: pods become ready at once, and a namespace that is deleted is emptied. */
  async #tick(): Promise<void> {
    const { client } = this.bench;
    const { namespace } = this;
    const home = await client.get(Namespace, { name: namespace });
    if (home === undefined) return;
    if (home.metadata.deletionTimestamp !== undefined) return this.#empty();
    for (const type of [StatefulSet, Deployment]) {
      const { items } = await client.list<StatefulSet | Deployment>(type, { namespace });
      for (const { metadata, spec, status } of items) {
        const { generation = 1, name = "" } = metadata;
        const replicas = spec?.replicas ?? 1;
        if (status?.observedGeneration === generation && (status.readyReplicas ?? 0) === replicas) continue;
        const merge = {
          status: { observedGeneration: generation, replicas, readyReplicas: replicas, updatedReplicas: replicas },
        };
        await client.patch<StatefulSet | Deployment>(type, { namespace, name }, { merge }, { subresource: "status" });
      }
    }
    return undefined;
  }

  async #empty(): Promise<void> {
    const { client } = this.bench;
    const { namespace } = this;
    for (const type of childTypes.values()) {
      const { items } = await client.list(type, { namespace });
      for (const { metadata } of items) await client.delete(type, { namespace, name: metadata.name ?? "" });
    }
    await this.bench.dropNamespace(namespace);
  }

  async #picture(): Promise<unknown> {
    const { client } = this.bench;
    const { namespace, name } = this;
    const tenant = await client.get(Tenant, { name });
    const home = await client.get(Namespace, { name: namespace });
    const objects: unknown[] = [];
    for (const type of home === undefined ? [] : childTypes.values()) {
      const { items } = await client.list(type, { namespace });
      objects.push(...items.map((object) => (type.kind === "Secret" ? secretPicture(object) : objectPicture(object))));
    }
    const text = JSON.stringify({
      tenant: tenant === undefined ? "gone" : tenantPicture(tenant),
      home: home === undefined ? "gone" : objectPicture(home),
      objects,
    });
    // Stories are played side by side under different names.
    return JSON.parse(text.replaceAll(name, "NAME"));
  }
}

/** Facts that are different in every play. */
const passing: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "managedFields",
  "generation",
  "status",
  "lastTransitionTime",
  "lastRotationTime",
  "observedGeneration",
  "clusterIP",
  "clusterIPs",
  annotations.tenantUid,
  annotations.desiredHash,
  annotations.credentialsChecksum,
  annotations.aclChecksum,
]);

function objectPicture(object: KubeObject): unknown {
  return JSON.parse(JSON.stringify(object, (key, value: unknown) => (passing.has(key) ? undefined : value)));
}

function secretPicture(object: KubeObject): unknown {
  const { data = {} }: { readonly data?: Record<string, string> } & KubeObject = object;
  const secret: Secret = { apiVersion: "v1", kind: "Secret", metadata: object.metadata, data };
  const credentials = readCredentials(secret, 0);
  const acl = credentials === undefined ? undefined : usersAcl(credentials);
  return {
    keys: Object.keys(data).toSorted(),
    step: credentials?.step,
    token: credentials?.token,
    isWhole: acl !== undefined && acl === secretText(secret, secretKeys.acl),
  };
}

function tenantPicture({ metadata, spec, status = {} }: Tenant): unknown {
  const { conditions = [], ...rest } = status;
  return {
    spec,
    finalizers: metadata.finalizers,
    isCurrent: status.observedGeneration === metadata.generation,
    status: objectPictureOf(rest),
    conditions: conditions
      .map(({ type, status: is, reason, message }) => `${type} ${is} ${reason}: ${message}`)
      .toSorted(),
  };
}

function objectPictureOf(value: unknown): unknown {
  const copy: unknown = JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (passing.has(key) ? undefined : inner)),
  );
  return isRecord(copy) ? copy : {};
}

/** What can happen to a tenant. */
export const stories: Readonly<Record<string, (story: Story) => Promise<void>>> = {
  "a creation": (story) => story.phase("Running"),
  "an update": async (story) => {
    await story.phase("Running");
    await story.bench.change(story.name, {
      server: { replicas: 2 },
      redis: { config: { timeout: "5" } },
      networkPolicy: { allowedNamespaces: ["ingress"] },
      access: { viewers: [{ kind: "User", name: "eve" }] },
    });
    await story.phase("Running");
    await story.bench.change(story.name, { networkPolicy: { allowedNamespaces: null }, access: null });
    await story.phase("Running");
  },
  "a change of the password": async (story) => {
    await story.phase("Running");
    await story.bench.annotate(story.name, annotations.rotate, "1");
    await story.until("the password is changed", async () => {
      const { status } = await story.bench.get(story.name);
      return status?.redisCredentials?.step === "done" && status.redisCredentials.token === "1";
    });
    await story.phase("Running");
  },
  "a sleep": async (story) => {
    await story.phase("Running");
    await story.bench.change(story.name, { hibernation: { enabled: true } });
    await story.phase("Hibernated");
    await story.bench.change(story.name, { hibernation: { enabled: false } });
    await story.phase("Running");
  },
  "a deletion": async (story) => {
    await story.phase("Running");
    await story.delete();
    await story.gone();
  },
  "a deletion during the creation": async (story) => {
    const { bench, namespace } = story;
    await story.until(
      "it has begun",
      async () => (await bench.client.get(Namespace, { name: namespace })) !== undefined,
    );
    await story.delete();
    await story.gone();
  },
  "a deletion and another tenant of the same name": async (story) => {
    await story.phase("Running");
    await story.delete();
    await story.gone();
    await story.bench.create(story.name);
    await story.phase("Running");
  },
};

let plays = 0;

/** Plays a story to its end. */
export async function play(bench: Bench, title: string, crash: CrashPoint | undefined): Promise<Ending> {
  plays += 1;
  const story = new Story(bench, `t${String(plays).padStart(4, "0")}`);
  await bench.create(story.name);
  await story.begin(crash);
  await stories[title]?.(story);
  const ending = await story.end();
  // Whatever is left would be looked after by the operators of later plays, too.
  await bench.remove(story.name);
  return ending;
}
