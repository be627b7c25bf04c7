// Scenarios of a sandbox in which the operator crashes.

import assert from "node:assert/strict";
import type { KubeObject, ResourceType } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Namespace, Secret, Service } from "@homeostat/kubernetes/core/v1";
import { type CrashPoint, CrashRun, type CrashScenario, type RunningOperator } from "@homeostat/operator-testing";
import { keyPrefix } from "../api/identity.ts";
import { LocalWorkload } from "../api/local-workload.ts";
import { RouteGroup } from "../api/route-group.ts";
import { RouteTable } from "../api/route-table.ts";
import { Sandbox, type SandboxInput } from "../api/sandbox.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { selectsProxy } from "../build/taken-over-service.ts";
import type { Bench } from "./bench.ts";
import { askForTakeover, confirmTables, serviceOf } from "./takeover-bench.ts";

/** One sandbox and one group in a namespace of their own. The controllers of the embedded cluster run beside the operator. */
export class SandboxRun extends CrashRun<unknown> {
  readonly bench: Bench;
  readonly namespace: string;

  constructor(bench: Bench, namespace: string) {
    super(bench);
    this.bench = bench;
    this.namespace = namespace;
  }

  protected override async startOperator(crash: CrashPoint | undefined): Promise<RunningOperator> {
    return this.bench.run({ crash });
  }

  /** Removes everything, because the operators of later runs would reconcile it as well. */
  override async cleanUp(): Promise<void> {
    const { client } = this.bench;
    const { namespace } = this;
    const types: readonly ResourceType[] = [RouteGroup, Sandbox, RouteTable, Deployment, Service, Job, Secret];
    for (const type of types) {
      for (const { metadata } of (await client.list(type, { namespace })).items) {
        const key = { namespace, name: metadata.name ?? "" };
        if (metadata.finalizers !== undefined)
          await client.patch(type, key, { merge: { metadata: { finalizers: null } } });
        await client.delete(type, key);
      }
    }
    await client.delete(Namespace, { name: namespace });
    await this.bench.until(
      "an empty namespace",
      async () => (await client.get(Namespace, { name: namespace })) === undefined,
    );
  }

  /** Waits until the sandbox runs with its latest spec and its route is published. */
  async running(): Promise<void> {
    await this.waitFor(
      "Running",
      ({ metadata, status }) =>
        status?.phase === "Running" &&
        status.observedGeneration === metadata.generation &&
        status.services?.[0]?.drift === "InSync",
    );
  }

  async waitFor(what: string, is: (sandbox: Sandbox) => boolean): Promise<void> {
    await this.until(`${what} in ${this.namespace}`, async () => {
      const sandbox = await this.bench.client.get(Sandbox, { namespace: this.namespace, name });
      return sandbox !== undefined && is(sandbox);
    });
  }

  async groupHas(sandboxes: number): Promise<void> {
    await this.until(`${sandboxes} sandboxes in the group of ${this.namespace}`, async () => {
      const group = await this.bench.client.get(RouteGroup, { namespace: this.namespace, name: "group" });
      const { status, metadata } = group ?? {};
      return status?.totalSandboxes === sandboxes && status.observedGeneration === metadata?.generation;
    });
  }

  async change(spec: object): Promise<void> {
    await this.bench.client.patch(Sandbox, { namespace: this.namespace, name }, { merge: { spec } });
  }

  async deleted(): Promise<void> {
    await this.until(
      `the deletion in ${this.namespace}`,
      async () => (await this.bench.client.get(Sandbox, { namespace: this.namespace, name })) === undefined,
    );
  }

  /** Waits until the Service routes to the proxy. The test confirms tables in place of the route server. */
  async takenOver(): Promise<void> {
    await this.until(`the takeover in ${this.namespace}`, async () => {
      await confirmTables(this.bench, this.namespace);
      const table = await this.bench.client.get(RouteTable, { namespace: this.namespace, name: "cart" });
      return (
        selectsProxy(await serviceOf(this.bench, "cart", this.namespace)) &&
        table?.status?.takeover?.phase === "TakenOver" &&
        table.status.takeover.unusedSince === undefined
      );
    });
  }

