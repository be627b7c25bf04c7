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
import { fieldManager } from "../common/parts.ts";
import { controllerReference, type Controlling } from "./ownership.ts";
import type { StoredPod } from "./pod-state.ts";

/** What writing pods takes. */
export interface PodWriterParts {
  readonly client: RecordedClient;
  readonly signal: AbortSignal;
  readonly event: (event: EventNote) => void;
}

/** A pod as a template and its owner describe it. Its name is yet to be made. */
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

/** Creates a pod and records that, or why not. That its namespace is going is no failure: then all is going. */
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

/** Deletes a pod and records that, or why not. One that is gone is deleted. */
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

/** What the server said, in its own words. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.serverMessage;
  return error instanceof Error ? error.message : String(error);
}

/** Whether something could not be created because its namespace is on its way out. */
export function isNamespaceTerminating(error: unknown): boolean {
  return error instanceof ApiError && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
}

/** The beginning of the names of pods: with a dash, unless that makes it too long. */
function generateNameOf(owner: string): string {
  const prefix = `${owner}-`;
  return dnsSubdomainProblems(maskTrailingDash(prefix)).length === 0 ? prefix : owner;
}
