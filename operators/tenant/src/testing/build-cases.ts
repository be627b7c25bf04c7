// The tenants of the golden files, with the decisions for each.

import { Tenant, type TenantInput } from "../api/tenant.ts";
import type { Credentials } from "../build/credentials.ts";
import type { ResolveSettings } from "../settings/settings.ts";
import { defaultSettings } from "./default-settings.ts";
import type { Decisions } from "../build/desired-children.ts";
import { type ResolvedTenant, resolveTenant } from "../build/resolve.ts";

type Spec = TenantInput["spec"];

/** A password for tests, and the one after it. */
export const passwords = { first: "first-password-0123456789", second: "second+password/0123456789" } as const;

/** A resolved tenant with this spec, as the API server returns it. */
export function resolvedFor(spec: Spec = {}, settings: Partial<ResolveSettings> = {}, name = "acme"): ResolvedTenant {
  const tenant = Tenant.parse({ apiVersion: "neurallog.io/v1", kind: "Tenant", metadata: { name, uid: "5b0a" }, spec });
  return resolveTenant(tenant, { ...defaultSettings, ...settings });
}

/** Credentials without a rotation in progress. */
export const settledCredentials: Credentials = {
  step: "done",
  password: passwords.first,
  token: undefined,
  stepAtMs: Date.UTC(2026, 0, 1),
  rotatedAtMs: Date.UTC(2026, 0, 1),
};

/** The decisions for a running tenant. */
export function decisionsFor(resolved: ResolvedTenant, decisions: Partial<Decisions> = {}): Decisions {
  const auth = resolved.redis.security === undefined ? ({ state: "disabled" } as const) : known(settledCredentials);
  const replicas = { redis: resolved.redis.replicas, server: resolved.server.replicas };
  return { auth, replicas, claimSize: undefined, ...decisions };
}

export function known(credentials: Credentials): Decisions["auth"] {
  return { state: "known", credentials };
}

function one(
  spec: Spec = {},
  { settings, ...decisions }: Partial<Decisions> & { settings?: Partial<ResolveSettings> } = {},
): readonly [ResolvedTenant, Decisions] {
  const resolved = resolvedFor(spec, settings);
  return [resolved, decisionsFor(resolved, decisions)];
}

const full: Spec = {
  displayName: "Globex Logs",
  resources: {
    cpu: { request: "2", limit: "4" },
    memory: { request: "4Gi", limit: "8Gi" },
    storage: { limit: "20Gi" },
  },
  server: {
    replicas: 2,
    image: "neurallog/server:1.4.2",
    logLevel: "debug",
    resources: { cpu: { request: "500m", limit: "1" }, memory: { request: "512Mi", limit: "1Gi" } },
    probes: { liveness: { path: "/" }, readiness: { path: "/" } },
    env: [{ name: "MAX_CONNECTIONS", value: "100" }],
  },
  redis: {
    storage: "5Gi",
    resources: { memory: { request: "512Mi", limit: "1Gi" } },
    advanced: { maxmemoryPolicy: "noeviction" },
    security: { rotation: { interval: "720h" } },
    exporter: { enabled: true },
  },
  networkPolicy: {
    allowedNamespaces: ["ingress"],
    ingressRules: [
      { description: "scrape", from: { app: "prometheus" }, namespaces: ["monitoring"], ports: [{ port: 3030 }] },
    ],
    egressRules: [{ description: "alerts out", cidrs: [{ cidr: "203.0.113.0/24" }], ports: [{ port: 443 }] }],
  },
  access: { admins: [{ kind: "Group", name: "globex-ops" }] },
  deletionProtection: true,
};

const everything: Spec = {
  version: "v2.0.1",
  upgradeStrategy: { maxUnavailable: 0, maxSurge: 1 },
  resources: { memory: { limit: "8Gi" }, storage: { request: "5Gi" } },
  quota: { counts: { pods: 50, "services.nodeports": "0" } },
  limitRange: { default: { cpu: "50m" }, defaultRequest: { memory: "1Gi" } },
  nodeSelector: { pool: "logs", disk: "any" },
  tolerations: [{ key: "logs", operator: "Exists" }],
  podSecurity: { enforce: "baseline", version: "v1.30" },
  namespaceMetadata: { labels: { team: "a" }, annotations: { note: "b" } },
  monitoring: { enabled: true, namespaces: ["metrics"], prometheus: { port: 9000, path: "/m", interval: "30s" } },
  access: {
    editors: [{ kind: "User", name: "eve" }],
    viewers: [
      { kind: "ServiceAccount", name: "bot" },
      { kind: "ServiceAccount", name: "ci", namespace: "build" },
    ],
  },
  server: {
    replicas: 3,
    image: "registry.example:5000/server",
    imagePullPolicy: "Always",
    imagePullSecrets: ["pull"],
    nodeSelector: { disk: "ssd" },
    tolerations: [],
    terminationGracePeriodSeconds: 5,
    env: [
      { name: "LOG_LEVEL", value: "trace" },
      { name: "KEY", valueFrom: { secretKeyRef: { name: "keys", key: "api", optional: true } } },
      { name: "EMPTY", value: "" },
    ],
    securityContext: { runAsUser: 2000, fsGroup: 3000, readOnlyRootFilesystem: false },
    probes: { startup: { failureThreshold: 30 } },
  },
  redis: {
    replicas: 3,
    storageClassName: "fast",
    persistence: { type: "both", fsync: "always", savePoints: ["60 1"] },
    config: { maxmemory: "100mb", "slowlog-max-len": "64", "notify-keyspace-events": "" },
    exporter: { enabled: true, port: 9200 },
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  },
  networkPolicy: {
    ingressRules: [
      { from: { app: "a" } },
      { namespaces: ["one", "two"] },
      {
        from: { app: "b" },
        cidrs: [{ cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] }],
        ports: [{ port: 1, endPort: 9 }],
      },
    ],
    egressRules: [{ to: { app: "c" }, namespaces: ["three"], ports: [{ port: 53, protocol: "UDP" }] }],
    dns: { namespaces: ["dns"], podLabels: {}, cidrs: ["169.254.20.10/32"], ports: [53, 5353] },
  },
};

const rotating: Credentials = {
  ...settledCredentials,
  step: "overlap",
  password: passwords.second,
  previous: passwords.first,
  token: "please",
};

/** The tenants of the golden files. */
export const cases: Readonly<Record<string, readonly [ResolvedTenant, Decisions]>> = {
  basic: one(),
  full: one(full),
  everything: one(everything, {
    settings: { authServiceUrl: "https://auth.example/api", authServiceNamespace: "auth" },
    claimSize: "1Gi",
  }),
  asleep: one({ hibernation: { enabled: true }, deletionPolicy: "Retain" }, { replicas: { redis: 0, server: 0 } }),
  open: one({
    networkPolicy: { enabled: false },
    upgradeStrategy: { type: "Recreate" },
    redis: { security: { enabled: false }, persistence: { enabled: false, type: "rdb" }, storage: "128Mi" },
  }),
  "waiting-for-a-password": one(
    { redis: { security: { authSecret: { name: "mine", namespace: "neurallog-system" } } } },
    { auth: { state: "waiting" } },
  ),
  overlap: one({}, { auth: known(rotating) }),
  "clients-of-replicas": one({ redis: { replicas: 2 } }, { auth: known({ ...rotating, step: "clients" }) }),
};
