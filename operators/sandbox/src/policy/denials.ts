// Checks objects against policies and returns all denials with their reasons. Admission, reconciles and `sandboxctl policy check` call these
// functions. They do not check the paths of patches: the guard in `build/` compares the patched workload with its baseline.

import type { DeepReadonly } from "@homeostat/core";
import { durationSeconds, formatSeconds } from "../api/duration.ts";
import { forbiddenNamespaces, labels } from "../api/identity.ts";
import type { CachedLocalWorkload } from "../api/local-workload.ts";
import type { CachedRouteGroup } from "../api/route-group.ts";
import type { CachedSandbox, Endpoint, ServiceEntry, TargetRef } from "../api/sandbox.ts";
import { parseEndpointTarget } from "../api/spec-endpoint.ts";
import type { ObjectProblem } from "../validation/problem.ts";
import type { EffectivePolicy } from "./effective-policy.ts";
import { hookImageDenials, imageDenials } from "./image-denials.ts";
import { matchesNamespace, matchesTarget, type PolicyTarget } from "./matching.ts";

/** The state of the cluster that policies depend on. */
export interface PolicyWorld {
  /** Returns the combined policies of a namespace; undefined if the namespace does not exist. */
  policyOf(namespace: string): EffectivePolicy | undefined;
  /** Returns the labels of a workload; undefined if it does not exist. */
  labelsOf(target: Omit<PolicyTarget, "labels">): Readonly<Record<string, string>> | undefined;
}

/** Number of sandboxes in a namespace besides the one that is checked. */
export interface SandboxCounts {
  readonly inNamespace: number;
  readonly ofUser: number;
}

/** Returns a denial. */
export function denial(path: string, code: string, message: string): ObjectProblem {
  return { path, code, message, reason: "FieldValueForbidden" };
}

/** An object that policies limit. */
export type LimitedObject = CachedSandbox | CachedRouteGroup | CachedLocalWorkload;

/** Returns all denials of an object by policies, with reasons; empty if it is allowed. */
export function policyDenials(
  object: LimitedObject,
  context: { readonly namespace: string; readonly world: PolicyWorld; readonly counts?: SandboxCounts | undefined },
): ObjectProblem[] {
  switch (object.kind) {
    case "Sandbox":
      return sandboxDenials(object, context);
    case "RouteGroup":
      return routeGroupDenials(object, context);
    case "LocalWorkload":
      return localWorkloadDenials(object, context);
  }
}

/** Returns all denials of a Sandbox by policies. Without `counts`, the number of sandboxes is not checked. */
export function sandboxDenials(
  { spec }: CachedSandbox,
  {
    namespace,
    world,
    counts,
  }: { readonly namespace: string; readonly world: PolicyWorld; readonly counts?: SandboxCounts | undefined },
): ObjectProblem[] {
  if (forbiddenNamespaces.includes(namespace)) return [forbiddenHome(namespace)];
  const home = world.policyOf(namespace);
  return [
    ...spec.services.flatMap((entry, index) => [
      ...entryDenials(entry, `spec.services[${index}]`, { namespace, world }),
    ]),
    ...endpointDenials(spec.endpoints, { namespace, world }),
    ...(home === undefined ? [] : [...ttlDenials(spec.ttl, home), ...hookDenials(spec.provision, home)]),
    ...(home === undefined || counts === undefined ? [] : countDenials(counts, home)),
  ];
}

/** Returns all denials of a RouteGroup by policies. */
export function routeGroupDenials(
  { spec }: CachedRouteGroup,
  { namespace, world }: { readonly namespace: string; readonly world: PolicyWorld },
): ObjectProblem[] {
  if (forbiddenNamespaces.includes(namespace)) return [forbiddenHome(namespace)];
  return [...endpointDenials(spec.endpoints, { namespace, world })];
}

/** Returns all denials of a LocalWorkload by policies. */
export function localWorkloadDenials(
  { spec }: CachedLocalWorkload,
  { namespace, world }: { readonly namespace: string; readonly world: PolicyWorld },
): ObjectProblem[] {
  if (forbiddenNamespaces.includes(namespace)) return [forbiddenHome(namespace)];
  const { targetRef } = spec.service;
  const targetNamespace = targetRef?.namespace ?? namespace;
  const policy = world.policyOf(targetNamespace);
  return [
    ...(targetRef === undefined
      ? usabilityDenials("spec.service.name", targetNamespace, { namespace, world })
      : targetDenials(targetRef, "spec.service.targetRef", { namespace, world })),
    ...(policy?.allowLocal === false
      ? [
          denial(
            "spec.service",
            "LocalNotAllowed",
            `SandboxPolicies of namespace ${targetNamespace} do not allow LocalWorkloads; use a fork, or ask an administrator to set allowLocal`,
          ),
        ]
      : []),
  ];
}

function forbiddenHome(namespace: string): ObjectProblem {
  return denial(
    "metadata.namespace",
    "NamespaceForbidden",
    `namespace ${namespace} can never be used; create the object in another namespace`,
  );
}

interface Scope {
  /** Namespace of the object. */
  readonly namespace: string;
  readonly world: PolicyWorld;
}

function* entryDenials(entry: DeepReadonly<ServiceEntry>, path: string, scope: Scope): Iterable<ObjectProblem> {
  yield* targetDenials(entry.targetRef, `${path}.targetRef`, scope);
  const policy = scope.world.policyOf(entry.targetRef.namespace ?? scope.namespace);
  if (policy === undefined) return;
  yield* imageDenials(entry, path, policy);
}

