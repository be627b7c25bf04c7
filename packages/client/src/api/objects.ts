import {
  ArgumentError,
  type DeepReadonly,
  formatApiVersion,
  isRecord,
  type KubeObject,
  ownValue,
  type ResourceType,
} from "@homeostat/core";
import type { Request } from "../transport/transport.ts";
import { malformed } from "./call.ts";

/** An object of a kind without a TypeScript type: all of its fields are `unknown`. */
export interface UntypedObject extends KubeObject {
  [field: string]: unknown;
}

/** The metadata of an object, without its other fields. */
export interface PartialObjectMetadata extends KubeObject {
  apiVersion: "meta.k8s.io/v1";
  kind: "PartialObjectMetadata";
}

/** A kind of which the server sends the metadata only; see {@link metadataOnly}. */
export interface MetadataType extends ResourceType<PartialObjectMetadata> {
  readonly representation: "PartialObjectMetadata";
}

/**
 * An object to be written: an `In`, mutable or readonly; for a kind without a type, any fields.
 *
 * `In` is the writable form of a kind, such as the return type of `make` of a defined resource. Every `T` is assignable to it.
 */
export type ObjectToSend<T extends KubeObject, In extends KubeObject = T> = NoInfer<
  In | DeepReadonly<In> | AnyFields<T, UntypedObject>
>;

/** `Open` if `T` is just `KubeObject`, otherwise `never`. */
export type AnyFields<T extends KubeObject, Open> = KubeObject extends T ? Open : never;

/**
 * Returns a kind whose reads return only metadata: less to transfer, to parse and to cache.
 *
 * Pass it to any read of the client instead of the kind itself. The client then sends
 * `Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1`.
 *
 * @example
 * for await (const { metadata } of client.items(metadataOnly(Pod), { signal })) console.log(metadata.name);
 */
export function metadataOnly({ group, version, kind, plural, scope }: ResourceType): MetadataType {
  return { group, version, kind, plural, scope, representation: "PartialObjectMetadata" };
}

/** Reports whether a kind was made by {@link metadataOnly}. */
export function isMetadataOnly(type: ResourceType): boolean {
  return "representation" in type && type.representation === "PartialObjectMetadata";
}

/** Returns the `Accept` header for objects of a kind, or for lists of them. */
export function acceptHeader(type: ResourceType, form: "object" | "list"): string {
  if (!isMetadataOnly(type)) return "application/json";
  return `application/json;as=PartialObjectMetadata${form === "list" ? "List" : ""};g=meta.k8s.io;v=v1`;
}

/** Returns the `apiVersion` and `kind` of objects in responses. */
export function namesOf(type: ResourceType): { readonly apiVersion: string; readonly kind: string } {
  return isMetadataOnly(type)
    ? { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" }
    : { apiVersion: formatApiVersion(type), kind: type.kind };
}

/**
 * Returns the object in a response. Throws a `MalformedAnswerError` if it is not of the requested kind.
 *
 * Items in lists of built-in kinds have no `apiVersion` and `kind`; they are added here.
 */
export function objectIn<T extends KubeObject>(value: unknown, type: ResourceType<T>, request: Request): T {
  const names = namesOf(type);
  const object = isRecord(value) && !Object.hasOwn(value, "kind") ? { ...names, ...value } : value;
  if (isObjectOf(object, type)) return object;
  throw malformed(request, `the response contains ${describe(value)}, not a ${names.kind} of ${names.apiVersion}`);
}

/** Checks kind and metadata. The other fields are not validated: the server guarantees the schema of the kind. */
function isObjectOf<T extends KubeObject>(value: unknown, type: ResourceType<T>): value is T {
  if (!isRecord(value) || !isRecord(ownValue(value, "metadata"))) return false;
  const { apiVersion, kind } = namesOf(type);
  return ownValue(value, "kind") === kind && ownValue(value, "apiVersion") === apiVersion;
}

/** Reports whether a value is a `Status`, which some calls return instead of an object. */
export function isStatus(value: unknown): boolean {
  return isRecord(value) && ownValue(value, "kind") === "Status" && ownValue(value, "apiVersion") === "v1";
}

/** Throws an `ArgumentError` if the `apiVersion` or `kind` of an object differs from the kind of the call. */
export function checkKind(object: { readonly apiVersion?: string; readonly kind?: string }, type: ResourceType): void {
  const { apiVersion, kind } = { apiVersion: formatApiVersion(type), kind: type.kind };
  if ((object.kind ?? kind) === kind && (object.apiVersion ?? apiVersion) === apiVersion) return;
  throw new ArgumentError({
    argument: "object",
    problem: `is a ${object.kind} of ${object.apiVersion}, but the call is for a ${kind} of ${apiVersion}.`,
  });
}

function describe(value: unknown): string {
  const kind = isRecord(value) ? ownValue(value, "kind") : undefined;
  const apiVersion = isRecord(value) ? ownValue(value, "apiVersion") : undefined;
  const hasMetadata = isRecord(value) && isRecord(ownValue(value, "metadata"));
  if (typeof kind === "string") {
    return `a ${kind.slice(0, 80)} of ${String(apiVersion).slice(0, 80)}${hasMetadata ? "" : " without metadata"}`;
  }
  if (value === undefined) return "no object";
  return isRecord(value) ? "an object without metadata" : `a ${Array.isArray(value) ? "list" : typeof value}`;
}
