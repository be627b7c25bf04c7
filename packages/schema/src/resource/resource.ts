import type { KubeObject, Scope, WritableResourceType } from "@homeostat/core";
import type { CustomResourceDefinition } from "./crd.ts";
import type { CrdOptions } from "./to-crd.ts";
import type { Problem } from "../problem/problem.ts";
import type { Schema } from "../structural/schema.ts";
import type { Json } from "../value/json.ts";
import type { PrinterColumn } from "./columns.ts";
import type { ConditionReasons } from "./conditions.ts";
import type { Scale } from "./definition.ts";
import type { Names } from "./names.ts";

/**
 * One version of a resource.
 *
 * It is a `ResourceType`, so it can be used wherever a built-in kind can. `Out` is the type of objects that are read, in which
 * defaulted fields are present; `In` is the type of objects that are written, in which they are optional. `S` is the scope.
 */
export interface ResourceVersion<
  Out extends KubeObject = KubeObject,
  In = Out,
  S extends Scope = Scope,
> extends WritableResourceType<Out, In> {
  readonly scope: S;
  /** The `apiVersion` of objects: `shop.example.com/v1`. */
  readonly apiVersion: string;
  /** The structural schema of whole objects. */
  readonly schema: Schema;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  /** Warning sent to clients that use this version if it is deprecated. */
  readonly deprecationWarning?: string;
  /** True if the version has the status subresource. */
  readonly hasStatus: boolean;
  readonly scale?: Scale;
  /** Reasons by condition type. A type that the definition lists without reasons has an empty list. */
  readonly conditions: ConditionReasons;
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];

  /** Returns the given object with `apiVersion` and `kind` of this version. Does not validate it. */
  make(object: Omit<In, "apiVersion" | "kind">): In;

  /**
   * Returns all problems for which the API server would reject an object; empty if it would accept it.
   *
   * The object is first pruned and defaulted, as the server does. Metadata is checked as well, but the namespace may be missing,
   * because the server takes it from the URL. With `old` the object is checked as an update: rules on `oldSelf` run, and
   * problems in unchanged parts are ignored (validation ratcheting, KEP-4008).
   *
   * Of a list or map that exceeds its limit and has more than 1,000 entries, only that is reported, not the problems of its entries: webhooks
   * check what any client sends, and thousands of entries would block the event loop.
   */
  check(object: unknown, options?: CheckOptions): readonly Problem[];

  /** Returns a copy of the object as the API server would store it: unknown fields dropped, defaults applied. */
  default(object: ReadonlyInput<In>): Out;

  /**
   * Validates an object and returns a pruned copy with defaults.
   *
   * Throws an `InvalidObjectError` that lists all problems.
   */
  parse(object: unknown): Out;
}

/**
 * `In`, or `In` with all properties read-only at every depth, as a cache returns it.
 *
 * This must be a mapped type. With the conditional type `DeepReadonly`, TypeScript 5.9 infers that every version is invariant
 * in `In`, and no resource would be assignable to `Resource` without type arguments, which `defineOperator` expects.
 *
 * Fields of any JSON stay as they are: their type is read-only already, and it is recursive, so that mapping it would never end.
 */
type ReadonlyInput<In> = { readonly [K in keyof In]: Json extends In[K] ? In[K] : ReadonlyInput<In[K]> };

/** Options of {@link ResourceVersion.check}. */
export interface CheckOptions {
  /** The object before the update. Without it the object is checked as a new one. */
  readonly old?: unknown;
}

/** The versions of a resource, by name. */
export interface ResourceVersions {
  readonly [version: string]: ResourceVersion;
}

/**
 * A custom resource. The properties of `ResourceVersion` are those of its storage version; `versions` has all versions.
 */
export interface Resource<
  Out extends KubeObject = KubeObject,
  In = Out,
  Versions extends object = ResourceVersions,
  S extends Scope = Scope,
> extends ResourceVersion<Out, In, S> {
  readonly names: Names;
  readonly versions: Versions;
  /** Returns the CustomResourceDefinition of this resource. The same as `toCrd(resource, options)`. */
  crd(options?: CrdOptions): CustomResourceDefinition;
}

/** Type of objects of a resource that may be written: fields with defaults are optional. */
export type InputOf<R extends ResourceVersion> = R extends { readonly "~input"?: infer In } ? In : never;
