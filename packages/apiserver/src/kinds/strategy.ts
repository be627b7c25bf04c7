import type { JsonRecord, ObjectMeta } from "@homeostat/core";
import type { MetaRules, Problem } from "@homeostat/schema";
import type { User } from "../auth/user.ts";
import type { QuotaEvaluator } from "../admission/quota/evaluator.ts";
import type { ServedKind, Termination } from "../registry/served-kind.ts";
import type { EndpointTools, KindEndpoint } from "../special/endpoint-tools.ts";
import type { CellMaker } from "../tables/table.ts";
import type { TypeDefaults } from "./shared/defaults.ts";
import type { Field } from "./shared/field.ts";
import type { SelectableFields } from "./shared/selectable-fields.ts";

/**
 * Everything in which a built-in kind differs from the general behaviour of the server.
 *
 * Each kind that differs has a folder `<group>/<singular>` with one strategy in `strategy.ts`, as `registry/apps/deployment` is in
 * Kubernetes. A field that is absent means the general behaviour that its comment names.
 */
export interface KindStrategy {
  /** API group of the resource; empty for the core group. */
  readonly group: string;
  readonly plural: string;

  // Traits

  /** Counts changes of the spec in `metadata.generation`. */
  readonly hasGeneration?: true;
  /** Requires `metadata.resourceVersion` on updates. */
  readonly requiresVersionOnUpdate?: true;
  /** Creates the object when an update names one that does not exist. */
  readonly allowsCreateOnUpdate?: true;
  /** Responds to a deletion with the object instead of a Status. */
  readonly returnsDeletedObject?: true;
  /** Path of the kind in etcd of kube-apiserver, shown in some messages. Default: the plural. */
  readonly registryPath?: string;
  /** Warning for every request, because the version is deprecated. */
  readonly deprecationWarning?: string;

  // Reading and storing

  /** Defaults of the types that this kind introduces. They apply wherever the type occurs, in objects of any kind. */
  readonly defaults?: TypeDefaults;
  /** Changes that decoding makes before defaults are applied. Returns a copy when it changes something. */
  readonly decode?: (object: JsonRecord) => JsonRecord;
  /** Conversions by served version, for versions other than the stored one. */
  readonly conversions?: Readonly<Record<string, Conversion>>;
  /** Stores objects in the served version, whatever discovery reports as the stored one. */
  readonly isStoredAsServed?: true;

  // Creating and updating

  /** Keeps the status that a client sends on creation. Default: the status is dropped, where it is a subresource. */
  readonly keepsStatusOnCreate?: true;
  /** Sets, in place, fields of a new object after defaults. */
  readonly prepareForCreate?: (object: JsonRecord, context: CreateContext) => void;
  /** Carries over, in place, fields that an update must not change. The status is carried over in general. */
  readonly prepareForUpdate?: (object: JsonRecord, old: JsonRecord) => void;
  /** Fields that a write of the object resets, as server-side apply sees it. Default: the status, where it is a subresource. */
  readonly resetFields?: FieldPaths;
  /** Reports whether an update increments `metadata.generation`. Default: any change outside metadata and status. */
  readonly changesGeneration?: (object: JsonRecord, old: JsonRecord) => boolean;
  /** Warnings for the client that writes an object. */
  readonly warnings?: (object: JsonRecord, old: JsonRecord | undefined) => readonly string[];

  // Validation

  /** Rule for `metadata.name`. Default: a DNS subdomain. */
  readonly validateName?: NameValidation;
  /** Accepts finalizers that are neither standard nor qualified by a domain. */
  readonly allowsAnyFinalizer?: true;
  /** Validates metadata of a new object only when its fields are valid. */
  readonly validatesMetadataLast?: true;
  /** Validates the fields of an object. Default: only metadata is validated. */
  readonly validate?: (object: Field) => void;
  /** Validates the fields of an updated object in place of `validate`. */
  readonly validateChanged?: (object: Field) => void;
  /** Validates an updated object against the one that it replaces. */
  readonly validateUpdate?: UpdateValidation;
  /** Runs `validateUpdate` before the validation of fields instead of after it. */
  readonly validatesUpdateFirst?: true;
  /** Replaces the validation of metadata and fields. */
  readonly wholeValidation?: WholeValidation;

