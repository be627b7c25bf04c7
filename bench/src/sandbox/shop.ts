// Shops of baselines, and sandboxes that fork them.

import { labels } from "@homeostat/sandbox-operator";
import { forAll } from "../operators/lanes.ts";
import { createNamespace } from "../operators/service-account.ts";
import type { RawApi } from "../peers/raw-api.ts";

/** The number of sandboxes that a namespace may have by default. */
const sandboxesPerShop = 50;

/** The workloads of every shop, each with a Service of the same name. */
const workloads = ["cart", "catalog", "checkout", "payment", "search"] as const;

/** The place of a sandbox, and what it forks. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
  /** Workload and Service of the baseline. */
  readonly workload: string;
}

/** Returns the number of namespaces for a number of sandboxes. */
export function shopsFor(sandboxes: number): number {
  return Math.ceil(sandboxes / sandboxesPerShop);
}

/** Returns the place of a sandbox. Neighbours are in different shops. */
export function placeOf(index: number, shops: number): Place {
  const workload = workloads[Math.floor(index / shops) % workloads.length] ?? workloads[0];
  return { namespace: shopName(index % shops), name: `pr-${index}`, workload };
}

/** Returns the path of the sandboxes of a namespace, or of all. */
export function sandboxesPath(namespace?: string): string {
  const place = namespace === undefined ? "" : `namespaces/${namespace}/`;
  return `/apis/sandbox.example.com/v1alpha1/${place}sandboxes`;
}

/** Returns the path of the table of a Service. */
export function tablePath({ namespace, workload }: Place): string {
  return `/apis/sandbox.example.com/v1alpha1/namespaces/${namespace}/routetables/${workload}`;
}

/** Returns the path of all Deployments of a sandbox. */
export function forksPath(namespace: string, sandbox: string): string {
  const selector = encodeURIComponent(`${labels.sandbox}=${sandbox}`);
  return `/apis/apps/v1/namespaces/${namespace}/deployments?labelSelector=${selector}`;
}

/** Creates the namespaces with all workloads. */
export async function openShops(api: RawApi, shops: number, signal: AbortSignal): Promise<void> {
  for (let n = 0; n < shops; n += 1) await createNamespace(api, shopName(n), { [labels.enabled]: "true" });
  await forAll(shops * workloads.length, async (index) => {
    const namespace = shopName(Math.floor(index / workloads.length));
    const name = workloads[index % workloads.length] ?? "";
    const deployment = JSON.stringify(baseline(name));
    await api.must(
      { method: "POST", path: `/apis/apps/v1/namespaces/${namespace}/deployments`, body: deployment },
      signal,
    );
    const service = JSON.stringify(baselineService(name));
    await api.must({ method: "POST", path: `/api/v1/namespaces/${namespace}/services`, body: service }, signal);
  });
}

/** Creates a sandbox. */
export async function createSandbox(
  api: RawApi,
  { namespace, name, workload }: Place,
  signal: AbortSignal,
): Promise<void> {
  const body = JSON.stringify({
    apiVersion: "sandbox.example.com/v1alpha1",
    kind: "Sandbox",
    metadata: { name, labels: { team: "payments" } },
    spec: {
      description: `Changes of ${name}`,
      labels: { feature: name },
      services: [
        {
          name: workload,
          targetRef: { name: workload },
          containers: [{ name: "app", image: imageOf(name), env: [{ name: "LOG_LEVEL", value: "debug" }] }],
        },
      ],
    },
  });
  await api.must({ method: "POST", path: sandboxesPath(namespace), body }, signal);
}

/** Returns the image of a fork. */
export function imageOf(name: string, version = 1): string {
  return `registry.example.com/shop/app:${name}-${version}`;
}

function shopName(n: number): string {
  return `shop-${n}`;
}

/** Returns a Deployment as users have them: variables, probes, resources and a volume. */
function baseline(name: string): object {
  const probe = { httpGet: { path: "/healthz", port: "http" }, periodSeconds: 5 };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels: { app: name, "app.kubernetes.io/part-of": "shop" } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name, "app.kubernetes.io/part-of": "shop" } },
        spec: {
          containers: [
            {
              name: "app",
              image: `registry.example.com/shop/${name}:1.0.0`,
              ports: [
                { name: "http", containerPort: 8080 },
                { name: "grpc", containerPort: 9090 },
              ],
              env: Array.from({ length: 10 }, (_, n) => ({ name: `SETTING_${n}`, value: `value-${n}` })),
              resources: { requests: { cpu: "50m", memory: "64Mi" }, limits: { cpu: "100m", memory: "128Mi" } },
              readinessProbe: probe,
              livenessProbe: probe,
              volumeMounts: [{ name: "cache", mountPath: "/cache" }],
            },
          ],
          volumes: [{ name: "cache", emptyDir: {} }],
        },
      },
    },
  };
}

function baselineService(name: string): object {
  return {
    apiVersion: "v1",
    kind: "Service",
    // No proxy runs here that could confirm routes.
    metadata: { name, labels: { app: name }, annotations: { "sandbox.example.com/interception": "None" } },
    spec: {
      selector: { app: name },
      ports: [
        { name: "http", port: 80, targetPort: "http", appProtocol: "http" },
        { name: "grpc", port: 9090, targetPort: "grpc", appProtocol: "grpc" },
      ],
    },
  };
}
