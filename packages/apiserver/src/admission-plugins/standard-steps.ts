import type { Clock, Random } from "@homeostat/core";
import type { Authorizer } from "../auth/attributes.ts";
import type { AdmissionStep } from "../admission/admission.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from "./certificate-steps.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { limitRanger } from "./limit-ranger.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { defaultTolerationSeconds, taintNodesByCondition } from "./node-steps.ts";
import { compilePolicies } from "./policies/compile-policies.ts";
import { mutatingPolicies } from "./policies/mutating-policies.ts";
import type { FindKind } from "./policies/params.ts";
import { validatingPolicies } from "./policies/validating-policies.ts";
import { podSecurity } from "./pod-security/pod-security.ts";
import { priority } from "./priority.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { defaultStorageClass, persistentVolumeClaimResize, storageObjectInUseProtection } from "./storage-steps.ts";
import type { Equivalents } from "../admission/webhooks/match.ts";
import { type Complete, mutatingWebhooks } from "../admission/webhooks/mutating.ts";
import { validatingWebhooks } from "../admission/webhooks/validating.ts";
import type { WebhookClient } from "../admission/webhooks/webhook-client.ts";

/** Dependencies of the standard admission steps. */
export interface StandardStepsOptions {
  readonly reader: ClusterReader;
  readonly clock: Clock;
  readonly random: Random;
  readonly authorizer: Authorizer;
  readonly client: WebhookClient;
  readonly equivalents: Equivalents;
  readonly complete: Complete;
  /** Returns the kind that a policy takes its parameters from. */
  readonly findKind: FindKind;
  /** True if the controllers run with this server. Default false. */
  readonly hasControllers?: boolean;
  /** Steps that run after all others, such as quota. */
  readonly last?: readonly AdmissionStep[];
  /** Names of steps to omit, for example `ServiceAccount`. */
  readonly disabled?: readonly string[];
}

/**
 * Returns the admission steps that kube-apiserver enables by default, in its order.
 *
 * The order matters (see `AllOrderedPlugins` in `pkg/kubeapiserver/options/plugins.go` of Kubernetes): built-in
 * defaulting comes before policies and webhooks, so that those see complete objects; validating ones come after all
 * mutating ones; quota is last, so that a request refused by another step is never charged.
 */
export function standardSteps(options: StandardStepsOptions): AdmissionStep[] {
  const { reader, last = [], disabled = [] } = options;
  const steps = [
    compilePolicies,
    namespaceLifecycle(reader),
    limitRanger(reader),
    serviceAccount(options),
    taintNodesByCondition,
    podSecurity(reader),
    priority(reader),
    defaultTolerationSeconds,
    defaultStorageClass(reader),
    storageObjectInUseProtection,
    persistentVolumeClaimResize(reader),
    runtimeClass(reader),
    certificateApproval(options.authorizer),
    certificateSigning(options.authorizer),
    certificateSubjectRestriction,
    defaultIngressClass(reader),
    mutatingPolicies(options),
    mutatingWebhooks(options),
    validatingPolicies(options),
    validatingWebhooks(options),
    ...last,
  ];
  return steps.filter(({ name }) => !disabled.includes(name));
}
