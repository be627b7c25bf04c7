import type { Client, UntypedObject } from "@homeostat/client";
import { manifestDocuments } from "@homeostat/client/manifests";
import { type Clock, type KubeObject, parseApiVersion, type ResourceType } from "@homeostat/core";
import { UnknownManifestKindError } from "../errors.ts";
import { isObject } from "../memory/stored-object.ts";
import { eventually } from "../waiting/eventually.ts";

/** Options of {@link applyManifests}. */
export interface ApplyManifestsOptions {
  /** Namespace of objects that name none. Default: `default`. */
  readonly namespace?: string;
  /** A `FakeClock` is advanced while a kind is not served yet. Default: the system clock. */
  readonly clock?: Clock;
}

/** Field manager of the applied objects. */
const fieldManager = "homeostat-testing";
const servedMsMax = 10_000;

/**
 * Applies objects in order, given as objects or as a YAML text with any number of documents. Waits until the API server serves the kind of each, so
 * that CRDs and their objects can be applied at once. Returns the objects as stored.
 *
 * @example
 * await applyManifests(client, [Site.crd(), { apiVersion: "example.com/v1", kind: "Site", metadata: { name: "shop" }, spec: {} }]);
 */
export async function applyManifests(
  client: Client,
  manifests: string | readonly (KubeObject | UntypedObject)[],
  { namespace = "default", ...waiting }: ApplyManifestsOptions = {},
): Promise<KubeObject[]> {
  const documents: readonly unknown[] =
    typeof manifests === "string" ? manifestDocuments(manifests, "the manifests") : manifests;
  const stored: KubeObject[] = [];
  for (const document of documents) {
    // An empty document is null.
    if (!isObject(document)) continue;
    const type = await servedKind(client, document, waiting);
    const place = type.scope === "Namespaced" ? { namespace } : {};
    const object = { ...document, metadata: { name: "", ...place, ...document.metadata } };
    stored.push(await client.apply(type, object, { fieldManager, force: true }));
  }
  return stored;
}

/** Waits until the API server serves the kind of an object. */
async function servedKind(
  client: Client,
  { apiVersion, kind }: KubeObject,
  waiting: Pick<ApplyManifestsOptions, "clock">,
): Promise<ResourceType> {
  const name = { ...parseApiVersion(apiVersion), kind };
  const find = async (): Promise<ResourceType> => {
    const found = await client.mapper.byKind(name);
    if (found !== undefined) return found;
    // The mapper refreshes itself at most once a second.
    await client.mapper.all({ isFresh: true });
    const fresh = await client.mapper.byKind(name);
    if (fresh !== undefined) return fresh;
    const advice = "apply its CRD first, or check apiVersion and kind";
    throw new UnknownManifestKindError(`The API server does not serve the kind ${kind} of ${apiVersion}: ${advice}.`);
  };
  try {
    return await eventually(find, { ...waiting, timeoutMs: servedMsMax });
  } catch (error) {
    throw error instanceof Error && error.cause instanceof UnknownManifestKindError ? error.cause : error;
  }
}
