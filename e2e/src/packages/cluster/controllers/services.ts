// Scenarios about Services and EndpointSlices. No kubelet runs: the scenario binds pods and writes their status.

import type { Client } from "@homeostat/client";
import type { DeepReadonly } from "@homeostat/core";
import { Node, Pod, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { pause, type Scenario, type Stage, until } from "./scenario.ts";

const labels = { app: "web" };

async function makeNode(client: Client, name: string): Promise<void> {
  const zone = { "topology.kubernetes.io/zone": "zone-a" };
  // A NoSchedule taint keeps the scheduler from using the node.
  const taints = [{ key: "example.com/no", effect: "NoSchedule" as const }];
  await client.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name, labels: zone }, spec: { taints } });
}

interface PodOptions {
  readonly isReady?: boolean;
  readonly ip?: string;
  readonly spec?: Partial<Pod["spec"]>;
  readonly labels?: Record<string, string>;
}

async function makePod(
  { client, namespace }: Stage,
  name: string,
  node: string,
  options: PodOptions = {},
): Promise<void> {
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: options.labels ?? labels, finalizers: ["example.com/hold"] },
    spec: { containers: [{ name: "a", image: "busybox" }], nodeName: node, ...options.spec },
  });
  await setState({ client, namespace }, name, options);
}

async function setState(
  { client, namespace }: Pick<Stage, "client" | "namespace">,
  name: string,
  { isReady = true, ip }: PodOptions,
): Promise<void> {
  const conditions = [
    { type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: "2026-01-01T00:00:05Z" },
  ];
  const addresses = ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] };
  const merge = { status: { phase: "Running" as const, conditions, ...addresses } };
  await client.patch(Pod, { name, namespace }, { merge }, { subresource: "status" });
}

async function slicesOf({ client, namespace }: Stage): Promise<readonly DeepReadonly<EndpointSlice>[]> {
  return (await client.list(EndpointSlice, { namespace })).items;
}

/** Returns the content of EndpointSlices in sorted order: the order of ports and endpoints has no meaning. */
function shown(slices: readonly DeepReadonly<EndpointSlice>[]): readonly unknown[] {
  const by =
    <T>(key: (item: T) => string) =>
    (a: T, b: T): number =>
      key(a) < key(b) ? -1 : 1;
  return slices
    .map(
      ({ metadata: { generateName, labels: own, annotations, ownerReferences }, addressType, ports, endpoints }) => ({
        metadata: { generateName, labels: own, annotations: Object.keys(annotations ?? {}), ownerReferences },
        addressType,
        ports: [...(ports ?? [])].sort(by(({ name }) => name ?? "")),
        endpoints: [...(endpoints ?? [])].sort(by(({ addresses: [first] }) => first ?? "")),
      }),
    )
    .sort(by((slice) => JSON.stringify(slice)));
}

/** Waits until the EndpointSlices satisfy a condition, and returns them. */
async function settled(
  stage: Stage,
  isRight: (slices: readonly DeepReadonly<EndpointSlice>[]) => boolean,
  what: string,
): Promise<readonly unknown[]> {
  await until(async () => isRight(await slicesOf(stage)), { what });
  await pause(300);
  return shown(await slicesOf(stage));
}

const endpointsIn = (slices: readonly DeepReadonly<EndpointSlice>[]): readonly string[] =>
  slices
    .flatMap(({ endpoints }) =>
      (endpoints ?? []).map(({ conditions, addresses }) => `${addresses[0]} ${conditions?.ready}`),
    )
    .sort();

const ready =
  (expected: readonly string[]) =>
  (slices: readonly DeepReadonly<EndpointSlice>[]): boolean =>
    endpointsIn(slices).join() === [...expected].sort().join();

async function begin(stage: Stage, spec: Service["spec"], more: Record<string, string> = {}): Promise<void> {
  const { client, namespace } = stage;
  await until(async () => client.get(ServiceAccount, { name: "default", namespace }), { what: "the service account" });
  await client.create(Service, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace, labels: more },
    spec: { selector: labels, ...spec },
  });
}

