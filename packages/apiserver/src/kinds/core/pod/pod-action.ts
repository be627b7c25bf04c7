// Bindings and evictions: objects that a client POSTs to act on a pod and that are not stored.

import { isRecord, type JsonRecord } from "@homeostat/core";
import type { StoredName } from "../../../admission/cluster-reader.ts";
import type { AuthorizedRequest } from "../../../handlers/context.ts";
import type { HandlerResponse } from "../../../http/handler.ts";
import type { Call } from "../../../registry/call.ts";
import type { ServedKind } from "../../../resources/served-kind.ts";
import { registryStore } from "../../../endpoints/registry-store.ts";
import { readPosted, plainObjectResponse } from "../../../endpoints/posted-object.ts";
import type { SpecialRequest, SpecialStore } from "../../../endpoints/endpoint-store.ts";
import { noSuchResourceStatus } from "../../../status/refusals.ts";
import { type ServerStatus, StatusError } from "../../../status/status.ts";
import { textAt } from "../../../values/fields.ts";

/** Acts on a pod and returns the status for the client. */
type PodAction = (request: SpecialRequest, store: SpecialStore) => Promise<ServerStatus>;

/** Reads the object of a request, runs the action with it and responds with the resulting status. */
export async function handlePodAction(
  authorized: AuthorizedRequest,
  kind: ServedKind,
  action: PodAction,
): Promise<HandlerResponse> {
  const { request, parts } = authorized;
  const { registry, clock } = parts;
  const { namespace, name } = request.info;
  const sent = await readPosted(authorized, kind);
  const store = registryStore(registry, (target) => deletionCall(authorized, target));
  const status = await action(
    {
      namespace,
      name: name === "" ? textAt(sent.object, "metadata", "name") : name,
      object: withoutManagedFields(sent.object),
      isDryRun: sent.isDryRun,
      nowMs: clock.now(),
      validate: () => sent.validate(),
    },
    store,
  );
  return plainObjectResponse(authorized, status.code ?? 201, { ...status });
}

function withoutManagedFields(object: JsonRecord): JsonRecord {
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

function deletionCall(authorized: AuthorizedRequest, { namespace, name }: StoredName): Call {
  const { user, signal, warn, parts } = authorized;
  const kind = parts.kinds.find("", "v1", "pods");
  if (kind === undefined) throw new StatusError(noSuchResourceStatus());
  return { kind, namespace, name, subresource: "", user, userAgent: "", signal, warn };
}
