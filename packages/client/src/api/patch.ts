import { ArgumentError, type JsonPatchOperation, type KubeObject, type ResourceType } from "@homeostat/core";
import { type Caller, subjectOf } from "./call.ts";
import { acceptHeader, type AnyFields, checkKind } from "./objects.ts";
import { objectPath, type ObjectName } from "./paths.ts";
import { type Scale, typeOfSubresource } from "./subresource.ts";
import { type UpdateOptions, withNames, writeParts, writePath } from "./write.ts";
import { callWrite, type WriteResponse } from "./write-response.ts";

type Primitive = null | undefined | boolean | number | string | bigint | symbol;

/** `T` with all properties optional and readonly, at every depth. */
export type Partly<T> = unknown extends T
  ? T
  : T extends Primitive
    ? T
    : T extends readonly (infer E)[]
      ? readonly Partly<E>[]
      : { readonly [K in keyof T]?: Partly<T[K]> };

/** `T` with all properties optional, or `null` to remove them. Lists are replaced as a whole. */
export type MergePatch<T> = unknown extends T
  ? T
  : T extends Primitive
    ? T | null
    : T extends readonly (infer E)[]
      ? readonly Partly<E>[] | null
      : { readonly [K in keyof T]?: MergePatch<T[K]> | null };

type Fields = Readonly<Record<string, unknown>>;

/** A patch of an object, in one of three formats. */
export type Patch<T extends KubeObject = KubeObject> =
  /** JSON Patch (RFC 6902): operations in order, all or none. */
  | { readonly json: readonly JsonPatchOperation[] }
  /** JSON Merge Patch (RFC 7386): `null` removes a field, lists are replaced. */
  | { readonly merge: MergePatch<T> | AnyFields<T, Fields> }
  /** Strategic merge patch: like `merge`, but lists are merged by their keys. Built-in kinds only. */
  | { readonly strategic: Fields };

/** An object to apply, with exactly the fields to own. `apiVersion` and `kind` may be omitted. */
export type ObjectToApply<T extends KubeObject> = (Partly<T> | AnyFields<T, Fields>) & {
  readonly metadata: { readonly name: string };
};

/** Options of `apply`. */
export interface ApplyOptions extends UpdateOptions {
  /** Takes over fields that another field manager owns with another value, instead of throwing a `ConflictError`. */
  readonly force?: boolean | undefined;
}

/** Patches an object or one of its subresources. */
export function patch<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  name: ObjectName,
  change: Patch<T> | Patch<Scale>,
  options: UpdateOptions = {},
): Promise<WriteResponse<T | Scale>> {
  return send({ caller, type, options, content: () => ({ name, ...contentOf(change) }) });
}

/** Applies an object or one of its subresources server-side. */
export function apply<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  object: ObjectToApply<T> | ObjectToApply<Scale>,
  options: ApplyOptions = {},
): Promise<WriteResponse<T | Scale>> {
  const { subresource, force } = options;
  const content = (): Content => {
    const shown = typeOfSubresource(type, subresource);
    const whole = withNames(object, shown);
    checkKind(whole, shown);
    if (!(options.fieldManager ?? caller.defaults.fieldManager)) {
      throw new ArgumentError({
        argument: "fieldManager",
        problem: "is required for apply; set it in the options or in the defaults of the client.",
      });
    }
    return { name: nameIn(object), type: "application/apply-patch+yaml", body: whole };
  };
  return send({ caller, type, options, content, force });
}

/** The body of a patch and the object that it is sent to. */
interface Content {
  readonly name: ObjectName;
  readonly type: string;
  readonly body: unknown;
}

interface Sending<T extends KubeObject> {
  readonly caller: Caller;
  readonly type: ResourceType<T>;
  readonly options: UpdateOptions;
  /** Called when the request is built, so that an error it throws becomes a rejection. */
  readonly content: () => Content;
  readonly force?: boolean | undefined;
}

function send<T extends KubeObject>(sending: Sending<T>): Promise<WriteResponse<T | Scale>> {
  const { caller, type, options, content, force } = sending;
  const { subresource } = options;
  const shown = typeOfSubresource(type, subresource);
  return callWrite(caller, shown, () => {
    const { name, type: contentType, body } = content();
    const path = writePath(objectPath(type, name, subresource), caller, options);
    return {
      method: "PATCH",
      path: force === true ? `${path}&force=true` : path,
      headers: { accept: acceptHeader(shown, "object"), "content-type": contentType },
      body: JSON.stringify(body),
      about: subjectOf("patch", type, { name: name.name, namespace: name.namespace, subresource }),
      ...writeParts(caller, options),
    };
  });
}

function contentOf<T extends KubeObject>(change: Patch<T> | Patch<Scale>): Omit<Content, "name"> {
  if ("json" in change) return { type: "application/json-patch+json", body: change.json };
  if ("merge" in change) return { type: "application/merge-patch+json", body: change.merge };
  return { type: "application/strategic-merge-patch+json", body: change.strategic };
}

function nameIn(object: { readonly metadata: { readonly name: string; readonly namespace?: unknown } }): ObjectName {
  const { name, namespace } = object.metadata;
  return { name, namespace: typeof namespace === "string" ? namespace : undefined };
}
