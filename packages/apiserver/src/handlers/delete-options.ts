import { isList, isRecord, type JsonRecord } from "@homeostat/core";
import { readDeleteBody } from "../codec/delete-body.ts";
import { headerOf, type ServerRequest } from "../http/handler.ts";
import type { DeletionRequest } from "../registry/deletion.ts";
import {
  checkDeleteOptions,
  type DeleteOptions,
  readDeleteOptions,
  type WrittenDeleteOptions,
} from "../request/write-options.ts";

/**
 * Reads the options of a delete request from its body, or from its query if there is no body. Throws the same `StatusError` as
 * kube-apiserver.
 */
export async function deleteOptionsOf(request: ServerRequest): Promise<DeleteOptions> {
  const sent = readDeleteBody(await request.body(), headerOf(request.headers, "content-type") ?? "");
  return checkDeleteOptions(sent === undefined ? readDeleteOptions(request.query) : deleteOptionsFrom(sent));
}

function deleteOptionsFrom(sent: JsonRecord): WrittenDeleteOptions {
  const { dryRun, gracePeriodSeconds, orphanDependents, propagationPolicy, preconditions } = sent;
  const { uid, resourceVersion } = isRecord(preconditions) ? preconditions : {};
  return {
    dryRun: isList(dryRun) ? dryRun.filter((each) => typeof each === "string") : [],
    ...(typeof gracePeriodSeconds === "number" ? { gracePeriodSeconds } : {}),
    ...(typeof orphanDependents === "boolean" ? { orphanDependents } : {}),
    ...(typeof propagationPolicy === "string" ? { propagationPolicy } : {}),
    ...(isRecord(preconditions)
      ? {
          preconditions: {
            ...(typeof uid === "string" ? { uid } : {}),
            ...(typeof resourceVersion === "string" ? { resourceVersion } : {}),
          },
        }
      : {}),
  };
}

/** Converts the options of a request for the registry. */
export function deletionRequestOf(options: DeleteOptions): DeletionRequest {
  const { gracePeriodSeconds, orphanDependents, propagationPolicy, preconditions } = options;
  // `orphanDependents` is the deprecated predecessor of `propagationPolicy` and knows only two of the three policies.
  const fromOrphanDependents = orphanDependents === undefined ? undefined : orphanDependents ? "Orphan" : "Background";
  const propagation = propagationPolicy ?? fromOrphanDependents;
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagation === undefined ? {} : { propagation }),
    ...(preconditions === undefined ? {} : { preconditions }),
  };
}

/** Returns the options object for admission. */
export function admissionDeleteOptions({ dryRun, ...rest }: DeleteOptions): JsonRecord {
  return {
    kind: "DeleteOptions",
    apiVersion: "meta.k8s.io/v1",
    ...rest,
    ...(dryRun ? { dryRun: ["All"] } : {}),
  };
}
