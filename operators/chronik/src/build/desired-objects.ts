// All desired objects of a cluster, in the order in which they are applied.

import type { ResourceType } from "homeostat";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { HorizontalPodAutoscaler } from "@homeostat/kubernetes/autoscaling/v2";
import { ConfigMap, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { Role, RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { ChronikNodeGroup } from "../api/chronik-node-group.ts";
import { type Component, type StatefulComponent, statefulComponents } from "../api/identity.ts";
import type { Color } from "../api/names.ts";
import { horizontalPodAutoscaler, nodeGroup } from "./autoscalers.ts";
import { disruptionBudget } from "./budgets.ts";
import type { FileInput } from "./config-files.ts";
import { componentConfigMap, sharedConfigMap } from "./config-maps.ts";
import type { ChildObject } from "./metadata.ts";
import { networkPolicy } from "./network-policies.ts";
import type { PodInput } from "./pod-template.ts";
import { role, roleBinding, serviceAccount } from "./rbac.ts";
import { componentsOf, type ResolvedCluster } from "./resolve.ts";
import { type SearchSlot, searchSlices } from "./search-slots.ts";
import {
  bootstrapService,
  externalService,
  governingService,
  searchService,
  searchSlotsService,
  type SelectedColor,
} from "./services.ts";
import { searchDeployment, statefulSet } from "./workloads.ts";

/** The Deployments of search nodes. */
export interface SearchDecisions {
  /** Deployments to apply with the current pod template; a Deployment without a color is that of the strategy Rolling. */
  readonly deployments: readonly { readonly color: Color | undefined; readonly replicas: number }[];
  /** The Deployment that clients use. */
  readonly selected: SelectedColor;
  readonly slots: readonly SearchSlot[];
}

/** Decisions that desired objects depend on, in addition to the resolved cluster. */
export interface Decisions extends FileInput, PodInput {
  /** Desired number of members in this step. It differs from the target while a cluster scales step by step. */
  readonly replicas: Readonly<Record<Component, number>>;
  /** Immutable sizes in the claim templates of existing StatefulSets; undefined to use the size of the spec. */
  readonly claimSizes: Readonly<Partial<Record<StatefulComponent, string>>>;
  /** Ordinals of the ingest nodes with a separate Service: the desired ones, and those whose pods still exist. */
  readonly externalOrdinals: readonly number[];
  readonly search: SearchDecisions;
}

/** The steps in which objects are applied: an object comes after those it depends on. */
export const steps = [
  "rbac",
  "config",
  "network",
  "controllers",
  "ingest",
  "services",
  "search",
  "pdb",
  "hpa",
] as const;

export type Step = (typeof steps)[number];

/** One desired object. */
export interface DesiredObject {
  readonly step: Step;
  readonly component: Component | "cluster";
  readonly type: ResourceType;
  readonly object: ChildObject;
  /** `create`: created once and never changed, because another writer owns fields of the spec. */
  readonly mode: "apply" | "create";
  /** True if the existence of the object depends on the state of the pods. Any other missing object was deleted by another client. */
  readonly isTransient?: boolean;
}

/**
 * Returns all desired objects. An existing object of the cluster that is not in the list is deleted, with three exceptions:
 * StatefulSets, Deployments of search nodes that the blue-green strategy keeps, and Services of ingest nodes whose pods still exist.
 */
export function desiredObjects(resolved: ResolvedCluster, decisions: Decisions): DesiredObject[] {
  return [
    ...accessObjects(resolved),
    ...configObjects(resolved, decisions),
    ...statefulObjects(resolved, decisions),
    ...clientServices(resolved, decisions),
    ...(resolved.hasSearch ? searchObjects(resolved, decisions) : []),
    ...scalingObjects(resolved, decisions),
  ];
}

const stepOf = { controller: "controllers", ingest: "ingest" } as const;

function applied(
  step: Step,
  component: DesiredObject["component"],
  type: ResourceType,
  object: ChildObject | undefined,
  isTransient = false,
): DesiredObject[] {
  return object === undefined ? [] : [{ step, component, type, object, mode: "apply", isTransient }];
}

function accessObjects(resolved: ResolvedCluster): DesiredObject[] {
  return componentsOf(resolved).flatMap((component) => [
    ...applied("rbac", component, ServiceAccount, serviceAccount(resolved, component)),
    ...applied("rbac", component, Role, role(resolved, component)),
    ...applied("rbac", component, RoleBinding, roleBinding(resolved, component)),
  ]);
}

function configObjects(resolved: ResolvedCluster, decisions: Decisions): DesiredObject[] {
  const present = componentsOf(resolved);
  return [
    ...applied("config", "cluster", ConfigMap, sharedConfigMap(resolved)),
    ...present.flatMap((component) =>
      applied("config", component, ConfigMap, componentConfigMap(resolved, component, decisions)),
    ),
    ...(resolved.network.networkPolicy
      ? present.flatMap((component) => applied("network", component, NetworkPolicy, networkPolicy(resolved, component)))
      : []),
  ];
}

function statefulObjects(resolved: ResolvedCluster, decisions: Decisions): DesiredObject[] {
  return statefulComponents.flatMap((component) => {
    const replicas = decisions.replicas[component];
    const set = statefulSet(resolved, component, {
      ...decisions,
      replicas,
      claimSize: decisions.claimSizes[component],
    });
    return [
      ...applied(stepOf[component], component, Service, governingService(resolved, component)),
      ...applied(stepOf[component], component, StatefulSet, set),
    ];
  });
}

function clientServices(resolved: ResolvedCluster, { externalOrdinals }: Decisions): DesiredObject[] {
  return [
    ...applied("services", "ingest", Service, bootstrapService(resolved)),
    ...(resolved.network.externalAccess
      ? externalOrdinals.flatMap((ordinal) =>
          applied("services", "ingest", Service, externalService(resolved, ordinal), true),
        )
      : []),
  ];
}

function searchObjects(resolved: ResolvedCluster, decisions: Decisions): DesiredObject[] {
  const { deployments, selected, slots } = decisions.search;
  return [
    ...applied("search", "search", Service, searchSlotsService(resolved)),
    ...applied("search", "search", Service, searchService(resolved, selected)),
    ...deployments.flatMap((each) =>
      applied(
        "search",
        "search",
        Deployment,
        searchDeployment(resolved, { ...decisions, ...each }),
        each.color !== selected.color,
      ),
    ),
    ...searchSlices(resolved, slots).flatMap((slice) => applied("search", "search", EndpointSlice, slice, true)),
  ];
}

function scalingObjects(resolved: ResolvedCluster, { replicas }: Decisions): DesiredObject[] {
  const present = componentsOf(resolved);
  return [
    ...present.flatMap((component) =>
      applied(
        "pdb",
        component,
        PodDisruptionBudget,
        disruptionBudget(resolved, component, replicas[component]),
        component === "search",
      ),
    ),
    ...present.flatMap((component): DesiredObject[] => {
      const group = nodeGroup(resolved, component, replicas[component]);
      if (group === undefined) return [];
      return [
        { step: "hpa", component, type: ChronikNodeGroup, object: group, mode: "create" },
        ...applied("hpa", component, HorizontalPodAutoscaler, horizontalPodAutoscaler(resolved, component)),
      ];
    }),
  ];
}
