import { deepClone } from "@homeostat/core";
import { managerName } from "../apply/manager-name.ts";
import {
  alreadyExistsStatus,
  generateNameConflictStatus,
  invalidStatus,
  unknownErrorStatus,
} from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import { textAt } from "../values/fields.ts";
import { admissionRequest, admit, setServerFields, inNamespace } from "./admit.ts";
import { type Call, groupKindOf, resourceOf, withManager } from "./call.ts";
import type { RegistryContext, RegistryWriteOptions, Written } from "./context.ts";
import { keyOf } from "../resources/keys.ts";
import { generatedName, nameAttemptsMax, needsName, newMeta } from "./new-meta.ts";
import { apiObject, type ApiObject, withMeta } from "./api-object.ts";
import { withoutDuplicateOwners } from "./owner-references.ts";
import { withVersion } from "./stored-object.ts";
import { readRevision } from "./revision.ts";
import { encodeWithinLimit } from "./write-limit.ts";
import type { JsonRecord, ObjectMeta } from "@homeostat/core";

/** Creates an object that `ServedKind.complete` has returned. Throws the same `StatusError` as kube-apiserver. */
export async function createObject(
  context: RegistryContext,
  call: Call,
  sent: JsonRecord,
  writeOptions: RegistryWriteOptions,
): Promise<Written> {
  const named = inNamespace(call, apiObject(sent));
  const cleaned = withMeta(
    named,
    withoutDuplicateOwners(withoutServerFields(named.metadata), { warn: call.warn, isAdmitted: false }),
  );
  const manager = managerName(writeOptions.fieldManager, call.userAgent);
  const managed = await withManager(call, (fields) => fields.update({ live: undefined, object: cleaned, manager }));
  const object = await admit(context, { call, writeOptions, object: apiObject(managed), old: undefined });
  return storeNew(context, { call, writeOptions, object, isCreate: true });
}

/** Removes the metadata that only the server sets. */
function withoutServerFields(metadata: ObjectMeta): ObjectMeta {
  const {
    uid: _uid,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    selfLink: _link,
    ...rest
  } = metadata;
  return rest;
}

interface NewObject {
  readonly call: Call;
  readonly writeOptions: RegistryWriteOptions;
  readonly object: ApiObject;
  /** True for a create request; false for an update or apply that found no object and creates it. */
  readonly isCreate?: boolean;
}

/**
 * Stores an object that passed mutating admission as a new one: for a create, and for an update or apply that found no object.
 *
 * A generated name that is taken is replaced by another one, up to `nameAttemptsMax` times (`RetryGenerateName` of kube-apiserver).
 */
export async function storeNew(context: RegistryContext, sent: NewObject): Promise<Written> {
  const write = { ...sent, object: setServerFields(context, { ...sent, old: undefined }) };
  const isGenerated = needsName(write.object.metadata);
  for (let attempts = 1; ; attempts += 1) {
    const written = await attemptStoreNew(context, write);
    if (!("taken" in written)) return written;
    const resource = resourceOf(write.call);
    const { taken, name } = written;
    if (isGenerated && attempts < nameAttemptsMax) continue;
    if (isGenerated) throw new StatusError(generateNameConflictStatus(resource, name));
    const isBeingDeleted = textAt(taken, "metadata", "deletionTimestamp") !== "";
    throw new StatusError(alreadyExistsStatus(resource, name, { isBeingDeleted }));
  }
}

/**
 * Prepares, validates and stores the object under its name or a newly generated one. Returns the existing object when the name is taken.
 */
async function attemptStoreNew(
  { store, clock, random, admission }: RegistryContext,
  { call, writeOptions, object, isCreate = false }: NewObject,
): Promise<Written | { readonly taken: JsonRecord; readonly name: string }> {
  const { kind } = call;
  const isNamespaced = kind.resource.scope === "Namespaced";
  const nowMs = clock.now();
  const made = newMeta(object.metadata, {
    namespace: isNamespaced ? call.namespace : undefined,
    hasGeneration: kind.traits.hasGeneration,
    now: nowMs,
    random,
  });
  // A placeholder: the store sets the version when it writes.
  const metadata: ObjectMeta = { ...made, resourceVersion: "0" };
  if (needsName(metadata)) metadata.name = generatedName(metadata, random);
  const named = withMeta(object, metadata);
  // `prepareNew` of custom resources changes only top-level keys, so the shallow copy is enough.
  const prepared = kind.resource.isCustom ? named : deepClone(named);
  const writeContext = {
    user: call.user,
    namespace: call.namespace,
    nowMs,
    subresource: call.subresource,
    emptyPaths: call.emptyPaths,
  };
  kind.prepareNew(prepared, writeContext);
  const name = prepared.metadata.name ?? "";
  const problems = kind.checkNew(prepared, writeContext);
  if (problems.length > 0) {
    throw new StatusError(invalidStatus(groupKindOf(call), name, problems));
  }
  for (const text of kind.warningsOf(prepared, undefined)) call.warn(text);
  const request = admissionRequest(call, writeOptions, { operation: "CREATE", object: prepared, old: undefined });
  await admission.validate(request);
  const stored = await kind.toStored(prepared);
  const key = keyOf(kind.prefix, isNamespaced ? call.namespace : "", name);
  // The storage layer of kube-apiserver checks this, after validation and admission; a dry run does not reach it.
  const version = readRevision(object.metadata.resourceVersion ?? "");
  if (isCreate && !writeOptions.isDryRun && typeof version === "number" && version > 0)
    throw new StatusError(unknownErrorStatus("resourceVersion should not be set on objects to be created"));
  const current = store.get(key);
  if (current !== undefined) return { taken: store.read(current), name };
  if (writeOptions.isDryRun) {
    // A dry run returns the version that the client sent, because no write replaces it.
    return { stored: withVersion(stored, object.metadata.resourceVersion ?? ""), entry: undefined, outcome: "created" };
  }
  admission.atWrite(request);
  const written = store.create(key, encodeWithinLimit(stored, { call, name }));
  if (written.outcome === "exists") return { taken: store.read(written.current), name };
  const { object: shown } = written.entry;
  await store.persisted();
  return { stored: shown ?? store.read(written.entry), entry: written.entry, outcome: "created" };
}
