// Reconciles LocalWorkloads: makes the sandbox their owner, reports whether a machine can serve them, and withdraws their routes when they end.

import { createHash, X509Certificate } from "node:crypto";
import { type Controller, defineController, type ReconcileResult, source, when } from "homeostat";
import { findCondition, keyOf, parseTime } from "@homeostat/core";
import { Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import type { RouteEntry } from "@homeostat/routing";
import type { ControllerSource } from "@homeostat/runtime";
import { splitCertificates } from "@homeostat/x509";
import { creatorOf } from "../api/created-by.ts";
import { apiVersion, fieldManager, finalizers } from "../api/identity.ts";
import { LocalWorkload } from "../api/local-workload.ts";
import { tunnelHost } from "../api/names.ts";
import type { CachedSandbox, TargetRef } from "../api/sandbox.ts";
import { selectsPods } from "../api/pod-selector.ts";
import { readBaseline } from "../build/baseline.ts";
import { viewService } from "../build/service-view.ts";
import { type ConnectionDecision, decideConnection } from "../decide/connection.ts";
import { decideLocalProblem, type LocalTargets } from "../decide/local-problem.ts";
import { configChanges, type FollowConfig } from "../observe/config-changes.ts";
import { type LocalContext, localWatches } from "../observe/local-kinds.ts";
import type { ConfirmedRoutes } from "../observe/confirmed-routes.ts";
import { baselineServicesOf, type RouteFeed, servicesOfWorkload } from "../observe/route-feed.ts";
import type { TrustBundle } from "../observe/trust-bundle.ts";
import { localWorkloadDenials } from "../policy/denials.ts";
import { combinePolicies } from "../policy/effective-policy.ts";
import type { OperatorConfig } from "../settings/config.ts";
import { type LocalProblem, type LocalRoutes, localWorkloadStatus } from "../status/local-workload-status.ts";
import { localWorkloadProblems } from "../validation/local-workload-rules.ts";
import { describeProblems } from "../validation/problem.ts";
import { localWorkloadEvents } from "./events.ts";
import { deleteLocalObjects, listenPortsOf, writeLocalObjects } from "./local-workload-objects.ts";
import { programmedRoutes } from "./programmed-routes.ts";

export interface LocalWorkloadControllerOptions {
  readonly feed: () => RouteFeed;
  readonly config: () => OperatorConfig;
  readonly followConfig: FollowConfig;
  readonly confirmedRoutes: ConfirmedRoutes;
  /** The authorities of the tunnel server, and the namespace of the operator. */
  readonly tunnelTrust: () => TrustBundle;
}

/** Defines the controller of LocalWorkloads. */
export function localWorkloadController(options: LocalWorkloadControllerOptions): Controller {
  return defineController({
    name: "localworkload",
    for: LocalWorkload,
    watches: localWatches,
    finalizer: finalizers.localWorkload,
    fieldManager,
    sources: [changedAuthority(options.tunnelTrust), configChanges(options.followConfig, LocalWorkload)],
    access: [
      { type: Service, verbs: ["create", "patch", "delete"] },
      { type: EndpointSlice, verbs: ["create", "patch", "delete"] },
    ],
    when: when.changed(
      ({ metadata: { uid, generation, deletionTimestamp, finalizers: own, ownerReferences }, status }) => [
        uid,
        generation,
        deletionTimestamp,
        own,
        ownerReferences,
        // Fields that the tunnel server writes.
        status?.connection,
        status?.machines,
      ],
    ),
    async reconcile(context) {
      return reconcile(context, options);
    },
    async cleanup(context) {
      return cleanup(context, options);
    },
  });
}

async function reconcile(context: LocalContext, options: LocalWorkloadControllerOptions): Promise<ReconcileResult> {
  const { object, key, cache, namespace, watched, serverClock } = context;
  const config = options.config();
  const feed = options.feed();
  feed.prime(cache);
  const now = serverClock.now();
  const sandbox = watched.sandboxes.get({ namespace, name: object.spec.sandboxRef.name });
  if (sandbox !== undefined) await own(context, sandbox);
  const connection = connectionOf(context, now);
  const problem = problemOf(context, sandbox, config);
  const listenPorts = listenPortsOf(context) ?? new Map<string, number>();
  const routingKey = sandbox?.status?.routingKey;
  const isUsable = problem === undefined && sandbox?.metadata.deletionTimestamp === undefined;
  const service =
    sandbox === undefined || routingKey === undefined || !isUsable
      ? object.status?.service
      : await writeLocalObjects(context, {
          sandbox,
          routingKey,
          services: servicesOfWorkload(object, cache),
          listenPorts,
          isConnected: connection.isConnected,
          systemNamespace: options.tunnelTrust().current().namespace,
        });
  const plan = localWorkloadStatus({
    workload: object,
    routingKey,
    createdBy: creatorOf(object)?.user,
    connection,
    problem,
    tunnel: tunnelOf(options, config),
    service,
    listenPorts,
    routes: routesOf(context, options, sandbox),
  });
  reportConnection(context, connection);
  context.setStatusPlan(plan);
  await context.saveStatus();
  // The status that was just written determines whether the workload has routes.
  feed.update("LocalWorkload", key, cache);
  const next = Math.min(connection.failsAt ?? Infinity, connection.lostAt ?? Infinity);
  return { requeueAfterMs: next === Infinity ? undefined : Math.max(1, next - now) };
}

function connectionOf({ object }: LocalContext, now: number): ConnectionDecision {
  const { connectedAt, disconnectedAt, reason, lastHeartbeat } = object.status?.connection ?? {};
  const { creationTimestamp } = object.metadata;
  const time = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseTime(text));
  return decideConnection({
    createdAt: time(creationTimestamp) ?? now,
    connectedAt: time(connectedAt),
    disconnectedAt: time(disconnectedAt),
    lastHeartbeat: time(lastHeartbeat),
    reason,
    timeoutMs: object.spec.connection.timeout * 1_000,
    now,
  });
}

