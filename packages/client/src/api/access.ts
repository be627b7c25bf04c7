import { isRecord, type JsonRecord, ownValue, type ResourceType } from "@homeostat/core";
import type { Request } from "../transport/transport.ts";
import { type Caller, callJson, type CallOptions, malformed, subjectOf } from "./call.ts";
import { collectionPath, type PathResource } from "./paths.ts";

/** Something somebody may or may not do with objects. */
export interface ResourceAccess {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, or `*`. */
  readonly verb: string;
  /** The kind, or its group and plural; `*` for all. */
  readonly type: Pick<ResourceType, "group" | "plural"> & { readonly version?: string };
  readonly subresource?: string | undefined;
  /** Left out: in all namespaces, or for a kind of the whole cluster. */
  readonly namespace?: string | undefined;
  /** Left out: all objects. */
  readonly name?: string | undefined;
}

/** Something somebody may or may not ask of the server itself. */
export interface PathAccess {
  /** `get`, `post` and so on. */
  readonly verb: string;
  /** `/healthz`. */
  readonly path: string;
}

/** Who is asked about. */
export interface AccessSubject {
  /** `system:serviceaccount:shop:operator`. */
  readonly user: string;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  /** Further attributes of the authenticated user, as an authenticator sets them. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** What the server says about an access. */
export interface AccessVerdict {
  readonly isAllowed: boolean;
  /** Whether something forbids it outright, rather than nothing allowing it. */
  readonly isDenied: boolean;
  /** Why, where the server says so. */
  readonly reason: string;
  /** What went wrong while the server judged; the verdict may be too strict then. */
  readonly evaluationError: string;
}

/** Asks whether this client may do something. */
export function reviewOwnAccess(
  caller: Caller,
  access: ResourceAccess | PathAccess,
  options: CallOptions = {},
): Promise<AccessVerdict> {
  return review(caller, { kind: "SelfSubjectAccessReview", spec: attributes(access) }, options);
}

/** Asks whether somebody else may do something. */
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
  const answer = await callJson(caller, request);
  const status = isRecord(answer) ? ownValue(answer, "status") : undefined;
  if (!isRecord(status) || typeof ownValue(status, "allowed") !== "boolean") {
    throw malformed(request, "the review has no verdict");
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
