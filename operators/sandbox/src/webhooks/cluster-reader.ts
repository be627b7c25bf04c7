// Reads of the API server by webhooks. They send no other requests.

import type { Client } from "@homeostat/client";
import {
  type DeepReadonly,
  isRecord,
  type KubeObject,
  NotFoundError,
  ownValue,
  type ResourceType,
} from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { type CachedRouteGroup, RouteGroup } from "../api/route-group.ts";
import { type CachedSandbox, Sandbox, type TargetRef } from "../api/sandbox.ts";
import { type CachedSandboxPolicy, SandboxPolicy } from "../api/sandbox-policy.ts";
import type { CachedService } from "../build/service-view.ts";

/** Reads of webhooks. Absent objects are undefined. */
export interface ClusterReader {
  namespaceLabels(name: string, signal: AbortSignal): Promise<Readonly<Record<string, string>> | undefined>;
  policies(namespace: string, signal: AbortSignal): Promise<readonly CachedSandboxPolicy[]>;
  workload(target: DeepReadonly<TargetRef>, namespace: string, signal: AbortSignal): Promise<KubeObject | undefined>;
  services(namespace: string, signal: AbortSignal): Promise<readonly CachedService[]>;
  hasService(namespace: string, name: string, signal: AbortSignal): Promise<boolean>;
  sandbox(namespace: string, name: string, signal: AbortSignal): Promise<CachedSandbox | undefined>;
  /** Returns the Sandboxes of a namespace, or of all if it is absent. */
  sandboxes(namespace: string | undefined, signal: AbortSignal): Promise<readonly CachedSandbox[]>;
  routeGroups(signal: AbortSignal): Promise<readonly CachedRouteGroup[]>;
  /** Sends a SubjectAccessReview to the API server. */
  readonly review: Client["reviewAccess"];
}

/** Returns the type of a workload of the baseline. */
export function workloadType({ apiVersion, kind }: DeepReadonly<TargetRef>): ResourceType {
  if (kind === "Deployment") return Deployment;
  if (kind === "StatefulSet") return StatefulSet;
  const [group = "", version = ""] = apiVersion.split("/");
  return { group, version, kind, plural: "rollouts", scope: "Namespaced" };
}

/** Returns a reader that sends each read to the API server, because admission must not use an outdated cache. */
export function clientReader(client: () => Client): ClusterReader {
  return {
    async namespaceLabels(name, signal) {
      const found = await client().get(Namespace, { name }, { signal });
      return found === undefined ? undefined : (found.metadata.labels ?? {});
    },
    async policies(namespace, signal) {
      return (await client().list(SandboxPolicy, { namespace, signal })).items;
    },
    async workload(target, namespace, signal) {
      try {
        return await client().get(workloadType(target), { namespace, name: target.name }, { signal });
      } catch (error) {
        // The CRD of Rollouts is not installed.
        if (error instanceof NotFoundError) return undefined;
        throw error;
      }
    },
    async services(namespace, signal) {
      return (await client().list(Service, { namespace, signal })).items;
    },
    async hasService(namespace, name, signal) {
      return (await client().get(Service, { namespace, name }, { signal })) !== undefined;
    },
    async sandbox(namespace, name, signal) {
      return client().get(Sandbox, { namespace, name }, { signal });
    },
    async sandboxes(namespace, signal) {
      return (await client().list(Sandbox, { ...(namespace !== undefined && { namespace }), signal })).items;
    },
    async routeGroups(signal) {
      return (await client().list(RouteGroup, { signal })).items;
    },
    review: async (...request) => client().reviewAccess(...request),
  };
}

/** Returns the labels and the names of the containers of the pod template of a workload. */
export function templateOf(workload: KubeObject): { labels: Record<string, string>; containers: string[] } {
  const spec = inside(workload, "spec");
  const template = inside(spec, "template");
  const labels = inside(inside(template, "metadata"), "labels");
  const pod = inside(template, "spec");
  return {
    labels: Object.fromEntries(
      Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    ),
    containers: ["containers", "initContainers"].flatMap((list) => namesIn(ownValue(pod, list))),
  };
}

function inside(value: object, key: string): Record<string, unknown> {
  const found = isRecord(value) ? ownValue(value, key) : undefined;
  return isRecord(found) ? found : {};
}

function namesIn(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((each: unknown) => {
    const name = isRecord(each) ? ownValue(each, "name") : undefined;
    return typeof name === "string" ? [name] : [];
  });
}
