import type { DeepReadonly } from "homeostat";
import type { NetworkPolicy, NetworkPolicyIngressRule } from "@homeostat/kubernetes/networking/v1";
import type { Component } from "../api/identity.ts";
import { labels, productName, selectorLabels } from "../api/labels.ts";
import { mainPorts, names, ports } from "../api/names.ts";
import { type ChildObject, metadataOf } from "./metadata.ts";
import type { ResolvedCluster } from "./resolve.ts";

/** Builds the NetworkPolicy of a component: clients reach ingest and search nodes, only members reach controllers. */
export function networkPolicy(resolved: ResolvedCluster, component: Component): ChildObject<NetworkPolicy> {
  const { name, operatorNamespace } = resolved;
  const members = { podSelector: { matchLabels: { [labels.name]: productName, [labels.instance]: name } } };
  const inNamespace = (matchLabels: Readonly<Record<string, string>>) => ({ namespaceSelector: { matchLabels } });
  const main: DeepReadonly<NetworkPolicyIngressRule> = {
    ...(component === "controller" && { from: [members] }),
    ports: [mainPorts[component], ...(component === "search" ? [ports.rest] : [])].map(tcp),
  };
  return {
    metadata: metadataOf(resolved, { name: names.component(name, component), component }),
    spec: {
      podSelector: { matchLabels: selectorLabels(name, component) },
      policyTypes: ["Ingress"],
      ingress: [
        main,
        {
          from: [
            inNamespace({ "kubernetes.io/metadata.name": operatorNamespace }),
            inNamespace({ [labels.monitoring]: "true" }),
          ],
          ports: [ports.metrics, ports.health].map(tcp),
        },
      ],
    },
  };
}

function tcp(port: number) {
  return { protocol: "TCP", port } as const;
}
