// The forks of the golden files. A test applies them to the embedded API server; an end-to-end test can apply them to a real one.

import type { DeepReadonly } from "homeostat";
import type { Service } from "@homeostat/kubernetes/core/v1";
import { type EntryPatch, Sandbox, type SandboxInput } from "../api/sandbox.ts";
import { type BaselineObjects, readBaseline } from "../build/baseline.ts";
import type { ForkInput } from "../build/fork-input.ts";
import {
  app,
  baselineNamespace,
  deployment,
  referringRollout,
  rollout,
  service,
  statefulSet,
} from "./fork-baselines.ts";

type Entry = NonNullable<NonNullable<SandboxInput["spec"]>["services"]>[number];

/** A baseline, and an entry that forks it. */
export interface ForkCase {
  readonly baseline: BaselineObjects;
  readonly services: readonly DeepReadonly<Service>[];
  /** Entry without its name and target. */
  readonly entry?: Omit<Entry, "name" | "targetRef">;
  readonly labels?: Record<string, string>;
  readonly claims?: Record<string, readonly string[]>;
  /** Namespace of the Sandbox. Default: that of the baseline. */
  readonly namespace?: string;
}

const changedImage: ForkCase["entry"] = {
  containers: [{ name: "app", image: "shop/cart:pr-42", env: [{ name: "LOG_LEVEL", value: "debug" }] }],
};

const plain = { kind: "Deployment", object: deployment() } as const;

/** The cases by name. */
export const forkCases: Readonly<Record<string, ForkCase>> = {
  plain: { baseline: plain, services: [service("cart")], entry: changedImage, labels: { feature: "checkout-v2" } },
  sidecars: {
    baseline: {
      kind: "Deployment",
      object: deployment({
        spec: {
          containers: [
            app,
            { name: "metrics", image: "shop/metrics:3", ports: [{ name: "metrics", containerPort: 9100 }] },
          ],
          initContainers: [{ name: "log-shipper", image: "shop/logs:2", restartPolicy: "Always" }],
        },
      }),
    },
    services: [service("cart")],
    entry: { containers: [{ name: "log-shipper", image: "shop/logs:3", resources: { requests: { cpu: "50m" } } }] },
  },
  "init-containers": {
    baseline: {
      kind: "Deployment",
      object: deployment({
        spec: {
          initContainers: [
            {
              name: "migrate",
              image: "shop/migrate:1",
              command: ["migrate"],
              args: ["up"],
              env: [{ name: "SANDBOX_NAME", value: "baseline" }],
            },
          ],
        },
      }),
    },
    services: [service("cart")],
    entry: {
      containers: [
        { name: "migrate", args: ["status"] },
        { name: "app", env: [{ name: "LOG_LEVEL", operation: "Delete" }] },
      ],
    },
  },
  "named-ports": {
    baseline: {
      kind: "Deployment",
      object: deployment({
        spec: {
          containers: [
            {
              ...app,
              ports: [
                { name: "web", containerPort: 8080, hostPort: 8080 },
                { name: "grpc", containerPort: 9000, protocol: "TCP" },
              ],
            },
          ],
        },
      }),
    },
    services: [
      service("cart", {
        type: "NodePort",
        externalTrafficPolicy: "Cluster",
        sessionAffinity: "ClientIP",
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } },
        ports: [
          { name: "http", port: 80, protocol: "TCP", targetPort: "web", nodePort: 30_080 },
          { name: "grpc", port: 9000, protocol: "TCP", targetPort: "grpc", appProtocol: "kubernetes.io/h2c" },
          { name: "admin", port: 81, protocol: "TCP", targetPort: "admin" },
        ],
      }),
    ],
  },
  "duplicate-ports": {
    baseline: {
      kind: "Deployment",
      object: deployment({
        spec: {
          containers: [
            {
              ...app,
              ports: [
                { name: "web", containerPort: 8080, protocol: "TCP" },
                { name: "metrics", containerPort: 8080, protocol: "TCP" },
              ],
              readinessProbe: { httpGet: { path: "/readyz", port: "metrics" } },
            },
          ],
        },
      }),
    },
    services: [
      service("cart", {
        ports: [
          { name: "http", port: 80, protocol: "TCP", targetPort: "web" },
          { name: "metrics", port: 9090, protocol: "TCP", targetPort: "metrics" },
        ],
      }),
    ],
  },
  headless: {
    baseline: plain,
    services: [service("cart"), service("cart-peers", { clusterIP: "None", publishNotReadyAddresses: true })],
  },
  "stateful-set": {
    baseline: { kind: "StatefulSet", object: statefulSet() },
    services: [service("cart"), service("cart-peers", { clusterIP: "None" })],
    entry: changedImage,
  },
  volumes: {
    baseline: {
      kind: "Deployment",
      object: deployment({
        spec: {
          containers: [{ ...app, volumeMounts: [{ name: "uploads", mountPath: "/uploads" }] }],
          volumes: [
            { name: "uploads", persistentVolumeClaim: { claimName: "cart-uploads" } },
            { name: "config", configMap: { name: "cart-config" } },
          ],
        },
      }),
    },
    services: [service("cart")],
    claims: { "cart-uploads": ["ReadWriteOnce"] },
  },
  "volumes-ephemeral": {
    baseline: {
      kind: "Deployment",
      object: deployment({
        spec: {
          containers: [{ ...app, volumeMounts: [{ name: "uploads", mountPath: "/uploads" }] }],
          volumes: [{ name: "uploads", persistentVolumeClaim: { claimName: "cart-uploads" } }],
        },
      }),
    },
    services: [service("cart")],
    entry: { volumes: "Ephemeral" },
    claims: { "cart-uploads": ["ReadWriteOnce"] },
  },
  probes: {
    baseline: {
      kind: "Deployment",
      object: deployment({
        spec: {
          containers: [
            {
              ...app,
              livenessProbe: { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 10 },
              readinessProbe: { grpc: { port: 9000 } },
              startupProbe: { exec: { command: ["cat", "/started"] }, failureThreshold: 30 },
              lifecycle: { preStop: { sleep: { seconds: 5 } } },
            },
          ],
          terminationGracePeriodSeconds: 45,
        },
      }),
    },
    services: [service("cart")],
    entry: { readyTimeoutSeconds: 300, replicas: 2 },
  },
  affinity: {
    baseline: {
      kind: "Deployment",
      object: deployment({
        spec: {
          nodeSelector: { pool: "shop" },
          tolerations: [{ key: "shop", operator: "Exists", effect: "NoSchedule" }],
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 1,
                  podAffinityTerm: {
                    topologyKey: "kubernetes.io/hostname",
                    labelSelector: { matchLabels: { app: "cart" } },
                  },
                },
              ],
            },
          },
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "topology.kubernetes.io/zone",
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: { matchLabels: { app: "cart" } },
            },
          ],
          priorityClassName: "shop-high",
        },
      }),
    },
    services: [service("cart")],
  },
  "no-service": { baseline: plain, services: [service("orders", { selector: { app: "orders" } })] },
  "two-services": {
    baseline: plain,
    services: [service("cart"), service("cart-internal", { ports: [{ port: 8080, protocol: "TCP" }] })],
  },
  "conflicting-labels": {
    baseline: plain,
    services: [service("cart", { selector: { app: "cart", tier: "backend" } })],
    entry: { preserveLabels: ["tier|ver.*"] },
    labels: { app: "cart", team: "payments" },
  },
  rollout: { baseline: { kind: "Rollout", object: rollout() }, services: [service("cart")], entry: changedImage },
  "rollout-workload-ref": {
    baseline: { kind: "Rollout", ...referringRollout() },
    services: [service("cart")],
    entry: changedImage,
  },
  patches: {
    baseline: plain,
    services: [service("cart")],
    entry: {
      patches: [
        {
          type: "Strategic",
          value: {
            spec: {
              template: {
                spec: {
                  containers: [
                    { name: "app", env: [{ name: "FEATURE", value: "on" }] },
                    { name: "debug", image: "shop/debug:1" },
                  ],
                },
              },
            },
          },
        },
        { type: "Merge", value: { spec: { template: { spec: { terminationGracePeriodSeconds: 5 } } } } },
        {
          type: "JSON",
          value: [
            { op: "replace", path: "/spec/template/spec/containers/0/image", value: "shop/cart:patched" },
            { op: "add", path: "/spec/template/metadata/annotations/example.com~1note", value: "patched" },
          ],
        },
      ],
    },
  },
  "other-namespace": { baseline: plain, services: [service("cart")], entry: changedImage, namespace: "dev" },
};

