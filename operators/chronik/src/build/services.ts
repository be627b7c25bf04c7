import type { DeepReadonly } from "homeostat";
import type { Service, ServicePort, ServiceSpec } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/annotations.ts";
import type { Component, StatefulComponent } from "../api/identity.ts";
import { labels, selectorLabels } from "../api/labels.ts";
import { type Color, mainPorts, names, ports } from "../api/names.ts";
import { type ChildObject, metadataOf } from "./metadata.ts";
import type { ResolvedCluster } from "./resolve.ts";

function servicePort(name: string, port: number): DeepReadonly<ServicePort> {
  return { name, port, targetPort: port, protocol: "TCP" };
}

const kafkaPort = servicePort("kafka", ports.kafka);

/** Ports of the client Service and the slots of search nodes. */
const searchPorts = [servicePort("grpc", ports.search), servicePort("rest", ports.rest)];

/** Builds the headless Service that gives the pods of a StatefulSet their names. Members find each other before they are ready. */
export function governingService(resolved: ResolvedCluster, component: StatefulComponent): ChildObject<Service> {
  return {
    metadata: metadataOf(resolved, { name: names.component(resolved.name, component), component }),
    spec: {
      type: "ClusterIP",
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector: selectorLabels(resolved.name, component),
      ports: [
        servicePort(component === "ingest" ? "kafka" : "grpc", mainPorts[component]),
        servicePort("metrics", ports.metrics),
        servicePort("health", ports.health),
      ],
    },
  };
}

/** Builds the Service that Kafka clients connect to first. */
export function bootstrapService(resolved: ResolvedCluster): ChildObject<Service> {
  return {
    metadata: clientMetadata(resolved, names.bootstrapService(resolved.name), "ingest"),
    spec: { ...clientSpec(resolved), selector: selectorLabels(resolved.name, "ingest"), ports: [kafkaPort] },
  };
}

/** Builds the Service of one ingest node for clients outside of the cluster. */
export function externalService(resolved: ResolvedCluster, ordinal: number): ChildObject<Service> {
  const name = names.externalService(resolved.name, ordinal);
  const selector = {
    ...selectorLabels(resolved.name, "ingest"),
    "statefulset.kubernetes.io/pod-name": names.member(resolved.name, "ingest", ordinal),
  };
  return {
    metadata: clientMetadata(resolved, name, "ingest"),
    spec: { ...clientSpec(resolved), selector, ports: [kafkaPort] },
  };
}

/** Builds the headless Service of the search slots. It has no selector: the operator writes its EndpointSlices. */
export function searchSlotsService(resolved: ResolvedCluster): ChildObject<Service> {
  return {
    metadata: metadataOf(resolved, { name: names.component(resolved.name, "search"), component: "search" }),
    spec: { type: "ClusterIP", clusterIP: "None", ports: [...searchPorts, servicePort("metrics", ports.metrics)] },
  };
}

/** The Deployment that search clients use, and since when; undefined color for the one without a color. */
export interface SelectedColor {
  readonly color: Color | undefined;
  readonly switchedAt?: string | undefined;
}

/** Builds the Service that search clients connect to. It selects pods itself, so that it is right even while the operator is down. */
export function searchService(resolved: ResolvedCluster, { color, switchedAt }: SelectedColor): ChildObject<Service> {
  const metadata = clientMetadata(
    resolved,
    names.searchService(resolved.name),
    "search",
    switchedAt === undefined ? {} : { [annotations.switchedAt]: switchedAt },
  );
  const selector = {
    ...selectorLabels(resolved.name, "search"),
    ...(color !== undefined && { [labels.color]: color }),
  };
  return { metadata, spec: { type: "ClusterIP", selector, ports: searchPorts } };
}

function clientMetadata(
  resolved: ResolvedCluster,
  name: string,
  component: Component,
  own: Readonly<Record<string, string>> = {},
): ChildObject["metadata"] {
  return metadataOf(resolved, { name, component, annotations: { ...resolved.network.serviceAnnotations, ...own } });
}

/** Builds the fields that all client Services of ingest nodes share. */
function clientSpec({
  network,
}: ResolvedCluster): Pick<DeepReadonly<ServiceSpec>, "type" | "externalTrafficPolicy" | "loadBalancerSourceRanges"> {
  const { serviceType: type, loadBalancerSourceRanges = [] } = network;
  return {
    type,
    ...(type !== "ClusterIP" && { externalTrafficPolicy: "Local" }),
    ...(type === "LoadBalancer" && loadBalancerSourceRanges.length > 0 && { loadBalancerSourceRanges }),
  };
}
