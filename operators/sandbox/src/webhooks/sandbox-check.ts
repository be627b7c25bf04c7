// The check of a Sandbox: by admission, and by `sandboxctl policy check`.

import { type DeepReadonly, isEqual, type KubeObject } from "@homeostat/core";
import { creatorOf } from "../api/created-by.ts";
import type { CachedSandbox, ServiceEntry } from "../api/sandbox.ts";
import { parseEndpointTarget } from "../api/spec-endpoint.ts";
import { type PolicyWorld, type SandboxCounts, sandboxDenials } from "../policy/denials.ts";
import { type CachedService, viewService } from "../build/service-view.ts";
import { forkWarnings, guardDenials } from "../preview/fork-preview.ts";
import { baselineProblems } from "../validation/baseline-rules.ts";
import type { ObjectProblem, ObjectWarning } from "../validation/problem.ts";
import { entryReferences, newReferences, type Reference, workloadReferences } from "../validation/references.ts";
import { sandboxProblems } from "../validation/sandbox-rules.ts";
import { sandboxWarnings } from "../validation/warnings.ts";
import {
  type Change,
  changesSpec,
  nothingToCheck,
  type ObjectCheck,
  readPolicies,
  type WebhookTools,
} from "./admission.ts";
import { mapBounded, withinDeadline } from "./bounded.ts";
import { templateOf } from "./cluster-reader.ts";
import { creatorProblems } from "./creator-webhooks.ts";
import { endpointServiceProblems } from "./endpoint-services.ts";
import { type EntryWorkload, readForks, sandboxPreview } from "./sandbox-preview.ts";
import { type AccessedTarget, referenceAccessProblems, targetAccessProblems } from "./target-access.ts";
import { asksForUnique, keyChangeProblems, readOwners, uniquenessProblems } from "./uniqueness.ts";

/** Checks a new or changed Sandbox. Reads from the API server and changes nothing. */
export async function checkSandbox(change: Change<CachedSandbox>, tools: WebhookTools): Promise<ObjectCheck> {
  const { object, old, context } = change;
  const creator = creatorProblems(object, old);
  if (!changesSpec(change)) return { ...nothingToCheck, problems: creator };
  const rules = { namespace: context.namespace, config: tools.config() };
  const known = old === undefined ? [] : sandboxProblems(old, rules);
  const problems = [...creator, ...keyChangeProblems(object, old), ...sandboxProblems(object, rules)];
  const cluster = await withinDeadline({ ...tools, signal: context.signal }, async (signal) =>
    clusterCheck(change, { tools, signal, isValid: problems.length === 0 }),
  );
  return {
    problems: [...problems, ...cluster.problems],
    known: [...known, ...cluster.known],
    warnings: problems.length === 0 ? [...sandboxWarnings(object), ...cluster.warnings] : cluster.warnings,
    preview: cluster.preview,
  };
}

/** Returns the problems that depend on other objects and on the permissions of the user. */
async function clusterCheck(
  { object, old, context }: Change<CachedSandbox>,
  { tools, signal, isValid }: { readonly tools: WebhookTools; readonly signal: AbortSignal; readonly isValid: boolean },
): Promise<ObjectCheck> {
  const { reader, config } = tools;
  const { namespace, user } = context;
  const entries = object.spec.services.map((entry, index) => ({
    entry,
    path: `spec.services[${index}]`,
    namespace: entry.targetRef.namespace ?? namespace,
  }));
  const changed = entries.filter(({ entry }) => !old?.spec.services.some((before) => isEqual(before, entry)));
  const [policyOf, workloads, counts, others] = await Promise.all([
    readPolicies(namespacesOf(object, namespace), reader, signal),
    mapBounded(entries, async (each) => reader.workload(each.entry.targetRef, each.namespace, signal)),
    old === undefined ? countSandboxes(reader, { namespace, user: user.username, signal }) : undefined,
    asksForUnique(object, old) ? readOwners(reader, signal) : [],
  ]);
  const workloadOf = new Map(entries.map(({ entry }, index) => [entry.name, workloads[index]]));
  const world = worldOf(policyOf, entries, workloads);
  const question = { reader, user, signal };
  const entryWorkloads = entries.map((each): EntryWorkload => ({ ...each, workload: workloadOf.get(each.entry.name) }));
  const [targets, references, forks, endpoints] = await Promise.all([
    targetAccessProblems([...changed.map(accessOf), ...hookAccess(object, old, namespace)], question),
    referenceAccessProblems(
      changed.flatMap((each) => addedReferences(each, workloadOf.get(each.entry.name), old)),
      question,
    ),
    readForks(
      { object, old, entries: entryWorkloads, changed: new Set(changed.map(({ entry }) => entry.name)) },
      {
        reader,
        signal,
        policyOf,
        namespace,
        config: config(),
        isDryRun: context.dryRun,
        isValid,
      },
    ),
    endpointServiceProblems(object.spec.endpoints, old?.spec.endpoints ?? [], { reader, signal }),
  ]);
  const { domain } = config().preview;
  return {
    problems: [
      ...sandboxDenials(object, { namespace, world, counts }),
      ...targets,
      ...references,
      ...changed.flatMap((each) => entryProblems(each, workloadOf.get(each.entry.name), forks.services)),
      ...guardDenials(forks.previews),
      ...endpoints,
      ...uniquenessProblems(object, { namespace, others, domain }),
    ],
    known: old === undefined ? [] : [...sandboxDenials(old, { namespace, world }), ...guardDenials(forks.before)],
    warnings: [
      ...entries.flatMap(({ entry, path }) =>
        workloadOf.get(entry.name) === undefined ? [missingBaseline(entry, path)] : [],
      ),
      ...forkWarnings(forks.previews),
    ],
    preview:
      context.dryRun && isValid ? await sandboxPreview({ object, old, forks }, { reader, signal, namespace }) : [],
  };
}

