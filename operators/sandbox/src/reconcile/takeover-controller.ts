// Takes Services over: they select the routing proxy instead of their pods while they have routes.

import { type Controller, defineController, type ReconcileResult, when } from "homeostat";
import { addFinalizer, hasFinalizer, removeFinalizer } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { finalizers, takeoverFieldManager } from "../api/identity.ts";
import { RouteTable } from "../api/route-table.ts";
import { buildBaseService } from "../build/base-service.ts";
import { lastManagerOf } from "../build/last-manager.ts";
import { allocatePorts } from "../build/listen-ports.ts";
import { buildProxyBudget, buildProxyDeployment, type ProxyOptions } from "../build/proxy-objects.ts";
import { viewService } from "../build/service-view.ts";
import { restorePatch, takeoverPatch } from "../build/taken-over-service.ts";
import { concernsTakeover, decideTakeover, type TakeoverStep } from "../decide/takeover.ts";
import type { SandboxMetrics } from "../metrics/sandbox-metrics.ts";
import { type ObservedTakeover, observeTakeover } from "../observe/takeover.ts";
import { type TakeoverContext, takeoverWatches } from "../observe/takeover-kinds.ts";
import type { OperatorConfig } from "../settings/config.ts";
import { takeoverStatus } from "../status/takeover-status.ts";
import { takeoverEvents } from "./events.ts";

export interface TakeoverControllerOptions {
  readonly config: () => OperatorConfig;
  readonly metrics: SandboxMetrics;
  /** Image of the proxy, and the namespace of the route server. */
  readonly proxy: () => Omit<ProxyOptions, "namespace">;
}

/** Interval at which endpoints are read again, because they are not watched. */
const endpointsMs = 1_000;

/** Defines the controller of takeovers. Each reconcile performs one step, derived from what it observes. */
export function takeoverController(options: TakeoverControllerOptions): Controller {
  return defineController({
    name: "takeover",
    for: RouteTable,
    watches: takeoverWatches,
    fieldManager: takeoverFieldManager,
    // Only tables of Services that are taken over, or will be soon, have the finalizer.
    finalizer: finalizers.takeover,
    addsFinalizer: false,
    access: [
      { type: Service, verbs: ["get", "create", "patch", "delete"] },
      { type: Deployment, verbs: ["create", "patch"] },
      { type: PodDisruptionBudget, verbs: ["create", "patch"] },
      { type: EndpointSlice, verbs: ["list"] },
    ],
    when: when.changed(({ metadata: { uid, deletionTimestamp, finalizers: held }, spec, status }) => [
      uid,
      deletionTimestamp,
      held,
      spec.version,
      spec.interception,
      status?.replicas,
      status?.listenPorts,
      status?.takeover,
    ]),
    async reconcile(context) {
      const step = await advance(context, options);
      return requeue(step, context.serverClock.now());
    },
    async cleanup(context) {
      const step = await advance(context, options);
      return step.type === "finish" ? "done" : requeue(step, context.serverClock.now());
    },
  });
}

/** Decides and performs the next step, and records it in the status. */
async function advance(context: TakeoverContext, options: TakeoverControllerOptions): Promise<TakeoverStep> {
  const { object: table, key, name, namespace } = context;
  if (!concernsTakeover(table)) {
    options.metrics.forgetTakeover(key);
    return { type: "none" };
  }
  const observed = await observeTakeover(context, {
    lingerMs: options.config().takeover.lingerSeconds * 1_000,
    proxy: options.proxy(),
  });
  const step = decideTakeover(observed.input);
  const isFinished = step.type === "finish" || step.type === "none";
  const { metrics } = options;
  if (step.type === "keep" || step.type === "linger") metrics.recordTakeover(key, namespace);
  else if (observed.input.service === "original" || isFinished) metrics.forgetTakeover(key);
  const revertedBy =
    step.type === "recordRevert" ? await revertingManager(context) : table.status?.takeover?.revertedBy;
  const selector = observed.service && viewService(observed.service).selector;
  const { input, restrictedBy } = observed;
  const plan = takeoverStatus({ input, step, revertedBy, selector, restrictedBy });
  if (step.type === "restore") {
    // Recorded before the write: a Service that is found restored without this record was changed by another client. The conditions are written after
    // the Service is restored, because users wait for TakenOver to be false before they read the Service.
    context.setStatusPlan({ fields: plan.fields, conditions: {} });
    await context.saveStatus({ purpose: "record the release" });
  }
  await context.step(step.type, () => perform(context, { step, observed, proxy: { ...options.proxy(), namespace } }));
  context.setStatusPlan(plan);
  reportStep(context, { step, revertedBy, metrics, service: name });
  return step;
}

/** Returns when to reconcile again. Watch events of the controller's own writes do not trigger a reconcile. */
function requeue(step: TakeoverStep, now: number): ReconcileResult {
  switch (step.type) {
    case "none":
    case "keep":
    case "finish":
    case "conflict":
    case "notEligible":
    case "waitForProxies":
      return {};
    case "waitForEndpoints":
      return { requeueAfterMs: endpointsMs };
    case "hold":
    case "waitToReapply":
    case "linger":
    case "drain":
      return { requeueAfterMs: Math.max(1, step.until - now) };
    default:
      return { requeueAfterMs: 1 };
  }
}