  /** Waits until nothing of the takeover is left but the proxy. */
  async released(): Promise<void> {
    await this.until(`the release in ${this.namespace}`, async () => {
      await confirmTables(this.bench, this.namespace);
      const { client } = this.bench;
      const { namespace } = this;
      const table = await client.get(RouteTable, { namespace, name: "cart" });
      const base = await client.get(Service, { namespace, name: "cart--base" });
      return table === undefined && base === undefined && !selectsProxy(await serviceOf(this.bench, "cart", namespace));
    });
  }

  override async outcome(): Promise<unknown> {
    const { client } = this.bench;
    const { namespace } = this;
    const objects: unknown[] = [];
    const types: readonly ResourceType[] = [Sandbox, RouteGroup, RouteTable, Deployment, Service, Secret];
    for (const type of types) {
      const { items } = await client.list(type, { namespace });
      objects.push(...items.map((object) => picture(object)));
    }
    // Names end in a hash of the UID of the sandbox, and each run has a namespace and keys of its own.
    const keys = new Map<string, string>();
    const text = JSON.stringify(objects)
      .replaceAll(namespace, "NAMESPACE")
      .replaceAll(/\b[0-9a-f]{16}\b/g, "VERSION")
      .replaceAll(/-[0-9a-f]{8}\b/g, "-HASH")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME")
      .replaceAll(/"(?:routingKey|value)":"([a-z][a-z0-9]{12})"/g, (_, key: string) => {
        keys.set(key, `KEY${keys.size}`);
        return `"routingKey":"${key}"`;
      });
    return JSON.parse([...keys].reduce((all, [key, label]) => all.replaceAll(key, label), text));
  }
}

const name = "pr";

/** Fields that differ from run to run, or depend on the time of the crash. */
const passing: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "managedFields",
  "generation",
  "observedGeneration",
  "lastTransitionTime",
  "expiresAt",
  "specChangedAt",
  "takenOverAt",
  "unusedSince",
  "releasedAt",
  "version",
  "sandboxUid",
  "templateHash",
  "clusterIP",
  "clusterIPs",
  "deployment.kubernetes.io/revision",
  "homeostat.dev/desired-hash",
  "homeostat.dev/owner-proof",
  "homeostat.dev/owner-uid",
  `${keyPrefix}sandbox-uid`,
  `${keyPrefix}sandbox-proof`,
  `${keyPrefix}sandbox-desired-hash`,
  `${keyPrefix}template-hash`,
  `${keyPrefix}stored-fork`,
  `${keyPrefix}rebased-at`,
]);

/** Returns an object without passing fields. Of workloads, the status is that of other controllers. */
function picture(object: KubeObject): unknown {
  const { status, ...rest }: KubeObject & { readonly status?: unknown } = object;
  const isOurs = object.apiVersion.startsWith("sandbox.");
  const shown = isOurs ? { ...rest, status } : rest;
  return JSON.parse(JSON.stringify(shown, (key, value: unknown) => (passing.has(key) ? undefined : value)));
}

let runs = 0;

type Spec = SandboxInput["spec"];

const spec: Spec = {
  labels: { feature: "checkout" },
  services: [{ name: "cart", targetRef: { name: "cart" }, containers: [{ name: "app", image: "cart:1" }] }],
};

/** A scenario of one sandbox beside its baseline and a group that matches it. */
function scenario(
  play: (run: SandboxRun) => Promise<void>,
  {
    startsLike,
    more = {},
    isTakenOver = false,
  }: { readonly startsLike?: string; readonly more?: Spec; readonly isTakenOver?: boolean } = {},
): CrashScenario<Bench, SandboxRun, unknown> {
  return {
    startsLike,
    play,
    async open(bench) {
      runs += 1;
      const run = new SandboxRun(bench, `r${String(runs).padStart(4, "0")}`);
      const { namespace } = run;
      await bench.enableNamespace(namespace);
      await bench.baseline("cart", { home: namespace });
      if (isTakenOver) await askForTakeover(bench, "cart", namespace);
      await bench.create(name, { ...spec, ...more }, namespace);
      const match = { label: { key: "feature", value: "checkout" } };
      // The key of the sandbox is generated. That of the group sorts behind it, so tables have the same order in every run.
      await bench.createGroup("group", { match, routingKey: `zz-${namespace}` }, namespace);
      return run;
    },
  };
}