interface PlacedEntry {
  readonly entry: DeepReadonly<ServiceEntry>;
  readonly path: string;
  /** Namespace of the workload. */
  readonly namespace: string;
}

function namespacesOf({ spec }: CachedSandbox, namespace: string): string[] {
  return [
    namespace,
    ...spec.services.map(({ targetRef }) => targetRef.namespace ?? namespace),
    ...spec.endpoints.map(({ target }) => parseEndpointTarget(target)?.namespace ?? namespace),
  ];
}

function worldOf(
  policyOf: PolicyWorld["policyOf"],
  entries: readonly PlacedEntry[],
  workloads: readonly (KubeObject | undefined)[],
): PolicyWorld {
  const key = (target: { kind: string; namespace: string; name: string }): string =>
    [target.kind, target.namespace, target.name].join("/");
  const labels = new Map(
    entries.map(({ entry: { targetRef }, namespace }, index) => [
      key({ kind: targetRef.kind, namespace, name: targetRef.name }),
      workloads[index] && (workloads[index].metadata.labels ?? {}),
    ]),
  );
  return { policyOf, labelsOf: (target) => labels.get(key(target)) };
}

/** Counts the sandboxes of a namespace, and those of a user in it. */
async function countSandboxes(
  reader: WebhookTools["reader"],
  { namespace, user, signal }: { readonly namespace: string; readonly user: string; readonly signal: AbortSignal },
): Promise<SandboxCounts> {
  const sandboxes = await reader.sandboxes(namespace, signal);
  const ofUser = sandboxes.filter((sandbox) => creatorOf(sandbox)?.user === user).length;
  return { inNamespace: sandboxes.length, ofUser };
}

function accessOf({ entry, path, namespace }: PlacedEntry): AccessedTarget {
  return {
    namespace,
    name: entry.targetRef.name,
    path: `${path}.targetRef`,
    creates: entry.mode === "Fork" ? ["Deployment", "Service"] : ["Service"],
  };
}

/** Returns the hooks that are new or changed: the operator runs them as Jobs in the namespace of the sandbox. */
function hookAccess({ spec }: CachedSandbox, old: CachedSandbox | undefined, namespace: string): AccessedTarget[] {
  return spec.provision.flatMap((hook, index) => {
    if (old?.spec.provision.some((before) => isEqual(before, hook)) === true) return [];
    return [{ namespace, name: hook.name, path: `spec.provision[${index}]`, creates: ["Job"] }];
  });
}

/** Returns the references of an entry that neither its baseline nor the entry before the update has. */
function addedReferences(
  { entry, path, namespace }: PlacedEntry,
  workload: KubeObject | undefined,
  old: CachedSandbox | undefined,
): (Reference & { namespace: string })[] {
  const before = old?.spec.services.find(
    ({ name, targetRef }) => name === entry.name && isEqual(targetRef, entry.targetRef),
  );
  const known = [
    ...(workload === undefined ? [] : workloadReferences(workload)),
    ...(before === undefined ? [] : entryReferences(before, path)),
  ];
  return newReferences(entryReferences(entry, path), known).map((reference) => ({ ...reference, namespace }));
}

function entryProblems(
  { entry, path, namespace }: PlacedEntry,
  workload: KubeObject | undefined,
  services: ReadonlyMap<string, readonly CachedService[]>,
): ObjectProblem[] {
  if (workload === undefined) return [];
  const found = entry.serviceNames === undefined ? undefined : services.get(namespace);
  return baselineProblems(entry, path, { template: templateOf(workload), services: found?.map(viewService) });
}

function missingBaseline({ targetRef }: DeepReadonly<ServiceEntry>, path: string): ObjectWarning {
  return {
    path: `${path}.targetRef`,
    message: `${targetRef.kind} ${targetRef.name} does not exist; the fork starts when it is created`,
  };
}
