import type { Client, ObjectName, UntypedObject } from "@homeostat/client";
import {
  type Clock,
  ConflictError,
  HomeostatError,
  NotFoundError,
  parseApiVersion,
  type ResourceType,
} from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import type { Manifest } from "@homeostat/operator";

/** Thrown when the server does not know a kind that is to be made. */
export class UnknownKindError extends HomeostatError {
  readonly code = "UNKNOWN_KIND";
}

const fieldManager = "npm-start";

/** An object that was not there before. */
export interface Made {
  readonly type: ResourceType;
  readonly name: ObjectName;
  readonly uid: string;
}

/**
 * Applies manifests one after another, and tells of those that were not there before.
 *
 * What somebody else wrote into one that was there is an error, and stays as it is.
 */
export async function applyAll(
  client: Client,
  manifests: readonly Manifest[],
  tools: { readonly clock: Clock; readonly signal: AbortSignal; readonly onMade?: (made: Made) => void },
): Promise<void> {
  const { signal, onMade } = tools;
  for (const manifest of manifests) {
    const type = await kindOf(client, manifest, tools);
    const { name = "", namespace } = manifest.metadata;
    const place = namespace === undefined ? { name } : { name, namespace };
    const before = await client.get(type, place, { signal });
    const named = { ...manifest, metadata: { ...manifest.metadata, name } };
    const { metadata } = await client.apply(type, named, { fieldManager, signal });
    if (before === undefined) onMade?.({ type, name: place, uid: metadata.uid ?? "" });
  }
}

/** The kind of a manifest. One that was installed a moment ago is shown to everybody only a moment later. */
async function kindOf(
  client: Client,
  { apiVersion, kind }: Manifest,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<ResourceType<UntypedObject>> {
  const { group, version } = parseApiVersion(apiVersion);
  for (let tries = 0; tries < lookMax; tries += 1) {
    const { resources } = await client.mapper.all({ isFresh: tries > 0, signal });
    const found = resources.find((each) => each.group === group && each.version === version && each.kind === kind);
    if (found !== undefined) return found;
    await clock.sleep(lookPauseMs, signal);
  }
  throw new UnknownKindError(`The cluster knows no kind ${kind} of ${apiVersion}. Is it older than Kubernetes 1.29?`);
}

const lookMax = 50;
const lookPauseMs = 100;

/** Deletes what was made, the last first, and waits until each is gone. What was replaced meanwhile is left alone. */
export async function removeAll(
  client: Client,
  made: readonly Made[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  for (const { type, name, uid } of [...made].reverse()) {
    try {
      await client.delete(type, name, { preconditions: { uid }, propagation: "Background", signal });
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof ConflictError) continue;
      throw error;
    }
    while ((await client.get(type, name, { signal }))?.metadata.uid === uid) await clock.sleep(200, signal);
  }
}

/** Waits until a kind is served. */
export async function waitUntilServed(
  client: Client,
  name: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const definition = await client.get(CustomResourceDefinition, { name }, { signal });
    const conditions = definition?.status?.conditions ?? [];
    if (conditions.some(({ type, status }) => type === "Established" && status === "True")) return;
    const refused = conditions.find(({ type, status }) => type === "NamesAccepted" && status === "False");
    if (refused !== undefined)
      throw new UnknownKindError(`The cluster does not take ${name}: ${refused.message ?? ""}`);
    await clock.sleep(50, signal);
  }
}
