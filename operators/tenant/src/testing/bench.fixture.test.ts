// A cluster with the kind of tenants, whose time a test moves.

import { asStored, type KubeObject, type ResourceType, type Stored } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import {
  isAccessReview,
  type RequestHooks,
  type RunningOperator,
  type SentRequest,
  startClusterWithClock,
  TestCluster,
  type TestClusterOptions,
} from "@homeostat/operator-testing";
import { Tenant, type TenantInput } from "../api/tenant.ts";
import { redisModel } from "../app-model/redis.ts";
import { tenantOperator } from "../operator.ts";
import { childTypes } from "../reconcile/kinds.ts";

/** What follows the cluster, tells events, and asks what may be done, is no step of the work. */
function isCounted(sent: SentRequest): boolean {
  const { method, path } = sent;
  if (isAccessReview(sent)) return false;
  if (/\/events(?:\?|$|\/)/.test(path)) return method === "GET" && path.includes("fieldSelector");
  if (method !== "GET") return true;
  return /\/(?:namespaces|tenants|customresourcedefinitions|storageclasses)\//.test(path) && !path.includes("watch=");
}

/** How an operator is run. */
export interface RunOptions extends Omit<RequestHooks, "isCounted"> {
  /** Who it is; who may do everything unless said. */
  readonly user?: string | undefined;
  /** Values of its flags. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** A cluster with the CRD, and a clock. */
export class Bench extends TestCluster {
  #passwords = 0;

  static async start(options: TestClusterOptions = {}): Promise<Bench> {
    const bench = new Bench(await startClusterWithClock({ models: [redisModel], ...options }), {
      stepMs: 250,
      turns: 8,
    });
    await bench.client.create(CustomResourceDefinition, Tenant.crd());
    return bench;
  }

  /** Runs an operator. */
  async run({ settings = {}, ...options }: RunOptions = {}): Promise<RunningOperator> {
    const secureBytes = (count: number): Uint8Array => {
      this.#passwords += 1;
      return Buffer.alloc(count, this.#passwords);
    };
    return this.runOperator({
      ...options,
      operator: (random) => tenantOperator({ clock: this.clock, random, secureBytes }),
      run: { namespace: "neurallog-system" },
      settings,
      isCounted,
    });
  }

  /** Makes a tenant. */
  async create(name: string, spec: TenantInput["spec"] = {}): Promise<Stored<Tenant>> {
    const tenant: TenantInput = { apiVersion: "neurallog.io/v1", kind: "Tenant", metadata: { name }, spec };
    return asStored(await this.client.create(Tenant, Tenant.default(tenant)));
  }

  async get(name: string): Promise<Tenant> {
    const found = await this.client.get(Tenant, { name });
    if (found === undefined) throw new Error(`there is no tenant ${name}`);
    return found;
  }

  /** Changes the spec of a tenant. */
  async change(name: string, spec: object): Promise<void> {
    await this.client.patch(Tenant, { name }, { merge: { spec } });
  }

  async annotate(name: string, annotation: string, value: string): Promise<void> {
    await this.client.patch(Tenant, { name }, { merge: { metadata: { annotations: { [annotation]: value } } } });
  }

  /** Waits for a tenant to say something. */
  async say(name: string, is: (tenant: Tenant) => boolean, what = "a status"): Promise<Tenant> {
    return this.until(`${what} of ${name}`, async () => {
      const tenant = await this.client.get(Tenant, { name });
      return tenant !== undefined && is(tenant) && tenant;
    });
  }

  async phase(name: string, phase: string): Promise<Tenant> {
    return this.say(name, ({ status }) => status?.phase === phase, `phase ${phase}`);
  }

  async gone(name: string): Promise<void> {
    await this.until(`${name} is gone`, async () => (await this.client.get(Tenant, { name })) === undefined);
  }

  /** What is in a tenant's namespace, sorted: `Service acme-redis`. */
  async objects(namespace: string): Promise<string[]> {
    const found: string[] = [];
    for (const type of childTypes.values()) {
      const { items } = await this.client.list(type, { namespace });
      found.push(...items.map(({ metadata }) => `${type.kind} ${metadata.name ?? ""}`));
    }
    return found.filter((each) => !foreign.has(each)).toSorted();
  }

  /** An object that must be there. */
  async object<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): Promise<T> {
    const found = await this.client.get(type, { namespace, name });
    if (found === undefined) throw new Error(`there is no ${type.kind} ${namespace}/${name}`);
    return found;
  }

  /** Waits until a tenant runs as it was last asked to. */
  async running(name: string): Promise<Tenant> {
    return this.say(
      name,
      ({ metadata, status }) => status?.phase === "Running" && status.observedGeneration === metadata.generation,
      "Running",
    );
  }

  /** Takes a tenant away with everything that belongs to it, while no operator runs. */
  async remove(name: string): Promise<void> {
    await this.client.delete(Tenant, { name });
    const left = await this.client.get(Tenant, { name });
    if (left !== undefined) await this.client.patch(Tenant, { name }, { merge: { metadata: { finalizers: null } } });
    const namespace = `tenant-${name}`;
    if ((await this.client.get(Namespace, { name: namespace })) === undefined) return;
    for (const type of childTypes.values()) {
      const { items } = await this.client.list(type, { namespace });
      for (const { metadata } of items) await this.client.delete(type, { namespace, name: metadata.name ?? "" });
    }
    await this.dropNamespace(namespace);
  }

  /** Deletes a namespace at once, whatever is in it, as if its content had been cleared away. */
  async dropNamespace(name: string): Promise<void> {
    await this.client.delete(Namespace, { name });
    const left = await this.client.get(Namespace, { name });
    if (left === undefined) return;
    const body = JSON.stringify({ ...left, spec: { finalizers: [] } });
    const headers = { "content-type": "application/json" };
    await this.client.raw({ method: "PUT", path: `/api/v1/namespaces/${name}/finalize`, headers, body });
  }

  async namespace(name: string, metadata: Namespace["metadata"] = {}): Promise<Namespace> {
    return this.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { ...metadata, name } });
  }

  /** What the events of a tenant say: type, reason, message. */
  async events(name: string): Promise<string[]> {
    return this.eventsOf("Tenant", { namespace: "default", name });
  }
}

/** What the cluster itself puts into every namespace. */
const foreign: ReadonlySet<string> = new Set(["ConfigMap kube-root-ca.crt", "ServiceAccount default"]);

/** One condition as a line: status, reason, message. */
export function conditionOf(tenant: Tenant, type: string): string | undefined {
  const found = tenant.status?.conditions?.find((each) => each.type === type);
  return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message}`;
}
