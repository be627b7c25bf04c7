import { growVolumes, type VolumeGrowth } from "homeostat";
import { fieldManager } from "../api/identity.ts";
import { type Observed, observe } from "../observe/observe.ts";
import type { TypedCondition } from "../status/status.ts";
import { events } from "./events.ts";
import type { TenantContext } from "./tenant-context.ts";

export interface Storage {
  /** The size for the claim template of Redis; undefined to use the size of the spec. */
  readonly claimSize: string | undefined;
  /** Undefined without claims. */
  readonly condition: TypedCondition<"StorageResized"> | undefined;
}

/** Grows the volumes of Redis to the size of the spec. */
export async function growStorage(context: TenantContext, observed: Observed): Promise<Storage> {
  const { client, signal } = context.runtime;
  const { isPersistent, storage: size } = context.resolved.redis;
  if (!isPersistent) return { claimSize: undefined, condition: undefined };
  const claims = (): Observed["claims"] => observe(context).claims;
  const volumes = { statefulSet: observed.redis, claims, size };
  const { growth, templateSize } = await growVolumes({ client, fieldManager, signal, ...volumes });
  const condition = observed.claims.length === 0 ? undefined : conditionOf(context, growth);
  return { claimSize: templateSize, condition };
}

function conditionOf(context: TenantContext, growth: VolumeGrowth): TypedCondition<"StorageResized"> {
  switch (growth.state) {
    case "settled":
      if (context.condition("StorageResized")?.reason === "Resizing") context.event(events.storageResized);
      return { status: true, reason: "Resized", message: "All Redis volumes have the desired size" };
    case "refused": {
      const { reason, message } = growth;
      if (reason === "ExpansionNotSupported") context.eventOnce(events.expansionNotSupported(message));
      return { status: false, reason, message };
    }
    case "growing":
      return { status: false, reason: "Resizing", message: growth.message };
  }
}
