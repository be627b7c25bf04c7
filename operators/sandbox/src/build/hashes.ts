// Hashes that show whether a fork is up to date.

import { createHash } from "node:crypto";
import { canonicalJson } from "@homeostat/core";
import type { DeepReadonly } from "homeostat";
import type { ServiceEntry } from "../api/sandbox.ts";
import type { Baseline, PodTemplate, TemplateContainer } from "./baseline.ts";
import { type CachedService, servicesSelecting } from "./service-view.ts";

/** Returns the SHA-256 of a value. The order of keys does not matter. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}

/** Returns the hash of a derived pod template. */
export function templateHash(template: PodTemplate): string {
  return hashOf(template);
}

/**
 * Returns the hash of everything in the baseline that a fork depends on: the pod template, and selectors and ports of Services. Replicas, autoscalers
 * and status are not included.
 *
 * Images of containers that the entry overrides are not included either: a rollout of another image changes nothing for the fork. They are still part
 * of the template that a later rebase uses.
 */
export function baselineHash(
  baseline: Baseline,
  entry: DeepReadonly<ServiceEntry>,
  services: readonly CachedService[],
): string {
  const overridden = new Set(
    (entry.containers ?? []).filter(({ image }) => image !== undefined).map(({ name }) => name),
  );
  const withoutImage = (container: TemplateContainer): TemplateContainer =>
    overridden.has(container.name) ? { ...container, image: "" } : container;
  const { metadata = {}, spec } = baseline.template;
  const selecting = servicesSelecting(services, metadata.labels ?? {});
  return hashOf({
    labels: metadata.labels,
    annotations: metadata.annotations,
    spec: {
      ...spec,
      containers: spec.containers.map(withoutImage),
      initContainers: spec.initContainers?.map(withoutImage),
    },
    claimedVolumes: baseline.claimedVolumes,
    minReadySeconds: baseline.minReadySeconds,
    services: selecting.map(({ name, selector, ports, isHeadless }) => ({
      name,
      selector,
      isHeadless,
      ports: ports.map((each) => {
        const { nodePort: _, ...port } = each;
        return port;
      }),
    })),
  });
}
