import { type AdmissionWebhook, type Finding, validatingWebhook } from "homeostat";
import { type DeepReadonly, isEqual, type KubeObject } from "@homeostat/core";
import { creatorOf } from "../api/created-by.ts";
import { type CachedSandbox, Sandbox, type ServiceEntry } from "../api/sandbox.ts";
import { parseEndpointTarget } from "../api/spec-endpoint.ts";
import { type PolicyWorld, type SandboxCounts, sandboxDenials } from "../policy/denials.ts";
import { baselineProblems } from "../validation/baseline-rules.ts";
import type { ObjectProblem, ObjectWarning } from "../validation/problem.ts";
import { entryReferences, newReferences, type Reference, workloadReferences } from "../validation/references.ts";
import { sandboxProblems } from "../validation/sandbox-rules.ts";
import { sandboxWarnings } from "../validation/warnings.ts";
import { type Change, changesSpec, findingsOf, readPolicies, type WebhookTools } from "./admission.ts";
import { mapBounded, withinDeadline } from "./bounded.ts";
import { templateOf } from "./cluster-reader.ts";
import { creatorProblems } from "./creator-webhooks.ts";
import { endpointServiceProblems } from "./endpoint-services.ts";
import { type AccessedTarget, referenceAccessProblems, targetAccessProblems } from "./target-access.ts";
import { asksForUnique, keyChangeProblems, readOwners, uniquenessProblems } from "./uniqueness.ts";

/** Builds the webhook that refuses Sandboxes that cannot or must not run. */
export function sandboxWebhook(tools: WebhookTools): AdmissionWebhook {
  return validatingWebhook({
    for: Sandbox,
    validate: (object, old, context) => findings({ object, old, context }, tools),
  });
}

async function* findings(change: Change<CachedSandbox>, tools: WebhookTools): AsyncIterable<Finding> {
  const { object, old, context } = change;
  yield* findingsOf(creatorProblems(object, old), {});
  if (!changesSpec(change)) return;
  const rules = { namespace: context.namespace, config: tools.config() };
  const known = old === undefined ? [] : sandboxProblems(old, rules);
  const problems = [...keyChangeProblems(object, old), ...sandboxProblems(object, rules)];
  const cluster = await withinDeadline({ clock: tools.clock, signal: context.signal }, async (signal) =>
    clusterProblems(change, tools, signal),
  );
  const warnings = problems.length === 0 ? [...sandboxWarnings(object), ...cluster.warnings] : cluster.warnings;
  yield* findingsOf([...problems, ...cluster.problems], { known: [...known, ...cluster.known], warnings });
}

interface ClusterProblems {
  readonly problems: readonly ObjectProblem[];
  /** Problems that the old object has in the present state of the cluster. */
  readonly known: readonly ObjectProblem[];
  readonly warnings: readonly ObjectWarning[];
}

/** Returns problems that depend on other objects and on the rights of the user. */
async function clusterProblems(
  { object, old, context }: Change<CachedSandbox>,
  { reader, config }: WebhookTools,
  signal: AbortSignal,
): Promise<ClusterProblems> {
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
  const [targets, references, services, endpoints] = await Promise.all([
    targetAccessProblems([...changed.map(accessOf), ...hookAccess(object, old, namespace)], question),
    referenceAccessProblems(
      changed.flatMap((each) => addedReferences(each, workloadOf.get(each.entry.name), old)),
      question,
    ),
    mapBounded(changed, async (each) => baselineOf(each, workloadOf.get(each.entry.name), { reader, signal })),
    endpointServiceProblems(object.spec.endpoints, old?.spec.endpoints ?? [], { reader, signal }),
  ]);
  const { domain } = config().preview;
  return {
    problems: [
      ...sandboxDenials(object, { namespace, world, counts }),
      ...targets,
      ...references,
      ...services.flat(),
      ...endpoints,
      ...uniquenessProblems(object, { namespace, others, domain }),
    ],
    known: old === undefined ? [] : sandboxDenials(old, { namespace, world }),
    warnings: entries.flatMap(({ entry, path }) =>
      workloadOf.get(entry.name) === undefined ? [missingBaseline(entry, path)] : [],
    ),
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

async function baselineOf(
  { entry, path, namespace }: PlacedEntry,
  workload: KubeObject | undefined,
  { reader, signal }: { readonly reader: WebhookTools["reader"]; readonly signal: AbortSignal },
): Promise<ObjectProblem[]> {
  if (workload === undefined) return [];
  const services = entry.serviceNames === undefined ? undefined : await reader.services(namespace, signal);
  return baselineProblems(entry, path, { template: templateOf(workload), services });
}

function missingBaseline({ targetRef }: DeepReadonly<ServiceEntry>, path: string): ObjectWarning {
  return {
    path: `${path}.targetRef`,
    message: `${targetRef.kind} ${targetRef.name} does not exist; the fork starts when it does`,
  };
}
