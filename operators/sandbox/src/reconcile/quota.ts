// Compares what a sandbox uses with its own ceilings and with the quotas of the namespaces in which its forks run.

import { isQuantity, parseQuantity, parseTime } from "@homeostat/core";
import type { CachedSandbox } from "../api/sandbox.ts";
import { isRefusal } from "../build/refusal.ts";
import { decideCounts, decideQuota, type NamespaceShare, type NamespaceUser } from "../decide/quota.ts";
import { addUsage, noUsage, type Usage, usageOf } from "../decide/usage.ts";
import type { QuotaVerdict } from "../status/sandbox-outcome.ts";
import type { ExaminedEntry, ExaminedFork } from "./entries.ts";
import { policyOf } from "./policies.ts";
import type { SandboxContext } from "./sandbox-context.ts";

export interface QuotaResult {
  readonly verdict: QuotaVerdict;
  readonly usage: { readonly cpu: string; readonly memory: string; readonly pods: number };
  /** Cores, bytes and pods, for metrics. */
  readonly amounts: { readonly cpu: number; readonly memory: number; readonly pods: number };
}

/** Checks all limits of a sandbox. */
export function checkQuota(context: SandboxContext, entries: readonly ExaminedEntry[]): QuotaResult {
  const { sandbox, createdAt, config } = context;
  const uid = sandbox.metadata.uid;
  const forks = entries.filter((entry) => entry.mode === "Fork");
  const namespaces = new Set(forks.map(({ target }) => target.namespace));
  const usages = [...namespaces].map((namespace) => ({
    namespace,
    usage: usageOfForks(forks.filter(({ target }) => target.namespace === namespace)),
  }));
  const usage = usages.map((each) => each.usage).reduce(addUsage, noUsage);
  const isRunning = forks.some(({ live }) => live !== undefined);
  const { resources } = sandbox.spec;
  const counts = decideCounts({
    uid,
    createdAtMs: createdAt,
    others: otherSandboxes(context),
    sandboxesMax: policyOf(context, context.namespace).quota.sandboxes,
    perUserMax: policyOf(context, context.namespace).quota.perUser,
    isRunning,
  });
  const decision = !counts.isWithin
    ? counts
    : decideQuota({
        uid,
        createdAtMs: createdAt,
        usage,
        ceilings: {
          cpu: resources.cpu ?? config.limits.sandboxResources.cpu.canonical(),
          memory: resources.memory ?? config.limits.sandboxResources.memory.canonical(),
          pods: resources.pods,
        },
        shares: usages.map((each) => shareOf(context, each)),
        isRunning,
      });
  return {
    verdict: decision.isWithin
      ? decision
      : { isWithin: false, reason: exceeded(decision.reason), message: decision.message },
    usage: { cpu: usage.cpu.canonical(), memory: usage.memory.canonical(), pods: usage.pods },
    amounts: { cpu: usage.cpu.asApproximateNumber(), memory: usage.memory.asApproximateNumber(), pods: usage.pods },
  };
}

type Exceeded = Extract<QuotaVerdict, { isWithin: false }>["reason"];

const exceededReasons: readonly Exceeded[] = [
  "SandboxResourcesExceeded",
  "NamespaceQuotaExceeded",
  "UserQuotaExceeded",
  "Raced",
];

function exceeded(reason: string): Exceeded {
  return exceededReasons.find((known) => known === reason) ?? "SandboxResourcesExceeded";
}

function usageOfForks(forks: readonly ExaminedFork[]): Usage {
  return usageOf(
    forks.flatMap(({ derived, deployment, replicas }) => {
      const spec =
        deployment?.spec.template.spec ??
        (derived && !isRefusal(derived) ? derived.body.spec.template.spec : undefined);
      return spec === undefined ? [] : [{ spec, replicas }];
    }),
  );
}

function shareOf(
  context: SandboxContext,
  { namespace, usage }: { readonly namespace: string; readonly usage: Usage },
): NamespaceShare {
  const { cpu, memory, pods } = policyOf(context, namespace).quota;
  const own = context.sandbox.metadata.uid;
  return {
    namespace,
    quota: { cpu: cpu.canonical(), memory: memory.canonical(), pods },
    own: usage,
    others: context.runtime.all
      .by("namespace", namespace)
      .filter((other) => other.metadata.uid !== own)
      .flatMap((other) => namespaceUser(other, namespace)),
  };
}

/** Returns the usage of another sandbox as its status records it. If it has forks in several namespaces, its whole usage counts in each of them. */
function namespaceUser(sandbox: CachedSandbox, namespace: string): readonly NamespaceUser[] {
  const { usage } = sandbox.status ?? {};
  const isThere = sandbox.spec.services.some(
    ({ mode, targetRef }) => mode === "Fork" && (targetRef.namespace ?? sandbox.metadata.namespace) === namespace,
  );
  if (usage === undefined || !isThere) return [];
  const amount = (text: string | undefined) => parseQuantity(text !== undefined && isQuantity(text) ? text : "0");
  return [
    {
      uid: sandbox.metadata.uid ?? "",
      createdAtMs: createdAtOf(sandbox),
      usage: { cpu: amount(usage.cpu), memory: amount(usage.memory), pods: usage.pods },
      isRunning: (sandbox.status?.services ?? []).some(({ forkName }) => forkName !== undefined),
    },
  ];
}

function otherSandboxes({ runtime, sandbox, namespace, status }: SandboxContext) {
  return runtime.all
    .by("namespace", namespace)
    .filter((other) => other.metadata.uid !== sandbox.metadata.uid && other.metadata.namespace === namespace)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((other) => ({
      uid: other.metadata.uid,
      createdAtMs: createdAtOf(other),
      isOfSameUser: status.createdBy !== undefined && other.status?.createdBy === status.createdBy,
    }));
}

function createdAtOf({ metadata: { creationTimestamp } }: CachedSandbox): number {
  return creationTimestamp === undefined ? 0 : parseTime(creationTimestamp);
}
