import type { Client } from "@homeostat/client";
import type { KubeObject, ResourceType } from "@homeostat/core";
import { CommandError, exitCodes } from "../command/errors.ts";

/** Options of {@link readObject}. */
export interface ReadOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  readonly signal: AbortSignal;
  /** A command that lists the objects that exist. */
  readonly next: string;
}

/** Reads an object. Throws with the exit code 5 if it does not exist. */
export async function readObject<T extends KubeObject>(
  type: ResourceType<T>,
  { client, namespace, name, signal, next }: ReadOptions,
): Promise<T> {
  const object = await client.get(type, { namespace, name }, { signal });
  if (object !== undefined) return object;
  throw new CommandError(`${type.kind} ${namespace}/${name} does not exist. See ${next}`, exitCodes.notFound);
}
