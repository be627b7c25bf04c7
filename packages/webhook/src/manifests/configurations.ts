import { ArgumentError } from "@homeostat/core";
import type {
  FailurePolicyType,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from "@homeostat/kubernetes/admissionregistration/v1";
import type { LabelSelector } from "@homeostat/kubernetes/meta/v1";
import type { AdmissionWebhook } from "../admission/define-admission.ts";
import { clientConfig, type WebhookLocation } from "./client-config.ts";

/** Options of {@link webhookManifests}. */
export interface WebhookManifestOptions {
  /** Name of the configurations, and with the group of the kind the suffix of each webhook name: `my-operator`. */
  readonly name: string;
  readonly webhooks: readonly AdmissionWebhook[];
  readonly location: WebhookLocation;
  /**
   * Namespace of the program, whose objects are never sent to it.
   *
   * A webhook that had to admit its own pod could never start.
   */
  readonly ownNamespace: string;
  /** Label of the program's own pods. Objects with it are never sent to the webhooks, in any namespace. */
  readonly ownLabel?: { readonly key: string; readonly value: string };
  /** Behaviour while the webhook is unreachable. Default `Fail`. */
  readonly failurePolicy?: FailurePolicyType;
  /** Timeout of a call, 1 to 30 seconds. Default 5: a user's request may wait that long. */
  readonly timeoutSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Webhook configurations, at most one of each kind. They have no `caBundle`, which is set later. */
export interface WebhookManifests {
  readonly validating?: ValidatingWebhookConfiguration;
  readonly mutating?: MutatingWebhookConfiguration;
}

/** Fields of a webhook. Only definitions of mutating webhooks have a reinvocation policy. */
type Entry = MutatingWebhook;

/**
 * Returns the webhook configurations for admission webhooks.
 *
 * No webhook can block the program that serves it: its own namespace, `kube-system` and its own pods are excluded. All
 * webhooks have no side effects and also match equivalent versions of their kind.
 */
export function webhookManifests(options: WebhookManifestOptions): WebhookManifests {
  const { name, webhooks, labels, annotations, timeoutSeconds = 5 } = options;
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1 || timeoutSeconds > 30) {
    throw new ArgumentError({ argument: "timeoutSeconds", problem: "must be an integer from 1 to 30." });
  }
  const metadata = {
    name,
    ...(labels !== undefined && { labels: { ...labels } }),
    ...(annotations !== undefined && { annotations: { ...annotations } }),
  };
  const entries = (type: AdmissionWebhook["type"]): Entry[] =>
    webhooks.filter((webhook) => webhook.type === type).map((webhook) => entryOf(webhook, options));
  const apiVersion = "admissionregistration.k8s.io/v1";
  const validating = entries("validating");
  const mutating = entries("mutating");
  return {
    ...(validating.length > 0 && {
      validating: { apiVersion, kind: "ValidatingWebhookConfiguration", metadata, webhooks: validating },
    }),
    ...(mutating.length > 0 && {
      mutating: { apiVersion, kind: "MutatingWebhookConfiguration", metadata, webhooks: mutating },
    }),
  };
}

function entryOf(webhook: AdmissionWebhook, options: WebhookManifestOptions): Entry {
  const { resource, operations, path, name, calls = {} } = webhook;
  const { reinvocationPolicy, matchConditions, excludedNamespaces = [] } = calls;
  const rule: RuleWithOperations = {
    apiGroups: [resource.group],
    apiVersions: [resource.version],
    operations: [...operations],
    resources: [resource.plural],
    scope: resource.scope,
  };
  const domain = resource.group === "" ? "core.k8s.io" : resource.group;
  return {
    // API servers require at least three parts; each path needs its own name.
    name: name ?? `${path.slice(1).replaceAll(/[^a-z0-9-]+/g, "-")}.${options.name}.${domain}`,
    admissionReviewVersions: ["v1"],
    clientConfig: withoutReadonly(clientConfig(options.location, path)),
    failurePolicy: calls.failurePolicy ?? options.failurePolicy ?? "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: notIn("kubernetes.io/metadata.name", [
      options.ownNamespace,
      "kube-system",
      ...excludedNamespaces,
    ]),
    objectSelector: options.ownLabel === undefined ? {} : notIn(options.ownLabel.key, [options.ownLabel.value]),
    rules: [rule],
    sideEffects: "None",
    timeoutSeconds: options.timeoutSeconds ?? 5,
    ...(reinvocationPolicy !== undefined && { reinvocationPolicy }),
    ...(matchConditions !== undefined && { matchConditions: matchConditions.map((each) => ({ ...each })) }),
  };
}

function notIn(key: string, values: string[]): LabelSelector {
  return { matchExpressions: [{ key, operator: "NotIn", values: [...new Set(values)] }] };
}

function withoutReadonly({ service, url }: ReturnType<typeof clientConfig>): WebhookClientConfig {
  return { ...(service !== undefined && { service: { ...service } }), ...(url !== undefined && { url }) };
}
