import { deepClone, isList, isRecord, type JsonRecord, type ObjectMeta } from "@homeostat/core";
import { keepManagerTimes } from "../apply/keep-times.ts";
import {
  conflictStatus,
  invalidStatus,
  modifiedText,
  notFoundStatus,
  storagePreconditionStatus,
  unknownErrorStatus,
} from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { Entry } from "../storage/entry.ts";
import { admissionRequest, admit, setServerFields } from "./admit.ts";
import { type Call, groupKindOf, isShownAsStored, resourceOf } from "./call.ts";
import { updatedMeta, nextGeneration } from "./updated-meta.ts";
import { storeNew } from "./create-object.ts";
import type { RegistryContext, RegistryWriteOptions, Written } from "./context.ts";
import { keyOf, registryPath } from "../resources/keys.ts";
import { apiObject, type ApiObject, withMeta } from "./api-object.ts";
import { encodeStored } from "./stored-object.ts";
import { readRevision } from "./revision.ts";
import { encodeWithinLimit } from "./write-limit.ts";

/** Source of the new object of an update. */
export interface UpdateSource {
  /** Uid that the stored object must have; undefined for any. */
  readonly uid?: string | undefined;
  /** True if a missing object is created even when its kind does not allow create on update, as for server-side apply. */
  readonly creates: boolean;
  /**
   * Returns the new object, with its `managedFields`. `old` is the stored object, or undefined when there is none. Called again when
   * another write came first.
   */
  readonly make: (old: ApiObject | undefined) => ApiObject | Promise<ApiObject>;
}

/**
 * Updates an object, or creates it if its kind allows that. Retries when another write comes first.
 *
 * Throws the same `StatusError` as kube-apiserver.
 */
export async function updateObject(
  context: RegistryContext,
  call: Call,
  source: UpdateSource,
  writeOptions: RegistryWriteOptions,
): Promise<Written> {
  for (;;) {
    const written = await attemptUpdate(context, call, source, writeOptions);
    if (written !== undefined) return written;
  }
}

/**
 * Runs one attempt of an update. Returns undefined when another write came first, so that the caller starts over with the new object.
 *
 * The order is that of `Store.Update` in `k8s.io/apiserver`, because it decides which of several errors a client gets: uid, mutating
 * admission, `resourceVersion`, validation, validating admission. The new object is made from the stored one in every attempt: a patch or
 * apply therefore succeeds although another write came first, while a PUT with an outdated `resourceVersion` fails with a conflict.
 */
async function attemptUpdate(
  context: RegistryContext,
  call: Call,
  source: UpdateSource,
  writeOptions: RegistryWriteOptions,
): Promise<Written | undefined> {
  const { kind, name } = call;
  const { store } = context;
  const key = keyOf(kind.prefix, kind.resource.scope === "Namespaced" ? call.namespace : "", name);
  const entry = store.get(key);
  const old = entry === undefined ? undefined : apiObject(await servedForm(context, call, entry));
  const resource = resourceOf(call);
  const found = old?.metadata.uid ?? "";
  if (old === undefined && !source.creates && !kind.traits.allowsCreateOnUpdate)
    throw new StatusError(notFoundStatus(resource, name));
  if (source.uid !== undefined && source.uid !== found)
    throw new StatusError(
      storagePreconditionStatus(resource, name, { key: registryPath(call, writeOptions), wanted: source.uid, found }),
    );
  const made = await source.make(old);
  const object = await admit(context, { call, writeOptions, object: made, old });
  if (entry === undefined || old === undefined) {
    context.checkMayCreate(call);
    return storeNew(context, { call, writeOptions, object });
  }
  checkVersion(call, object, old);
  const prepared = prepare(context, call, setServerFields(context, { call, writeOptions, object, old }), old);
  await context.admission.validate(
    admissionRequest(call, writeOptions, { operation: "UPDATE", object: prepared, old }),
  );
  return replace(context, { call, writeOptions, prepared, old, entry, key });
}

/** Returns the stored object in the version of the call. It may be shared and must not be changed. */
function servedForm(
  { store }: RegistryContext,
  { kind }: Call,
  entry: Entry<JsonRecord>,
): JsonRecord | Promise<JsonRecord> {
  const stored = store.read(entry);
  return kind.resource.isCustom && isShownAsStored(kind, entry) ? stored : kind.fromStored(stored);
}

function checkVersion(call: Call, { metadata }: ApiObject, old: ApiObject): void {
  const { kind, name } = call;
  const resource = resourceOf(call);
  const text = metadata.resourceVersion ?? "";
  const version = readRevision(text);
  if (typeof version !== "number") {
    throw new StatusError(unknownErrorStatus(version.problem));
  }
  if (version === 0) {
    if (kind.traits.allowsUnconditionalUpdate) return;
    const detail = "must be specified for an update";
    const message = `Invalid value: 0: ${detail}`;
    const problem = { path: "metadata.resourceVersion", type: "Invalid", detail, message } as const;
    // kube-apiserver puts the plural where the kind belongs.
    throw new StatusError(invalidStatus({ group: resource.group, kind: resource.resource }, name, [problem]));
  }
  if (String(version) !== old.metadata.resourceVersion)
    throw new StatusError(conflictStatus(resource, name, modifiedText));
}

