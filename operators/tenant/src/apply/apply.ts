import type { ObjectToApply } from "@homeostat/client";
import {
  asStored,
  ConflictError,
  type DeepReadonly,
  InvalidError,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
  type Stored,
} from "@homeostat/core";
import { BeingDeletedError } from "@homeostat/runtime";
import { fieldManager } from "../api/identity.ts";
import { isOwned } from "../ownership/owned.ts";
import { recordedHash, stamp, type WantedObject } from "../ownership/stamp.ts";
import { type Change, changeOf } from "./change.ts";
import { type Difference, differences } from "./differences.ts";
import { ResourceConflictError } from "./errors.ts";
import { repairOf } from "./repair.ts";
import type { ApplyTools, Wish } from "./wish.ts";

/** What became of an object that is wanted. */
export type Applied = { readonly object: Stored<KubeObject> } & (
  | { readonly is: "same" }
  | { readonly is: "created" }
  /** The tenant, or this operator, has another wish than before. */
  | { readonly is: "updated" }
  /** Somebody has changed it, and it was put right. */
  | { readonly is: "corrected"; readonly change: Change }
);

/**
 * Makes an object as it is wanted, with server-side apply, unless it is so already (sections 6 and 7).
 *
 * What is not there is made without force. What is there is changed only if it was made for this tenant, and only in the fields
 * that are wanted: `ResourceConflictError` otherwise.
 */
export async function applyWish(tools: ApplyTools, wish: Wish): Promise<Applied> {
  const desired = stamp(wish.object, tools.tenant);
  // What the cache does not have may be there without our labels: then it is somebody else's.
  const live = wish.known ?? (wish.isFresh === true ? undefined : await read(tools, wish));
  if (live !== undefined) return change(tools, wish, desired, live);
  try {
    return { is: "created", object: await send(tools, wish.type, desired, { force: false }) };
  } catch (error) {
    if (!(error instanceof ConflictError) || error.conflict !== "fields") throw error;
    // Somebody has made one of that name just now.
    const other = await read(tools, wish);
    if (other === undefined) throw error;
    return change(tools, wish, desired, other);
  }
}

async function change(
  tools: ApplyTools,
  wish: Wish,
  desired: WantedObject,
  live: Stored<KubeObject>,
): Promise<Applied> {
  const { tenant } = tools;
  const name = describe(wish.object);
  if (!isOwned(live, tenant)) throw new ResourceConflictError(name, tenant.metadata.name);
  const { deletionTimestamp, finalizers = [], uid } = live.metadata;
  if (deletionTimestamp !== undefined) throw new BeingDeletedError({ object: name, finalizers });
  const found = differences(desired, live);
  if (found.length === 0) return { is: "same", object: live };
  const before = recordedHash(live);
  const isOurs = before !== undefined && before !== recordedHash(desired);
  const by = isOurs ? undefined : await changeOf(tools, wish, found);
  const object = needsAnew(wish.type, found)
    ? await replace(tools, wish, desired, live)
    : await put({ tools, wish, desired, live, found, uid });
  return by === undefined ? { is: "updated", object } : { is: "corrected", object, change: by };
}

/** Of some kinds, some fields can never be changed. */
function needsAnew({ kind }: ResourceType, found: readonly Difference[]): boolean {
  return kind === "RoleBinding" && found.some(([first]) => first === "roleRef");
}

async function replace(
  tools: ApplyTools,
  { type, object }: Wish,
  desired: WantedObject,
  live: Stored<KubeObject>,
): Promise<Stored<KubeObject>> {
  const { uid, resourceVersion } = live.metadata;
  const { client, signal } = tools;
  await client.delete(type, keyOf(object), { preconditions: { uid, resourceVersion }, signal });
  return send(tools, type, desired, { force: false });
}

interface Putting {
  readonly tools: ApplyTools;
  readonly wish: Wish;
  readonly desired: WantedObject;
  readonly live: Stored<KubeObject>;
  readonly found: readonly Difference[];
  readonly uid: string | undefined;
}

async function put({ tools, wish: { type, object }, desired, live, found, uid }: Putting): Promise<Stored<KubeObject>> {
  try {
    return await send(
      tools,
      type,
      { ...desired, metadata: { ...desired.metadata, ...(uid === undefined ? {} : { uid }) } },
      { force: true },
    );
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    const { resourceVersion } = live.metadata;
    const repair = repairOf(desired, found);
    const metadata = { ...asRecord(repair["metadata"]), resourceVersion };
    const { client, signal } = tools;
    return asStored(
      await client.patch(type, keyOf(object), { merge: { ...repair, metadata } }, { fieldManager, signal }),
    );
  }
}

function asRecord(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

async function read({ client, signal }: ApplyTools, { type, object }: Wish): Promise<Stored<KubeObject> | undefined> {
  const live = await client.get(type, keyOf(object), { signal });
  return live === undefined ? undefined : asStored(live);
}

async function send(
  { client, signal }: ApplyTools,
  type: ResourceType,
  body: WantedObject,
  { force }: { readonly force: boolean },
): Promise<Stored<KubeObject>> {
  const config: ObjectToApply<KubeObject> = body;
  return asStored(await client.apply(type, config, { fieldManager, force, signal }));
}

/** `Service tenant-acme/acme-redis` */
export function describe({ kind, metadata: { namespace = "", name = "" } }: DeepReadonly<KubeObject>): string {
  return `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
}

function keyOf({ metadata: { namespace = "", name } }: WantedObject): ObjectKey {
  return namespace === "" ? { name } : { namespace, name };
}
