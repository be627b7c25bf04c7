// Checks the permissions of a user in the namespaces of the workloads that a Sandbox changes.
//
// A fork is a Deployment that the operator creates with its own permissions. Without this check, permission to create Sandboxes would amount to
// permission to create Deployments in every namespace that can be used.

import type { AdmissionContext, ResourceType } from "homeostat";
import { quoteText } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { ConfigMap, Secret, Service } from "@homeostat/kubernetes/core/v1";
import { forkAccess } from "../api/identity.ts";
import { Sandbox } from "../api/sandbox.ts";
import { denial } from "../policy/denials.ts";
import type { ObjectProblem } from "../validation/problem.ts";
import type { Reference } from "../validation/references.ts";
import { mapBounded } from "./bounded.ts";
import type { ClusterReader } from "./cluster-reader.ts";

/** A workload or hook for which the operator creates objects on behalf of a user. */
export interface AccessedTarget {
  readonly namespace: string;
  readonly name: string;
  /** The field that names it. */
  readonly path: string;
  /** Objects that the operator creates for it. */
  readonly creates: readonly ("Deployment" | "Service" | "Job")[];
}

const types: Readonly<Record<AccessedTarget["creates"][number], ResourceType>> = { Deployment, Service, Job };

/** A user, and the API server that reviews the user's access. */
export interface AccessQuestion {
  readonly reader: Pick<ClusterReader, "review">;
  readonly user: AdmissionContext["user"];
  readonly signal: AbortSignal;
}

/** Maximum number of Secrets and ConfigMaps that one object may add. */
export const referencesMax = 100;

/** Returns denials for targets whose objects the user may neither create nor fork. */
export async function targetAccessProblems(
  targets: readonly AccessedTarget[],
  question: AccessQuestion,
): Promise<ObjectProblem[]> {
  const verdicts = new Map<string, Promise<boolean>>();
  const mayCreate = (kind: AccessedTarget["creates"][number], namespace: string): Promise<boolean> => {
    const key = `${kind} ${namespace}`;
    const known = verdicts.get(key) ?? isAllowed(question, { verb: "create", type: types[kind], namespace });
    verdicts.set(key, known);
    return known;
  };
  const problems = await mapBounded(targets, async ({ namespace, name, path, creates }) => {
    const { verb, subresource } = forkAccess;
    if (await isAllowed(question, { verb, type: Sandbox, subresource, namespace, name })) return [];
    const allowed = await Promise.all(creates.map(async (kind) => mayCreate(kind, namespace)));
    const missing = creates.filter((_, index) => allowed[index] === false);
    return missing.length === 0 ? [] : [targetDenial({ namespace, name, path }, missing, question.user.username)];
  });
  return problems.flat();
}

function targetDenial(
  { namespace, name, path }: Omit<AccessedTarget, "creates">,
  missing: readonly string[],
  user: string,
): ObjectProblem {
  const kinds = missing.map((kind) => `${kind}s`).join(" and ");
  const message = `user ${quoteText(user)} cannot create ${kinds} in namespace ${quoteText(namespace)} and cannot fork ${quoteText(name)}; request one of these permissions (verb ${forkAccess.verb} on ${forkAccess.resource}/${forkAccess.subresource})`;
  return denial(path, "TargetAccessDenied", message);
}

/** Returns denials for Secrets and ConfigMaps that the user may not read. */
export async function referenceAccessProblems(
  references: readonly (Reference & { readonly namespace: string })[],
  question: AccessQuestion,
): Promise<ObjectProblem[]> {
  if (references.length > referencesMax) {
    const message = `adds ${references.length} Secrets and ConfigMaps; at most ${referencesMax} are allowed`;
    return [denial("spec", "TooManyReferences", message)];
  }
  const problems = await mapBounded(references, async ({ kind, name, namespace, path }) => {
    const type = kind === "Secret" ? Secret : ConfigMap;
    if (await isAllowed(question, { verb: "get", type, namespace, name })) return [];
    const user = quoteText(question.user.username);
    const message = `user ${user} cannot get ${kind} ${quoteText(name)} in namespace ${quoteText(namespace)}, and the baseline does not use it; request permission to get it, or remove it`;
    return [denial(path, "ReferenceAccessDenied", message)];
  });
  return problems.flat();
}

async function isAllowed(
  { reader, user, signal }: AccessQuestion,
  access: Parameters<ClusterReader["review"]>[1],
): Promise<boolean> {
  const { username, uid, groups, extra } = user;
  return (await reader.review({ user: username, uid, groups, extra }, access, { signal })).isAllowed;
}