  // Subresources

  readonly status?: StatusStrategy;
  /** Behaviour of the subresource `approval`. Default: it writes the whole status, and every status is accepted. */
  readonly approval?: StatusStrategy;
  /** Returns the selector that the subresource `scale` shows. Kinds without it have no `scale`. */
  readonly scaleSelector?: (object: JsonRecord) => string;
  /**
   * Builds the endpoints of the kind and of its subresources that do more than read and write stored objects. `kind` is this
   * kind for endpoints that store nothing.
   */
  readonly endpoints?: (tools: EndpointTools, kind: ServedKind) => readonly KindEndpoint[];

  // Deleting

  /** Returns the grace period of a deletion. Kinds without it are deleted at once. */
  readonly gracePeriodSeconds?: (object: JsonRecord, requested: number | undefined) => number;
  /** Two-step deletion, as namespaces have it. */
  readonly termination?: Termination;
  /** Orphans dependents by default, with this warning for the client; empty for no warning. */
  readonly orphanWarning?: string;

  // Listing

  /** Table for `kubectl get`; the columns are generated. Default: the name and the time of creation. */
  readonly table?: KindTable;
  /** Fields for field selectors. Default: name and namespace. */
  readonly fieldSelectors?: SelectableFields;

  // Admission

  /** Path of the pod template, which pod security checks. */
  readonly podTemplatePath?: readonly string[];
  /** Finalizer that admission adds, so that an object in use is not removed. */
  readonly protectionFinalizer?: string;
  /** How ResourceQuotas measure objects. Default: they count objects. */
  readonly quota?: QuotaEvaluator;
  /** Is never measured by a ResourceQuota. */
  readonly isUnmeasured?: true;
  /** Has the expressions of an admission policy, which are compiled in pieces before validation when there are many. */
  readonly hasPolicyExpressions?: true;
  /** Is never refused by an admission policy. */
  readonly isExemptFromPolicies?: true;

  /** Replaces general behaviour that nothing above can express. */
  readonly served?: Partial<ServedKind>;
}

/** Paths of fields: `[["metadata", "labels"], ["spec"]]`. */
export type FieldPaths = readonly (readonly string[])[];

/** Validates an object against the one that it replaces. */
export type UpdateValidation = (object: Field, old: Field) => void;

/** Returns what is wrong with a name, or with the prefix of a generated one. */
export type NameValidation = (
  name: string,
  options: Parameters<MetaRules["nameProblems"]>[1],
  object: JsonRecord,
) => readonly string[];

/** Validation of a kind that has nothing in common with that of others. */
export interface WholeValidation {
  readonly create: (object: JsonRecord) => Problem[];
  readonly update: (object: JsonRecord, old: JsonRecord) => Problem[];
}

/** Converts objects between the stored version and another one. */
export interface Conversion {
  readonly fromStored: (object: JsonRecord) => JsonRecord;
  readonly toStored: (object: JsonRecord) => JsonRecord;
}

/** Values for the preparation of a new object. */
export interface CreateContext {
  /** The `metadata.uid` of the object. */
  readonly uid: string;
  /** The authenticated user that creates the object, after impersonation. */
  readonly user: User;
  readonly nowMs: number;
}

/** Rules for writes of the subresources `status` and `approval`, where they differ from the general behaviour. */
export interface StatusStrategy {
  /** Metadata that a status write does not change. Default: none, all of it may change. */
  readonly keptMetadata?: readonly (keyof ObjectMeta)[];
  /** Fields that a status write resets, as server-side apply sees it. Default: the spec. */
  readonly resetFields?: FieldPaths;
  /** Sets or carries over, in place, fields of the status. */
  readonly prepare?: (object: JsonRecord, old: JsonRecord, context: { readonly nowMs: number }) => void;
  /** Validates the status. Default: every status is accepted. */
  readonly validate?: UpdateValidation;
}

/** How objects of a kind appear in a table. */
export interface KindTable {
  readonly cells: CellMaker;
  /** Returns the conditions of a row, such as that a pod has completed. */
  readonly conditions?: (object: unknown) => unknown[] | undefined;
  /** Order of the rows. Default: the order of the list. */
  readonly order?: (a: unknown, b: unknown) => number;
}
