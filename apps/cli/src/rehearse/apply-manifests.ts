import type { Client } from "@homeostat/client";
import { ApiError, type KubeObject } from "@homeostat/core";
import { Namespace, Node } from "@homeostat/kubernetes/core/v1";
import type { Manifest, Manifests } from "./manifests.ts";
import type { Rehearsal } from "./rehearsal.ts";
import type { VirtualCluster } from "./virtual-cluster.ts";

/** A problem for which the API server refused an object. */
export interface Refusal {
  /** The file and the object. */
  readonly source: string;
  /** Empty if the problem is about the whole object. */
  readonly field: string;
  readonly message: string;
}

/** Dependencies of {@link applyManifests}. */
export interface ApplyParts {
  /** Objects that were applied so far, except for primary ones. */
  readonly given: KubeObject[];
  readonly cluster: VirtualCluster;
  readonly rehearsal: Rehearsal;
  readonly onNote: (text: string) => void;
}

const fieldManager = "kubectl";

/** Hooks of {@link applyManifests}. */
export interface ApplyHooks {
  /** Called with each warning of the API server about the primary object. */
  readonly onWarning?: (text: string) => void;
  /** Called with the primary object as the API server is about to store it. */
  readonly onAccepted?: (primary: KubeObject) => void;
}

/** Applies the objects of a file, and placeholders for objects that the primary object refers to and that do not exist. Returns the refusals of the API server. */
export async function applyManifests(
  parts: ApplyParts,
  { source, primary, others }: Manifests,
  { onWarning, onAccepted }: ApplyHooks = {},
): Promise<readonly Refusal[]> {
  const { cluster, rehearsal, onNote } = parts;
  const quiet = cluster.client();
  const write = async (
    client: Client,
    manifest: Manifest,
    { dryRun = false } = {},
  ): Promise<KubeObject | readonly Refusal[]> => {
    const object = await cluster.adapted(manifest);
    const type = await cluster.typeOf(object);
    try {
      const options = { fieldManager, force: true, fieldValidation: "Strict", dryRun } as const;
      return await cluster.settle(client.apply(type, object, options));
    } catch (error) {
      if (error instanceof ApiError) return refusalsOf(error, `${source}: ${manifest.kind} ${manifest.metadata.name}`);
      throw error;
    }
  };
  const refusals: Refusal[] = [];
  for (const manifest of others) {
    const written = await write(quiet, manifest);
    if (isList(written)) refusals.push(...written);
    else parts.given.push(written);
  }
  // Placeholders are written before the primary object, so that the operator never reconciles it without them.
  const accepted = await write(quiet, primary, { dryRun: true });
  if (isList(accepted)) refusals.push(...accepted);
  if (isList(accepted) || refusals.length > 0) return refusals;
  for (const { object, note } of rehearsal.placeholders(accepted, parts.given)) {
    const made = await write(quiet, { ...object, metadata: { ...object.metadata, name: object.metadata.name ?? "" } });
    if (isList(made)) return made;
    parts.given.push(made);
    onNote(note);
  }
  await labelNodes(parts, rehearsal.nodeLabels(accepted));
  onAccepted?.(accepted);
  const written = await write(cluster.client(onWarning), primary);
  return isList(written) ? written : [];
}

function refusalsOf({ causes, serverMessage, message }: ApiError, source: string): readonly Refusal[] {
  if (causes.length === 0) return [{ source, field: "", message: serverMessage || message }];
  return causes.map(({ field = "", message: problem = "" }) => ({ source, field, message: problem }));
}

function isList(value: KubeObject | readonly Refusal[]): value is readonly Refusal[] {
  return Array.isArray(value);
}

/** Gives all nodes the labels that pods select. */
async function labelNodes({ cluster, onNote }: ApplyParts, labels: Readonly<Record<string, string>>): Promise<void> {
  const names = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  if (names.length === 0) return;
  const client = cluster.client();
  const { items } = await cluster.settle(client.list(Node));
  for (const { metadata } of items)
    await cluster.settle(client.patch(Node, { name: metadata.name ?? "" }, { merge: { metadata: { labels } } }));
  onNote(`all simulated nodes have the labels ${names.join(", ")}, which the pods select`);
}

/** Creates the namespace of the primary object. */
export async function ensureNamespace(cluster: VirtualCluster, name: string): Promise<void> {
  const metadata = { name };
  await cluster.settle(
    cluster.client().apply(Namespace, { apiVersion: "v1", kind: "Namespace", metadata }, { fieldManager }),
  );
}
