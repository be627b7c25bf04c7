import { type KubeObject, NotFoundError, type ResourceType } from "@homeostat/core";
import type { Request } from "../transport/transport.ts";
import { call, type Caller, type CallOptions, readJson, subjectOf } from "./call.ts";
import { acceptHeader, objectIn } from "./objects.ts";
import { objectPath, type ObjectName, withQuery } from "./paths.ts";
import { type Scale, type Subresource, typeOfSubresource } from "./subresource.ts";

/** How to read one object. */
export interface GetOptions extends CallOptions {
  /** Read this part of the object instead; the answer is the whole object, or for `scale` a `Scale`. */
  readonly subresource?: Subresource | undefined;
  /** Not older than this version; `"0"` for whatever the server has at hand. Left out: the newest. */
  readonly resourceVersion?: string | undefined;
}

/** Reads one object; undefined when there is none. */
export async function get<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  name: ObjectName,
  { subresource, resourceVersion, timeouts, signal }: GetOptions = {},
): Promise<T | Scale | undefined> {
  const shown = typeOfSubresource(type, subresource);
  const request: Request = {
    method: "GET",
    path: withQuery(objectPath(type, name, subresource), { resourceVersion }),
    headers: { accept: acceptHeader(shown, "object") },
    about: subjectOf("get", type, { ...name, subresource }),
    timeouts,
    signal,
  };
  let response;
  try {
    response = await call(caller, request);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
  return objectIn(await readJson(request, response), shown, request);
}

/**
 * Whether an error says that there is no such object.
 *
 * A server that does not know the kind answers 404 too, but names no object: that is a mistake to hear of, not an absence.
 */
export function isAbsence(error: unknown): boolean {
  return error instanceof NotFoundError && error.hasStatus && error.details.name !== undefined;
}
