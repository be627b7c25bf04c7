import { mutatingAdmissionPolicyStrategy } from "./admissionregistration/mutatingadmissionpolicy/strategy.ts";
import { mutatingAdmissionPolicyBindingStrategy } from "./admissionregistration/mutatingadmissionpolicybinding/strategy.ts";
import { mutatingWebhookConfigurationStrategy } from "./admissionregistration/mutatingwebhookconfiguration/strategy.ts";
import { validatingAdmissionPolicyStrategy } from "./admissionregistration/validatingadmissionpolicy/strategy.ts";
import { validatingAdmissionPolicyBindingStrategy } from "./admissionregistration/validatingadmissionpolicybinding/strategy.ts";
import { validatingWebhookConfigurationStrategy } from "./admissionregistration/validatingwebhookconfiguration/strategy.ts";
import { customResourceDefinitionStrategy } from "./apiextensions/customresourcedefinition/strategy.ts";
import { apiServiceStrategy } from "./apiregistration/apiservice/strategy.ts";
import { controllerRevisionStrategy } from "./apps/controllerrevision/strategy.ts";
import { daemonSetStrategy } from "./apps/daemonset/strategy.ts";
import { deploymentStrategy } from "./apps/deployment/strategy.ts";
import { replicaSetStrategy } from "./apps/replicaset/strategy.ts";
import { statefulSetStrategy } from "./apps/statefulset/strategy.ts";
import { selfSubjectReviewStrategy } from "./authentication/selfsubjectreview/strategy.ts";
import { tokenReviewStrategy } from "./authentication/tokenreview/strategy.ts";
import { localSubjectAccessReviewStrategy } from "./authorization/localsubjectaccessreview/strategy.ts";
import { selfSubjectAccessReviewStrategy } from "./authorization/selfsubjectaccessreview/strategy.ts";
import { selfSubjectRulesReviewStrategy } from "./authorization/selfsubjectrulesreview/strategy.ts";
import { subjectAccessReviewStrategy } from "./authorization/subjectaccessreview/strategy.ts";
import { horizontalPodAutoscalerStrategy } from "./autoscaling/horizontalpodautoscaler/strategy.ts";
import { cronJobStrategy } from "./batch/cronjob/strategy.ts";
import { jobStrategy } from "./batch/job/strategy.ts";
import { certificateSigningRequestStrategy } from "./certificates/certificatesigningrequest/strategy.ts";
import { leaseStrategy } from "./coordination/lease/strategy.ts";
import { bindingStrategy } from "./core/binding/strategy.ts";
import { componentStatusStrategy } from "./core/componentstatus/strategy.ts";
import { configMapStrategy } from "./core/configmap/strategy.ts";
import { endpointsStrategy } from "./core/endpoints/strategy.ts";
import { coreEventStrategy } from "./core/event/strategy.ts";
import { limitRangeStrategy } from "./core/limitrange/strategy.ts";
import { namespaceStrategy } from "./core/namespace/strategy.ts";
import { nodeStrategy } from "./core/node/strategy.ts";
import { persistentVolumeStrategy } from "./core/persistentvolume/strategy.ts";
import { persistentVolumeClaimStrategy } from "./core/persistentvolumeclaim/strategy.ts";
import { podStrategy } from "./core/pod/strategy.ts";
import { podTemplateStrategy } from "./core/podtemplate/strategy.ts";
import { replicationControllerStrategy } from "./core/replicationcontroller/strategy.ts";
import { resourceQuotaStrategy } from "./core/resourcequota/strategy.ts";
import { secretStrategy } from "./core/secret/strategy.ts";
import { serviceStrategy } from "./core/service/strategy.ts";
import { serviceAccountStrategy } from "./core/serviceaccount/strategy.ts";
import { endpointSliceStrategy } from "./discovery/endpointslice/strategy.ts";
import { eventStrategy } from "./events/event/strategy.ts";
import { flowSchemaStrategy } from "./flowcontrol/flowschema/strategy.ts";
import { priorityLevelConfigurationStrategy } from "./flowcontrol/prioritylevelconfiguration/strategy.ts";
import { ingressStrategy } from "./networking/ingress/strategy.ts";
import { ingressClassStrategy } from "./networking/ingressclass/strategy.ts";
import { ipAddressStrategy } from "./networking/ipaddress/strategy.ts";
import { networkPolicyStrategy } from "./networking/networkpolicy/strategy.ts";
import { serviceCidrStrategy } from "./networking/servicecidr/strategy.ts";
import { runtimeClassStrategy } from "./node/runtimeclass/strategy.ts";
import { podDisruptionBudgetStrategy } from "./policy/poddisruptionbudget/strategy.ts";
import { clusterRoleStrategy } from "./rbac/clusterrole/strategy.ts";
import { clusterRoleBindingStrategy } from "./rbac/clusterrolebinding/strategy.ts";
import { roleStrategy } from "./rbac/role/strategy.ts";
import { roleBindingStrategy } from "./rbac/rolebinding/strategy.ts";
import { deviceClassStrategy } from "./resource/deviceclass/strategy.ts";
import { resourceClaimStrategy } from "./resource/resourceclaim/strategy.ts";
import { resourceClaimTemplateStrategy } from "./resource/resourceclaimtemplate/strategy.ts";
import { resourceSliceStrategy } from "./resource/resourceslice/strategy.ts";
import { priorityClassStrategy } from "./scheduling/priorityclass/strategy.ts";
import { csiDriverStrategy } from "./storage/csidriver/strategy.ts";
import { csiNodeStrategy } from "./storage/csinode/strategy.ts";
import { csiStorageCapacityStrategy } from "./storage/csistoragecapacity/strategy.ts";
import { storageClassStrategy } from "./storage/storageclass/strategy.ts";
import { volumeAttachmentStrategy } from "./storage/volumeattachment/strategy.ts";
import { volumeAttributesClassStrategy } from "./storage/volumeattributesclass/strategy.ts";
import type { KindStrategy } from "./strategy.ts";

