import type { JsonRecord, ObjectMeta } from "@homeostat/core";
import type { MetaRules, Problem } from "@homeostat/schema";
import type { User } from "../auth/user.ts";
import type { QuotaEvaluator } from "../admission/quota-evaluator.ts";
import type { ServedKind, Termination } from "../resources/served-kind.ts";
import type { EndpointTools, KindEndpoint } from "../endpoints/endpoint-tools.ts";
import type { CellMaker } from "../tables/table.ts";
import type { TypeDefaults } from "./defaulting/defaults.ts";
import type { Field } from "../validation/field.ts";
import type { SelectableFields } from "./selectors/selectable-fields.ts";

/**
 * The differences of a built-in kind from the general behaviour of the server: what a `RESTCreateStrategy`, a `RESTUpdateStrategy` and the
 * settings of a generic `Store` are in Kubernetes.
 *
 * Each kind that differs has a folder `<group>/<singular>` with one strategy in `strategy.ts`, like `registry/apps/deployment` in
 * Kubernetes. Where a field is absent, the general behaviour that its comment names applies.
 */
export interface KindStrategy {
  /** API group of the resource; empty for the core group. */
  readonly group: string;
  readonly plural: string;

  // Traits

  /** Increments `metadata.generation` when the spec changes, so that controllers can report the `observedGeneration`. Default: not set. */
  readonly hasGeneration?: true;
  /** Requires `metadata.resourceVersion` on updates (`AllowUnconditionalUpdate` is false): a client must have read what it replaces. */
  readonly requiresVersionOnUpdate?: true;
  /** Creates the object when an update finds none (`AllowCreateOnUpdate`). Default: 404. */
  readonly allowsCreateOnUpdate?: true;
  /** Responds to a delete request with the object instead of a Status (`ReturnDeletedObject` of the store). */
  readonly returnsDeletedObject?: true;
  /** Path of the kind in etcd of kube-apiserver, which some of its messages contain. Default: the plural. */
  readonly registryPath?: string;
  /** Warning in every response, for a deprecated version. */
  readonly deprecationWarning?: string;

  // Reading and storing

  /** Defaults of the types that this kind introduces. They apply wherever the type occurs, in objects of any kind. */
  readonly defaults?: TypeDefaults;
  /** Changes that decoding makes before defaults are applied. Returns a copy when it changes something. */
  readonly decode?: (object: JsonRecord) => JsonRecord;
  /** Conversions by served version, for versions other than the stored one. */
  readonly conversions?: Readonly<Record<string, Conversion>>;
  /** Stores objects in the served version, although discovery reports another storage version. */
  readonly isStoredAsServed?: true;

  // Creating and updating

  /** Keeps the status that a client sends with a create. Default: a status that is a subresource is dropped. */
  readonly keepsStatusOnCreate?: true;
  /** Sets fields of a new object, in place, after defaults (`PrepareForCreate`). */
  readonly prepareForCreate?: (object: JsonRecord, context: CreateContext) => void;
  /** Restores, in place, fields that an update must not change (`PrepareForUpdate`). A status that is a subresource is always restored. */
  readonly prepareForUpdate?: (object: JsonRecord, old: JsonRecord) => void;
  /**
   * Fields that preparation resets (`GetResetFields`): server-side apply must not make the client their owner, because its values are not
   * written. Default: a status that is a subresource.
   */
  readonly resetFields?: FieldPaths;
  /** Reports whether an update increments `metadata.generation`. Default: any change outside of metadata and status does. */
  readonly changesGeneration?: (object: JsonRecord, old: JsonRecord) => boolean;
  /** Returns the warnings for a create (`old` undefined) or update (`WarningsOnCreate`, `WarningsOnUpdate`). */
  readonly warnings?: (object: JsonRecord, old: JsonRecord | undefined) => readonly string[];

  // Validation

  /** Validates `metadata.name`. Default: a DNS subdomain. */
  readonly validateName?: NameValidation;
  /**
   * Accepts finalizers that are neither standard nor qualified by a domain. Kubernetes checks that in `ValidateObjectMeta` of the core
   * group; the kinds with this field are validated by the function of the same name in apimachinery, which does not.
   */
  readonly allowsAnyFinalizer?: true;
  /** Validates the metadata of a new object only when its other fields are valid. */
  readonly validatesMetadataLast?: true;
  /** Validates the fields of an object. Default: only metadata is validated. */
  readonly validate?: (object: Field) => void;
  /** Validates the fields of an updated object in place of `validate`. */
  readonly validateChanged?: (object: Field) => void;
  /** Validates an updated object against the one that it replaces. */
  readonly validateUpdate?: UpdateValidation;
  /** Runs `validateUpdate` before the validation of fields instead of after it: the order of the errors is part of the message. */
  readonly validatesUpdateFirst?: true;
  /** Replaces the whole validation of metadata and fields. */
  readonly wholeValidation?: WholeValidation;

