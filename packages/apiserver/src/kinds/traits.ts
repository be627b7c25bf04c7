// What no document of the server says, learned from its source and its answers. Names are `plural.group`.

import type { KindTraits, ResourceRow } from "./resource.ts";

const withGeneration: ReadonlySet<string> = new Set([
  "pods.",
  "podtemplates.",
  "replicationcontrollers.",
  "daemonsets.apps",
  "deployments.apps",
  "replicasets.apps",
  "statefulsets.apps",
  "cronjobs.batch",
  "jobs.batch",
  "ingressclasses.networking.k8s.io",
  "ingresses.networking.k8s.io",
  "networkpolicies.networking.k8s.io",
  "poddisruptionbudgets.policy",
  "endpointslices.discovery.k8s.io",
  "priorityclasses.scheduling.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "mutatingadmissionpolicies.admissionregistration.k8s.io",
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "validatingadmissionpolicybindings.admissionregistration.k8s.io",
  "customresourcedefinitions.apiextensions.k8s.io",
  "deviceclasses.resource.k8s.io",
  "resourceslices.resource.k8s.io",
  "flowschemas.flowcontrol.apiserver.k8s.io",
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
]);

const needVersionOnUpdate: ReadonlySet<string> = new Set([
  "leases.coordination.k8s.io",
  "poddisruptionbudgets.policy",
  "runtimeclasses.node.k8s.io",
  "csidrivers.storage.k8s.io",
  "csinodes.storage.k8s.io",
  "csistoragecapacities.storage.k8s.io",
  "volumeattachments.storage.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "mutatingadmissionpolicies.admissionregistration.k8s.io",
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "validatingadmissionpolicybindings.admissionregistration.k8s.io",
  "customresourcedefinitions.apiextensions.k8s.io",
  "apiservices.apiregistration.k8s.io",
]);

const createdByUpdate: ReadonlySet<string> = new Set([
  "endpoints.",
  "events.",
  "limitranges.",
  "services.",
  "events.events.k8s.io",
  "leases.coordination.k8s.io",
  "runtimeclasses.node.k8s.io",
  "roles.rbac.authorization.k8s.io",
  "rolebindings.rbac.authorization.k8s.io",
  "clusterroles.rbac.authorization.k8s.io",
  "clusterrolebindings.rbac.authorization.k8s.io",
]);

const returnedWhenDeleted: ReadonlySet<string> = new Set([
  "namespaces.",
  "persistentvolumeclaims.",
  "persistentvolumes.",
  "pods.",
  "podtemplates.",
  "resourcequotas.",
  "serviceaccounts.",
  "services.",
  "csidrivers.storage.k8s.io",
  "csinodes.storage.k8s.io",
  "storageclasses.storage.k8s.io",
  "volumeattachments.storage.k8s.io",
  "volumeattributesclasses.storage.k8s.io",
  "deviceclasses.resource.k8s.io",
  "resourceclaims.resource.k8s.io",
  "resourceclaimtemplates.resource.k8s.io",
  "resourceslices.resource.k8s.io",
]);

/** How the server treats objects of a resource of its own. */
export function traitsOf(row: ResourceRow): KindTraits {
  const name = `${row.plural}.${row.group}`;
  return {
    hasGeneration: withGeneration.has(name),
    hasStatus: row.subresources.some((part) => part.name === "status"),
    deletesGracefully: name === "pods.",
    allowsUnconditionalUpdate: !needVersionOnUpdate.has(name),
    allowsCreateOnUpdate: createdByUpdate.has(name),
    returnsDeletedObject: returnedWhenDeleted.has(name),
  };
}
