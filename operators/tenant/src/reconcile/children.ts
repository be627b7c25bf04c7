import type { DeepReadonly, KubeObject, ResourceType, Stored } from "@homeostat/core";
import { ConflictError } from "@homeostat/core";
import { Secret } from "@homeostat/kubernetes/core/v1";
import type { Component } from "../api/identity.ts";
import { type Applied, applyWish, describe } from "../apply/apply.ts";
import { type Part, partsOf } from "../build/parts.ts";
import { denyAllName } from "../build/policies.ts";
import type { Situation } from "../build/situation.ts";
import { isOwned } from "../ownership/owned.ts";
import type { Wanted } from "../build/resolved-tenant.ts";
import { events } from "./events.ts";
import { cachedChild, childTypes, prunedKinds } from "./watches.ts";
import type { Pass } from "./pass.ts";
import type { Troubles } from "./troubles.ts";

/** What is to be made in the namespace of a tenant. */
export interface Making {
  readonly wanted: Wanted;
  readonly situation: Situation;
  /** Our Secret as it was read just now. */
  readonly secret: Stored<Secret> | undefined;
  readonly troubles: Troubles;
  /** Whether everything was there after an earlier pass for the same generation: then what is missing was taken away. */
  readonly wasWhole: boolean;
}

/** Makes everything that a tenant is made of, in its order, and takes away what is not wanted any more. */
export async function makeChildren(pass: Pass, making: Making): Promise<void> {
  const { wanted, situation, troubles } = making;
  const parts = partsOf(wanted, situation);
  const failed = new Set<Part>();
  for (const part of parts) {
    if (isHeldBack(part, failed)) {
      failed.add(part);
      continue;
    }
    try {
      await make(pass, making, part);
    } catch (error) {
      pass.context.signal.throwIfAborted();
      failed.add(part);
      const trouble = troubles.add(part.component, error);
      if (trouble.is === "conflict") pass.once(events.resourceConflict(trouble.message));
      pass.context.log.warn("Something of a tenant could not be made", { step: part.step, what: part.what, error });
    }
  }
  await prune(pass, making, parts);
}

/**
 * Whether an object must wait for another one that could not be made: no pod without the policy that closes the tenant off, and
 * none with a password that nobody has written down.
 */
function isHeldBack({ type }: Part, failed: ReadonlySet<Part>): boolean {
  if (type.kind !== "StatefulSet" && type.kind !== "Deployment") return false;
  return [...failed].some(
    (other) =>
      other.type.kind === "Secret" ||
      (other.type.kind === "NetworkPolicy" && other.object.metadata.name === denyAllName),
  );
}

/** What is not worth telling of by itself. */
const quiet: ReadonlySet<string> = new Set(["ServiceAccount", "PodDisruptionBudget"]);

async function make(pass: Pass, { secret, wasWhole }: Making, { type, object, what }: Part): Promise<void> {
  const { metrics, told } = pass.parts;
  const isFresh = type.kind === Secret.kind;
  const known = isFresh ? secret : cachedChild(pass.context, type, object.metadata);
  let applied: Applied;
  try {
    applied = await applyWish(pass.applyTools, { type, object, known, isFresh });
  } catch (error) {
    if (known === undefined) metrics.madeResource(type.kind, "failure");
    throw error;
  }
  const { uid, now } = pass;
  const isDrift = applied.is === "corrected" || (applied.is === "created" && wasWhole);
  if (isDrift) metrics.corrected(type.kind);
  const isWorthTelling = isDrift && told.isDriftNew({ uid, kind: type.kind, now });
  switch (applied.is) {
    case "same":
      return;
    case "created":
      metrics.madeResource(type.kind, "success");
      if (!wasWhole && !quiet.has(type.kind)) pass.event(events.created(what));
      else if (isWorthTelling) pass.event(events.deletionCorrected(describe(object)));
      return;
    case "updated":
      if (!quiet.has(type.kind)) pass.event(events.updated(what));
      return;
    case "corrected":
      pass.context.log.info("Somebody has changed an object of a tenant; it was put right", {
        object: describe(object),
        ...applied.change,
      });
      if (isWorthTelling) pass.event(events.driftCorrected(describe(object), applied.change));
  }
}

/** Takes away what was made for the tenant and is not wanted any more. What forbids goes before what allows. */
async function prune(
  pass: Pass,
  { wanted, secret, troubles, situation }: Making,
  parts: readonly Part[],
): Promise<void> {
  const kept = new Set(parts.map(({ type, object }) => `${type.kind} ${object.metadata.name}`));
  for (const kind of prunedKinds) {
    const type = childTypes.get(kind);
    if (type === undefined) continue;
    const unwanted = cachedChildren(pass, type, wanted.namespace).filter(
      (object) => !kept.has(`${kind} ${object.metadata.name ?? ""}`) && isOwned(object, pass.tenant),
    );
    for (const object of unwanted.toSorted(denyFirst)) await remove(pass, { type, object, troubles });
  }
  const isUnused = situation.auth.at === "off" && secret !== undefined && isOwned(secret, pass.tenant);
  if (isUnused) await remove(pass, { type: Secret, object: secret, troubles });
}

function cachedChildren({ context }: Pass, type: ResourceType, namespace: string): readonly DeepReadonly<KubeObject>[] {
  return context.cache.list(type, { namespace });
}

function denyFirst({ metadata: a }: DeepReadonly<KubeObject>, { metadata: b }: DeepReadonly<KubeObject>): number {
  return Number(b.name === denyAllName) - Number(a.name === denyAllName);
}

interface Removing {
  readonly type: ResourceType;
  readonly object: DeepReadonly<KubeObject>;
  readonly troubles: Troubles;
}

async function remove(pass: Pass, { type, object, troubles }: Removing): Promise<void> {
  const { client, signal } = pass.context;
  const { namespace, name = "", uid, resourceVersion, deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined || uid === undefined) return;
  try {
    // On condition of what was looked at: whatever it has become since is looked at anew.
    const preconditions = { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    await client.delete(type, { namespace, name }, { preconditions, propagation: "Background", signal });
    pass.parts.metrics.deletedResource(type.kind, "success");
  } catch (error) {
    pass.context.signal.throwIfAborted();
    if (!(error instanceof ConflictError)) pass.parts.metrics.deletedResource(type.kind, "failure");
    troubles.add(componentOf(type), error);
  }
}

function componentOf({ kind }: ResourceType): Component {
  if (kind === "NetworkPolicy") return "network-policy";
  if (kind === "RoleBinding") return "access";
  return kind === "Secret" || kind === "PodDisruptionBudget" ? "redis" : "quota";
}
