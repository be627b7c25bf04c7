import { type ApiResource, type Client, metadataOnly } from "@homeostat/client";
import {
  ApiError,
  type KubeObject,
  formatApiVersion,
  MethodNotAllowedError,
  NotFoundError,
  parseTime,
} from "@homeostat/core";
import { Pod } from "@homeostat/kubernetes/core/v1";

/** The objects of one kind that remain in a namespace. */
export interface Leftover {
  readonly kind: ApiResource;
  readonly count: number;
  readonly finalizers: ReadonlyMap<string, number>;
  /** Estimated time until they are deleted; 0 when there is no estimate. */
  readonly estimateSeconds: number;
  readonly problem?: string;
}

/** Estimated time that finalizers take (`finalizerEstimateSeconds`). */
const finalizerSeconds = 15;

/**
 * Deletes all objects of one kind in a namespace and returns what remains. `graceSeconds` is the time they may take
 * to terminate.
 */
export async function deleteContent(
  client: Client,
  kind: ApiResource,
  {
    namespace,
    graceSeconds = 0,
    signal,
  }: { readonly namespace: string; readonly graceSeconds?: number; readonly signal: AbortSignal },
): Promise<Leftover> {
  const nothing: Leftover = { kind, count: 0, finalizers: new Map(), estimateSeconds: 0 };
  try {
    const before = await listContent(client, kind, namespace, signal);
    if (before === undefined || before.length === 0) return nothing;
    await deleteAll(client, kind, before, { namespace, signal });
    const after = (await listContent(client, kind, namespace, signal)) ?? [];
    return leftover(kind, after, { namespace, graceSeconds });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...nothing, problem: error.serverMessage };
  }
}

/**
 * Classifies the objects that remain after deletion. Objects with neither a finalizer nor a grace period are an
 * error.
 */
export function leftover(
  kind: ApiResource,
  objects: readonly KubeObject[],
  { namespace, graceSeconds = 0 }: { readonly namespace: string; readonly graceSeconds?: number },
): Leftover {
  const finalizers = new Map<string, number>();
  for (const { metadata } of objects) {
    for (const finalizer of metadata.finalizers ?? []) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  }
  const common = { kind, count: objects.length, finalizers };
  if (objects.length === 0) return { ...common, estimateSeconds: 0 };
  if (graceSeconds > 0) return { ...common, estimateSeconds: graceSeconds };
  if (finalizers.size > 0) return { ...common, estimateSeconds: finalizerSeconds };
  const gvr = `${kind.group}/${kind.version}, Resource=${kind.plural}`;
  const problem = `unexpected items still remain in namespace: ${namespace} for gvr: ${gvr}`;
  return { ...common, estimateSeconds: 0, problem };
}

/**
 * Returns the longest grace period of the running pods, or 0 when it has passed since the deletion of the namespace.
 */
export function podSeconds(pods: readonly Pod[], deletedAt: string, now: number): number {
  const seconds = pods
    .filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed")
    .map(({ spec }) => spec?.terminationGracePeriodSeconds ?? 0)
    .reduce((most, one) => Math.max(most, one), 0);
  return now - parseTime(deletedAt) >= seconds * 1000 ? 0 : seconds;
}

async function listContent(
  client: Client,
  kind: ApiResource,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly KubeObject[] | undefined> {
  if (!kind.verbs.includes("list")) return undefined;
  try {
    return (await client.list(metadataOnly(kind), { namespace, signal })).items;
  } catch (error) {
    if (isUnsupported(error)) return undefined;
    throw error;
  }
}

async function deleteAll(
  client: Client,
  kind: ApiResource,
  objects: readonly KubeObject[],
  { namespace, signal }: { readonly namespace: string; readonly signal: AbortSignal },
): Promise<void> {
  const propagation = "Background";
  if (kind.verbs.includes("deletecollection")) {
    try {
      await client.deleteCollection(metadataOnly(kind), { namespace, everything: true, propagation, signal });
      return;
    } catch (error) {
      if (!isUnsupported(error)) throw error;
    }
  }
  for (const { metadata } of objects) {
    try {
      await client.delete(metadataOnly(kind), { namespace, name: metadata.name ?? "" }, { propagation, signal });
    } catch (error) {
      if (!isUnsupported(error)) throw error;
    }
  }
}

function isUnsupported(error: unknown): boolean {
  return error instanceof NotFoundError || error instanceof MethodNotAllowedError;
}

/** Returns the namespaced kinds with the verb delete. */
export function deletableKinds(kinds: readonly ApiResource[]): readonly ApiResource[] {
  return kinds.filter(({ scope, verbs }) => scope === "Namespaced" && verbs.includes("delete"));
}

/** Reports whether this is the kind Pod, whose objects are deleted before all others. */
export function isPods(kind: ApiResource): boolean {
  return kind.plural === Pod.plural && formatApiVersion(kind) === formatApiVersion(Pod);
}