function* targetDenials(target: DeepReadonly<TargetRef>, path: string, scope: Scope): Iterable<ObjectProblem> {
  const { kind, name, namespace = scope.namespace } = target;
  const unusable = [...usabilityDenials(path, namespace, scope)];
  yield* unusable;
  const policy = scope.world.policyOf(namespace);
  if (policy === undefined || unusable.length > 0) return;
  const subject = { kind, namespace, name, labels: scope.world.labelsOf({ kind, namespace, name }) };
  const shown = `${kind} ${namespace}/${name}`;
  if (policy.deniedTargets.some((rule) => matchesTarget(rule, subject) === true)) {
    yield denial(
      path,
      "TargetDenied",
      `${shown} is listed in deniedTargets of a SandboxPolicy; choose another workload`,
    );
  } else if (policy.allowedTargets?.every((rule) => matchesTarget(rule, subject) === false) === true) {
    yield denial(
      path,
      "TargetNotAllowed",
      `${shown} is not listed in allowedTargets of a SandboxPolicy; choose another workload, or ask an administrator to allow it`,
    );
  }
}

const unusableMessages = {
  NamespaceForbidden: (name: string) => `namespace ${name} can never be used; choose a workload of another namespace`,
  NamespaceNotEnabled: (name: string) =>
    `namespace ${name} is not enabled for sandboxes; ask an administrator to create a SandboxPolicy in it or to set the label ${labels.enabled}=true`,
  PolicyDisabled: (name: string) => `a SandboxPolicy of namespace ${name} has enabled: false; choose another namespace`,
} as const;

/** Yields the reasons why an object cannot use a namespace. */
function* usabilityDenials(path: string, target: string, { namespace, world }: Scope): Iterable<ObjectProblem> {
  const policy = world.policyOf(target);
  if (policy === undefined) {
    yield denial(path, "NamespaceMissing", `namespace ${target} does not exist; correct the name or create it`);
    return;
  }
  if (policy.unusable !== undefined) yield denial(path, policy.unusable, unusableMessages[policy.unusable](target));
  if (target === namespace) return;
  const home = { name: namespace, labels: world.policyOf(namespace)?.labels ?? {} };
  if (!policy.allowedFromNamespaces.some((rule) => matchesNamespace(rule, home))) {
    yield denial(
      path,
      "ForeignNamespaceDenied",
      `no SandboxPolicy of namespace ${target} allows objects of namespace ${namespace}; use namespace ${namespace}, or ask an administrator to set allowedFromNamespaces`,
    );
  }
}

function* endpointDenials(endpoints: readonly DeepReadonly<Endpoint>[], scope: Scope): Iterable<ObjectProblem> {
  for (const [index, { target, auth }] of endpoints.entries()) {
    const path = `spec.endpoints[${index}]`;
    const { namespace } = parseEndpointTarget(target) ?? {};
    // Validation reports targets that are not Services.
    if (namespace === undefined) continue;
    yield* usabilityDenials(`${path}.target`, namespace, scope);
    const isPublic = auth === "None";
    if (isPublic && scope.world.policyOf(namespace)?.allowPublicEndpoints === false) {
      yield denial(
        `${path}.auth`,
        "PublicEndpointDenied",
        `None needs allowPublicEndpoints of a SandboxPolicy in namespace ${namespace}; use Token or Forward`,
      );
    }
  }
}

function* ttlDenials(ttl: number | string, { maxTtlSeconds, namespace }: EffectivePolicy): Iterable<ObjectProblem> {
  const seconds = durationSeconds(ttl);
  if (maxTtlSeconds === undefined || seconds === undefined || (seconds > 0 && seconds <= maxTtlSeconds)) return;
  yield denial(
    "spec.ttl",
    "TtlTooLong",
    `${ttl} is above maxTTL of the SandboxPolicies of namespace ${namespace}; set at most ${formatSeconds(maxTtlSeconds)}`,
  );
}

function* hookDenials(hooks: CachedSandbox["spec"]["provision"], policy: EffectivePolicy): Iterable<ObjectProblem> {
  for (const [index, hook] of hooks.entries()) {
    for (const step of ["create", "delete"] as const) {
      const account = hook[step]?.serviceAccountName;
      if (account === undefined || policy.provisionServiceAccounts.includes(account)) continue;
      const message = `${account} is not listed in provisionServiceAccounts of a SandboxPolicy of namespace ${policy.namespace}; remove it, or ask an administrator to list it`;
      yield denial(`spec.provision[${index}].${step}.serviceAccountName`, "ServiceAccountNotAllowed", message);
    }
    yield* hookImageDenials(hook, `spec.provision[${index}]`, policy);
  }
}

function* countDenials(
  { inNamespace, ofUser }: SandboxCounts,
  { quota, namespace }: EffectivePolicy,
): Iterable<ObjectProblem> {
  if (inNamespace >= quota.sandboxes) {
    yield denial(
      "metadata.namespace",
      "QuotaSandboxes",
      `namespace ${namespace} has ${inNamespace} sandboxes and allows ${quota.sandboxes}; delete one that is not used`,
    );
  }
  if (ofUser >= quota.perUser) {
    yield denial(
      "metadata.namespace",
      "QuotaPerUser",
      `you have ${ofUser} sandboxes in namespace ${namespace}, which allows ${quota.perUser} per user; delete one that you do not use`,
    );
  }
}
