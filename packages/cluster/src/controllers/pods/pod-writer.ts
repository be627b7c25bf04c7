import {
  ApiError,
  type DeepReadonly,
  dnsSubdomainProblems,
  type KubeObject,
  maskTrailingDash,
  NotFoundError,
} from "@homeostat/core";
import { Pod, type PodTemplateSpec } from "@homeostat/kubernetes/core/v1";
import type { EventNote, RecordedClient } from "@homeostat/runtime";
import { isNamespaceTerminating } from "../common/namespace-terminating.ts";
import { fieldManager } from "../common/parts.ts";
import { controllerReference, type Controlling } from "./ownership.ts";
import type { StoredPod } from "./pod-state.ts";

/** Dependencies of {@link createPod} and {@link deletePod}. */
export interface PodWriterParts {
  readonly client: RecordedClient;
  readonly signal: AbortSignal;
  readonly event: (event: EventNote) => void;
}

/** Builds a pod from a template and its owner. The API server generates the name. */
export function podOf(template: DeepReadonly<PodTemplateSpec>, owner: Controlling): DeepReadonly<Pod> {
  const { namespace, name } = owner.object.metadata as DeepReadonly<KubeObject>["metadata"];
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(namespace === undefined ? {} : { namespace }),
      generateName: generateNameOf(name ?? ""),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: template.spec ?? { containers: [] },
  };
}

/**
 * Creates a pod and records an event for the result. A refusal because the namespace is being deleted is not a
 * failure: the owner is being deleted with it.
 */
export async function createPod(pod: DeepReadonly<Pod>, { client, signal, event }: PodWriterParts): Promise<void> {
  try {
    const created = await client.create(Pod, pod, { signal, fieldManager });
    event({ reason: "SuccessfulCreate", note: `Created pod: ${created.metadata.name}` });
  } catch (error) {
    if (isNamespaceTerminating(error)) return;
    event({ type: "Warning", reason: "FailedCreate", note: `Error creating: ${messageOf(error)}` });
    throw error;
  }
}

/** Deletes a pod and records an event for the result. A pod that does not exist counts as deleted. */
export async function deletePod(pod: StoredPod, { client, signal, event }: PodWriterParts): Promise<void> {
  const { name, namespace }: DeepReadonly<KubeObject>["metadata"] = pod.metadata;
  try {
    const { wasFound } = await client.delete(Pod, { name: pod.metadata.name, namespace }, { signal });
    if (wasFound) event({ reason: "SuccessfulDelete", note: `Deleted pod: ${name}` });
  } catch (error) {
    if (error instanceof NotFoundError) return;
    event({ type: "Warning", reason: "FailedDelete", note: `Error deleting: ${messageOf(error)}` });
    throw error;
  }
}

/** Returns the message of the API server; for other errors their own message. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.serverMessage;
  return error instanceof Error ? error.message : String(error);
}

/** Returns the prefix of pod names: owner and dash, or only the owner if the dash makes the prefix invalid. */
function generateNameOf(owner: string): string {
  const prefix = `${owner}-`;
  return dnsSubdomainProblems(maskTrailingDash(prefix)).length === 0 ? prefix : owner;
}