/** All scenarios, by name. */
export const scenarios: Readonly<Record<string, CrashScenario<Bench, SandboxRun, unknown>>> = {
  creation: scenario(async (run) => {
    await run.running();
    await run.groupHas(1);
  }),
  "an update": scenario(
    async (run) => {
      await run.running();
      await run.change({ services: [{ ...spec.services?.[0], containers: [{ name: "app", image: "cart:2" }] }] });
      await run.running();
    },
    { startsLike: "creation" },
  ),
  "a rebase": scenario(
    async (run) => {
      await run.running();
      const env = [{ name: "MODE", value: "new" }];
      const strategic = { spec: { template: { spec: { containers: [{ name: "app", env }] } } } };
      await run.bench.client.patch(Deployment, { namespace: run.namespace, name: "cart" }, { strategic });
      await run.waitFor("Behind", ({ status }) => status?.services?.[0]?.drift === "Behind");
      await run.running();
    },
    { startsLike: "creation" },
  ),
  "a change of a group": scenario(
    async (run) => {
      await run.running();
      await run.groupHas(1);
      const match = { label: { key: "feature", value: "other" } };
      await run.bench.client.patch(
        RouteGroup,
        { namespace: run.namespace, name: "group" },
        { merge: { spec: { match } } },
      );
      await run.groupHas(0);
    },
    { startsLike: "creation" },
  ),
  "a takeover": scenario(async (run) => run.takenOver(), { isTakenOver: true }),
  "the release of a takeover": scenario(
    async (run) => {
      await run.takenOver();
      await run.bench.client.delete(RouteGroup, { namespace: run.namespace, name: "group" });
      await run.bench.client.delete(Sandbox, { namespace: run.namespace, name });
      await run.deleted();
      await run.released();
    },
    { startsLike: "a takeover", isTakenOver: true },
  ),
  "the end of a lifetime": scenario((run) => run.deleted(), { startsLike: "creation", more: { ttl: 300 } }),
  "a deletion with hooks": scenario(
    async (run) => {
      await run.running();
      await run.bench.client.delete(Sandbox, { namespace: run.namespace, name });
      await run.deleted();
    },
    { more: { provision: [{ name: "db", create: { image: "migrate:1" }, delete: { image: "migrate:1" } }] } },
  ),
  "a deletion with a LocalWorkload": scenario(
    async (run) => {
      await run.running();
      const { client } = run.bench;
      const { namespace } = run;
      await client.create(
        SandboxPolicy,
        SandboxPolicy.default(SandboxPolicy.make({ metadata: { name: "policy", namespace }, spec: {} })),
      );
      const ports = [{ name: "http", containerPort: 8080 }];
      const local = LocalWorkload.make({
        metadata: { name: "local", namespace },
        spec: { sandboxRef: { name }, service: { name: "cart", ports } },
      });
      await client.create(LocalWorkload, LocalWorkload.default(local));
      await run.until(`a LocalWorkload in ${namespace}`, async () => {
        const found = await client.get(LocalWorkload, { namespace, name: "local" });
        return found?.status?.observedGeneration !== undefined && found.metadata.ownerReferences !== undefined;
      });
      await run.until(`a policy in ${namespace}`, async () => {
        const found = await client.get(SandboxPolicy, { namespace, name: "policy" });
        return found?.status?.effective !== undefined;
      });
      await client.delete(Sandbox, { namespace, name });
      await run.deleted();
      assert.equal(await client.get(LocalWorkload, { namespace, name: "local" }), undefined);
    },
    { startsLike: "creation" },
  ),
};