  // Subresources

  readonly status?: StatusStrategy;
  /** Writes to the subresource `approval`. Default: it writes the whole status, and every status is accepted. */
  readonly approval?: StatusStrategy;
  /** Returns the selector for the subresource `scale`. Kinds without it have no `scale`. */
  readonly scaleSelector?: (object: JsonRecord) => string;
  /**
   * Builds the endpoints of the kind and of its subresources that do more than read and write stored objects. `kind` is this kind for
   * endpoints that store nothing; it is passed in because a strategy must not import the list of strategies.
   */
  readonly endpoints?: (tools: EndpointTools, kind: ServedKind) => readonly KindEndpoint[];

  // Deleting

  /** Returns the grace period of a deletion (`RESTGracefulDeleteStrategy`). Default: objects are deleted immediately. */
  readonly gracePeriodSeconds?: (object: JsonRecord, requested: number | undefined) => number;
  /** Two-step deletion, as of namespaces. */
  readonly termination?: Termination;
  /** Orphans dependents by default (`DefaultGarbageCollectionPolicy`), with this warning; empty for no warning. */
  readonly orphanWarning?: string;

  // Listing

  /** Table for `kubectl get`; the columns are generated. Default: the name and the time of creation. */
  readonly table?: KindTable;
  /** Fields for field selectors. Default: name and namespace. */
  readonly fieldSelectors?: SelectableFields;

  // Admission

  /** Path of the pod template, for pod security admission. */
  readonly podTemplatePath?: readonly string[];
  /** Finalizer that admission adds to new objects (`StorageObjectInUseProtection`), so that an object in use is not removed. */
  readonly protectionFinalizer?: string;
  /** Measures objects for ResourceQuotas. Default: objects are counted. */
  readonly quota?: QuotaEvaluator;
  /** True if ResourceQuotas ignore the kind. */
  readonly isUnmeasured?: true;
  /** True if objects hold CEL expressions. Many expressions are compiled in slices before validation, so that the event loop stays free. */
  readonly hasPolicyExpressions?: true;
  /** True if admission policies do not apply to the kind. */
  readonly isExemptFromPolicies?: true;

  /** Replaces parts of the `ServedKind`, for behaviour that no other field can express. */
  readonly served?: Partial<ServedKind>;
}

/** Paths of fields: `[["metadata", "labels"], ["spec"]]`. */
export type FieldPaths = readonly (readonly string[])[];

/** Validates an object against the one that it replaces. */
export type UpdateValidation = (object: Field, old: Field) => void;

/** Returns the problems of a name, or of the prefix of a generated one. */
export type NameValidation = (
  name: string,
  options: Parameters<MetaRules["nameProblems"]>[1],
  object: JsonRecord,
) => readonly string[];

/** The complete validation of a kind, in place of the general one. */
export interface WholeValidation {
  readonly create: (object: JsonRecord) => Problem[];
  readonly update: (object: JsonRecord, old: JsonRecord) => Problem[];
}

/** Converts objects between the stored version and another one. */
export interface Conversion {
  readonly fromStored: (object: JsonRecord) => JsonRecord;
  readonly toStored: (object: JsonRecord) => JsonRecord;
}

/** Context of the preparation of a new object. */
export interface CreateContext {
  /** The `metadata.uid` of the object. */
  readonly uid: string;
  /** The authenticated user that creates the object, after impersonation. */
  readonly user: User;
  readonly nowMs: number;
}

/** Differences of writes to the subresources `status` and `approval` from the general behaviour. */
export interface StatusStrategy {
  /** Metadata that a status write does not change. Default: none, all of it may change. */
  readonly keptMetadata?: readonly (keyof ObjectMeta)[];
  /** Fields that preparation resets and server-side apply must not own; see `KindStrategy.resetFields`. Default: the spec. */
  readonly resetFields?: FieldPaths;
  /** Sets or restores fields of the status, in place. */
  readonly prepare?: (object: JsonRecord, old: JsonRecord, context: { readonly nowMs: number }) => void;
  /** Validates the status. Default: every status is accepted. */
  readonly validate?: UpdateValidation;
}

/** Rows of a kind's Table. */
export interface KindTable {
  readonly cells: CellMaker;
  /** Returns the conditions of a row, such as `Completed` for a pod that has ended. */
  readonly conditions?: (object: unknown) => unknown[] | undefined;
  /** Order of the rows. Default: the order of the list. */
  readonly order?: (a: unknown, b: unknown) => number;
}
