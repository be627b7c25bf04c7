import type { JsonRecord } from "@homeostat/core";

/** Groups in the Go scheme of kube-apiserver with their versions, served or not. */
const schemeVersions: readonly (readonly [group: string, versions: string])[] = [
  ["", "v1"],
  ["admission.k8s.io", "v1 v1beta1"],
  ["admissionregistration.k8s.io", "v1 v1alpha1 v1beta1"],
  ["apiextensions.k8s.io", "v1 v1beta1"],
  ["apiregistration.k8s.io", "v1 v1beta1"],
  ["apps", "v1 v1beta1 v1beta2"],
  ["authentication.k8s.io", "v1 v1alpha1 v1beta1"],
  ["authorization.k8s.io", "v1 v1beta1"],
  ["autoscaling", "v1 v2"],
  ["batch", "v1 v1beta1"],
  ["certificates.k8s.io", "v1 v1alpha1 v1beta1"],
  ["coordination.k8s.io", "v1 v1alpha2 v1beta1"],
  ["discovery.k8s.io", "v1 v1beta1"],
  ["events.k8s.io", "v1 v1beta1"],
  ["extensions", "v1beta1"],
  ["flowcontrol.apiserver.k8s.io", "v1 v1beta1 v1beta2 v1beta3"],
  ["imagepolicy.k8s.io", "v1alpha1"],
  ["internal.apiserver.k8s.io", "v1alpha1"],
  ["networking.k8s.io", "v1 v1beta1"],
  ["node.k8s.io", "v1 v1alpha1 v1beta1"],
  ["policy", "v1 v1beta1"],
  ["rbac.authorization.k8s.io", "v1 v1alpha1 v1beta1"],
  ["resource.k8s.io", "v1 v1alpha3 v1beta1 v1beta2"],
  ["scheduling.k8s.io", "v1 v1alpha2 v1beta1"],
  ["storage.k8s.io", "v1 v1alpha1 v1beta1"],
  ["storagemigration.k8s.io", "v1beta1"],
];

/** Definitions that the OpenAPI v2 document lists as a kind of every group version, with that kind. */
export const kindsOfAllVersions: readonly (readonly [definition: string, kind: string])[] = [
  ["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", "DeleteOptions"],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent", "WatchEvent"],
];

/** Returns the group-version-kinds of a kind in every group version. */
export function inAllVersions(kind: string): JsonRecord[] {
  return schemeVersions.flatMap(([group, versions]) =>
    versions.split(" ").map((version) => ({ group, kind, version })),
  );
}
