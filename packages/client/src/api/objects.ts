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

/** An object of a kind that the program has no type for: its fields are there, but unknown. */
export interface UntypedObject extends KubeObject {
  [field: string]: unknown;
}

/** The metadata of an object and nothing else. */
export interface PartialObjectMetadata extends KubeObject {
  apiVersion: "meta.k8s.io/v1";
  kind: "PartialObjectMetadata";
}

/** A kind of which the server is to send the metadata only. */
export interface MetadataType extends ResourceType<PartialObjectMetadata> {
  readonly representation: "PartialObjectMetadata";
}

/**
 * An object to be sent: an `In`, read-only or not; for a kind without a type, with any fields.
 *
 * `In` is what may be written of a kind, such as what `make` of a defined resource returns; every `T` is one too.
 */
export type ObjectToSend<T extends KubeObject, In extends KubeObject = T> = NoInfer<
  In | DeepReadonly<In> | AnyFields<T, UntypedObject>
>;

/** `Open` when `T` is an object of which no more is known than that it is one. */
export type AnyFields<T extends KubeObject, Open> = KubeObject extends T ? Open : never;

/**
 * The same kind, of which the server sends only the metadata: much less to transfer, to parse and to keep.
 *
 * Every read of the client takes it in place of the kind itself. Stands for the header
 * `Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1`.
 *
 * @example
 * for await (const { metadata } of client.items(metadataOnly(Pod), { signal })) console.log(metadata.name);
 */
export function metadataOnly({ group, version, kind, plural, scope }: ResourceType): MetadataType {
  return { group, version, kind, plural, scope, representation: "PartialObjectMetadata" };
}

/** Whether the server is to send the metadata only. */
export function isMetadataOnly(type: ResourceType): boolean {
  return "representation" in type && type.representation === "PartialObjectMetadata";
}

/** The `Accept` header for objects of a kind, or for lists of them. */
export function acceptHeader(type: ResourceType, form: "object" | "list"): string {
  if (!isMetadataOnly(type)) return "application/json";
  return `application/json;as=PartialObjectMetadata${form === "list" ? "List" : ""};g=meta.k8s.io;v=v1`;
}

/** What objects of a kind call themselves in answers. */
export function namesOf(type: ResourceType): { readonly apiVersion: string; readonly kind: string } {
  return isMetadataOnly(type)
    ? { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" }
    : { apiVersion: formatApiVersion(type), kind: type.kind };
}

/**
 * The object in an answer, which must be of the kind that was asked for.
 *
 * Items of a list of built-in kinds do not say what they are; they are told here, as every object should know it.
 */
export function objectIn<T extends KubeObject>(value: unknown, type: ResourceType<T>, request: Request): T {
  const names = namesOf(type);
  const object = isRecord(value) && !Object.hasOwn(value, "kind") ? { ...names, ...value } : value;
  if (isObjectOf(object, type)) return object;
  throw malformed(request, `the answer holds ${describe(value)}, not a ${names.kind} of ${names.apiVersion}`);
}

/** The parse at the edge: behind this, the server is trusted to keep to the kind's own schema. */
function isObjectOf<T extends KubeObject>(value: unknown, type: ResourceType<T>): value is T {
  if (!isRecord(value) || !isRecord(ownValue(value, "metadata"))) return false;
  const { apiVersion, kind } = namesOf(type);
  return ownValue(value, "kind") === kind && ownValue(value, "apiVersion") === apiVersion;
}

/** Whether a value is a `Status`, which some calls are answered with in place of an object. */
export function isStatus(value: unknown): boolean {
  return isRecord(value) && ownValue(value, "kind") === "Status" && ownValue(value, "apiVersion") === "v1";
}

/** Refuses an object that says it is of another kind than the call is about. */
export function checkKind(object: { readonly apiVersion?: string; readonly kind?: string }, type: ResourceType): void {
  const { apiVersion, kind } = { apiVersion: formatApiVersion(type), kind: type.kind };
  if ((object.kind ?? kind) === kind && (object.apiVersion ?? apiVersion) === apiVersion) return;
  throw new ArgumentError({
    argument: "object",
    problem: `is a ${object.kind} of ${object.apiVersion}, but the call is about a ${kind} of ${apiVersion}.`,
  });
}

function describe(value: unknown): string {
  const kind = isRecord(value) ? ownValue(value, "kind") : undefined;
  const apiVersion = isRecord(value) ? ownValue(value, "apiVersion") : undefined;
  if (typeof kind === "string") return `a ${kind.slice(0, 80)} of ${String(apiVersion).slice(0, 80)}`;
  return isRecord(value) ? "an object without metadata" : `a ${Array.isArray(value) ? "list" : typeof value}`;
}
