// Scenarios of a Tenant in which the operator crashes.

import assert from "node:assert/strict";
import { isRecord, type KubeObject } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Namespace, type Secret } from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import {
  type CrashPoint,
  CrashRun,
  type CrashScenario,
  type RunningOperator,
  type SentRequest,
} from "@homeostat/operator-testing";
import { annotations } from "../api/identity.ts";
import { Tenant, type TenantInput } from "../api/tenant.ts";
import { denyAllName } from "../build/network-policies.ts";
import { readCredentials, secretKeys, secretText, usersAcl } from "../build/redis-secret.ts";
import { childTypes } from "../observe/kinds.ts";
import type { Bench } from "./bench.ts";

/** One tenant. No controllers run beside the operator: `tick` does their work. The outcome is the tenant with all its objects. */
export class TenantRun extends CrashRun<unknown> {
  readonly bench: Bench;
  readonly name: string;

  constructor(bench: Bench, name: string) {
    super(bench);
    this.bench = bench;
    this.name = name;
  }

  get namespace(): string {
    return `tenant-${this.name}`;
  }

  protected override async startOperator(crash: CrashPoint | undefined): Promise<RunningOperator> {
    return this.bench.run({ crash, onWrite: (sent) => this.#check(sent) });
  }

  /** Removes the tenant, because the operators of later runs would reconcile it as well. */
  override async cleanUp(): Promise<void> {
    await this.bench.remove(this.name);
  }

  async phase(phase: string): Promise<void> {
    await this.until(`phase ${phase} of ${this.name}`, async () => {
      const tenant = await this.bench.client.get(Tenant, { name: this.name });
      const { status, metadata } = tenant ?? {};
      return status?.phase === phase && status.observedGeneration === metadata?.generation;
    });
  }

  async change(spec: object): Promise<void> {
    await this.bench.change(this.name, spec);
  }

  async delete(): Promise<void> {
    await this.bench.client.delete(Tenant, { name: this.name });
    await this.until(
      `the deletion of ${this.name}`,
      async () => (await this.bench.client.get(Tenant, { name: this.name })) === undefined,
    );
  }

  /** Checks that no workload is written before the policy that denies all traffic. */
  async #check({ method, path }: SentRequest): Promise<void> {
    if (method === "DELETE" || !/\/(?:statefulsets|deployments)\//.test(path)) return;
    const { namespace } = this;
    const deny = await this.bench.client.get(NetworkPolicy, { namespace, name: denyAllName });
    assert.notEqual(deny, undefined, `${method} ${path} before the policy that denies all traffic`);
  }

  /** Makes all pods ready, and empties a namespace that is being deleted. */
  protected override async tick(): Promise<void> {
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

  override async outcome(): Promise<unknown> {
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
      tenant: tenant === undefined ? "deleted" : tenantPicture(tenant),
      home: home === undefined ? "deleted" : objectPicture(home),
      objects,
    });
    // Each run has a tenant of its own name.
    return JSON.parse(text.replaceAll(name, "NAME"));
  }
}

/** Fields that differ from run to run. */
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

export type Scenario = CrashScenario<Bench, TenantRun, unknown>;

interface ScenarioOptions {
  readonly startsLike?: string;
  readonly spec?: TenantInput["spec"];
  readonly prepare?: (run: TenantRun) => Promise<unknown>;
}

let runs = 0;

/** A scenario of one tenant. `prepare` runs before the tenant is created. */
export function scenario(
  play: (run: TenantRun) => Promise<void>,
  { startsLike, spec, prepare }: ScenarioOptions = {},
): Scenario {
  return {
    open: async (bench) => {
      runs += 1;
      const run = new TenantRun(bench, `t${String(runs).padStart(4, "0")}`);
      await prepare?.(run);
      await bench.create(run.name, spec);
      return run;
    },
    play,
    startsLike,
  };
}

/** Returns a scenario that starts with a complete tenant. */
const afterCreation = (play: (run: TenantRun) => Promise<void>): Scenario =>
  scenario(
    async (run) => {
      await run.phase("Running");
      await play(run);
    },
    { startsLike: "a creation" },
  );

/** All scenarios. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  "a creation": scenario((run) => run.phase("Running")),
  "an update": afterCreation(async (run) => {
    await run.change({
      server: { replicas: 2 },
      redis: { config: { timeout: "5" } },
      networkPolicy: { allowedNamespaces: ["ingress"] },
      access: { viewers: [{ kind: "User", name: "eve" }] },
    });
    await run.phase("Running");
    await run.change({ networkPolicy: { allowedNamespaces: null }, access: null });
    await run.phase("Running");
  }),
  "a change of the password": afterCreation(async (run) => {
    await run.bench.annotate(run.name, annotations.rotate, "1");
    await run.until("the new password", async () => {
      const { status } = await run.bench.get(run.name);
      return status?.redisCredentials?.step === "done" && status.redisCredentials.token === "1";
    });
    await run.phase("Running");
  }),
  "a hibernation": afterCreation(async (run) => {
    await run.change({ hibernation: { enabled: true } });
    await run.phase("Hibernated");
    await run.change({ hibernation: { enabled: false } });
    await run.phase("Running");
  }),
  "a deletion": afterCreation((run) => run.delete()),
  "a deletion during the creation": scenario(async (run) => {
    const { bench, namespace } = run;
    await run.until(
      "the namespace",
      async () => (await bench.client.get(Namespace, { name: namespace })) !== undefined,
    );
    await run.delete();
  }),
  "a deletion and another tenant of the same name": afterCreation(async (run) => {
    await run.delete();
    await run.bench.create(run.name);
    await run.phase("Running");
  }),
};
