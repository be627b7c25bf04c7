/** A group-version-kind. The group is empty for the core group. */
export interface KindRef {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A subresource, such as `status`. */
export interface SubresourceRow {
  readonly name: string;
  /** Kind of its objects. Group and version are empty when they are those of the resource. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** The discovery entry of one resource in one version. */
export interface ResourceRow {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly scope: "Cluster" | "Namespaced";
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** Kind in which objects are stored. Undefined for kinds that are not stored, such as reviews. */
  readonly storage?: KindRef;
  readonly subresources: readonly SubresourceRow[];
}

/** Behaviour of the server for a kind that discovery does not show. */
export interface KindTraits {
  /** True if `metadata.generation` counts changes of the spec. */
  readonly hasGeneration: boolean;
  /** True if `status` is a subresource: dropped on create, and unchanged by an update of the object. */
  readonly hasStatus: boolean;
  /** True if a deletion has a grace period. */
  readonly deletesGracefully: boolean;
  /** True if an update may omit `metadata.resourceVersion`. */
  readonly allowsUnconditionalUpdate: boolean;
  /** True if an update of a missing object creates it. */
  readonly allowsCreateOnUpdate: boolean;
  /** True if the response to a delete request is the object instead of a Status. */
  readonly returnsDeletedObject: boolean;
}

/** A built-in resource in one version: its discovery entry and its traits. */
export interface BuiltInKind extends ResourceRow, KindTraits {}

/** A resource that the server serves now. */
export interface ServedResource extends ResourceRow {
  /** True if a CustomResourceDefinition declares it. */
  readonly isCustom: boolean;
}
