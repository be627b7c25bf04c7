import { ApiError, ConflictError, ForbiddenError, InvalidError } from "@homeostat/core";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { fieldManager } from "../api/identity.ts";
import { isOwned } from "../ownership/owned.ts";
import type { Wanted } from "../build/resolved-tenant.ts";
import type { Told } from "../status/derive.ts";
import { type Growth, growthOf } from "../decide/storage-growth.ts";
import { events } from "./events.ts";
import type { Pass } from "./pass.ts";
import { lookAround, type World } from "../observe/observe.ts";

/** What came of the wish for a size. */
export interface Storage {
  /** The size that the claim template of Redis keeps; undefined when it gets the one that is wanted. */
  readonly claimSize: string | undefined;
  /** What the condition says; undefined when there are no claims. */
  readonly told: Told<"StorageResized"> | undefined;
}

/** Lets the claims of Redis grow to the size that is wanted: section 9.5. */
export async function growStorage(pass: Pass, wanted: Wanted): Promise<Storage> {
  const world = lookAround(pass, wanted);
  if (!wanted.redis.isPersistent) return { claimSize: undefined, told: undefined };
  const growth = await decide(pass, wanted, world);
  const template = templateSize(world);
  if (growth.at !== "growing")
    return { claimSize: growth.at === "settled" ? undefined : template, told: tell(pass, world, growth) };
  const refusal = await growClaims(pass, wanted, growth.claims);
  if (refusal !== undefined) return { claimSize: template, told: tell(pass, world, refusal) };
  // What was just written can be read from the cache.
  const after = growthOf({ ...sizes(wanted, lookAround(pass, wanted)), canExpand: undefined });
  const isOld = after.at === "growing" && after.isTemplateOld;
  if (isOld) await dropTemplate(pass, world);
  return { claimSize: isOld ? undefined : template, told: tell(pass, world, after) };
}

async function decide(pass: Pass, wanted: Wanted, world: World): Promise<Growth> {
  const growth = growthOf({ ...sizes(wanted, world), canExpand: undefined });
  if (growth.at !== "growing" || growth.claims.length === 0) return growth;
  return growthOf({ ...sizes(wanted, world), canExpand: await canExpand(pass, world) });
}

function sizes(wanted: Wanted, world: World): Omit<Parameters<typeof growthOf>[0], "canExpand"> {
  return { wanted: wanted.redis.storage, template: templateSize(world), claims: world.claims };
}

function templateSize({ redis }: World): string | undefined {
  const size = redis?.spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"];
  return size === undefined ? undefined : String(size);
}

/** Whether the storage class lets volumes grow; undefined when that cannot be found out. */
async function canExpand({ context: { client, signal } }: Pass, { claims }: World): Promise<boolean | undefined> {
  const name = claims.find(({ spec }) => spec?.storageClassName !== undefined)?.spec?.storageClassName;
  if (name === undefined || name === "") return undefined;
  const found = await client.get(StorageClass, { name }, { signal });
  return found === undefined ? undefined : (found.allowVolumeExpansion ?? false);
}

/** Asks for more. What the API server refuses is told in its words. */
async function growClaims(
  { context: { client, signal } }: Pass,
  { namespace, redis }: Wanted,
  claims: readonly string[],
): Promise<(Growth & { at: "refused" }) | undefined> {
  const merge = { spec: { resources: { requests: { storage: redis.storage } } } };
  for (const name of claims) {
    try {
      await client.patch(PersistentVolumeClaim, { namespace, name }, { merge }, { fieldManager, signal });
    } catch (error) {
      if (!(error instanceof ForbiddenError) && !(error instanceof InvalidError)) throw error;
      return { at: "refused", reason: "ExpansionNotSupported", message: error.serverMessage };
    }
  }
  return undefined;
}

/** Deletes the StatefulSet around its pods: they run on, and the next one takes them over. */
async function dropTemplate({ context: { client, signal }, tenant }: Pass, { redis }: World): Promise<void> {
  if (redis === undefined || !isOwned(redis, tenant) || redis.metadata.deletionTimestamp !== undefined) return;
  const { namespace, name = "", uid } = redis.metadata;
  try {
    const preconditions = uid === undefined ? {} : { uid };
    await client.delete(StatefulSet, { namespace, name }, { preconditions, propagation: "Orphan", signal });
  } catch (error) {
    // Another one by now: the next pass looks at that.
    if (!(error instanceof ConflictError) || !(error instanceof ApiError)) throw error;
  }
}

function tell(pass: Pass, { claims }: World, growth: Growth): Told<"StorageResized"> | undefined {
  if (claims.length === 0) return undefined;
  switch (growth.at) {
    case "settled":
      if (pass.condition("StorageResized")?.reason === "Resizing") pass.event(events.storageResized);
      return { status: true, reason: "Resized", message: "Every volume of Redis has the wanted size" };
    case "refused":
      if (growth.reason === "ExpansionNotSupported") pass.once(events.expansionNotSupported(growth.message));
      return { status: false, reason: growth.reason, message: growth.message };
    case "growing":
      return { status: false, reason: "Resizing", message: growth.message };
  }
}