function prepare({ clock }: RegistryContext, call: Call, object: ApiObject, old: ApiObject): ApiObject {
  const { kind, subresource } = call;
  const { traits } = kind;
  const sent = object.metadata;
  const metadata: ObjectMeta = {
    ...updatedMeta(sent, old.metadata),
    resourceVersion: old.metadata.resourceVersion ?? "",
  };
  // Changing a server-set field is reported as an invalid field by validation, so the sent value must be kept until then.
  if (sent.uid !== undefined && sent.uid !== "") metadata.uid = sent.uid;
  if (sent.deletionTimestamp !== undefined) metadata.deletionTimestamp ??= sent.deletionTimestamp;
  const { deletionGracePeriodSeconds: seconds } = sent;
  if (seconds !== undefined) metadata.deletionGracePeriodSeconds = seconds;
  const { generation } = old.metadata;
  if (generation === undefined) delete metadata.generation;
  else metadata.generation = generation;
  const changed = withMeta(object, metadata);
  // `prepareChanged` of custom resources changes only top-level keys; nested values stay shared with the stored object.
  const prepared = kind.resource.isCustom ? changed : deepClone(changed);
  const writeContext = {
    user: call.user,
    namespace: call.namespace,
    nowMs: clock.now(),
    subresource,
    emptyPaths: call.emptyPaths,
  };
  kind.prepareChanged(prepared, old, writeContext);
  const next = newGeneration(call, prepared, old);
  if (next !== undefined) prepared.metadata.generation = next;
  const problems = kind.checkChanged(prepared, old, writeContext);
  if (problems.length > 0) {
    throw new StatusError(invalidStatus(groupKindOf(call), prepared.metadata.name ?? "", problems));
  }
  for (const text of kind.warningsOf(prepared, old)) call.warn(text);
  return traits.hasGeneration ? prepared : withoutGeneration(prepared, old);
}

/** Removes a generation that the client set on a kind without generation. */
function withoutGeneration(object: ApiObject, old: ApiObject): ApiObject {
  if (object.metadata.generation === old.metadata.generation) return object;
  const { generation: _, ...rest } = object.metadata;
  return withMeta(object, rest);
}

function newGeneration({ kind, subresource }: Call, object: ApiObject, old: ApiObject): number | undefined {
  const { generation = 0 } = old.metadata;
  if (subresource === "status" || !kind.traits.hasGeneration) return old.metadata.generation;
  if (kind.incrementsGeneration !== undefined)
    return kind.incrementsGeneration(object, old) ? generation + 1 : old.metadata.generation;
  return nextGeneration(object, old, kind.traits);
}

/**
 * Stores the prepared object, or removes it when the update removed its last finalizer.
 *
 * An update that changes no byte is not written: it keeps the `resourceVersion` and causes no watch event, as on kube-apiserver.
 * Controllers that write the same status again and again would otherwise trigger their own next reconcile. Returns undefined when
 * another write came first.
 */
async function replace(
  { store, admission }: RegistryContext,
  {
    call,
    writeOptions,
    prepared,
    old,
    entry,
    key,
  }: {
    readonly call: Call;
    readonly writeOptions: RegistryWriteOptions;
    readonly prepared: ApiObject;
    readonly old: ApiObject;
    readonly entry: Entry<JsonRecord>;
    readonly key: string;
  },
): Promise<Written | undefined> {
  const { kind } = call;
  const object = keepManagerTimes(old, prepared);
  const stored = await kind.toStored(object);
  if (isFinalRemoval(call, prepared, old)) {
    if (writeOptions.isDryRun) return { stored, entry: undefined, outcome: "removed" };
    const removed = store.delete(key, { ifRevision: entry.revision });
    if (removed.outcome === "conflict") return undefined;
    await store.persisted();
    return { stored, entry: undefined, outcome: "removed" };
  }
  if (!differsInScalar(stored, store.read(entry)) && areEqualBytes(encodeStored(stored), entry.bytes))
    return { stored: store.read(entry), entry, outcome: "same" };
  if (writeOptions.isDryRun) return { stored, entry: undefined, outcome: "changed" };
  // `toStored` may have waited for a conversion webhook. Checked before `atWrite`, which must run for the attempt that is written only.
  const current = store.get(key);
  if (current?.revision !== entry.revision) return undefined;
  admission.atWrite(admissionRequest(call, writeOptions, { operation: "UPDATE", object: prepared, old }));
  const written = store.update(key, encodeWithinLimit(stored, { call, name: call.name, replaced: entry.revision }), {
    ifRevision: entry.revision,
  });
  if (written.outcome !== "written") return undefined;
  await store.persisted();
  return { stored: store.read(written.entry), entry: written.entry, outcome: "changed" };
}

/** Reports whether this update removes the last finalizer of an object that is being deleted, so that the object is removed. */
function isFinalRemoval({ kind }: Call, { metadata, ...rest }: ApiObject, old: ApiObject): boolean {
  if ((metadata.finalizers ?? []).length > 0 || old.metadata.deletionTimestamp === undefined) return false;
  if ((old.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false;
  return kind.termination?.isFinal({ ...rest, metadata }) ?? true;
}

const comparedDepthMax = 8;

/**
 * Reports whether two objects differ in a string or number that both have at the same path, or in the length of a list. Most updates
 * change such a value, and are then recognized as a change without encoding the object. False only means that the bytes must be compared.
 */
function differsInScalar(a: unknown, b: unknown, depth: number = 0): boolean {
  if (a === b) return false;
  if (typeof a === "string" || typeof a === "number") return typeof b === typeof a && a !== b;
  if (depth > comparedDepthMax) return false;
  if (isList(a)) {
    if (!isList(b)) return false;
    return a.length !== b.length || a.some((each, at) => differsInScalar(each, b[at], depth + 1));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  return Object.keys(a).some((key) => Object.hasOwn(b, key) && differsInScalar(a[key], b[key], depth + 1));
}

function areEqualBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
