/** Names a kind within a version of a group. The core group is the empty name. */
export interface KindRef {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A part of a resource with a path of its own, such as `status`. */
export interface SubresourceRow {
  readonly name: string;
  /** The kind that is read and written there. Group and version are empty where they are those of the resource. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** What discovery says of one resource in one version. */
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
  /** What its objects are stored as. Absent for kinds that are answered and not stored. */
  readonly storage?: KindRef;
  readonly subresources: readonly SubresourceRow[];
}

/** How the server treats objects of a kind beyond what discovery says. */
export interface KindTraits {
  /** Whether `metadata.generation` counts changes of the spec. */
  readonly hasGeneration: boolean;
  /** Whether `status` is written through its own path alone: dropped on creation, kept on an update. */
  readonly hasStatus: boolean;
  /** Whether a deletion first gives the object time to end by itself. */
  readonly deletesGracefully: boolean;
  /** Whether an update may leave the resource version away. */
  readonly allowsUnconditionalUpdate: boolean;
  /** Whether an update of what does not exist creates it. */
  readonly allowsCreateOnUpdate: boolean;
  /** Whether the answer to a deletion is the object and not a status. */
  readonly returnsDeletedObject: boolean;
}

/** A resource of Kubernetes' own: what discovery says of it and how the server treats it. */
export interface BuiltInKind extends ResourceRow, KindTraits {}
