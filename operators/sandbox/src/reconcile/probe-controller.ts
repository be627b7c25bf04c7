// Keeps a probe route in every namespace whose Services a mesh may serve.

import {
  type Controller,
  defineController,
  desired,
  managed,
  type ReconcileContext,
  type ReconcileResult,
  watched,
  when,
} from "homeostat";
import type { DeepReadonly, KubeObject } from "@homeostat/core";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { fieldManager } from "../api/identity.ts";
import { RouteTable } from "../api/route-table.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { probeRoute, probeService } from "../build/mesh-probe.ts";
import { planProbes } from "../decide/mesh-probe.ts";
import { modeOf } from "../observe/interception.ts";
import { HTTPRoute } from "../observe/mesh-kinds.ts";
import { probesOf } from "../observe/mesh-status.ts";
import type { RouteFeed } from "../observe/route-feed.ts";
import type { MeshControllerOptions } from "./mesh-options.ts";

const probeOwns = {
  services: managed(Service, { when: when.specChangedOr(() => undefined) }),
  routes: managed(HTTPRoute, {
    when: when.changed(({ metadata: { uid, generation }, status }) => [uid, generation, status?.parents]),
  }),
};

const namespaceOf = ({ metadata: { namespace = "" } }: DeepReadonly<KubeObject>): readonly string[] => [namespace];

const probeWatches = {
  tables: watched(RouteTable, {
    map: namespaceOf,
    when: when.changed(({ metadata: { uid }, spec }) => [uid, spec.interception]),
  }),
  baselineServices: watched(Service, {
    map: namespaceOf,
    when: when.changed(({ metadata: { annotations } }) => annotations),
  }),
  policies: watched(SandboxPolicy, { map: namespaceOf }),
};

type ProbeContext = ReconcileContext<Namespace, typeof probeOwns, typeof probeWatches, never>;

/** Defines the controller. Its primary objects are namespaces; it waits until the CRDs of the Gateway API are installed. */
export function probeController({
  config,
  facts,
  feed,
}: Omit<MeshControllerOptions, "concurrency" | "followConfig"> & { readonly feed: () => RouteFeed }): Controller {
  return defineController({
    name: "mesh-probe",
    areKindsOptional: true,
    for: Namespace,
    owns: probeOwns,
    // Namespaces belong to users: the operator writes no inventory of kinds to them.
    ownership: { inventory: false },
    watches: probeWatches,
    fieldManager,
    writesStatus: false,
    metrics: { register: () => undefined, clear: () => facts().reset() },
    when: when.changed(({ metadata: { uid, deletionTimestamp } }) => [uid, deletionTimestamp]),
    async reconcile(context) {
      return reconcile(context, { config, facts, feed });
    },
  });
}

async function reconcile(
  context: ProbeContext,
  {
    config,
    facts,
    feed,
  }: Omit<MeshControllerOptions, "concurrency" | "followConfig"> & { readonly feed: () => RouteFeed },
): Promise<ReconcileResult> {
  const { object, name: namespace, owned, managed: objects, serverClock, cache } = context;
  if (object.metadata.deletionTimestamp !== undefined) return {};
  const { provider } = config().mesh;
  if (provider === "none" || provider === "istio" || !isNeeded(context)) {
    (await objects.sync([{ name: "probe", objects: [] }])).throwIfFailed();
    return {};
  }
  const plan = planProbes(probesOf(owned.routes.list({ namespace })), serverClock.now());
  const routes = plan.desired.map((probe) => probeRoute(namespace, probe));
  const result = await objects.sync([
    { name: "service", objects: [desired(Service, probeService(namespace))] },
    { name: "routes", objects: routes.map(({ metadata, spec }) => desired(HTTPRoute, { metadata, spec })) },
  ]);
  result.throwIfFailed();
  // The mode Auto of the Services of the namespace depends on the result.
  if (facts().recordProbe(namespace, plan.result)) feed().update("SandboxPolicy", `${namespace}/`, cache);
  return { requeueAfterMs: plan.nextMs };
}

/** Reports whether the mesh of a namespace matters: a Service with routes has the mode Mesh, or Auto. */
function isNeeded({ watched: { tables, baselineServices, policies }, name: namespace }: ProbeContext): boolean {
  return tables.list({ namespace }).some(({ metadata: { name } }) => {
    const service = baselineServices.get({ namespace, name });
    const mode = service === undefined ? undefined : modeOf(service, policies.list({ namespace }));
    return mode === "Mesh" || mode === "Auto";
  });
}
