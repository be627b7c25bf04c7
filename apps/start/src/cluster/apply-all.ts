import type { Client, ObjectName, UntypedObject } from "@homeostat/client";
import {
  ApiError,
  type Clock,
  ConflictError,
  type DeepReadonly,
  HomeostatError,
  NotFoundError,
  parseApiVersion,
  type ResourceType,
} from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import type { Manifest } from "@homeostat/operator";

/** Thrown when the API server does not serve the kind of an object to create. */
export class UnknownKindError extends HomeostatError {
  readonly code = "UNKNOWN_KIND";
}

const fieldManager = "npm-start";

/** An object created by this program; it did not exist before. */
export interface CreatedObject {
  readonly type: ResourceType;
  readonly name: ObjectName;
  readonly uid: string;
}

/**
 * Applies manifests in order and reports through `onCreated` those that did not exist before.
 *
 * Apply is not forced: a field of an existing object that another field manager owns causes a conflict error and is kept.
 */
export async function applyAll(
  client: Client,
  manifests: readonly Manifest[],
  context: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly onCreated?: (created: CreatedObject) => void;
  },
): Promise<void> {
  const { signal, onCreated } = context;
  for (const manifest of manifests) {
    const type = await resourceTypeOf(client, manifest, context);
    const { name = "", namespace } = manifest.metadata;
    const objectName = namespace === undefined ? { name } : { name, namespace };
    const existing = await client.get(type, objectName, { signal });
    const complete = { ...manifest, metadata: { ...manifest.metadata, name } };
    const { metadata } = await retryWhileBusy(() => client.apply(type, complete, { fieldManager, signal }), context);
    if (existing === undefined) onCreated?.({ type, name: objectName, uid: metadata.uid ?? "" });
  }
}

/** Repeats a write while a webhook is not served yet, or is too busy to respond in time. Applying an object twice has no further effect. */
async function retryWhileBusy<T>(
  write: () => Promise<T>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T> {
  for (let left = busyAttemptsMax; ; left -= 1) {
    try {
      return await write();
    } catch (error) {
      if (left <= 1 || !(error instanceof ApiError) || !isBusy(error)) throw error;
      await clock.sleep(busyPauseMs, signal);
    }
  }
}

function isBusy({ status, message }: ApiError): boolean {
  return status === 503 || (status === 500 && message.includes("failed calling webhook"));
}

const busyAttemptsMax = 20;
const busyPauseMs = 500;

/**
 * Returns the resource type of a manifest.
 *
 * Discovery is retried for a few seconds: a CRD that was just installed appears there with a delay.
 */
async function resourceTypeOf(
  client: Client,
  { apiVersion, kind }: Manifest,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<ResourceType<UntypedObject>> {
  const { group, version } = parseApiVersion(apiVersion);
  for (let attempt = 0; attempt < discoveryAttemptsMax; attempt += 1) {
    const { resources } = await client.mapper.all({ isFresh: attempt > 0, signal });
    const found = resources.find((each) => each.group === group && each.version === version && each.kind === kind);
    if (found !== undefined) return found;
    await clock.sleep(discoveryPauseMs, signal);
  }
  throw new UnknownKindError(
    `The cluster does not serve kind ${kind} in ${apiVersion}. Check that it runs Kubernetes 1.29 or newer.`,
  );
}

const discoveryAttemptsMax = 50;
const discoveryPauseMs = 100;

/**
 * Deletes the created objects in reverse order and waits until each is deleted.
 *
 * The uid precondition protects an object of the same name that was created in the meantime.
 */
export async function removeAll(
  client: Client,
  created: readonly CreatedObject[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  for (const { type, name, uid } of [...created].reverse()) {
    try {
      await client.delete(type, name, { preconditions: { uid }, propagation: "Background", signal });
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof ConflictError) continue;
      throw error;
    }
    while ((await client.get(type, name, { signal }))?.metadata.uid === uid) await clock.sleep(200, signal);
  }
}

/**
 * Waits until the API server serves the kind of a CRD. Throws an {@link UnknownKindError} when its names conflict with another CRD.
 *
 * The condition Established is not enough: kube-apiserver stores it before its handler of custom resources has seen it, and until then the
 * first object gets `404 page not found`.
 */
export async function waitUntilServed(
  client: Client,
  name: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const definition = await client.get(CustomResourceDefinition, { name }, { signal });
    const conditions = definition?.status?.conditions ?? [];
    const isEstablished = conditions.some(({ type, status }) => type === "Established" && status === "True");
    if (definition !== undefined && isEstablished && (await isServed(client, definition, signal))) return;
    const rejected = conditions.find(({ type, status }) => type === "NamesAccepted" && status === "False");
    if (rejected !== undefined)
      throw new UnknownKindError(
        `The cluster rejected the names of CustomResourceDefinition ${name}: ${rejected.message ?? ""}`,
      );
    await clock.sleep(50, signal);
  }
}

/** Reports whether the API server lists objects in the storage version, which needs no conversion webhook. */
async function isServed(
  client: Client,
  { spec }: DeepReadonly<CustomResourceDefinition>,
  signal: AbortSignal,
): Promise<boolean> {
  const version = spec.versions.find(({ storage }) => storage)?.name ?? "";
  const type: ResourceType = {
    group: spec.group,
    version,
    kind: spec.names.kind,
    plural: spec.names.plural,
    scope: spec.scope === "Cluster" ? "Cluster" : "Namespaced",
  };
  try {
    await client.list(type, { limit: 1, signal });
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}
