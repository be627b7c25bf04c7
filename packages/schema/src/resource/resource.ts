import type { KubeObject, Scope, WritableResourceType } from "@homeostat/core";
import type { CustomResourceDefinition } from "../manifest/crd.ts";
import type { CrdOptions } from "../manifest/to-crd.ts";
import type { Problem } from "../problem/problem.ts";
import type { Schema } from "../structural/schema.ts";
import type { PrinterColumn } from "./columns.ts";
import type { ConditionReasons } from "./conditions.ts";
import type { Scale } from "./definition.ts";
import type { Names } from "./names.ts";

/**
 * One version of a resource.
 *
 * It is a `ResourceType`, so everything that works with built-in kinds works with it. `Out` is the type of its objects
 * as they are read, `In` the type as they may be written, `S` the scope.
 */
export interface ResourceVersion<
  Out extends KubeObject = KubeObject,
  In = Out,
  S extends Scope = Scope,
> extends WritableResourceType<Out, In> {
  readonly scope: S;
  /** The group and version as objects carry them: `shop.example.com/v1`. */
  readonly apiVersion: string;
  /** The structural schema of whole objects. */
  readonly schema: Schema;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  /** What clients are told that use this version although it is deprecated. */
  readonly deprecationWarning?: string;
  /** Whether the status is a subresource with its own URL. */
  readonly hasStatus: boolean;
  readonly scale?: Scale;
  /** The reasons of conditions, by condition type; empty lists where the definition names the types alone. */
  readonly conditions: ConditionReasons;
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];

  /** A new object of this version: what is given, with `apiVersion` and `kind`. */
  make(object: Omit<In, "apiVersion" | "kind">): In;

  /**
   * What an API server would find wrong with an object, all at once; empty when it would take it.
   *
   * The object is first pruned and filled with defaults, as the server does. Metadata is checked as well; a namespace
   * may be left out, as it comes from the URL. With `old` it is checked as an update:
   * rules on `oldSelf` run, and problems in parts that did not change are forgiven.
   */
  check(object: unknown, options?: CheckOptions): readonly Problem[];

  /** What an API server would store: fields the schema does not name are dropped, defaults are filled in. A copy. */
  default(object: ReadonlyInput<In>): Out;

  /**
   * The object as this version, pruned, with defaults, and checked.
   *
   * Throws an `InvalidObjectError` that lists everything wrong with it.
   */
  parse(object: unknown): Out;
}

/**
 * `In`, or the same read-only all the way down, as a cache returns it.
 *
 * Only mapped: with the conditional type `DeepReadonly`, TypeScript 5.9 takes every version to be invariant in `In`, and
 * then no resource is assignable to `Resource` without type arguments, as `defineOperator` takes it.
 */
type ReadonlyInput<In> = { readonly [K in keyof In]: unknown extends In[K] ? In[K] : ReadonlyInput<In[K]> };

/** How {@link ResourceVersion.check} looks at an object. */
export interface CheckOptions {
  /** The object before the update. */
  readonly old?: unknown;
}

/** The versions of a resource, by name. */
export interface ResourceVersions {
  readonly [version: string]: ResourceVersion;
}

/**
 * A custom resource, defined once: types, schema, defaults, checks and manifest follow from it.
 *
 * It stands for its storage version; the others are found in `versions`.
 */
export interface Resource<
  Out extends KubeObject = KubeObject,
  In = Out,
  Versions extends object = ResourceVersions,
  S extends Scope = Scope,
> extends ResourceVersion<Out, In, S> {
  readonly names: Names;
  readonly versions: Versions;
  /** The manifest that makes an API server serve this resource. Stands for `toCrd(resource, options)`. */
  crd(options?: CrdOptions): CustomResourceDefinition;
}

/** What may be written as an object of a resource: fields with defaults may be left out. */
export type InputOf<R extends ResourceVersion> = R extends { readonly "~input"?: infer In } ? In : never;
