// The custom resource that suites make for themselves: Things, in a group of their own.

/** Where definitions are. */
export const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** The definition of Things in some versions. */
export function thingDefinition(versions: readonly object[], extra: object = {}): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.{ns}.example" },
    spec: {
      group: "{ns}.example",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing", shortNames: ["th"], categories: ["all"] },
      versions,
      ...extra,
    },
  };
}
