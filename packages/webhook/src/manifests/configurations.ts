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

/** How the webhooks of a program are announced to API servers. */
export interface WebhookManifestOptions {
  /** The name of the configurations, and with the kind's group the end of each webhook's name: `my-operator`. */
  readonly name: string;
  readonly webhooks: readonly AdmissionWebhook[];
  readonly location: WebhookLocation;
  /**
   * The namespace the program runs in, whose objects are never sent to it.
   *
   * A webhook that must be asked before its own pod may start would never start.
   */
  readonly ownNamespace: string;
  /** A label of the program's own pods; objects with it are never sent to it, wherever they are. */
  readonly ownLabel?: { readonly key: string; readonly value: string };
  /** What happens while the webhook cannot be reached. Default `Fail`. */
  readonly failurePolicy?: FailurePolicyType;
  /** How long an API server waits, 1 to 30 seconds. Default 5: every request of a user waits as long. */
  readonly timeoutSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The objects that announce webhooks: at most one of each kind. Without `caBundle`, which is filled in later. */
export interface WebhookManifests {
  readonly validating?: ValidatingWebhookConfiguration;
  readonly mutating?: MutatingWebhookConfiguration;
}

/**
 * The webhook configurations for admission webhooks.
 *
 * No webhook can block the program that serves it: its own namespace, the cluster's `kube-system` and its own pods are
 * left out. All are without side effects and are asked about equivalent versions of a kind too.
 */
export function webhookManifests(options: WebhookManifestOptions): WebhookManifests {
  const { name, webhooks, labels, annotations, timeoutSeconds = 5 } = options;
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1 || timeoutSeconds > 30) {
    throw new ArgumentError({ argument: "timeoutSeconds", problem: "has to be a whole number from 1 to 30." });
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

/** What the two kinds of webhooks have in common. */
type Entry = Omit<MutatingWebhook, "reinvocationPolicy">;

function entryOf({ resource, operations, path, name }: AdmissionWebhook, options: WebhookManifestOptions): Entry {
  const rule: RuleWithOperations = {
    apiGroups: [resource.group],
    apiVersions: [resource.version],
    operations: [...operations],
    resources: [resource.plural],
    scope: resource.scope,
  };
  const domain = resource.group === "" ? "core.k8s.io" : resource.group;
  return {
    // Three parts at least, as API servers want it, and another for each path.
    name: name ?? `${path.slice(1).replaceAll(/[^a-z0-9-]+/g, "-")}.${options.name}.${domain}`,
    admissionReviewVersions: ["v1"],
    clientConfig: withoutReadonly(clientConfig(options.location, path)),
    failurePolicy: options.failurePolicy ?? "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: notIn("kubernetes.io/metadata.name", [options.ownNamespace, "kube-system"]),
    objectSelector: options.ownLabel === undefined ? {} : notIn(options.ownLabel.key, [options.ownLabel.value]),
    rules: [rule],
    sideEffects: "None",
    timeoutSeconds: options.timeoutSeconds ?? 5,
  };
}

function notIn(key: string, values: string[]): LabelSelector {
  return { matchExpressions: [{ key, operator: "NotIn", values: [...new Set(values)] }] };
}

function withoutReadonly({ service, url }: ReturnType<typeof clientConfig>): WebhookClientConfig {
  return { ...(service !== undefined && { service: { ...service } }), ...(url !== undefined && { url }) };
}
