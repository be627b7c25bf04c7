import type { Scope } from "@homeostat/core";
import type { Field, Fields } from "../builder/field.ts";
import type { ValidationRule } from "../structural/schema.ts";
import type { ConditionsDefinition, ConditionTypeIn } from "./conditions.ts";
import type { NamesDefinition } from "./names.ts";

/** A path into the object, starting with a dot: `.status.phase`. */
export type ObjectPath = `.${string}`;

/** A column of the table that `kubectl get` prints. */
export interface Column<C extends string = string> {
  readonly name: string;
  /** Path of the value: `.status.phase`. The schema must have such a field. */
  readonly jsonPath?: ObjectPath;
  /** Condition to show instead of a path: its status, or the property named by `show`. */
  readonly condition?: C;
  readonly show?: "status" | "reason" | "message";
  /** Defaults to the type of the field in the schema. With `date`, `kubectl` prints the age of a time. */
  readonly type?: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: "int32" | "int64" | "float" | "double" | "byte" | "date" | "date-time" | "password";
  readonly description?: string;
  /** Columns with a priority above 0 are shown only by `kubectl get -o wide`. Default 0. */
  readonly priority?: number;
}

/** The column `Age`. The API server adds it by itself only to kinds that define no columns. */
export const ageColumn: Column<never> = { name: "Age", jsonPath: ".metadata.creationTimestamp" };

/** Paths of the `scale` subresource, which autoscalers and `kubectl scale` use. */
export interface Scale {
  readonly specReplicasPath: `.spec.${string}`;
  readonly statusReplicasPath: `.status.${string}`;
  /** A string field with a serialized label selector. A HorizontalPodAutoscaler requires it. */
  readonly labelSelectorPath?: `.spec.${string}` | `.status.${string}`;
}

/**
 * `spec` or `status` of a definition: plain fields, or an object field if it needs more than fields, such as rules, a default or
 * unknown fields.
 */
export type Part = Fields | Field;

/** One version of a kind. */
export interface VersionDefinition<
  S extends Part = Part,
  T extends Part = Part,
  C extends ConditionsDefinition = ConditionsDefinition,
> {
  /** Description of the kind; shown by `kubectl explain`. */
  readonly description?: string;
  /** The desired state, set by users. With plain fields, `spec` is required. */
  readonly spec?: S;
  /** The observed state, set by the controller through the status subresource. With plain fields, `status` is optional. */
  readonly status?: T;
  /**
   * The conditions in `status.conditions`: a list of types, or the reasons of each type. Only the TypeScript types restrict the
   * reasons; the schema of the CRD accepts any, so that objects written by an older version of the controller stay valid.
   */
  readonly conditions?: C;
  /** CEL rules on the whole object. They can use `self.spec`, `self.status` and `self.metadata.name`. */
  readonly rules?: readonly ValidationRule[];
  /** Additional restrictions of `metadata.name`: `s.string().max(40)`. */
  readonly name?: Field<string, string, "required">;
  readonly columns?: readonly Column<NoInfer<ConditionTypeIn<C>>>[];
  readonly scale?: Scale;
  /** Paths of scalar fields that field selectors of lists and watches can use, at most eight. */
  readonly selectableFields?: readonly ObjectPath[];
  /** True if clients may use this version. Default true. */
  readonly served?: boolean;
  /** True for the storage version. Exactly one version of a kind has it. */
  readonly storage?: boolean;
  readonly deprecated?: boolean;
  /** Warning sent to clients that use a deprecated version. Defaults to the standard warning of the API server. */
  readonly deprecationWarning?: string;
}

/** The properties that all versions of a kind share. */
export interface Identity<G extends string, K extends string, Sc extends Scope> extends NamesDefinition {
  /** The API group, a domain name: `shop.example.com`. */
  readonly group: G;
  readonly kind: K;
  /** Default `Namespaced`. */
  readonly scope?: Sc;
  /**
   * Time of the check of schemas, defaults and rules. `atOnce`: in `defineResource`. `deferred`: before the first CRD is written or the first object
   * is validated. Default `atOnce`.
   *
   * A program that does neither, such as an operator without webhooks, starts faster and takes less memory with `deferred`. Then a test should write
   * the CRD.
   */
  readonly schemaChecks?: "atOnce" | "deferred";
}

/** A kind with one version. */
export interface SingleVersion<
  G extends string,
  K extends string,
  V extends string,
  S extends Part,
  T extends Part,
  C extends ConditionsDefinition,
  Sc extends Scope,
>
  extends Identity<G, K, Sc>, VersionDefinition<S, T, C> {
  readonly version: V;
  readonly versions?: never;
}

/** The versions of a kind, by name. */
export interface VersionDefinitions {
  readonly [version: string]: VersionDefinition;
}

/** A kind with several versions, exactly one of which is the storage version. */
export interface SeveralVersions<
  G extends string,
  K extends string,
  Vs extends VersionDefinitions,
  Sc extends Scope,
> extends Identity<G, K, Sc> {
  readonly versions: Vs & KnownKeys<Vs>;
  readonly version?: never;
}

/** Makes unknown keys of a version a compile error. Without it, inferring `Vs` would accept them silently. */
type KnownKeys<Vs> = { [V in keyof Vs]: { [K in Exclude<keyof Vs[V], keyof VersionDefinition>]: never } };
