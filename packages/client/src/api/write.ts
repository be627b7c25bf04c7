import {
  ArgumentError,
  formatApiVersion,
  type KubeObject,
  type ResourceType,
  type WritableResourceType,
} from "@homeostat/core";
import type { Request } from "../transport/transport.ts";
import { type Caller, type CallOptions, type FieldValidation, subjectOf } from "./call.ts";
import { checkExact } from "./exact-numbers.ts";
import { acceptHeader, checkKind, type ObjectToSend } from "./objects.ts";
import { collectionPath, objectPath, withQuery } from "./paths.ts";
import { type Scale, type Subresource, typeOfSubresource } from "./subresource.ts";
import { callWrite, type WriteResponse } from "./write-response.ts";

/** Options of writes. */
export interface WriteOptions extends CallOptions {
  /** Validates and admits the request without storing the object. */
  readonly dryRun?: boolean | undefined;
  /** The field manager that owns the written fields. */
  readonly fieldManager?: string | undefined;
  /** The server's treatment of unknown and duplicate fields. */
  readonly fieldValidation?: FieldValidation | undefined;
}

/** Options of writes to an existing object. */
export interface UpdateOptions extends WriteOptions {
  /** Writes a subresource instead of the object. */
  readonly subresource?: Subresource | undefined;
}

/** Creates an object in the namespace of its metadata. */
export function create<T extends KubeObject, In extends KubeObject = T>(
  caller: Caller,
  type: WritableResourceType<T, In>,
  object: ObjectToSend<T, In>,
  options: WriteOptions = {},
): Promise<WriteResponse<T>> {
  return callWrite(caller, type, () => creation(caller, type, object, options));
}

function creation<T extends KubeObject, In extends KubeObject = T>(
  caller: Caller,
  type: WritableResourceType<T, In>,
  object: ObjectToSend<T, In>,
  options: WriteOptions,
): Request {
  checkKind(object, type);
  const { namespace, name } = object.metadata;
  if (type.scope === "Namespaced" && !namespace) {
    throw new ArgumentError({
      argument: "metadata.namespace",
      problem: `is required; ${type.plural} are namespaced.`,
    });
  }
  return {
    method: "POST",
    path: writePath(collectionPath(type, namespace), caller, options),
    headers: { accept: acceptHeader(type, "object"), "content-type": "application/json" },
    body: JSON.stringify(object),
    about: subjectOf("create", type, { name, namespace }),
    ...writeParts(caller, options),
  };
}

/** Replaces an object, or one of its subresources. */
export function update<T extends KubeObject, In extends KubeObject = T>(
  caller: Caller,
  type: WritableResourceType<T, In>,
  object: ObjectToSend<T, In> | ObjectToSend<Scale>,
  options: UpdateOptions = {},
): Promise<WriteResponse<T | Scale>> {
  const { subresource } = options;
  const shown = typeOfSubresource(type, subresource);
  return callWrite(caller, shown, () => {
    checkKind(object, shown);
    const { namespace, name = "" } = object.metadata;
    const body = JSON.stringify(object);
    checkExact(object, body);
    return {
      method: "PUT",
      path: writePath(objectPath(type, { namespace, name }, subresource), caller, options),
      headers: { accept: acceptHeader(shown, "object"), "content-type": "application/json" },
      body,
      about: subjectOf("update", type, { namespace, name, subresource }),
      ...writeParts(caller, options),
    };
  });
}

/** Query parameters of a write. */
type WriteQuery = Readonly<Record<"dryRun" | "fieldManager" | "fieldValidation", string | undefined>>;

/** Returns the query parameters of a write. */
export function writeQuery({ defaults }: Caller, options: WriteOptions): WriteQuery {
  return {
    dryRun: isDryRun(defaults, options) ? "All" : undefined,
    fieldManager: options.fieldManager ?? defaults.fieldManager,
    fieldValidation: options.fieldValidation ?? defaults.fieldValidation,
  };
}

// A cache of the formatted parameters of the last write: those of one program are nearly always the same.
let lastQuery: WriteQuery = { dryRun: undefined, fieldManager: undefined, fieldValidation: undefined };
let lastText = "";

/** Returns a path with the query parameters of a write. */
export function writePath(path: string, caller: Caller, options: WriteOptions): string {
  const query = writeQuery(caller, options);
  const { dryRun, fieldManager, fieldValidation } = query;
  const isSame =
    dryRun === lastQuery.dryRun &&
    fieldManager === lastQuery.fieldManager &&
    fieldValidation === lastQuery.fieldValidation;
  if (!isSame) {
    lastText = withQuery("", query);
    lastQuery = query;
  }
  return path + lastText;
}

/** Returns the properties of a request that follow from the options of a write. */
export function writeParts(
  { defaults }: Caller,
  options: WriteOptions,
): Pick<Request, "isReadOnly" | "isWhole" | "timeouts" | "signal"> {
  const { timeouts, signal } = options;
  return { isReadOnly: isDryRun(defaults, options), isWhole: true, timeouts, signal };
}

function isDryRun(defaults: Caller["defaults"], { dryRun }: WriteOptions): boolean {
  return dryRun ?? defaults.dryRun ?? false;
}

/** Fills in `apiVersion` and `kind`, which may be omitted from an object to apply. */
export function withNames(object: object, type: ResourceType): object {
  return { apiVersion: formatApiVersion(type), kind: type.kind, ...object };
}