interface PerformInput {
  readonly step: TakeoverStep;
  readonly observed: ObservedTakeover;
  readonly proxy: ProxyOptions;
}

/** Performs a step. Steps that only wait or write the status do nothing here. */
async function perform(context: TakeoverContext, { step, observed, proxy }: PerformInput): Promise<void> {
  const { client, signal, namespace, name } = context;
  const { service, base, ports, input } = observed;
  const how = { force: true, fieldManager: takeoverFieldManager, signal } as const;
  switch (step.type) {
    case "ensureProxy": {
      await hold(context);
      const { metadata } = await client.apply(Deployment, buildProxyDeployment(proxy), how);
      await client.apply(PodDisruptionBudget, buildProxyBudget(namespace, metadata.uid ?? ""), how);
      return;
    }
    case "allocatePorts":
      await hold(context);
      await allocate(context, observed);
      return;
    case "ensureBase":
      await hold(context);
      if (service !== undefined) await client.apply(Service, buildBaseService(service), how);
      return;
    case "takeOver": {
      const merge = service && takeoverPatch(service, { ports, lastRevert: input.record.reverts.at(-1) });
      if (merge !== undefined) await client.patch(Service, { namespace, name }, { merge }, how);
      return;
    }
    case "restore": {
      const merge = service && restorePatch(service, { base });
      if (merge !== undefined) await client.patch(Service, { namespace, name }, { merge }, how);
      else context.log.error("Original selector of a Service is unknown", { service: `${namespace}/${name}` });
      return;
    }
    case "freePorts":
      context.setStatus({ listenPorts: undefined });
      return;
    case "removeBase": {
      const { uid, name: baseName = "" } = base?.metadata ?? {};
      if (uid === undefined) return;
      await client.delete(Service, { namespace, name: baseName }, { preconditions: { uid }, signal });
      return;
    }
    case "finish":
      await release(context);
      return;
    default:
  }
}

/** Adds the finalizer before the first object that only a release removes. */
async function hold({ client, object, namespace, name, signal }: TakeoverContext): Promise<void> {
  if (hasFinalizer(object, finalizers.takeover)) return;
  await writeFinalizers(addFinalizer(object, finalizers.takeover), { client, namespace, name, signal });
}

/** Removes the finalizer of a table that is not being deleted. The runtime removes it otherwise. */
async function release({ client, object, namespace, name, signal }: TakeoverContext): Promise<void> {
  if (!hasFinalizer(object, finalizers.takeover) || object.metadata.deletionTimestamp !== undefined) return;
  await writeFinalizers(removeFinalizer(object, finalizers.takeover), { client, namespace, name, signal });
}

async function writeFinalizers(
  { metadata }: Pick<TakeoverContext["object"], "metadata">,
  { client, namespace, name, signal }: Pick<TakeoverContext, "client" | "namespace" | "name" | "signal">,
): Promise<void> {
  const { resourceVersion, finalizers: list = [] } = metadata;
  const merge = { metadata: { resourceVersion, finalizers: list.length === 0 ? null : [...list] } };
  await client.patch(RouteTable, { namespace, name }, { merge }, { fieldManager: takeoverFieldManager, signal });
}

/** Records listening ports in the status. One worker allocates for all tables, and its own writes are in the cache at once. */
async function allocate(context: TakeoverContext, { service, ports }: ObservedTakeover): Promise<void> {
  const { all, namespace, key } = context;
  const others = all
    .list({ namespace })
    .filter(({ metadata }) => `${namespace}/${metadata.name}` !== key)
    .map(({ status }) => status?.listenPorts ?? {});
  const wanted = (service?.spec?.ports ?? []).map(({ port }) => port);
  const listenPorts = allocatePorts(wanted, ports, others);
  if (listenPorts === undefined) throw new Error(`No listening port is free in namespace ${namespace}`);
  context.setStatus({ listenPorts });
  await context.saveStatus({ purpose: "record listening ports" });
}

/** Returns the field manager that changed the Service. The cache has no managed fields. */
async function revertingManager({ client, namespace, name, signal }: TakeoverContext): Promise<string | undefined> {
  const live = await client.get(Service, { namespace, name }, { signal });
  return live && lastManagerOf(live, takeoverFieldManager);
}

function reportStep(
  { event, namespace, object }: TakeoverContext,
  {
    step,
    revertedBy,
    metrics,
    service,
  }: {
    readonly step: TakeoverStep;
    readonly revertedBy: string | undefined;
    readonly metrics: SandboxMetrics;
    readonly service: string;
  },
): void {
  const before = object.status?.conditions?.find(({ type }) => type === "TakenOver");
  if (step.type === "takeOver") event(takeoverEvents.takenOver(service));
  if (step.type === "restore") event(takeoverEvents.released(service));
  if (step.type === "recordRevert") event(takeoverEvents.selectorReverted(service, revertedBy));
  if (step.type === "giveUp") metrics.takeoverConflicts.inc({ namespace });
  if (step.type === "hold" && before?.reason !== "TakeoverRestored") event(takeoverEvents.takeoverRestored(service));
}
