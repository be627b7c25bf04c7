import type { JsonRecord } from "@homeostat/core";
import type { AuthorizedRequest } from "../handlers/context.ts";
import type { HandlerResponse } from "../http/handler.ts";

/** A version of an API group that code in this process serves, in place of an aggregated API server. */
export interface LocalVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Returns the rows of its `APIResourceList`. */
  resources(): readonly JsonRecord[];
  /** Responds to a request below the path of the version. Throws a `StatusError` to reject it. */
  handle(authorized: AuthorizedRequest): Promise<HandlerResponse>;
}

/** The versions that code in this process serves. Versions may be added while the server runs. */
export interface LocalVersions {
  list(): readonly LocalVersion[];
  /** Calls a function when discovery changes. */
  subscribe(listener: () => void): void;
}

/** Returns the response for a request to a version: its resources, or the response of the version. */
export async function respondLocally(local: LocalVersion, authorized: AuthorizedRequest): Promise<HandlerResponse> {
  if (authorized.request.info.isResource) return local.handle(authorized);
  const { group, version } = local;
  const body = {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: `${group}/${version}`,
    resources: local.resources(),
  };
  return { status: 200, headers: { "Content-Type": "application/json" }, body: `${JSON.stringify(body)}\n` };
}