/** Returns the address and the authorities of the tunnel server for clients. */
function tunnelOf(
  { tunnelTrust }: LocalWorkloadControllerOptions,
  { tunnel, preview }: OperatorConfig,
): { readonly url?: string; readonly caSha256?: string } {
  const url = tunnel.url === "" && preview.domain !== "" ? `wss://${tunnelHost(preview.domain)}` : tunnel.url;
  const { bundle } = tunnelTrust().current();
  return {
    ...(url === "" ? {} : { url }),
    ...(bundle === undefined ? {} : { caSha256: splitCertificates(bundle).map(fingerprint).join(",") }),
  };
}

function fingerprint(pem: string): string {
  return createHash("sha256").update(new X509Certificate(pem).raw).digest("hex");
}

/** Returns whether proxies have confirmed the routes to the machine. */
function routesOf(
  { object, watched }: LocalContext,
  { feed: feedOf, confirmedRoutes }: LocalWorkloadControllerOptions,
  sandbox: CachedSandbox | undefined,
): LocalRoutes {
  const feed = feedOf();
  const report = sandbox === undefined ? undefined : feed.sandbox(keyOf(sandbox));
  const isOwn = (entry: RouteEntry): boolean =>
    entry.mode === "Local" && entry.sandboxUid === sandbox?.metadata.uid && entry.workload === object.spec.service.name;
  const services = (report?.services ?? []).filter(
    (service) => feed.table(service)?.table?.entries.some(isOwn) === true,
  );
  const { state, reason, message } = programmedRoutes(
    {
      uid: object.metadata.uid,
      ownsKey: report?.ownsKey ?? false,
      services,
      refusedServices: report?.refusedServices ?? [],
      isOwn,
    },
    { feed, confirmed: confirmedRoutes, table: (service) => watched.tables.get(service) },
  );
  if (state === "programmed" && services.length > 0)
    return { isProgrammed: true, reason: "Programmed", message: "All proxies have confirmed the routes" };
  if (state === "programmed" || state === "noRoutes")
    return {
      isProgrammed: false,
      reason: "NoRoutes",
      message: "No Service of the baseline targets a port of the machine yet",
    };
  const known = (
    ["SelectorReverted", "MeshNotFound", "MeshRejected", "TargetPortsNotNamed", "TableTooLarge"] as const
  ).find((each) => each === reason);
  return { isProgrammed: false, reason: known ?? "WaitingForProxies", message };
}

