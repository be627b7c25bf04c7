import { ArgumentError, type JsonPatchOperation, type KubeObject, type ResourceType } from "@homeostat/core";
import { type Caller, subjectOf } from "./call.ts";
import { acceptHeader, type AnyFields, checkKind } from "./objects.ts";
import { objectPath, type ObjectName } from "./paths.ts";
import { type Scale, typeOfSubresource } from "./subresource.ts";
import { type UpdateOptions, withNames, writeParts, writePath } from "./write.ts";
import { callWrite, type WriteAnswer } from "./write-answer.ts";

type Primitive = null | undefined | boolean | number | string | bigint | symbol;

/** `T` of which everything may be left out, however deep. */
export type Partly<T> = unknown extends T
  ? T
  : T extends Primitive
    ? T
    : T extends readonly (infer E)[]
      ? readonly Partly<E>[]
      : { readonly [K in keyof T]?: Partly<T[K]> };

/** `T` of which everything may be left out, or be `null` to take it away. Lists are whole. */
export type MergePatch<T> = unknown extends T
  ? T
  : T extends Primitive
    ? T | null
    : T extends readonly (infer E)[]
      ? readonly Partly<E>[] | null
      : { readonly [K in keyof T]?: MergePatch<T[K]> | null };

type Fields = Readonly<Record<string, unknown>>;

/** A change to an object, in one of three languages. */
export type Patch<T extends KubeObject = KubeObject> =
  /** Operations in order, all or none (RFC 6902). */
  | { readonly json: readonly JsonPatchOperation[] }
  /** What should be otherwise; `null` takes away, lists are replaced (RFC 7386). */
  | { readonly merge: MergePatch<T> | AnyFields<T, Fields> }
  /** Like `merge`, but lists are merged by their keys. Built-in kinds only. */
  | { readonly strategic: Fields };

/** An object of which exactly the written fields are to be owned. The kind need not be written. */
export type ObjectToApply<T extends KubeObject> = (Partly<T> | AnyFields<T, Fields>) & {
  readonly metadata: { readonly name: string };
};

/** How to apply. */
export interface ApplyOptions extends UpdateOptions {
  /** Whether to take over fields that another manager owns with another value, instead of a `ConflictError`. */
  readonly force?: boolean | undefined;
}

/** Changes an object, or one of its subresources. */
export function patch<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  name: ObjectName,
  change: Patch<T> | Patch<Scale>,
  options: UpdateOptions = {},
): Promise<WriteAnswer<T | Scale>> {
  return send({ caller, type, options, content: () => ({ name, ...contentOf(change) }) });
}

/** Says which fields an object should have, and owns them from then on. */
export function apply<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  object: ObjectToApply<T> | ObjectToApply<Scale>,
  options: ApplyOptions = {},
): Promise<WriteAnswer<T | Scale>> {
  const { subresource, force } = options;
  const content = (): Content => {
    const shown = typeOfSubresource(type, subresource);
    const whole = withNames(object, shown);
    checkKind(whole, shown);
    if (!(options.fieldManager ?? caller.defaults.fieldManager)) {
      throw new ArgumentError({ argument: "fieldManager", problem: "is missing; say who applies." });
    }
    return { name: nameIn(object), type: "application/apply-patch+yaml", body: whole };
  };
  return send({ caller, type, options, content, force });
}

/** What is sent to which object. */
interface Content {
  readonly name: ObjectName;
  readonly type: string;
  readonly body: unknown;
}

interface Sending<T extends KubeObject> {
  readonly caller: Caller;
  readonly type: ResourceType<T>;
  readonly options: UpdateOptions;
  /** Called when the request is made; what it throws is a rejection. */
  readonly content: () => Content;
  readonly force?: boolean | undefined;
}

function send<T extends KubeObject>(sending: Sending<T>): Promise<WriteAnswer<T | Scale>> {
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
