// Names that identify this operator to the API server, other controllers and users.

export const group = "chronik.stream";
export const version = "v1alpha1";
export const apiVersion = "chronik.stream/v1alpha1";
export const kind = "ChronikCluster";

/** The field manager of all writes of the operator. */
export const fieldManager = "chronik-operator";

export const finalizer = "chronik.stream/finalizer";

/** The components of a cluster, in the order in which they restart. */
export const components = ["controller", "ingest", "search"] as const;

export type Component = (typeof components)[number];

/** Components that run as StatefulSets with volumes. */
export const statefulComponents = ["controller", "ingest"] as const satisfies readonly Component[];

export type StatefulComponent = (typeof statefulComponents)[number];
