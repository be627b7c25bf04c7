// A kind whose controller manages objects of many built-in kinds, in the namespace of the primary object and in another one.

import { type KubeObject, type ResourceType, type Stored } from "@homeostat/core";
import type { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { HorizontalPodAutoscaler } from "@homeostat/kubernetes/autoscaling/v2";
import { ConfigMap, ResourceQuota, Secret, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { desired, type DesiredObject, managed, type ManagedKind, type Tier } from "@homeostat/runtime";

export interface Stall extends KubeObject {
  spec: { image: string; role: string; options?: Record<string, string>; hasPolicy?: boolean };
}

export const Stall: ResourceType<Stall> = {
  group: "managed.example.com",
  version: "v1",
  kind: "Stall",
  plural: "stalls",
  scope: "Namespaced",
};

export const stallDefinition: CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "stalls.managed.example.com" },
  spec: {
    group: Stall.group,
    scope: "Namespaced",
    names: { plural: Stall.plural, kind: Stall.kind },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        },
      },
    ],
  },
};

const labels = "app.kubernetes.io/managed-by=stalls";

/** Kinds that the controller manages. */
export const owns: Readonly<Record<string, ManagedKind>> = {
  accounts: managed(ServiceAccount, { labels }),
  bindings: managed(RoleBinding, { labels }),
  policies: managed(NetworkPolicy, { labels }),
  quotas: managed(ResourceQuota, { labels }),
  configMaps: managed(ConfigMap, { labels }),
  secrets: managed(Secret, { cached: false }),
  services: managed(Service, { labels }),
  budgets: managed(PodDisruptionBudget, { labels }),
  statefulSets: managed(StatefulSet, { labels }),
  deployments: managed(Deployment, { labels }),
  autoscalers: managed(HorizontalPodAutoscaler, { labels }),
};

/** Returns the desired objects of a stall: most of them in its namespace, one ConfigMap in another namespace. */
export function tiersOf({ metadata: { name }, spec }: Stored<Stall>, otherNamespace: string): readonly Tier[] {
  const app = { "example.com/stall": name };
  const metadata = { name, labels: { "app.kubernetes.io/managed-by": "stalls" } };
  const template = {
    metadata: { labels: app },
    spec: {
      serviceAccountName: name,
      containers: [
        {
          name: "web",
          image: spec.image,
          ports: [{ name: "http", containerPort: 8080 }],
          env: Object.entries(spec.options ?? {}).map(([key, value]) => ({ name: key, value })),
          resources: { requests: { cpu: "0.5", memory: "1024Mi" }, limits: { memory: "1Gi" } },
          readinessProbe: { httpGet: { path: "/", port: "http" } },
          volumeMounts: [{ name: "settings", mountPath: "/settings" }],
        },
      ],
      volumes: [{ name: "settings", configMap: { name } }],
    },
  };
  const policy: readonly DesiredObject[] =
    spec.hasPolicy === false
      ? []
      : [desired(NetworkPolicy, { metadata, spec: { podSelector: {}, policyTypes: ["Ingress"], ingress: [] } })];
  return [
    {
      name: "access",
      objects: [
        desired(ServiceAccount, { metadata }),
        desired(RoleBinding, {
          metadata,
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: spec.role },
          subjects: [{ kind: "ServiceAccount", name }],
        }),
        ...policy,
        desired(ResourceQuota, { metadata, spec: { hard: { pods: "50", "requests.cpu": "1000m" } } }),
      ],
    },
    {
      name: "settings",
      objects: [
        desired(ConfigMap, { metadata, data: { title: name, ...spec.options } }),
        desired(ConfigMap, { metadata: { ...metadata, namespace: otherNamespace }, data: { title: name } }),
        desired(Secret, { metadata, data: { token: "MDAwMA==" } }),
      ],
    },
    {
      name: "workloads",
      objects: [
        desired(Service, {
          metadata,
          spec: { selector: app, ports: [{ name: "http", port: 80, targetPort: "http" }] },
        }),
        desired(PodDisruptionBudget, { metadata, spec: { maxUnavailable: 1, selector: { matchLabels: app } } }),
        desired(StatefulSet, {
          metadata,
          spec: {
            serviceName: name,
            replicas: 1,
            selector: { matchLabels: app },
            template,
            volumeClaimTemplates: [
              {
                metadata: { name: "data" },
                spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
              },
            ],
          },
        }),
        desired(Deployment, { metadata, spec: { selector: { matchLabels: app }, template } }),
        desired(HorizontalPodAutoscaler, {
          metadata,
          spec: {
            scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
            maxReplicas: 3,
            metrics: [
              { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } },
            ],
          },
        }),
      ],
    },
  ];
}
