import { deepClone, formatTime, type JsonRecord, type ObjectMeta, parseTime } from "@homeostat/core";
import { conflictStatus, notFoundStatus, preconditionFailedStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { Entry } from "../storage/entry.ts";
import { admissionRequest } from "./admit.ts";
import { type Call, resourceOf } from "./call.ts";
import { decideDeletion, type DeletionRequest } from "./deletion.ts";
import type { RegistryContext, RegistryWriteOptions } from "./context.ts";
import { keyOf } from "../resources/keys.ts";
import { apiObject, type ApiObject, withMeta } from "./api-object.ts";
import { encodeAtRevision, withVersion } from "./stored-object.ts";

/** Result of a delete request. */
export interface DeleteResult {
  /** The object in its last stored form. */
  readonly stored: JsonRecord;
  /** The store entry; undefined when the object was deleted. */
  readonly entry: Entry<JsonRecord> | undefined;
  /**
   * `gone`: deleted. `marked`: the deletion timestamp or finalizers were written, and the object is deleted later. `waiting`: the object
   * was already being deleted and the request changed nothing.
   */
  readonly outcome: "gone" | "waiting" | "marked";
}

/**
 * Deletes an object, or starts its graceful deletion. Retries when another write comes first.
 *
 * Throws the same `StatusError` as kube-apiserver.
 */
export async function deleteObject(
  context: RegistryContext,
  call: Call,
  deletion: DeletionRequest,
  writeOptions: Pick<RegistryWriteOptions, "isDryRun" | "options">,
): Promise<DeleteResult> {
  const { kind, name } = call;
  const key = keyOf(kind.prefix, kind.resource.scope === "Namespaced" ? call.namespace : "", name);
  for (;;) {
    const entry = context.store.get(key);
    if (entry === undefined) throw new StatusError(notFoundStatus(resourceOf(call), name));
    const removed = await attemptDelete(context, call, { deletion, writeOptions, entry });
    if (removed !== undefined) return removed;
  }
}

interface Attempt {
  readonly deletion: DeletionRequest;
  readonly writeOptions: Pick<RegistryWriteOptions, "isDryRun" | "options">;
  readonly entry: Entry<JsonRecord>;
}

/** Runs one attempt of a deletion. Returns undefined when another write came first, so that the caller starts over. */
async function attemptDelete(
  context: RegistryContext,
  call: Call,
  attempt: Attempt,
): Promise<DeleteResult | undefined> {
  const { kind, name } = call;
  const { store, clock, admission } = context;
  const { writeOptions, entry } = attempt;
  const stored = store.read(entry);
  const old = apiObject(await kind.fromStored(stored));
  const deletion = withDefaultPropagation(call, attempt.deletion, old);
  if (kind.termination !== undefined) {
    const ended = await terminate(context, call, attempt, old);
    if (ended !== "generic") return ended;
  }
  const grace = kind.gracePeriodSeconds?.(old, deletion.gracePeriodSeconds);
  const isRequested = deletion.gracePeriodSeconds !== undefined && grace !== undefined;
  const decided = decideDeletion(
    old,
    { ...deletion, ...(isRequested ? { gracePeriodSeconds: grace } : {}) },
    { graceSeconds: grace, now: clock.now() },
  );
  if (decided.type === "refused") {
    const { group, kind: word } = kind.resource;
    throw new StatusError(conflictStatus({ group, resource: word }, name, decided.detail));
  }
  const request = admissionRequest(call, writeOptions, { operation: "DELETE", object: undefined, old });
  if (decided.type === "pending") return { stored, entry, outcome: "waiting" };
  await admission.mutate(request);
  await admission.validate(request);
  if (decided.type === "mark") {
    const marked = await kind.toStored(withMeta(old, decided.object.metadata));
    return mark(context, attempt, marked);
  }
  // A kind with graceful deletion is marked even when the grace period is 0: watchers see a MODIFIED event with the deletion
  // timestamp before DELETED, as from kube-apiserver.
  const ended =
    grace === undefined ? undefined : await kind.toStored(withMeta(old, zeroGraceMeta(old.metadata, clock.now())));
  if (writeOptions.isDryRun) return { stored: ended ?? stored, entry: undefined, outcome: "gone" };
  // Another write may have come first while admission waited for webhooks.
  if (store.get(entry.key)?.revision !== entry.revision) return undefined;
  admission.atWrite(request);
  const marked =
    ended === undefined ? undefined : store.update(entry.key, encodeAtRevision(ended), { ifRevision: entry.revision });
  const last = marked?.outcome === "written" ? marked.entry : entry;
  const removed = store.delete(entry.key, { ifRevision: last.revision });
  if (removed.outcome !== "deleted") return undefined;
  await store.persisted();
  return { stored: withVersion(store.read(last), String(removed.revision)), entry: undefined, outcome: "gone" };
}

/** Returns the metadata of an object with a grace period of 0. */
function zeroGraceMeta(metadata: ObjectMeta, now: number): ObjectMeta {
  const { deletionTimestamp, deletionGracePeriodSeconds: seconds = 0, generation } = metadata;
  if (deletionTimestamp === undefined) {
    const incremented = generation === undefined || generation === 0 ? {} : { generation: generation + 1 };
    return { ...metadata, ...incremented, deletionTimestamp: formatTime(now), deletionGracePeriodSeconds: 0 };
  }
  const due = formatTime(parseTime(deletionTimestamp) - seconds * 1000);
  return { ...metadata, deletionTimestamp: due, deletionGracePeriodSeconds: 0 };
}

/** Returns the request with the default propagation policy of the kind: `Orphan` for kinds with `orphanWarning`, if none was sent. */
function withDefaultPropagation(
  { kind, warn }: Call,
  deletion: DeletionRequest,
  { metadata }: ApiObject,
): DeletionRequest {
  if (kind.orphanWarning === undefined || deletion.propagation !== undefined) return deletion;
  if (kind.orphanWarning !== "") warn(kind.orphanWarning);
  const hasPropagationFinalizer = (metadata.finalizers ?? []).some(
    (each) => each === "orphan" || each === "foregroundDeletion",
  );
  return hasPropagationFinalizer ? deletion : { ...deletion, propagation: "Orphan" };
}

/** Stores an object whose deletion has started. Returns undefined when another write came first. */
async function mark(
  { store }: RegistryContext,
  { writeOptions, entry }: Attempt,
  marked: JsonRecord,
): Promise<DeleteResult | undefined> {
  if (writeOptions.isDryRun) return { stored: marked, entry: undefined, outcome: "marked" };
  const written = store.update(entry.key, encodeAtRevision(marked), { ifRevision: entry.revision });
  if (written.outcome !== "written") return undefined;
  await store.persisted();
  return { stored: store.read(written.entry), entry: written.entry, outcome: "marked" };
}

/**
 * Starts the two-step deletion of an object such as a namespace, whose content is deleted first. Returns `generic` when the content is
 * deleted and the object can be removed like any other.
 */
async function terminate(
  context: RegistryContext,
  call: Call,
  attempt: Attempt,
  old: ApiObject,
): Promise<DeleteResult | undefined | "generic"> {
  const { kind, name } = call;
  const { deletion, writeOptions, entry } = attempt;
  checkPreconditions(call, deletion, old);
  if (old.metadata.deletionTimestamp !== undefined) {
    if (kind.termination?.isFinal(old) === false)
      return { stored: context.store.read(entry), entry, outcome: "marked" };
    return "generic";
  }
  const request = admissionRequest({ ...call, name }, writeOptions, { operation: "DELETE", object: undefined, old });
  await context.admission.mutate(request);
  await context.admission.validate(request);
  const terminating = deepClone(old);
  terminating.metadata.deletionTimestamp = formatTime(context.clock.now());
  const others = (terminating.metadata.finalizers ?? []).filter(
    (each) => each !== "orphan" && each !== "foregroundDeletion",
  );
  if (deletion.propagation === "Orphan") terminating.metadata.finalizers = [...others, "orphan"];
  else if (deletion.propagation === "Foreground") terminating.metadata.finalizers = [...others, "foregroundDeletion"];
  else if (deletion.propagation === "Background") terminating.metadata.finalizers = others;
  kind.termination?.begin(terminating);
  return mark(context, attempt, await kind.toStored(terminating));
}

/** Throws a `StatusError` (409) when the uid or `resourceVersion` of the request is not that of the object. */
function checkPreconditions(call: Call, { preconditions = {} }: DeletionRequest, { metadata }: ApiObject): void {
  const resource = resourceOf(call);
  const { uid = "", resourceVersion = "" } = metadata;
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    const wanted = preconditions.uid;
    throw new StatusError(preconditionFailedStatus(resource, call.name, { field: "UID", wanted, found: uid }));
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const wanted = preconditions.resourceVersion;
    throw new StatusError(
      preconditionFailedStatus(resource, call.name, { field: "ResourceVersion", wanted, found: resourceVersion }),
    );
  }
}