/** Records events when a machine attaches, disconnects or is lost, and when its local process does not listen. */
function reportConnection({ object, event }: LocalContext, { isConnected, reason }: ConnectionDecision): void {
  const { conditions = [], connection = {} } = object.status ?? {};
  const before = findCondition(conditions, "TunnelConnected")?.status;
  const machine = connection.host ?? connection.machine ?? "a machine";
  if (isConnected && before !== "True") event(localWorkloadEvents.connected(machine));
  if (!isConnected && before === "True")
    event(
      reason === "ClientLeft"
        ? localWorkloadEvents.disconnected(machine)
        : localWorkloadEvents.lost(machine, reason ?? ""),
    );
  const target = findCondition(conditions, "LocalTargetReady");
  const isListening = connection.localTarget === undefined || connection.localTarget === "Listening";
  if (isConnected && !isListening && target?.status !== "False")
    event(localWorkloadEvents.notListening(connection.localMessage ?? "A local port does not accept connections"));
}

/** Returns a source that reconciles all LocalWorkloads when the authority of the tunnel server has changed. */
function changedAuthority(trust: () => TrustBundle): ControllerSource {
  return source<"changed">({
    name: "authority of the tunnel server",
    open: (signal) => trust().changes(signal),
    map: (_event, cache) => cache.list(LocalWorkload).map(keyOf),
  });
}

/** Makes the sandbox an owner, so the garbage collector deletes the LocalWorkload with it. */
async function own({ object, client, namespace, name, signal }: LocalContext, sandbox: CachedSandbox): Promise<void> {
  const { name: sandboxName = "", uid = "" } = sandbox.metadata;
  const { ownerReferences = [], resourceVersion } = object.metadata;
  if (sandbox.metadata.deletionTimestamp !== undefined || ownerReferences.some((owner) => owner.uid === uid)) return;
  // A recreated sandbox of the same name is a different object.
  const others = ownerReferences.filter((owner) => owner.kind !== "Sandbox" || owner.apiVersion !== apiVersion);
  const owners = [...others, { apiVersion, kind: "Sandbox", name: sandboxName, uid }];
  await client.patch(
    LocalWorkload,
    { namespace, name },
    { merge: { metadata: { resourceVersion, ownerReferences: owners } } },
    { signal },
  );
}

function problemOf(
  context: LocalContext,
  sandbox: CachedSandbox | undefined,
  config: OperatorConfig,
): LocalProblem | undefined {
  const { object, namespace, watched } = context;
  const problems = localWorkloadProblems(object, { namespace, config });
  if (problems.length > 0) return { reason: "InvalidSpec", message: describeProblems(problems) };
  const denials = localWorkloadDenials(object, {
    namespace,
    world: {
      policyOf(name) {
        const home = watched.namespaces.get(name);
        const policies = watched.policies.list({ namespace: name });
        return home && combinePolicies({ name, labels: home.metadata.labels ?? {}, policies });
      },
      labelsOf: () => undefined,
    },
  });
  if (denials.length > 0) return { reason: "PolicyDenied", message: describeProblems(denials) };
  return decideLocalProblem(object, targetsOf(context, sandbox));
}

