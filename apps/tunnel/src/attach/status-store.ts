import type { Client } from "@homeostat/client";
import { ConflictError, type DeepReadonly } from "@homeostat/core";
import { LocalWorkload } from "@homeostat/sandbox-operator";
import type { TunnelStatus } from "./machines.ts";

/** Name of this program as a writer of status fields. */
const fieldManager = "sandbox-tunnel";
/** Attempts to write a status that other writers change at the same time. */
const attemptsMax = 8;

/** Fields of a machine in a status: a merge patch leaves fields that it does not name. */
const machineFields = [
  "tunnelId",
  "epoch",
  "machine",
  "host",
  "user",
  "clientVersion",
  "connectedAt",
  "lastHeartbeat",
  "disconnectedAt",
  "reason",
  "rttMillis",
  "replica",
  "address",
  "localTarget",
  "localMessage",
] as const;

/** Options of {@link changeStatus}. */
export interface ChangeStatusOptions {
  readonly client: Pick<Client, "get" | "patch">;
  readonly key: { readonly namespace: string; readonly name: string };
  readonly uid: string;
  /** The object as the cache has it; the live object is read after a conflict. */
  readonly cached: DeepReadonly<LocalWorkload> | undefined;
  readonly signal?: AbortSignal;
}

/**
 * Changes the status of a LocalWorkload. `change` returns undefined to write nothing, and is called again with the live object after that and after a conflict.
 * Resolves with false if the object does not exist any more.
 */
export async function changeStatus(
  { client, key, uid, cached, signal }: ChangeStatusOptions,
  change: (object: DeepReadonly<LocalWorkload>) => TunnelStatus | undefined,
): Promise<boolean> {
  const options = signal === undefined ? {} : { signal };
  let object = cached ?? (await client.get(LocalWorkload, key, options));
  for (let attempt = 1; ; attempt += 1) {
    if (object === undefined || object.metadata.uid !== uid) return false;
    const status = change(object);
    if (status === undefined) {
      // The cache may be older than the last write of this replica.
      if (object !== cached) return true;
      object = await client.get(LocalWorkload, key, options);
      continue;
    }
    const { resourceVersion } = object.metadata;
    try {
      const merge = {
        metadata: { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
        status: patchOf(status),
      };
      await client.patch(LocalWorkload, key, { merge }, { ...options, subresource: "status", fieldManager });
      return true;
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === attemptsMax) throw error;
      object = await client.get(LocalWorkload, key, options);
    }
  }
}

function patchOf({ connection, machines }: TunnelStatus): object {
  const fields =
    connection === undefined
      ? null
      : Object.fromEntries(machineFields.map((field) => [field, connection[field] ?? null]));
  return { connection: fields, machines: machines === undefined ? null : machines };
}
