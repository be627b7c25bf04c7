import type { Scope } from "@homeostat/core";
import type { Field, Fields } from "../builder/field.ts";
import type { ValidationRule } from "../structural/schema.ts";
import type { ConditionsDefinition, ConditionTypeIn } from "./conditions.ts";
import type { NamesDefinition } from "./names.ts";

/** A path into the object, starting with a dot: `.status.phase`. */
export type ObjectPath = `.${string}`;

/** One column of what `kubectl get` prints. */
export interface Column<C extends string = string> {
  readonly name: string;
  /** Where the value stands: `.status.phase`. The path must exist in the schema. */
  readonly jsonPath?: ObjectPath;
  /** Instead of a path, the condition to show: its status, or with `show` its reason or message. */
  readonly condition?: C;
  readonly show?: "status" | "reason" | "message";
  /** Follows from the schema when left out. `date` prints the age of a time. */
  readonly type?: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: "int32" | "int64" | "float" | "double" | "byte" | "date" | "date-time" | "password";
  readonly description?: string;
  /** Columns above 0 are shown by `kubectl get -o wide` only. */
  readonly priority?: number;
}

/** The column with the age of the object, which `kubectl` shows by itself only where there are no other columns. */
export const ageColumn: Column<never> = { name: "Age", jsonPath: ".metadata.creationTimestamp" };

/** Where the `scale` subresource finds its numbers, for autoscalers and `kubectl scale`. */
export interface Scale {
  readonly specReplicasPath: `.spec.${string}`;
  readonly statusReplicasPath: `.status.${string}`;
  /** A text field with a label selector; a horizontal pod autoscaler needs it. */
  readonly labelSelectorPath?: `.spec.${string}` | `.status.${string}`;
}

/** Fields, or an object field made of them where it needs more: rules, a default, unknown fields. */
export type Part = Fields | Field;

/** One version of a kind. */
export interface VersionDefinition<
  S extends Part = Part,
  T extends Part = Part,
  C extends ConditionsDefinition = ConditionsDefinition,
> {
  /** What the kind is for; shown by `kubectl explain`. */
  readonly description?: string;
  /** What people ask for. Plain fields make a required `spec`. */
  readonly spec?: S;
  /** What the controller reports. Plain fields make an optional `status`, which is a subresource. */
  readonly status?: T;
  /**
   * The conditions in `status.conditions`: a list of types, or the reasons of each type. Reasons are checked by the compiler
   * where a condition is set; the schema of the CRD accepts any, so that objects of an older version stay valid.
   */
  readonly conditions?: C;
  /** CEL rules on the whole object; they see `self.spec`, `self.status` and `self.metadata.name`. */
  readonly rules?: readonly ValidationRule[];
  /** A text field that `metadata.name` must satisfy too: `s.string().max(40)`. */
  readonly name?: Field<string, string, "required">;
  readonly columns?: readonly Column<NoInfer<ConditionTypeIn<C>>>[];
  readonly scale?: Scale;
  /** Scalar fields that lists and watches can be filtered by, at most eight. */
  readonly selectableFields?: readonly ObjectPath[];
  /** Whether clients may use this version; true unless said otherwise. */
  readonly served?: boolean;
  /** Whether objects are stored in this version; exactly one is. */
  readonly storage?: boolean;
  readonly deprecated?: boolean;
  /** What clients that use a deprecated version are told, instead of the standard sentence. */
  readonly deprecationWarning?: string;
}

/** What the versions of a kind have in common. */
export interface Identity<G extends string, K extends string, Sc extends Scope> extends NamesDefinition {
  /** The API group, a domain: `shop.example.com`. */
  readonly group: G;
  readonly kind: K;
  /** `Namespaced` unless said otherwise. */
  readonly scope?: Sc;
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

/** A kind with several versions, of which one is stored. */
export interface SeveralVersions<
  G extends string,
  K extends string,
  Vs extends VersionDefinitions,
  Sc extends Scope,
> extends Identity<G, K, Sc> {
  readonly versions: Vs & KnownKeys<Vs>;
  readonly version?: never;
}

/** Refuses keys that a version does not have: inferring the type of a version would take them silently. */
type KnownKeys<Vs> = { [V in keyof Vs]: { [K in Exclude<keyof Vs[V], keyof VersionDefinition>]: never } };
