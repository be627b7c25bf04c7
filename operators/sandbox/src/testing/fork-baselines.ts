// Workloads of a baseline, as an API server returns them: one for each feature that forks have to treat in its own way.

import type { DeepReadonly, KubeObject } from "homeostat";
import type { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { PodSpec, Service, ServiceSpec } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";

/** The namespace of the baseline. */
export const baselineNamespace = "shop";

type Container = PodSpec["containers"][number];

/** A container of the application. */
export const app: Container = {
  name: "app",
  image: "shop/cart:1.4.0",
  ports: [{ containerPort: 8080, protocol: "TCP" }],
  env: [
    { name: "LOG_LEVEL", value: "info" },
    { name: "DB_PASSWORD", valueFrom: { secretKeyRef: { name: "cart-db", key: "password" } } },
  ],
  resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "250m", memory: "256Mi" } },
};

const podLabels = { app: "cart", tier: "backend", version: "v14" };

/** Options of a baseline workload. */
interface WorkloadOptions {
  readonly spec?: Partial<PodSpec>;
  readonly labels?: Record<string, string>;
}

function templateOf({ spec = {}, labels = podLabels }: WorkloadOptions): Deployment["spec"]["template"] {
  return {
    metadata: {
      labels,
      annotations: {
        "prometheus.io/scrape": "true",
        "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z",
        [annotations.inject]: "true",
      },
    },
    spec: { containers: [app], serviceAccountName: "cart", serviceAccount: "cart", ...spec },
  };
}

const metadata = {
  name: "cart",
  namespace: baselineNamespace,
  uid: "0c0ffee0-0000-4000-8000-000000000001",
  resourceVersion: "4711",
  generation: 7,
  creationTimestamp: "2026-01-01T00:00:00Z",
  labels: { app: "cart", team: "payments" },
  annotations: {
    "deployment.kubernetes.io/revision": "3",
    "kubectl.kubernetes.io/last-applied-configuration": "{}",
  },
  ownerReferences: [{ apiVersion: "example.com/v1", kind: "Shop", name: "shop", uid: "5b0b" }],
  finalizers: ["example.com/cleanup"],
};

/** Returns a Deployment of the baseline. */
export function deployment(options: WorkloadOptions = {}): DeepReadonly<Deployment> {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: {
      replicas: 6,
      paused: true,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      minReadySeconds: 5,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
      selector: { matchLabels: { app: "cart" } },
      template: templateOf(options),
    },
    status: { replicas: 6, readyReplicas: 6, observedGeneration: 7 },
  };
}

/** Returns a StatefulSet of the baseline with a volume claim for each pod. */
export function statefulSet(): DeepReadonly<StatefulSet> {
  const mounts = [{ name: "data", mountPath: "/var/lib/cart" }];
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata,
    spec: {
      replicas: 3,
      serviceName: "cart-peers",
      podManagementPolicy: "Parallel",
      selector: { matchLabels: { app: "cart" } },
      template: templateOf({ spec: { containers: [{ ...app, volumeMounts: mounts }] } }),
      volumeClaimTemplates: [
        {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } },
        },
      ],
    },
  };
}

/** Returns a Rollout of Argo Rollouts with a template of its own. */
export function rollout(): DeepReadonly<KubeObject> {
  const spec = {
    replicas: 4,
    selector: { matchLabels: { app: "cart" } },
    strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
    template: templateOf({}),
  };
  return Object.freeze({ apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", metadata, spec });
}

/** Returns a Rollout that takes its template from the Deployment `cart-template`. */
export function referringRollout(): { object: DeepReadonly<KubeObject>; referenced: DeepReadonly<KubeObject> } {
  const spec = {
    replicas: 4,
    workloadRef: { apiVersion: "apps/v1", kind: "Deployment", name: "cart-template" },
    strategy: { blueGreen: { activeService: "cart" } },
  };
  const referenced = deployment();
  return {
    object: Object.freeze({ apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", metadata, spec }),
    referenced: { ...referenced, metadata: { ...metadata, name: "cart-template", generation: 2 } },
  };
}

/** Returns a Service of the baseline. */
export function service(name: string, spec: Partial<ServiceSpec> = {}): DeepReadonly<Service> {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: baselineNamespace, uid: `uid-of-${name}` },
    spec: {
      type: "ClusterIP",
      clusterIP: "10.0.0.7",
      selector: { app: "cart" },
      ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: 8080 }],
      sessionAffinity: "None",
      ...spec,
    },
  };
}
