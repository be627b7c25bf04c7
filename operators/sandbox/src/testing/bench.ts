// A test cluster with the CRDs of the operator, and the steps that its tests share.

import { asStored, type ResourceType, type Stored } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Namespace, Secret, Service } from "@homeostat/kubernetes/core/v1";
import {
  isAccessReview,
  type RequestHooks,
  type RunningOperator,
  type SentRequest,
  startClusterWithClock,
  TestCluster,
  type TestClusterOptions,
} from "@homeostat/operator-testing";
import { annotations, labels, systemNamespace } from "../api/identity.ts";
import { kinds } from "../api/kinds.ts";
import { RouteGroup, type RouteGroupInput } from "../api/route-group.ts";
import { RouteTable } from "../api/route-table.ts";
import { Sandbox, type SandboxInput } from "../api/sandbox.ts";
import { sandboxOperator } from "../operator.ts";

export { conditionOf } from "@homeostat/operator-testing";

/** The namespace of the baseline. */
export const namespace = "shop";

/** Counts the reads and writes of reconciles. Lists and watches of the cache, events and access reviews are omitted. */
function isCounted(sent: SentRequest): boolean {
  if (isAccessReview(sent) || sent.path.includes("/events")) return false;
  // The service that keeps the certificate of the route server.
  if (/\/sandbox-system\/(?:secrets|configmaps)/.test(sent.path)) return false;
  // The check for the CRDs of a mesh, at growing intervals of up to 5 minutes.
  if (sent.path === "/api" || sent.path === "/apis") return false;
  return sent.method !== "GET" || !/[?&]watch=|[?&]limit=/.test(sent.path);
}

/** Options for running the operator. */
export interface RunOptions extends Omit<RequestHooks, "isCounted"> {
  readonly user?: string | undefined;
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Name of the replica, which waits for the Lease before it reconciles anything. Default: no leader election. */
  readonly replica?: string | undefined;
}

/** Options of a baseline. */
export interface BaselineOptions {
  readonly image?: string;
  readonly home?: string;
  /** Annotation of the Service; Auto for none. Default: None. */
  readonly interception?: "Auto" | "None" | "Sidecar" | "Takeover";
  /** Labels of the pods besides that of the Service. */
  readonly podLabels?: Readonly<Record<string, string>>;
}

/** Programs by image: hooks end at once with an output or an error, one image cannot be pulled, one program crashes after a minute. */
const scripts = [
  { image: "migrate", script: { exitAfterMs: 1_000, terminationMessage: "URL=postgres://db" } },
  { image: "broken-hook", script: { exitAfterMs: 1_000, exitCode: 1, terminationMessage: "no such database" } },
  { image: "not-pulled", script: { pullError: "manifest unknown" } },
  { image: "crashing", script: { exitAfterMs: 60_000, exitCode: 1 } },
];

/** A test cluster with the kinds of the operator and a namespace that may be used as a baseline. */
export class Bench extends TestCluster {
  #keys = 0;

  static async start(options: TestClusterOptions = {}): Promise<Bench> {
    const bench = new Bench(await startClusterWithClock({ nodes: [{ scripts }], ...options }), {
      stepMs: 250,
      turns: 12,
    });
    for (const kind of Object.values(kinds)) await bench.client.create(CustomResourceDefinition, kind.crd());
    await bench.enableNamespace(namespace);
    const system = { apiVersion: "v1", kind: "Namespace", metadata: { name: systemNamespace } } as const;
    await bench.client.create(Namespace, system);
    return bench;
  }

