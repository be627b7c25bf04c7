import { isRecord, type JsonRecord, ownValue, type ResourceType } from "@homeostat/core";
import type { Request } from "../transport/transport.ts";
import { type Caller, callJson, type CallOptions, malformed, subjectOf } from "./call.ts";
import { collectionPath, type PathResource } from "./paths.ts";

/** An action on objects, to be checked by the API server. */
export interface ResourceAccess {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, or `*`. */
  readonly verb: string;
  /** The kind, or its group and plural; `*` for all. */
  readonly type: Pick<ResourceType, "group" | "plural"> & { readonly version?: string };
  readonly subresource?: string | undefined;
  /** If left out: all namespaces, or a cluster-scoped kind. */
  readonly namespace?: string | undefined;
  /** If left out: all objects. */
  readonly name?: string | undefined;
}

/** A request to a non-resource path, to be checked by the API server. */
export interface PathAccess {
  /** `get`, `post` and so on. */
  readonly verb: string;
  /** `/healthz`. */
  readonly path: string;
}

/** The user whose access is reviewed. */
export interface AccessSubject {
  /** `system:serviceaccount:shop:operator`. */
  readonly user: string;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  /** Further attributes of the authenticated user, as an authenticator sets them. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The API server's decision about an access. */
export interface AccessVerdict {
  readonly isAllowed: boolean;
  /** True if an authorizer explicitly denied it, as opposed to no authorizer allowing it. */
  readonly isDenied: boolean;
  /** The server's explanation; may be empty. */
  readonly reason: string;
  /** An error that occurred during evaluation; the decision may then be too strict. Empty if there was none. */
  readonly evaluationError: string;
}

/** Returns whether the user of this client is authorized for an access. */
export function reviewOwnAccess(
  caller: Caller,
  access: ResourceAccess | PathAccess,
  options: CallOptions = {},
): Promise<AccessVerdict> {
  return review(caller, { kind: "SelfSubjectAccessReview", spec: attributes(access) }, options);
}

/** Returns whether another user is authorized for an access. */
export function reviewAccess(
  caller: Caller,
  { user, groups, uid, extra }: AccessSubject,
  access: ResourceAccess | PathAccess,
  options: CallOptions = {},
): Promise<AccessVerdict> {
  return review(
    caller,
    { kind: "SubjectAccessReview", spec: { user, groups, uid, extra, ...attributes(access) } },
    options,
  );
}

async function review(
  caller: Caller,
  { kind, spec }: { readonly kind: string; readonly spec: object },
  { timeouts, signal }: CallOptions,
): Promise<AccessVerdict> {
  const type: PathResource = {
    group: "authorization.k8s.io",
    version: "v1",
    plural: `${kind.toLowerCase()}s`,
    scope: "Cluster",
  };
  const request: Request = {
    method: "POST",
    path: collectionPath(type),
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "authorization.k8s.io/v1", kind, spec }),
    about: subjectOf("create", type),
    isReadOnly: true,
    timeouts,
    signal,
  };
  const reviewed = await callJson(caller, request);
  const status = isRecord(reviewed) ? ownValue(reviewed, "status") : undefined;
  if (!isRecord(status) || typeof ownValue(status, "allowed") !== "boolean") {
    throw malformed(request, "the access review has no status.allowed");
  }
  return {
    isAllowed: ownValue(status, "allowed") === true,
    isDenied: ownValue(status, "denied") === true,
    reason: textIn(status, "reason"),
    evaluationError: textIn(status, "evaluationError"),
  };
}

function attributes(access: ResourceAccess | PathAccess): object {
  if ("path" in access) return { nonResourceAttributes: access };
  const { verb, type, subresource, namespace, name } = access;
  const { group, version, plural } = type;
  return { resourceAttributes: { verb, group, version, resource: plural, subresource, namespace, name } };
}

function textIn(record: JsonRecord, key: string): string {
  const value = ownValue(record, key);
  return typeof value === "string" ? value : "";
}
