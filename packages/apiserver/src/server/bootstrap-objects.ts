// Objects that every new cluster has, besides RBAC policy, APIServices and flow control. They are written to the store
// directly, exactly as the registry would store them: going through the registry would initialize all of it and take a
// third of the server's start time. A test compares the two.

import { formatTime, isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { frontProxyName } from "../http/server-certificates.ts";
import { keyOf, keyPrefix } from "../resources/keys.ts";
import { encodeAtRevision } from "../registry/stored-object.ts";
import { type OwnObject, ownedKeys, type StoreTools, storeOwn } from "../own-objects/store-own.ts";
import type { Store } from "../storage/store.ts";

/** Values for the bootstrap objects. */
export interface BootstrapObjectsOptions {
  /** IP address at which programs in the cluster reach the server. */
  readonly address: string;
  readonly port: number;
  /** CA of client certificates, PEM. */
  readonly clientAuthority: string;
  /** CA of the front-proxy certificate, PEM. */
  readonly frontProxyAuthority: string;
  /** CIDR of Service addresses: `10.96.0.0/12`. */
  readonly serviceRange: string;
  /** First address of the CIDR, which the Service `kubernetes` has. */
  readonly serviceAddress: string;
}

/**
 * Stores the bootstrap objects in the order in which kube-apiserver creates them. Objects that controllers create are
 * not among them.
 */
export function storeBootstrapObjects(options: BootstrapObjectsOptions, tools: StoreTools): void {
  const time = formatTime(tools.nowMs);
  const objects = [
    ...["kube-system", "kube-public", "kube-node-lease", "default"].map(namespace),
    service(options),
    ...priorityClasses.map(priorityClass),
    configMap(authenticationName, authenticationData(options)),
    configMap("kube-apiserver-legacy-service-account-token-tracking", { since: time.slice(0, 10) }),
    serviceRange(options, time),
    ...endpoints(options),
  ];
  for (const object of objects) storeOwn(object, tools);
}

/** Name of the ConfigMap with the CAs that aggregated servers trust. */
export const authenticationName = "extension-apiserver-authentication";

/** Returns the data of the ConfigMap {@link authenticationName}. */
export function authenticationData({
  clientAuthority,
  frontProxyAuthority,
}: Pick<BootstrapObjectsOptions, "clientAuthority" | "frontProxyAuthority">): Record<string, string> {
  return {
    "client-ca-file": clientAuthority,
    "requestheader-allowed-names": JSON.stringify([frontProxyName]),
    "requestheader-client-ca-file": frontProxyAuthority,
    "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
    "requestheader-group-headers": '["X-Remote-Group"]',
    "requestheader-username-headers": '["X-Remote-User"]',
  };
}

/** Updates the ConfigMap {@link authenticationName} after a restart, because new certificates have new CAs. */
export function renewAuthentication(
  store: Store<JsonRecord>,
  options: Pick<BootstrapObjectsOptions, "clientAuthority" | "frontProxyAuthority">,
): void {
  const entry = store.get(keyOf(keyPrefix("", "configmaps"), "kube-system", authenticationName));
  if (entry === undefined) return;
  const object = store.read(entry);
  const data = { ...(isRecord(object["data"]) ? object["data"] : {}), ...authenticationData(options) };
  if (isEqual(object["data"], data)) return;
  store.update(entry.key, encodeAtRevision({ ...object, data }), { ifRevision: entry.revision });
}

const core = { group: "", version: "v1" };
const ownLabels = (labels: Readonly<Record<string, string>>): JsonRecord => ({
  "f:metadata": { "f:labels": ownedKeys(labels) },
});
const byServer = (fields: JsonRecord): OwnObject["managers"] => [
  { manager: "kube-apiserver", operation: "Update", fields },
];

function namespace(name: string): OwnObject {
  const labels = { "kubernetes.io/metadata.name": name };
  const content = { spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } };
  const managers = byServer(ownLabels(labels));
  return { ...core, kind: "Namespace", plural: "namespaces", name, labels, content, managers };
}

