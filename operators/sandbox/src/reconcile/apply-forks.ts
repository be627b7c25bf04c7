// Applies the forks of a sandbox and their Services, and deletes those of removed entries.

import { desired, type DesiredObject } from "homeostat";
import { keyOf } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import type { ObjectRef } from "@homeostat/runtime";
import { labels } from "../api/identity.ts";
import { sandboxEvents } from "./events.ts";
import type { ExaminedEntry, ExaminedFork } from "./entries.ts";
import type { SandboxContext } from "./sandbox-context.ts";

/** Input of {@link applyForks}. */
export interface ApplyInput {
  readonly entries: readonly ExaminedEntry[];
  /** True if nothing may change: a quota is exceeded, a policy denies the sandbox, or a hook has not ended. */
  readonly isHeld: boolean;
}

/** Applies all forks. Services come first, so a fork can be reached as soon as it is ready. */
export async function applyForks(context: SandboxContext, { entries, isHeld }: ApplyInput): Promise<void> {
  const { runtime, status, generation } = context;
  const forks = entries.filter((entry) => entry.mode === "Fork");
  const applied = isHeld ? [] : forks.filter(({ deployment }) => deployment !== undefined);
  const services = applied.flatMap(({ forkServices }) =>
    (forkServices?.services ?? []).map(({ service }) => desired(Service, service)),
  );
  const deployments = applied.flatMap(({ deployment }) =>
    deployment === undefined ? [] : [desired(Deployment, deployment)],
  );
  const result = await runtime.managed.sync(
    [
      { name: "services", objects: services },
      { name: "forks", objects: deployments },
    ],
    {
      keep: kept(context, { isHeld, applied, forks }),
      wasComplete: status.observedGeneration === generation && status.phase === "Running",
    },
  );
  report(context, result.outcomes, applied);
  result.throwIfFailed();
}

interface KeptInput {
  readonly isHeld: boolean;
  readonly applied: readonly ExaminedFork[];
  readonly forks: readonly ExaminedFork[];
}

/**
 * Returns the objects that are not desired but kept for now: all of them while nothing may change, those of entries from which no fork can currently
 * be derived, and those of removed entries until proxies no longer send requests to them.
 */
function kept(context: SandboxContext, { isHeld, applied, forks }: KeptInput): readonly ObjectRef[] {
  const { owned } = context.runtime;
  const complete = new Set(
    applied.filter(({ forkServices }) => forkServices !== undefined).map(({ entry }) => entry.name),
  );
  const existing = new Set(forks.map(({ entry }) => entry.name));
  const draining = drainingEntries(context);
  const stays = (entry: string): boolean =>
    isHeld || draining.has(entry) || (existing.has(entry) && !complete.has(entry));
  const refs = (
    type: ObjectRef["type"],
    objects: readonly {
      readonly metadata: {
        readonly labels?: Readonly<Record<string, string>>;
        readonly name: string;
        readonly namespace?: string;
      };
    }[],
  ) =>
    objects
      .filter(({ metadata }) => stays(metadata.labels?.[labels.workload] ?? ""))
      .map(({ metadata: { namespace = "", name } }) => ({ type, key: { namespace, name } }));
  return [...refs(Service, owned.services.list()), ...refs(Deployment, owned.forks.list())];
}

/** Returns removed entries whose routes proxies may still follow: they are in a published table, and the time for draining has not passed. */
function drainingEntries({ runtime, sandbox, now, config, specChangedAt }: SandboxContext): ReadonlySet<string> {
  if (now >= specChangedAt + config.cleanup.drainSeconds * 1_000) return new Set();
  const present = new Set(sandbox.spec.services.map(({ name }) => name));
  const uid = sandbox.metadata.uid;
  const routed = runtime.watched.tables
    .by("sandboxUid", uid)
    .flatMap(({ spec }) => spec.entries.filter((entry) => entry.sandboxUid === uid).map(({ workload }) => workload));
  return new Set(routed.filter((workload) => !present.has(workload)));
}

function report(
  context: SandboxContext,
  outcomes: ReadonlyMap<DesiredObject, { readonly result: string }>,
  applied: readonly ExaminedFork[],
): void {
  const bySubject = new Map(applied.map((fork) => [`${fork.target.namespace}/${fork.name}`, fork]));
  for (const [object, { result }] of outcomes) {
    if (object.type.kind !== "Deployment") continue;
    const fork = bySubject.get(keyOf(object.object));
    if (result === "created") context.event(sandboxEvents.forkCreated(keyOf(object.object)));
    if (result === "updated" && fork?.decision.step === "rebase") {
      context.event(sandboxEvents.forkRebased(fork.entry.name, fork.baselineState?.generation ?? 0));
    }
  }
}