/** Returns the current state of the objects that the LocalWorkload refers to. */
function targetsOf(
  { object, namespace, watched, cache }: LocalContext,
  sandbox: CachedSandbox | undefined,
): LocalTargets {
  const { service } = object.spec;
  const entry = sandbox?.spec.services.find(({ name, mode }) => name === service.name && mode === "Local");
  const targetRef = service.targetRef ?? entry?.targetRef;
  const home = targetRef?.namespace ?? namespace;
  const target = watched.services.get({ namespace: home, name: service.name });
  return {
    hasSandbox: sandbox !== undefined,
    hasService: entry !== undefined || target !== undefined,
    containerPorts: containerPorts({ watched }, { targetRef, home, service: service.name }),
    services: baselineServicesOf(object, cache),
  };
}

/**
 * Returns the ports that containers of the workload declare, and the target port numbers of its Services, because pods may listen on ports that they
 * do not declare. Without a workload or Service, no port is known.
 */
function containerPorts(
  { watched }: Pick<LocalContext, "watched">,
  { targetRef, home, service }: { targetRef: TargetRef | undefined; home: string; service: string },
): ReadonlySet<number> | undefined {
  const workloads = [
    ...watched.deployments.list({ namespace: home }).map((object) => ({ kind: "Deployment" as const, object })),
    ...watched.statefulSets.list({ namespace: home }).map((object) => ({ kind: "StatefulSet" as const, object })),
  ];
  const services = watched.services.list({ namespace: home }).map(viewService);
  const named = services.find(({ name, isOurs }) => name === service && !isOurs);
  const templates = workloads.flatMap(({ kind, object }) => {
    const baseline = readBaseline({ kind, object });
    if (baseline === undefined) return [];
    const isTarget =
      targetRef === undefined
        ? named !== undefined && selectsPods(named, baseline.template.metadata?.labels ?? {})
        : targetRef.kind === kind && targetRef.name === baseline.name;
    return isTarget ? [baseline.template] : [];
  });
  const declared = templates.flatMap(({ spec }) =>
    spec.containers.flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort)),
  );
  const leading = services
    .filter((view) => view === named || templates.some(({ metadata }) => selectsPods(view, metadata?.labels ?? {})))
    .flatMap(({ ports }) => ports.map(({ port, targetPort = port }) => targetPort))
    .filter((port) => typeof port === "number");
  return declared.length + leading.length === 0 ? undefined : new Set([...declared, ...leading]);
}

/** Waits until no table contains routes to the machine, but no longer than the time for draining. */
async function cleanup(
  context: LocalContext,
  { feed: feedOf, config }: LocalWorkloadControllerOptions,
): Promise<"done" | ReconcileResult> {
  const { object, key, cache, namespace, watched, serverClock } = context;
  const feed = feedOf();
  feed.prime(cache);
  feed.update("LocalWorkload", key, cache);
  const message = "The LocalWorkload is being deleted";
  context.setCondition("Ready", { status: false, reason: "Terminating", message });
  await context.saveStatus();
  const { deletionTimestamp } = object.metadata;
  const now = serverClock.now();
  const until =
    (deletionTimestamp === undefined ? now : parseTime(deletionTimestamp)) + config().cleanup.drainSeconds * 1_000;
  const { name: sandbox } = object.spec.sandboxRef;
  const uid = watched.sandboxes.get({ namespace, name: sandbox })?.metadata.uid;
  const isRouted = watched.tables
    .list()
    .some(({ spec }) =>
      spec.entries.some(
        (entry) => entry.mode === "Local" && entry.sandboxUid === uid && entry.workload === object.spec.service.name,
      ),
    );
  if (isRouted && now < until) return { requeueAfterMs: until - now };
  // Deleted after the routes, when proxies no longer send requests. The tunnel server closes the tunnel when the object is deleted.
  const home = object.spec.service.targetRef?.namespace ?? namespace;
  await deleteLocalObjects(context, { sandboxUid: uid ?? "", namespaces: [...new Set([namespace, home])] });
  return "done";
}
