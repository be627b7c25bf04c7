import { TerminalError } from "homeostat";
import { annotations, isAnnotated } from "../api/annotations.ts";
import type { Component, StatefulComponent } from "../api/identity.ts";
import { names } from "../api/names.ts";
import { decideBootstrap } from "../decide/bootstrap.ts";
import { desiredCounts } from "../decide/counts.ts";
import { isBootstrapped } from "../decide/phase.ts";
import { decideStep, type StepDecision } from "../decide/plan.ts";
import { type RolloutPermission, rolloutPermission } from "../decide/rollout-limit.ts";
import { observe } from "../observe/observe.ts";
import type { Observed } from "../observe/observed.ts";
import { progressOf } from "../status/progress.ts";
import { changeProblems } from "../validation/changes.ts";
import { describeProblems } from "../validation/validate.ts";
import type { ClusterContext } from "./cluster-context.ts";
import { events } from "./events.ts";
import type { Found } from "./prerequisites.ts";

/** The members of a cluster with the responses of their components, and the desired counts. */
export interface Members {
  readonly observed: Observed;
  readonly desired: Readonly<Record<Component, number>>;
  readonly permission: RolloutPermission;
}

/** Observes the members, and calls their components if a decision needs the responses. */
export async function observeMembers(context: ClusterContext, found: Found): Promise<Members> {
  const { runtime, resolved, cluster, dependencies } = context;
  const observed = observe(runtime, found);
  const desired = desiredCounts({
    counts: resolved.counts,
    autoscaling: resolved.autoscalers,
    nodeGroups: observed.nodeGroups,
  });
  const { uid } = cluster.metadata;
  const called = await dependencies
    .calls()
    .call({ uid, observed, desired, apiKey: found.apiKey, signal: runtime.signal });
  return { observed: called, desired, permission: permissionOf(context) };
}

/** Returns whether the limit on rollouts after an upgrade of the operator lets this cluster roll. */
function permissionOf({ runtime, status, generation, settings, dependencies }: ClusterContext): RolloutPermission {
  return rolloutPermission({
    self: { key: runtime.key, operatorVersion: status.operatorVersion },
    isSpecChanged: status.observedGeneration !== generation,
    clusters: () =>
      runtime.all.list().map(({ metadata, status: state }) => ({
        key: `${metadata.namespace ?? ""}/${metadata.name}`,
        operatorVersion: state?.operatorVersion,
        isCanary: isAnnotated(metadata, annotations.canaryCluster),
        isRunning: state?.phase === "Running",
        isRolling: state?.rollout?.startedAt !== undefined,
      })),
    operatorVersion: dependencies.operatorVersion(),
    rolloutsMax: settings.maxConcurrentRollouts,
  });
}

/** Returns a newer observed state with the responses of the pods that still exist. */
export function withResponses(observed: Observed, called: Observed): Observed {
  const known = new Map(
    [...called.controller.members, ...called.ingest.members].map(({ uid, component }) => [uid, component]),
  );
  const tier = (component: StatefulComponent): Observed["controller"] => ({
    ...observed[component],
    members: observed[component].members.map((member) => ({ ...member, component: known.get(member.uid) ?? {} })),
  });
  return { ...observed, controller: tier("controller"), ingest: tier("ingest") };
}

/** Refuses changes of fields that are immutable in existing objects. The CRD rejects them, too, but may be older than the operator. */
function checkChanges({ runtime: { owned }, cluster, name }: ClusterContext): void {
  const set = owned.statefulSets.get(names.component(name, "controller"));
  const template = set?.spec?.volumeClaimTemplates?.[0]?.spec;
  const data = owned.configMaps.get(names.config(name))?.data;
  const problems = [
    ...changeProblems(cluster, {
      size: template?.resources?.requests?.["storage"]?.toString(),
      claim: template && { storageClass: template.storageClassName, accessModes: template.accessModes ?? [] },
      backend: data?.["storage.backend"],
      database: data?.["metastore.database"],
    }),
  ];
  if (problems.length > 0)
    throw new TerminalError({ reason: "ImmutableFieldChanged", message: describeProblems(problems) });
}

/** Returns whether the quorum of the controllers exists, so that no controller may found one. */
export function checkBootstrap(context: ClusterContext, { observed, desired }: Members): boolean {
  checkChanges(context);
  const { previous, controller, claims, isBootstrapRecorded } = observed;
  const decision = decideBootstrap({
    cluster: context.name,
    controllers: desired.controller,
    claims,
    hasStatefulSet: controller.set !== undefined,
    isBootstrapRecorded,
    previous,
  });
  if (decision.type === "refused") throw new TerminalError({ reason: "MinorityOfVolumes", message: decision.message });
  if (decision.type === "reuse") context.eventOnce(events.reusingVolumes(decision.claims.join(", ")));
  return decision.type !== "found" || isBootstrapped(progressOf(observed, desired, false).controller, previous);
}

/** Decides the step about the members. */
export function decideMembers(
  { resolved, now }: ClusterContext,
  { observed, desired, permission }: Members,
): StepDecision {
  const { updateStrategy, scaleDown, membership } = resolved;
  const policy = { updateStrategy, scaleDown, membership };
  return decideStep({ observed, policy, desired, permission, now });
}
