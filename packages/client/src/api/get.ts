import { type KubeObject, NotFoundError, type ResourceType } from "@homeostat/core";
import type { Request } from "../transport/transport.ts";
import { call, type Caller, type CallOptions, readJson, subjectOf } from "./call.ts";
import { acceptHeader, objectIn } from "./objects.ts";
import { objectPath, type ObjectName, withQuery } from "./paths.ts";
import { type Scale, type Subresource, typeOfSubresource } from "./subresource.ts";

/** Options of `get`. */
export interface GetOptions extends CallOptions {
  /** Reads a subresource. The result is the whole object, or a `Scale` for `scale`. */
  readonly subresource?: Subresource | undefined;
  /** The minimum resource version; `"0"` for any state in the server's watch cache. Default: the most recent state. */
  readonly resourceVersion?: string | undefined;
}

/** Reads an object. Returns undefined if it does not exist. */
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
    if (isObjectNotFound(error)) return undefined;
    throw error;
  }
  return objectIn(await readJson(request, response), shown, request);
}

/**
 * Reports whether an error means that the object does not exist.
 *
 * For a kind that is not served the server also returns 404, but its `details` name no object. That must be reported as an
 * error, not as a missing object.
 */
export function isObjectNotFound(error: unknown): boolean {
  return error instanceof NotFoundError && error.hasStatus && error.details.name !== undefined;
}