function service({ serviceAddress, port }: BootstrapObjectsOptions): OwnObject {
  const labels = { component: "apiserver", provider: "kubernetes" };
  const spec = {
    ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: port }],
    clusterIP: serviceAddress,
    clusterIPs: [serviceAddress],
    type: "ClusterIP",
    sessionAffinity: "None",
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    internalTrafficPolicy: "Cluster",
  };
  const portFields = { ".": {}, "f:name": {}, "f:port": {}, "f:protocol": {}, "f:targetPort": {} };
  const fields = {
    ...ownLabels(labels),
    "f:spec": {
      "f:clusterIP": {},
      "f:internalTrafficPolicy": {},
      "f:ipFamilyPolicy": {},
      "f:ports": { ".": {}, 'k:{"port":443,"protocol":"TCP"}': portFields },
      "f:sessionAffinity": {},
      "f:type": {},
    },
  };
  return {
    ...core,
    kind: "Service",
    plural: "services",
    namespace: "default",
    name: "kubernetes",
    labels,
    content: { spec, status: { loadBalancer: {} } },
    managers: byServer(fields),
  };
}

const priorityClasses: readonly (readonly [name: string, value: number, description: string])[] = [
  [
    "system-cluster-critical",
    2_000_000_000,
    "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  ],
  [
    "system-node-critical",
    2_000_001_000,
    "Used for system critical pods that must not be moved from their current node.",
  ],
];

function priorityClass([name, value, description]: (typeof priorityClasses)[number]): OwnObject {
  return {
    group: "scheduling.k8s.io",
    version: "v1",
    kind: "PriorityClass",
    plural: "priorityclasses",
    name,
    generation: 1,
    content: { value, description, preemptionPolicy: "PreemptLowerPriority" },
    managers: byServer({ "f:description": {}, "f:preemptionPolicy": {}, "f:value": {} }),
  };
}

function configMap(name: string, data: Readonly<Record<string, string>>): OwnObject {
  const managers = byServer({ "f:data": ownedKeys(data) });
  return {
    ...core,
    kind: "ConfigMap",
    plural: "configmaps",
    namespace: "kube-system",
    name,
    content: { data },
    managers,
  };
}

function serviceRange({ serviceRange: range }: BootstrapObjectsOptions, time: string): OwnObject {
  const message = "Kubernetes default Service CIDR is ready";
  const ready = { type: "Ready", status: "True", lastTransitionTime: time, reason: "", message };
  const readyFields = Object.fromEntries(
    [
      ".",
      ...Object.keys(ready)
        .sort()
        .map((key) => `f:${key}`),
    ].map((key) => [key, {}]),
  );
  return {
    group: "networking.k8s.io",
    version: "v1",
    kind: "ServiceCIDR",
    plural: "servicecidrs",
    name: "kubernetes",
    content: { spec: { cidrs: [range] }, status: { conditions: [ready] } },
    managers: [
      {
        manager: "kubernetes-service-cidr-controller",
        operation: "Apply",
        fields: { "f:status": { "f:conditions": { 'k:{"type":"Ready"}': readyFields } } },
        subresource: "status",
      },
      ...byServer({ "f:spec": { "f:cidrs": {} } }),
    ],
  };
}

/** Returns the endpoints of the Service `kubernetes`, through which programs in the cluster find the server. */
function endpoints({ address, port }: BootstrapObjectsOptions): OwnObject[] {
  const identity = { namespace: "default", name: "kubernetes" };
  const target = { name: "https", port, protocol: "TCP" };
  const unmirrored = { "endpointslice.kubernetes.io/skip-mirror": "true" };
  const ofService = { "kubernetes.io/service-name": "kubernetes" };
  return [
    {
      ...core,
      kind: "Endpoints",
      plural: "endpoints",
      ...identity,
      labels: unmirrored,
      content: { subsets: [{ addresses: [{ ip: address }], ports: [target] }] },
      managers: byServer({ ...ownLabels(unmirrored), "f:subsets": {} }),
    },
    {
      group: "discovery.k8s.io",
      version: "v1",
      kind: "EndpointSlice",
      plural: "endpointslices",
      ...identity,
      generation: 1,
      labels: ofService,
      content: {
        addressType: "IPv4",
        endpoints: [{ addresses: [address], conditions: { ready: true } }],
        ports: [{ name: "https", protocol: "TCP", port }],
      },
      managers: byServer({ "f:addressType": {}, "f:endpoints": {}, ...ownLabels(ofService), "f:ports": {} }),
    },
  ];
}
