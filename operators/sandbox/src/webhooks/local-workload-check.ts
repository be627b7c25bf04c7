// The check of a LocalWorkload: by admission, and by `sandboxctl policy check`.

import { isEqual } from "@homeostat/core";
import { invalidField } from "@homeostat/schema";
import type { CachedLocalWorkload } from "../api/local-workload.ts";
import type { CachedSandbox } from "../api/sandbox.ts";
import { localWorkloadDenials } from "../policy/denials.ts";
import { localWorkloadProblems } from "../validation/local-workload-rules.ts";
import { type ObjectProblem, type ObjectWarning, problemOf } from "../validation/problem.ts";
import { localWorkloadWarnings } from "../validation/warnings.ts";
import {
  type Change,
  changesSpec,
  nothingToCheck,
  type ObjectCheck,
  readPolicies,
  type WebhookTools,
} from "./admission.ts";
import { withinDeadline } from "./bounded.ts";
import { creatorProblems } from "./creator-webhooks.ts";
import { targetAccessProblems } from "./target-access.ts";

/** Checks a new or changed LocalWorkload. Reads from the API server and changes nothing. */
export async function checkLocalWorkload(
  change: Change<CachedLocalWorkload>,
  tools: WebhookTools,
): Promise<ObjectCheck> {
  const { object, old, context } = change;
  const creator = creatorProblems(object, old);
  if (!changesSpec(change)) return { ...nothingToCheck, problems: creator };
  const rules = { namespace: context.namespace, config: tools.config() };
  const known = old === undefined ? [] : localWorkloadProblems(old, rules);
  const problems = [...creator, ...localWorkloadProblems(object, rules)];
  const cluster = await withinDeadline({ ...tools, signal: context.signal }, async (signal) =>
    clusterCheck(change, tools, signal),
  );
  return {
    problems: [...problems, ...cluster.problems],
    known: [...known, ...cluster.known],
    warnings: problems.length === 0 ? [...localWorkloadWarnings(object), ...cluster.warnings] : [],
    preview: [],
  };
}

async function clusterCheck(
  { object, old, context }: Change<CachedLocalWorkload>,
  { reader }: WebhookTools,
  signal: AbortSignal,
): Promise<Omit<ObjectCheck, "preview">> {
  const { namespace, user } = context;
  const { sandboxRef, service } = object.spec;
  const targetNamespace = service.targetRef?.namespace ?? namespace;
  const [policyOf, sandbox, hasService] = await Promise.all([
    readPolicies([namespace, targetNamespace], reader, signal),
    reader.sandbox(namespace, sandboxRef.name, signal),
    reader.hasService(targetNamespace, service.name, signal),
  ]);
  const world = { policyOf, labelsOf: () => undefined };
  const entry = sandbox?.spec.services.find(({ name }) => name === service.name);
  // An entry was checked against its author when the sandbox was written. Without an entry, this object itself changes the routes of a Service.
  const isImplicit = old === undefined && entry === undefined;
  const hasNewTarget = service.targetRef !== undefined && !isEqual(service.targetRef, old?.spec.service.targetRef);
  const target = { namespace: targetNamespace, name: service.targetRef?.name ?? service.name, path: "spec.service" };
  const access =
    isImplicit || hasNewTarget
      ? await targetAccessProblems([{ ...target, creates: ["Service"] }], { reader, user, signal })
      : [];
  return {
    problems: [...localWorkloadDenials(object, { namespace, world }), ...modeProblems(service.name, entry), ...access],
    known: old === undefined ? [] : localWorkloadDenials(old, { namespace, world }),
    warnings: [...missingWarnings({ object, sandbox, isKnown: entry !== undefined || hasService })],
  };
}

function modeProblems(name: string, entry: CachedSandbox["spec"]["services"][number] | undefined): ObjectProblem[] {
  if (entry === undefined || entry.mode === "Local") return [];
  const detail = `is an entry of the sandbox with the mode ${entry.mode}; change its mode to Local, or name another entry or Service`;
  return [problemOf("EntryNotLocal", invalidField("spec.service.name", name, detail))];
}

function* missingWarnings({
  object: { spec },
  sandbox,
  isKnown,
}: {
  readonly object: CachedLocalWorkload;
  readonly sandbox: CachedSandbox | undefined;
  readonly isKnown: boolean;
}): Iterable<ObjectWarning> {
  if (sandbox === undefined) {
    yield {
      path: "spec.sandboxRef.name",
      message: `Sandbox ${spec.sandboxRef.name} does not exist in this namespace; create it`,
    };
  } else if (!isKnown) {
    yield {
      path: "spec.service.name",
      message: `${spec.service.name} is neither an entry of the sandbox nor a Service`,
    };
  }
}
