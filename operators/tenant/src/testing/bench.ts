// A test cluster with the Tenant CRD, and the steps that tests of the operator share.

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
import { childTypes } from "../observe/kinds.ts";

export { conditionOf } from "@homeostat/operator-testing";

/** Counts the reads and writes of reconciles. Lists and watches of the cache, events and access reviews are omitted. */
function isCounted(sent: SentRequest): boolean {
  const { method, path } = sent;
  if (isAccessReview(sent)) return false;
  if (/\/events(?:\?|$|\/)/.test(path)) return method === "GET" && path.includes("fieldSelector");
  if (method !== "GET") return true;
  return /\/(?:namespaces|tenants|customresourcedefinitions|storageclasses)\//.test(path) && !path.includes("watch=");
}

/** Options for running the operator. */
export interface RunOptions extends Omit<RequestHooks, "isCounted"> {
  /** The user that it authenticates as. Default: the cluster administrator. */
  readonly user?: string | undefined;
  /** Values of its flags. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** A test cluster with the Tenant CRD. */
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

  /** Runs the operator. Its passwords are the same in every test. */
  async run({ settings = {}, ...options }: RunOptions = {}): Promise<RunningOperator> {
    const secureBytes = (count: number): Uint8Array => {
      this.#passwords += 1;
      return Buffer.alloc(count, this.#passwords);
    };
    return this.runOperator({
      ...options,
      operator: (random) => tenantOperator({ operatorNamespace: "neurallog-system", random, secureBytes }),
      run: { namespace: "neurallog-system" },
      settings,
      isCounted,
    });
  }

  /** Creates a tenant. */
  async create(name: string, spec: TenantInput["spec"] = {}): Promise<Stored<Tenant>> {
    const tenant: TenantInput = { apiVersion: "neurallog.io/v1", kind: "Tenant", metadata: { name }, spec };
    return asStored(await this.client.create(Tenant, Tenant.default(tenant)));
  }

  async get(name: string): Promise<Tenant> {
    return this.existing(Tenant, { name });
  }

  /** Changes the spec of a tenant. */
  async change(name: string, spec: object): Promise<void> {
    await this.client.patch(Tenant, { name }, { merge: { spec } });
  }

  async annotate(name: string, annotation: string, value: string): Promise<void> {
    await this.client.patch(Tenant, { name }, { merge: { metadata: { annotations: { [annotation]: value } } } });
  }

  /** Waits until a tenant satisfies a predicate. */
  async waitFor(name: string, is: (tenant: Tenant) => boolean, what = "a status"): Promise<Tenant> {
    return this.untilObject(Tenant, { name }, { what, is });
  }

  async phase(name: string, phase: string): Promise<Tenant> {
    return this.waitFor(name, ({ status }) => status?.phase === phase, `phase ${phase}`);
  }

  async untilDeleted(name: string): Promise<void> {
    await this.until(`${name} is deleted`, async () => (await this.client.get(Tenant, { name })) === undefined);
  }

  /** Returns the objects of a namespace, sorted: `Service acme-redis`. */
  async objects(namespace: string): Promise<string[]> {
    const found: string[] = [];
    for (const type of childTypes.values()) {
      const { items } = await this.client.list(type, { namespace });
      found.push(...items.map(({ metadata }) => `${type.kind} ${metadata.name ?? ""}`));
    }
    return found.filter((each) => !foreign.has(each)).toSorted();
  }

  /** Returns an object that must exist. */
  async object<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): Promise<T> {
    return this.existing(type, { namespace, name });
  }

  /** Waits until a tenant runs with its latest spec. */
  async running(name: string): Promise<Tenant> {
    return this.waitFor(
      name,
      ({ metadata, status }) => status?.phase === "Running" && status.observedGeneration === metadata.generation,
      "Running",
    );
  }

  /** Removes a tenant with all its objects while no operator runs. */
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

  /** Deletes a namespace at once, as the namespace controller does when it is empty. */
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

  /** Returns the events of a tenant, oldest first, as `TYPE REASON: MESSAGE`. */
  async events(name: string): Promise<string[]> {
    return this.eventsOf("Tenant", { namespace: "default", name });
  }
}

/** Objects that the cluster itself creates in every namespace. */
const foreign: ReadonlySet<string> = new Set(["ConfigMap kube-root-ca.crt", "ServiceAccount default"]);
