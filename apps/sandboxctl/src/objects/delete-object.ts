import { ConflictError, type KubeObject, type ResourceType } from "@homeostat/core";
import type { Cluster, CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import { readObject } from "./read-object.ts";
import { waitUntil } from "./wait-until.ts";

/** Options of {@link deleteObject}. */
export interface DeleteObjectOptions<T> {
  readonly name: string;
  /** First word of the commands of the kind, such as `sandbox`. */
  readonly word: string;
  /** Time to wait until the object is gone; undefined not to wait. */
  readonly waitMs: number | undefined;
  /** Called with the object before it is deleted. */
  readonly before?: (object: T) => Promise<void>;
  /** Returns what the deletion of the object waits for. */
  readonly missing: (object: T) => string;
}

/**
 * Deletes an object that was read before, with its UID as a precondition, so an object that was re-created meanwhile is kept.
 * Waits until the object is deleted.
 */
export async function deleteObject<T extends KubeObject>(
  type: ResourceType<T>,
  { client, namespace }: Cluster,
  { name, word, waitMs, before, missing }: DeleteObjectOptions<T>,
  context: CommandContext,
): Promise<void> {
  const { signal } = context;
  const place = { namespace, name };
  const next = `sandboxctl ${word} list -n ${namespace}`;
  const object = await readObject(type, { client, ...place, signal, next });
  const { uid } = object.metadata;
  await before?.(object);
  try {
    await client.delete(type, place, { signal, preconditions: { uid } });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    throw new CommandError(
      `${type.kind} ${namespace}/${name} was created again at the same time and is kept. Check it with sandboxctl ${word} get ${name} -n ${namespace}, and delete it again`,
      exitCodes.error,
      { cause: error },
    );
  }
  if (waitMs === undefined) return;
  await waitUntil(
    {
      what: `${type.kind} ${namespace}/${name} to be deleted`,
      look: async () => {
        const found = await client.get(type, place, { signal });
        if (found === undefined || found.metadata.uid !== uid) return { done: undefined };
        return { missing: missing(found) };
      },
      timeoutMs: waitMs,
      next: `sandboxctl ${word} get ${name} -n ${namespace}`,
    },
    context,
  );
}