/** Strategies of the built-in kinds that differ from the general behaviour. */
export const kindStrategies: readonly KindStrategy[] = [
  bindingStrategy,
  componentStatusStrategy,
  configMapStrategy,
  endpointsStrategy,
  coreEventStrategy,
  limitRangeStrategy,
  namespaceStrategy,
  nodeStrategy,
  persistentVolumeStrategy,
  persistentVolumeClaimStrategy,
  podStrategy,
  podTemplateStrategy,
  replicationControllerStrategy,
  resourceQuotaStrategy,
  secretStrategy,
  serviceStrategy,
  serviceAccountStrategy,
  mutatingAdmissionPolicyStrategy,
  mutatingAdmissionPolicyBindingStrategy,
  mutatingWebhookConfigurationStrategy,
  validatingAdmissionPolicyStrategy,
  validatingAdmissionPolicyBindingStrategy,
  validatingWebhookConfigurationStrategy,
  customResourceDefinitionStrategy,
  apiServiceStrategy,
  controllerRevisionStrategy,
  daemonSetStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  statefulSetStrategy,
  selfSubjectReviewStrategy,
  tokenReviewStrategy,
  localSubjectAccessReviewStrategy,
  selfSubjectAccessReviewStrategy,
  selfSubjectRulesReviewStrategy,
  subjectAccessReviewStrategy,
  horizontalPodAutoscalerStrategy,
  cronJobStrategy,
  jobStrategy,
  certificateSigningRequestStrategy,
  leaseStrategy,
  endpointSliceStrategy,
  eventStrategy,
  flowSchemaStrategy,
  priorityLevelConfigurationStrategy,
  ingressStrategy,
  ingressClassStrategy,
  ipAddressStrategy,
  networkPolicyStrategy,
  serviceCidrStrategy,
  runtimeClassStrategy,
  podDisruptionBudgetStrategy,
  clusterRoleStrategy,
  clusterRoleBindingStrategy,
  roleStrategy,
  roleBindingStrategy,
  deviceClassStrategy,
  resourceClaimStrategy,
  resourceClaimTemplateStrategy,
  resourceSliceStrategy,
  priorityClassStrategy,
  csiDriverStrategy,
  csiNodeStrategy,
  csiStorageCapacityStrategy,
  storageClassStrategy,
  volumeAttachmentStrategy,
  volumeAttributesClassStrategy,
];

const byResource = new Map(kindStrategies.map((strategy) => [`${strategy.plural}.${strategy.group}`, strategy]));

/** Returns the strategy of a resource; one without differences for a resource that has none. */
export function strategyOf({ group, plural }: { readonly group: string; readonly plural: string }): KindStrategy {
  return byResource.get(`${plural}.${group}`) ?? { group, plural };
}
