import type { FieldSelector, JsonRecord } from "@homeostat/core";
import type { Problem } from "@homeostat/schema";
import type { FieldManager } from "../apply/field-manager.ts";
import type { ScalePaths } from "../apply/scale-managers.ts";
import type { User } from "../auth/user.ts";
import type { FieldStrictness } from "../codec/request-body.ts";
import type { ServedResource } from "../discovery/served.ts";
import type { KindTraits } from "../kinds/resource.ts";
import type { TableForm } from "../tables/table.ts";

/** What is known of a write while its object is made ready. */
export interface WriteContext {
  readonly user: User;
  /** Empty for kinds without one. */
  readonly namespace: string;
  readonly nowMs: number;
  /** `status`, `scale` and the like; empty for the object itself. */
  readonly subresource: string;
  /** Where the body said an empty map or list, which leaves no trace in the object. */
  readonly emptied?: ReadonlySet<string> | undefined;
}

/** What a client sent, read as the kind: defaults filled in, what is unknown taken away. */
export interface CompletedObject {
  readonly object: JsonRecord;
  /** What a strict reader complains of: `unknown field "spec.foo"`. */
  readonly complaints: readonly string[];
}

/**
 * A resource in one version as the registry sees it: all that differs between kinds is behind this, so that reading, writing,
 * listing and watching are the same for built-in kinds and custom ones.
 *
 * Objects are plain values with `apiVersion` and `kind`; the registry owns their metadata. Nothing given is changed unless a
 * method says so.
 */
export interface ServedKind {
  /** What discovery says of it. */
  readonly resource: ServedResource;
  readonly listKind: string;
  readonly traits: KindTraits;
  /** What the keys of its objects begin with, in every version: ends with a slash. The rest is `namespace/name` or `name`. */
  readonly prefix: string;
  /** Path of the kind in etcd of kube-apiserver, shown in some messages. Default: the plural. */
  readonly registryPath?: string;
  /** The version in which its objects are stored. */
  readonly storedApiVersion: string;
  /** An object of the store in this version; a promise where a webhook converts. */
  readonly fromStored: (object: JsonRecord) => JsonRecord | Promise<JsonRecord>;
  /** An object of this version as it is to be stored. */
  readonly toStored: (object: JsonRecord) => JsonRecord | Promise<JsonRecord>;
  /** Reads what a client sent, beyond decoding it. */
  readonly complete: (object: JsonRecord, strictness: FieldStrictness) => CompletedObject;
  /** Reads what a webhook made of an object; without this, as what a client sent. */
  readonly completeAdmitted?: (object: JsonRecord) => JsonRecord;
  /** Sets, in place, what the server sets in a new object. Its metadata is complete. */
  readonly prepareNew: (object: JsonRecord, context: WriteContext) => void;
  /** Carries over, in place, what a write at this path must not change. */
  readonly prepareChanged: (object: JsonRecord, old: JsonRecord, context: WriteContext) => void;
  /** Everything that is wrong with a new object. */
  readonly checkNew: (object: JsonRecord, context: WriteContext) => readonly Problem[];
  /** Everything that is wrong with an object that is to replace another. */
  readonly checkChanged: (object: JsonRecord, old: JsonRecord, context: WriteContext) => readonly Problem[];
  /** What to warn the writer of. */
  readonly warningsOf: (object: JsonRecord, old: JsonRecord | undefined) => readonly string[];
  /** Keeps `managedFields` at the endpoint of a subresource, or of the object itself. */
  readonly fieldManager: (subresource: string) => FieldManager;
  readonly table: TableForm;
  /** Why a field selector cannot be used with this kind, in the server's words; undefined when it can. */
  readonly selectorProblem: (selector: FieldSelector) => string | undefined;
  /** The value that a field selector sees; the empty text where there is none. */
  readonly fieldValue: (object: JsonRecord, field: string) => string;
  /** Whether a write changed the wish that `generation` counts; without this, anything but metadata and a status does. */
  readonly isNewWish?: (object: JsonRecord, old: JsonRecord) => boolean;
  /** For kinds that are given time to end: how many seconds, after somebody wished for so many or did not say. */
  readonly graceOf?: (object: JsonRecord, wished: number | undefined) => number;
  /** For kinds that end in two steps, as namespaces do: a deletion marks them, and they go when they are final. */
  readonly termination?: Termination;
  /** For old kinds whose dependents stay unless somebody says otherwise: what the deleter is warned of; empty for nothing. */
  readonly orphansWith?: string;
  /** Paths of a custom resource's `scale`; built-in kinds have their own ways. */
  readonly scale?: ScalePathsOfKind;
  /** Where the wished number of replicas stands in each version, for the owners of a custom resource's `scale`. */
  readonly scaleManagerPaths?: ScalePaths;
  /** Many objects of the store in this version: one question to a webhook for all of them. Custom resources have it. */
  readonly fromStoredAll?: (objects: readonly JsonRecord[]) => Promise<JsonRecord[]>;
  /**
   * Runs work with a field manager, and runs it again when a webhook has converted what it needs: the managers of a custom
   * resource throw until then. Custom resources have it, and their managers must be used through it.
   */
  readonly withConversions?: <T>(work: () => T) => Promise<T>;
  /**
   * The revision from which on objects are stored just as this version shows them, where that is the stored version: an older
   * one may lack a default, or have a field that is gone. Undefined: all of them are.
   */
  readonly asStoredSince?: number;
  /** What everybody is warned of who uses this version, because it will go. */
  readonly deprecationWarning?: string;
}

/** How a kind ends whose objects are emptied first. */
export interface Termination {
  /** Changes an object, in place, whose deletion begins. */
  readonly begin: (object: JsonRecord) => void;
  /** Whether nothing holds an object any more. */
  readonly isFinal: (object: JsonRecord) => boolean;
}

/** Where a custom resource keeps what its `scale` shows: `.spec.replicas`. */
export interface ScalePathsOfKind {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}
