// The sample CRD of the suites: Things, in a group of their own.

/** Path of CRDs. */
export const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Returns the CRD of Things with the given versions. */
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
