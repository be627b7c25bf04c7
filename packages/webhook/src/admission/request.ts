import { isList, isRecord, type JsonRecord, type KubeObject, ownValue, type ResourceType } from "@homeostat/core";
import { ReviewError } from "../errors.ts";

/** Operation of an admission request. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** User of an admission request. */
export interface AdmissionUser {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  /** Further attributes of the authenticated user, as an authenticator sets them. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Data of an admission request besides the object. */
export interface AdmissionContext {
  /** Uid of the request, which is also in the audit log of the API server. */
  readonly uid: string;
  readonly operation: Operation;
  readonly user: AdmissionUser;
  readonly namespace: string;
  /** Empty if the API server has yet to generate it. */
  readonly name: string;
  /** `status`, `scale`, or empty for the object itself. */
  readonly subresource: string;
  /** True if nothing will be stored. A webhook must not have side effects then, and preferably never. */
  readonly dryRun: boolean;
  /** Aborts when the API server no longer waits for the response, or the webhook server stops. */
  readonly signal: AbortSignal;
}

/** A parsed and validated admission request. */
export interface AdmissionRequest<T extends KubeObject> {
  /** Missing on DELETE. */
  readonly object: T | undefined;
  /** Missing on CREATE. */
  readonly old: T | undefined;
  readonly context: AdmissionContext;
}

/**
 * Parses the request of a review about objects of one kind. Throws a {@link ReviewError} if it is about another kind.
 */
export function readAdmissionRequest<T extends KubeObject>(
  request: JsonRecord,
  { uid, resource, signal }: { uid: string; resource: ResourceType<T>; signal: AbortSignal },
): AdmissionRequest<T> {
  const operation = ownValue(request, "operation");
  if (!isOperation(operation)) throw new ReviewError("request.operation is unknown");
  const read = (field: string): T | undefined => {
    const value = ownValue(request, field);
    if (value === undefined || value === null) return undefined;
    if (isObjectOf(value, resource)) return value;
    throw new ReviewError(
      `request.${field} is not a ${resource.kind} of ${resource.group}/${resource.version}; check the rules of the webhook configuration`,
    );
  };
  const object = read("object");
  const old = read("oldObject");
  if ((operation === "CREATE" || operation === "UPDATE") && object === undefined) {
    throw new ReviewError("request.object is missing");
  }
  if ((operation === "UPDATE" || operation === "DELETE") && old === undefined) {
    throw new ReviewError("request.oldObject is missing");
  }
  const context: AdmissionContext = {
    uid,
    operation,
    user: readUser(ownValue(request, "userInfo")),
    namespace: text(request, "namespace"),
    name: text(request, "name"),
    subresource: text(request, "subResource"),
    dryRun: ownValue(request, "dryRun") === true,
    signal,
  };
  return { object, old, context };
}

function isOperation(value: unknown): value is Operation {
  return value === "CREATE" || value === "UPDATE" || value === "DELETE" || value === "CONNECT";
}

/**
 * Reports whether a value is an object of a kind. The API server has validated it against the schema, so only the kind
 * is checked.
 */
function isObjectOf<T extends KubeObject>(value: unknown, { group, version, kind }: ResourceType<T>): value is T {
  return (
    isRecord(value) &&
    ownValue(value, "kind") === kind &&
    ownValue(value, "apiVersion") === (group === "" ? version : `${group}/${version}`) &&
    isRecord(ownValue(value, "metadata"))
  );
}

function readUser(value: unknown): AdmissionUser {
  const user = isRecord(value) ? value : {};
  const groups = ownValue(user, "groups");
  const extra = ownValue(user, "extra");
  return {
    username: text(user, "username"),
    uid: text(user, "uid"),
    groups: texts(groups),
    extra: isRecord(extra)
      ? Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, texts(values)]))
      : {},
  };
}

function texts(value: unknown): string[] {
  return isList(value) ? value.filter((each) => typeof each === "string") : [];
}

function text(record: JsonRecord, key: string): string {
  const value = ownValue(record, key);
  return typeof value === "string" ? value : "";
}