  /** Creates a namespace with the label that allows sandboxes in it. */
  async enableNamespace(name: string): Promise<void> {
    const metadata = { name, labels: { [labels.enabled]: "true" } };
    await this.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata });
  }

  /** Runs the operator. Its routing keys are the same in every test. */
  async run({ settings = {}, replica, ...options }: RunOptions = {}): Promise<RunningOperator> {
    const secureBytes = (count: number): Uint8Array => {
      this.#keys += 1;
      return Buffer.alloc(count, this.#keys % 200);
    };
    return this.runOperator({
      ...options,
      operator: (random) => sandboxOperator({ operatorNamespace: systemNamespace, random, secureBytes }),
      run: { namespace: systemNamespace, leaderElect: replica !== undefined },
      ...(replica !== undefined && { election: { identity: replica } }),
      settings,
      isCounted,
    });
  }

  /**
   * Creates a workload of the baseline with a Service in front of it. Nothing intercepts the requests of the Service unless a test asks for
   * it: no proxy runs here that could confirm routes.
   */
  async baseline(name: string, options: BaselineOptions = {}): Promise<void> {
    const { image = `${name}:1`, home = namespace, interception = "None", podLabels = {} } = options;
    const app = { app: name };
    const notes = interception === "Auto" ? {} : { [annotations.interception]: interception };
    await this.client.create(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace: home },
      spec: {
        replicas: 1,
        selector: { matchLabels: app },
        template: {
          metadata: { labels: { ...app, ...podLabels } },
          spec: { containers: [{ name: "app", image, ports: [{ containerPort: 8080, name: "http" }] }] },
        },
      },
    });
    await this.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace: home, annotations: notes },
      spec: { selector: app, ports: [{ name: "http", port: 80, targetPort: "http" }] },
    });
  }

  async create(name: string, spec: SandboxInput["spec"] = {}, home = namespace): Promise<Stored<Sandbox>> {
    const sandbox: SandboxInput = {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "Sandbox",
      metadata: { name, namespace: home },
      spec,
    };
    return asStored(await this.client.create(Sandbox, Sandbox.default(sandbox)));
  }

  async createGroup(name: string, spec: RouteGroupInput["spec"] = {}, home = namespace): Promise<void> {
    const group: RouteGroupInput = {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "RouteGroup",
      metadata: { name, namespace: home },
      spec,
    };
    await this.client.create(RouteGroup, RouteGroup.default(group));
  }

  async get(name: string): Promise<Sandbox> {
    return this.existing(Sandbox, { namespace, name });
  }

  async change(name: string, spec: object): Promise<void> {
    await this.client.patch(Sandbox, { namespace, name }, { merge: { spec } });
  }

  async waitFor(name: string, is: (sandbox: Sandbox) => boolean, what = "a status"): Promise<Sandbox> {
    return this.untilObject(Sandbox, { namespace, name }, { what, is });
  }

  async running(name: string): Promise<Sandbox> {
    return this.waitFor(
      name,
      ({ metadata, status }) => status?.phase === "Running" && status.observedGeneration === metadata.generation,
      "Running",
    );
  }

  async waitForGroup(name: string, is: (group: RouteGroup) => boolean, what = "a status"): Promise<RouteGroup> {
    return this.untilObject(RouteGroup, { namespace, name }, { what, is });
  }

  async table(service: string): Promise<RouteTable | undefined> {
    return this.client.get(RouteTable, { namespace, name: service });
  }

  async untilDeleted(name: string, home = namespace): Promise<void> {
    await this.until(
      `${name} is deleted`,
      async () => (await this.client.get(Sandbox, { namespace: home, name })) === undefined,
    );
  }

  /** Returns all objects with the UID of a sandbox in all namespaces: `Deployment shop/pr-42-cart-1a2b3c4d`. */
  async objectsOf(uid: string): Promise<string[]> {
    const found: string[] = [];
    const types: readonly ResourceType[] = [Deployment, Service, Job, Secret];
    for (const type of types) {
      const { items } = await this.client.list(type, { labelSelector: `${labels.sandboxUid}=${uid}` });
      found.push(...items.map(({ metadata }) => `${type.kind} ${metadata.namespace ?? ""}/${metadata.name ?? ""}`));
    }
    return found.toSorted();
  }
}
