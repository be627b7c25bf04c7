import type { FieldSelector, JsonRecord } from "@homeostat/core";
import type { Problem } from "@homeostat/schema";
import type { FieldManager } from "../apply/field-manager.ts";
import type { ScalePaths } from "../apply/scale-managers.ts";
import type { User } from "../auth/user.ts";
import type { FieldStrictness } from "../codec/request-body.ts";
import type { KindTraits, ServedResource } from "./resource.ts";
import type { TableForm } from "../tables/table.ts";

/** Context of a write, for the preparation and validation of its object. */
export interface WriteContext {
  readonly user: User;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly nowMs: number;
  /** `status`, `scale`, ...; empty for the object itself. */
  readonly subresource: string;
  /** Paths at which the body had an empty map or list, which decoding removes. */
  readonly emptyPaths?: ReadonlySet<string> | undefined;
}

/** An object from a request body, with defaults set and unknown fields pruned. */
export interface CompletedObject {
  readonly object: JsonRecord;
  /** Problems that strict field validation rejects: `unknown field "spec.foo"`. */
  readonly strictErrors: readonly string[];
}

/**
 * A resource in one version as the registry sees it. All differences between kinds are behind this interface, so that reads, writes,
 * lists and watches share one implementation for built-in and custom kinds.
 *
 * Objects are plain values with `apiVersion` and `kind`; the registry owns their metadata. Methods do not change their arguments unless
 * they say so.
 */
export interface ServedKind {
  /** Its entry in discovery. */
  readonly resource: ServedResource;
  readonly listKind: string;
  readonly traits: KindTraits;
  /** Key prefix of its objects in every version; ends with a slash and is followed by `namespace/name` or `name`. */
  readonly prefix: string;
  /** Path of the kind in etcd of kube-apiserver, shown in some messages. Default: the plural. */
  readonly registryPath?: string;
  /** The version in which its objects are stored. */
  readonly storedApiVersion: string;
  /** Converts a stored object to this version; returns a promise when a webhook converts. */
  readonly fromStored: (object: JsonRecord) => JsonRecord | Promise<JsonRecord>;
  /** Converts an object of this version to the stored version. */
  readonly toStored: (object: JsonRecord) => JsonRecord | Promise<JsonRecord>;
  /** Sets defaults and prunes unknown fields of a decoded request body. */
  readonly complete: (object: JsonRecord, strictness: FieldStrictness) => CompletedObject;
  /** Completes an object that a mutating webhook changed. Default: `complete`. */
  readonly completeAdmitted?: (object: JsonRecord) => JsonRecord;
  /** Sets the server's fields of a new object, in place. The metadata is already complete. */
  readonly prepareNew: (object: JsonRecord, context: WriteContext) => void;
  /** Restores from the old object, in place, the fields that a write to this endpoint must not change. */
  readonly prepareChanged: (object: JsonRecord, old: JsonRecord, context: WriteContext) => void;
  /** Validates a new object; returns all problems. */
  readonly checkNew: (object: JsonRecord, context: WriteContext) => readonly Problem[];
  /** Validates an update; returns all problems. */
  readonly checkChanged: (object: JsonRecord, old: JsonRecord, context: WriteContext) => readonly Problem[];
  /** Returns the warnings for a create (`old` undefined) or update. */
  readonly warningsOf: (object: JsonRecord, old: JsonRecord | undefined) => readonly string[];
  /** Returns the field manager of a subresource; of the object itself for the empty string. */
  readonly fieldManager: (subresource: string) => FieldManager;
  readonly table: TableForm;
  /** Returns kube-apiserver's error for a field selector that this kind does not support; undefined when it does. */
  readonly selectorProblem: (selector: FieldSelector) => string | undefined;
  /** Returns the value of a field for selectors; empty when it is not set. */
  readonly fieldValue: (object: JsonRecord, field: string) => string;
  /** Reports whether an update increments the generation. Default: any change outside of metadata and a status subresource does. */
  readonly incrementsGeneration?: (object: JsonRecord, old: JsonRecord) => boolean;
  /** Returns the grace period in seconds for the requested one, which may be undefined. Only on kinds with graceful deletion. */
  readonly gracePeriodSeconds?: (object: JsonRecord, requested: number | undefined) => number;
  /** Two-step deletion, as of namespaces: a delete request marks the object, and it is removed when it is final. */
  readonly termination?: Termination;
  /** Set on kinds whose default propagation policy is `Orphan`: the warning about it, or the empty string for no warning. */
  readonly orphanWarning?: string;
  /** Paths of a custom resource's `scale`. Built-in kinds declare `scaleSelector` in their strategy instead. */
  readonly scale?: ScalePathsOfKind;
  /** Path of the desired replicas in each version of a custom resource, to map managed fields between object and `scale`. */
  readonly scaleManagerPaths?: ScalePaths;
  /** Converts many stored objects with a single webhook request. Custom resources only. */
  readonly fromStoredAll?: (objects: readonly JsonRecord[]) => Promise<JsonRecord[]>;
  /**
   * Runs `work`, and runs it again after a webhook has converted the objects that it needed. A field manager is synchronous and a
   * conversion webhook is not: the manager of a custom resource throws until its conversions are cached. Only custom resources have this,
   * and their field managers must be used through it.
   */
  readonly withConversions?: <T>(work: () => T) => Promise<T>;
  /**
   * First revision from which on stored objects are identical to their served form, if this is the stored version. An object written
   * before the schema changed may lack a default or hold a field that is now pruned. Undefined: all objects are identical.
   */
  readonly identicalSinceRevision?: number;
  /** Warning in every response of a deprecated version. */
  readonly deprecationWarning?: string;
}

/** Two-step deletion of a kind whose content is deleted first. */
export interface Termination {
  /** Changes the object, in place, when its deletion starts. */
  readonly begin: (object: JsonRecord) => void;
  /** Reports whether the object can be removed. */
  readonly isFinal: (object: JsonRecord) => boolean;
}

/** JSON paths of the values in a custom resource's `scale`: `.spec.replicas`. */
export interface ScalePathsOfKind {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}
