// A cluster in which some objects are replaced or added, without writing them.

import {
  type DeepReadonly,
  formatApiVersion,
  isRecord,
  type KubeObject,
  ownValue,
  type ResourceType,
} from "@homeostat/core";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { type CachedRouteGroup, RouteGroup } from "../api/route-group.ts";
import { type CachedSandbox, Sandbox } from "../api/sandbox.ts";
import { type CachedSandboxPolicy, SandboxPolicy } from "../api/sandbox-policy.ts";
import type { CachedService } from "../build/service-view.ts";
import { type ClusterReader, workloadType } from "./cluster-reader.ts";

/** Returns a reader that treats the given objects as applied. Objects that do not match the schema of their kind are ignored. */
export function overlayReader(reader: ClusterReader, objects: readonly KubeObject[]): ClusterReader {
  const of = (type: ResourceType): KubeObject[] =>
    objects.filter(({ apiVersion, kind }) => apiVersion === formatApiVersion(type) && kind === type.kind);
  const policies = of(SandboxPolicy).flatMap((object): CachedSandboxPolicy[] => parsed(SandboxPolicy, object));
  const sandboxes = of(Sandbox).flatMap((object): CachedSandbox[] => parsed(Sandbox, object));
  const groups = of(RouteGroup).flatMap((object): CachedRouteGroup[] => parsed(RouteGroup, object));
  const services = of(Service).flatMap((object): CachedService[] => (isService(object) ? [object] : []));
  return {
    ...reader,
    async namespaceLabels(name, signal) {
      const given = of(Namespace).find(({ metadata }) => metadata.name === name);
      return given === undefined ? reader.namespaceLabels(name, signal) : (given.metadata.labels ?? {});
    },
    async policies(namespace, signal) {
      return merged(await reader.policies(namespace, signal), policies, namespace);
    },
    async workload(target, namespace, signal) {
      const given = of(workloadType(target)).find(
        ({ metadata }) => metadata.name === target.name && metadata.namespace === namespace,
      );
      return given ?? reader.workload(target, namespace, signal);
    },
    async services(namespace, signal) {
      return merged(await reader.services(namespace, signal), services, namespace);
    },
    async hasService(namespace, name, signal) {
      const isGiven = services.some(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
      return isGiven || reader.hasService(namespace, name, signal);
    },
    async sandbox(namespace, name, signal) {
      const given = sandboxes.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
      return given ?? reader.sandbox(namespace, name, signal);
    },
    async sandboxes(namespace, signal) {
      return merged(await reader.sandboxes(namespace, signal), sandboxes, namespace);
    },
    async routeGroups(signal) {
      return merged(await reader.routeGroups(signal), groups, undefined);
    },
  };
}

function parsed<T extends KubeObject>(
  type: { check(object: unknown): readonly unknown[]; parse(object: unknown): T },
  object: KubeObject,
): T[] {
  return type.check(object).length === 0 ? [type.parse(object)] : [];
}

function isService(object: KubeObject): object is Service {
  const spec = isRecord(object) ? ownValue(object, "spec") : undefined;
  return spec === undefined || isRecord(spec);
}

/** Returns stored objects, with those given in place of the ones with the same name. */
function merged<T extends DeepReadonly<KubeObject>>(
  stored: readonly T[],
  given: readonly T[],
  namespace: string | undefined,
): T[] {
  const added = given.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
  const isReplaced = ({ metadata }: T): boolean =>
    added.some((each) => each.metadata.name === metadata.name && each.metadata.namespace === metadata.namespace);
  return [...stored.filter((each) => !isReplaced(each)), ...added];
}
