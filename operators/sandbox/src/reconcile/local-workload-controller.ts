// Reconciles LocalWorkloads: ties them to their sandbox, reports whether a machine can serve them, and withdraws their routes at the end.

import { type Controller, defineController, type ReconcileResult, when } from "homeostat";
import { parseTime } from "@homeostat/core";
import { creatorOf } from "../api/created-by.ts";
import { apiVersion, fieldManager, finalizers } from "../api/identity.ts";
import { LocalWorkload } from "../api/local-workload.ts";
import type { CachedSandbox, TargetRef } from "../api/sandbox.ts";
import { selectsPods } from "../api/pod-selector.ts";
import { readBaseline } from "../build/baseline.ts";
import { viewService } from "../build/service-view.ts";
import { decideConnection } from "../decide/connection.ts";
import { decideLocalProblem, type LocalTargets } from "../decide/local-problem.ts";
import { type LocalContext, localWatches } from "../observe/local-kinds.ts";
import type { RouteFeed } from "../observe/route-feed.ts";
import { localWorkloadDenials } from "../policy/denials.ts";
import { combinePolicies } from "../policy/effective-policy.ts";
import type { OperatorConfig } from "../settings/config.ts";
import { type LocalProblem, localWorkloadStatus } from "../status/local-workload-status.ts";
import { localWorkloadProblems } from "../validation/local-workload-rules.ts";
import { describeProblems } from "../validation/problem.ts";

export interface LocalWorkloadControllerOptions {
  readonly feed: () => RouteFeed;
  readonly config: () => OperatorConfig;
}

/** Defines the controller of LocalWorkloads. */
export function localWorkloadController(options: LocalWorkloadControllerOptions): Controller {
  return defineController({
    name: "localworkload",
    for: LocalWorkload,
    watches: localWatches,
    finalizer: finalizers.localWorkload,
    fieldManager,
    when: when.changed(
      ({ metadata: { uid, generation, deletionTimestamp, finalizers: own, ownerReferences }, status }) => [
        uid,
        generation,
        deletionTimestamp,
        own,
        ownerReferences,
        // The tunnel server reports these.
        status?.connection,
        status?.conditions
          ?.filter(({ type }) => type === "LocalTargetReady")
          .map(({ status: is, reason }) => [is, reason]),
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

async function reconcile(
  context: LocalContext,
  { feed: feedOf, config }: LocalWorkloadControllerOptions,
): Promise<ReconcileResult> {
  const { object, key, cache, namespace, watched, serverClock } = context;
  const feed = feedOf();
  feed.prime(cache);
  const now = serverClock.now();
  const sandbox = watched.sandboxes.get({ namespace, name: object.spec.sandboxRef.name });
  if (sandbox !== undefined) await own(context, sandbox);
  const { connectedAt, disconnectedAt, reason } = object.status?.connection ?? {};
  const { creationTimestamp } = object.metadata;
  const connection = decideConnection({
    createdAt: creationTimestamp === undefined ? now : parseTime(creationTimestamp),
    connectedAt: connectedAt === undefined ? undefined : parseTime(connectedAt),
    disconnectedAt: disconnectedAt === undefined ? undefined : parseTime(disconnectedAt),
    reason,
    timeoutMs: object.spec.connection.timeout * 1_000,
    now,
  });
  context.setStatusPlan(
    localWorkloadStatus({
      workload: object,
      routingKey: sandbox?.status?.routingKey,
      createdBy: creatorOf(object)?.user,
      connection,
      problem: problemOf(context, sandbox, config()),
    }),
  );
  await context.saveStatus();
  // Whether the workload has routes follows from the status that was just written.
  feed.update("LocalWorkload", key, cache);
  return { requeueAfterMs: connection.failsAt === undefined ? undefined : Math.max(1, connection.failsAt - now) };
}

/** Makes the sandbox an owner, so that the garbage collector deletes the LocalWorkload with it. */
async function own({ object, client, namespace, name, signal }: LocalContext, sandbox: CachedSandbox): Promise<void> {
  const { name: sandboxName = "", uid = "" } = sandbox.metadata;
  const { ownerReferences = [], resourceVersion } = object.metadata;
  if (sandbox.metadata.deletionTimestamp !== undefined || ownerReferences.some((owner) => owner.uid === uid)) return;
  // A sandbox of the same name that was deleted and created again is another object.
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

/** Returns what the LocalWorkload refers to, as it is now. */
function targetsOf({ object, namespace, watched }: LocalContext, sandbox: CachedSandbox | undefined): LocalTargets {
  const { service } = object.spec;
  const entry = sandbox?.spec.services.find(({ name, mode }) => name === service.name && mode === "Local");
  const targetRef = service.targetRef ?? entry?.targetRef;
  const home = targetRef?.namespace ?? namespace;
  const target = watched.services.get({ namespace: home, name: service.name });
  return {
    hasSandbox: sandbox !== undefined,
    hasService: entry !== undefined || target !== undefined,
    containerPorts: containerPorts({ watched }, { targetRef, home, service: service.name }),
  };
}

/**
 * Returns the ports that containers of the workload declare, and the numbers that its Services lead to: pods listen on ports that they do
 * not declare. Without a workload or Service, no port is known.
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
  return isRouted && now < until ? { requeueAfterMs: until - now } : "done";
}