/** From no pods to pods that are created, become ready, terminate and are deleted. */
const life: Scenario = async (stage) => {
  const { client, namespace } = stage;
  const node = `${namespace}-node`;
  await makeNode(client, node);
  const ports = [
    { name: "http", port: 80, targetPort: "http", appProtocol: "http" },
    { name: "admin", port: 81, targetPort: 8081 },
  ];
  await begin(stage, { ports }, { team: "red" });
  const empty = await settled(stage, (slices) => slices.length === 1, "the first slice");
  const spec = { containers: [{ name: "a", image: "busybox", ports: [{ name: "http", containerPort: 8080 }] }] };
  await makePod(stage, "one", node, { ip: "10.1.0.1", spec });
  await makePod(stage, "two", node, { ip: "10.1.0.2", spec, isReady: false });
  await makePod(stage, "other", node, { ip: "10.1.0.3", spec, labels: { app: "other" } });
  const first = await settled(stage, ready(["10.1.0.1 true", "10.1.0.2 false"]), "two endpoints");
  await setState(stage, "two", { isReady: true });
  await client.delete(Pod, { name: "one", namespace });
  const second = await settled(stage, ready(["10.1.0.1 false", "10.1.0.2 true"]), "one to end");
  await client.patch(Pod, { name: "one", namespace }, { merge: { metadata: { finalizers: null } } });
  await client.delete(Pod, { name: "one", namespace }, { gracePeriodSeconds: 0 });
  await client.patch(Service, { name: "web", namespace }, { merge: { metadata: { labels: { team: "blue" } } } });
  const third = await settled(
    stage,
    (slices) => ready(["10.1.0.2 true"])(slices) && slices[0]?.metadata.labels?.["team"] === "blue",
    "the removal of one endpoint",
  );
  await client.delete(Pod, { name: "two", namespace }, { gracePeriodSeconds: 0 });
  await client.patch(Pod, { name: "two", namespace }, { merge: { metadata: { finalizers: null } } });
  const last = await settled(stage, ready([]), "the removal of all endpoints");
  await client.delete(Service, { name: "web", namespace });
  await until(async () => (await slicesOf(stage)).length === 0, {
    what: "the deletion of the EndpointSlices with the Service",
  });
  return { empty, first, second, third, last };
};

/** A headless Service with host names and pods that are not ready. */
const headless: Scenario = async (stage) => {
  const { client, namespace } = stage;
  const node = `${namespace}-node`;
  await makeNode(client, node);
  await begin(stage, { clusterIP: "None", publishNotReadyAddresses: true });
  await makePod(stage, "web-0", node, {
    ip: "10.1.1.1",
    isReady: false,
    spec: { hostname: "web-0", subdomain: "web" },
  });
  await makePod(stage, "web-1", "no-such-node", { ip: "10.1.1.2", spec: { hostname: "web-1", subdomain: "other" } });
  return settled(stage, ready(["10.1.1.1 true", "10.1.1.2 true"]), "both");
};

/** Services without EndpointSlices. */
const without: Scenario = async (stage) => {
  const { client, namespace } = stage;
  const ports = [{ port: 80 }];
  const base = { apiVersion: "v1", kind: "Service" } as const;
  await client.create(Service, { ...base, metadata: { name: "manual", namespace }, spec: { ports } });
  const external = { type: "ExternalName" as const, externalName: "example.com", selector: labels };
  await client.create(Service, { ...base, metadata: { name: "external", namespace }, spec: external });
  await client.create(Service, { ...base, metadata: { name: "web", namespace }, spec: { ports, selector: labels } });
  return settled(stage, (slices) => slices.length > 0, "the EndpointSlice of the Service with a selector");
};

/** Scenarios by name. */
export const services: Readonly<Record<string, Scenario>> = {
  "EndpointSlices follow the pods of a Service": life,
  "a headless Service lists pods by host name, ready or not": headless,
  "a Service without a selector has no EndpointSlices": without,
};
