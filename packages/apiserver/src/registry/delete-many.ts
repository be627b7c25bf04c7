import type { JsonRecord } from "@homeostat/core";
import type { ListOptions } from "../request/list-options.ts";
import { StatusError } from "../status/status.ts";
import { textAt } from "../values/fields.ts";
import type { Call } from "./call.ts";
import { deleteObject, type DeleteResult } from "./delete-object.ts";
import type { DeletionRequest } from "./deletion.ts";
import type { RegistryContext, RegistryWriteOptions } from "./context.ts";
import { listObjects } from "./read-objects.ts";

/** Result of a deletecollection request: the list as it was before the deletions. */
export interface RemovedMany {
  readonly revision: number;
  readonly objects: readonly JsonRecord[];
  readonly continueToken?: string;
  readonly remainingItemCount?: number;
}

/** Deletes all objects that match the selectors. Objects that another client deletes meanwhile are skipped. */
export async function deleteMany(
  context: RegistryContext,
  call: Call,
  {
    options,
    deletion,
    writeOptions,
  }: {
    readonly options: ListOptions;
    readonly deletion: DeletionRequest;
    readonly writeOptions: Pick<RegistryWriteOptions, "isDryRun" | "options">;
  },
): Promise<RemovedMany> {
  const { revision, entries, continueToken, remainingItemCount } = await listObjects(context, call, options);
  const objects: JsonRecord[] = [];
  for (const entry of entries) {
    const stored = context.store.read(entry);
    objects.push(stored);
    const one = {
      ...call,
      name: textAt(stored, "metadata", "name"),
      namespace: textAt(stored, "metadata", "namespace"),
    };
    await deleteIfPresent(context, one, deletion, writeOptions);
  }
  return {
    revision,
    objects,
    ...(continueToken === undefined ? {} : { continueToken }),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  };
}

async function deleteIfPresent(
  context: RegistryContext,
  call: Call,
  deletion: DeletionRequest,
  writeOptions: Pick<RegistryWriteOptions, "isDryRun" | "options">,
): Promise<DeleteResult | undefined> {
  try {
    return await deleteObject(context, call, deletion, writeOptions);
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 404) return undefined;
    throw error;
  }
}