/** Returns the value of a patch of the pod spec. */
export function podPatch(pod: object): EntryPatch["value"] {
  return { spec: { template: { spec: JSON.parse(JSON.stringify(pod)) } } };
}

/** Returns what the fork of a case is derived from. */
export function forkInput({ baseline: objects, services, entry, labels, claims, namespace }: ForkCase): ForkInput {
  const { kind } = objects;
  const apiVersion = kind === "Rollout" ? "argoproj.io/v1alpha1" : "apps/v1";
  const targetRef = { apiVersion, kind, name: objects.object.metadata.name ?? "", namespace: baselineNamespace };
  const sandbox = Sandbox.parse({
    apiVersion: "sandbox.example.com/v1alpha1",
    kind: "Sandbox",
    metadata: { name: "pr-42", namespace: namespace ?? baselineNamespace, uid: "5a4d0000-0000-4000-8000-000000000042" },
    spec: { labels: labels ?? {}, services: [{ name: "cart", targetRef, ...entry }] },
  });
  const baseline = readBaseline(objects);
  const [parsed] = sandbox.spec.services;
  if (baseline === undefined || parsed === undefined) throw new Error("the case has no template or no entry");
  return {
    baseline,
    sandbox,
    entry: parsed,
    routingKey: "k3v9q2m7x1c4d",
    services,
    claims: new Map(Object.entries(claims ?? {})),
    sources: { outputs: new Map(), addresses: new Map() },
    policy: { allowPatchPaths: [], denyPatchPaths: [] },
    defaultLimits: { cpu: "500m", memory: "512Mi" },
    isAsleep: false,
  };
}
