import * as cluster from "./cluster-cells.ts";
import * as network from "./network-cells.ts";
import { podCells } from "./pod-cells.ts";
import * as serving from "./serving-cells.ts";
import * as storage from "./storage-cells.ts";
import * as workload from "./workload-cells.ts";

/** Makes the cells of one object, in the order of its columns. */
export type CellMaker = (object: unknown, nowMs: number) => unknown[];

/** How the cells of each built-in resource are made, by `plural.group`. */
export const builtInCells: ReadonlyMap<string, CellMaker> = new Map<string, CellMaker>([
  ["componentstatuses.", cluster.componentCells],
  ["configmaps.", cluster.configMapCells],
  ["endpoints.", network.endpointsCells],
  ["events.", cluster.eventCells],
  ["namespaces.", cluster.namespaceCells],
  ["nodes.", cluster.nodeCells],
  ["persistentvolumeclaims.", storage.claimCells],
  ["persistentvolumes.", storage.volumeCells],
  ["pods.", podCells],
  ["podtemplates.", workload.podTemplateCells],
  ["replicationcontrollers.", workload.replicationControllerCells],
  ["resourcequotas.", cluster.quotaCells],
  ["secrets.", cluster.secretCells],
  ["serviceaccounts.", cluster.nameAndAgeCells],
  ["services.", network.serviceCells],
  ["controllerrevisions.apps", workload.controllerRevisionCells],
  ["daemonsets.apps", workload.daemonSetCells],
  ["deployments.apps", workload.deploymentCells],
  ["replicasets.apps", workload.replicaSetCells],
  ["statefulsets.apps", workload.statefulSetCells],
  ["events.events.k8s.io", cluster.eventCells],
  ["horizontalpodautoscalers.autoscaling", workload.autoscalerCells],
  ["cronjobs.batch", workload.cronJobCells],
  ["jobs.batch", workload.jobCells],
  ["certificatesigningrequests.certificates.k8s.io", cluster.signingRequestCells],
  ["ingressclasses.networking.k8s.io", network.ingressClassCells],
  ["ingresses.networking.k8s.io", network.ingressCells],
  ["ipaddresses.networking.k8s.io", network.ipAddressCells],
  ["networkpolicies.networking.k8s.io", network.networkPolicyCells],
  ["servicecidrs.networking.k8s.io", network.serviceCidrCells],
  ["poddisruptionbudgets.policy", workload.disruptionBudgetCells],
  ["clusterrolebindings.rbac.authorization.k8s.io", cluster.bindingCells],
  ["rolebindings.rbac.authorization.k8s.io", cluster.bindingCells],
  ["csidrivers.storage.k8s.io", storage.csiDriverCells],
  ["csinodes.storage.k8s.io", storage.csiNodeCells],
  ["storageclasses.storage.k8s.io", storage.storageClassCells],
  ["volumeattachments.storage.k8s.io", storage.attachmentCells],
  ["volumeattributesclasses.storage.k8s.io", storage.attributesClassCells],
  ["mutatingadmissionpolicies.admissionregistration.k8s.io", cluster.policyCells],
  ["mutatingadmissionpolicybindings.admissionregistration.k8s.io", cluster.policyBindingCells],
  ["mutatingwebhookconfigurations.admissionregistration.k8s.io", cluster.webhookCells],
  ["validatingadmissionpolicies.admissionregistration.k8s.io", cluster.policyCells],
  ["validatingadmissionpolicybindings.admissionregistration.k8s.io", cluster.policyBindingCells],
  ["validatingwebhookconfigurations.admissionregistration.k8s.io", cluster.webhookCells],
  ["priorityclasses.scheduling.k8s.io", storage.priorityClassCells],
  ["leases.coordination.k8s.io", cluster.leaseCells],
  ["runtimeclasses.node.k8s.io", cluster.runtimeClassCells],
  ["apiservices.apiregistration.k8s.io", serving.apiServiceCells],
  ["flowschemas.flowcontrol.apiserver.k8s.io", serving.flowSchemaCells],
  ["prioritylevelconfigurations.flowcontrol.apiserver.k8s.io", serving.priorityLevelCells],
  ["deviceclasses.resource.k8s.io", cluster.nameAndAgeCells],
  ["resourceclaims.resource.k8s.io", storage.deviceClaimCells],
  ["resourceclaimtemplates.resource.k8s.io", cluster.nameAndAgeCells],
  ["resourceslices.resource.k8s.io", storage.deviceSliceCells],
  ["endpointslices.discovery.k8s.io", network.endpointSliceCells],
]);
