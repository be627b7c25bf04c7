// Webhooks as configured in MutatingWebhookConfigurations and ValidatingWebhookConfigurations.

import { InvalidSelectorError, type JsonRecord, labelSelectorFrom, LabelSelector, isRecord } from "@homeostat/core";
import { listAt, numberAt, textAt, valueAt } from "../../values/fields.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import type { WebhookTarget } from "./webhook-client.ts";

/** A rule that selects requests. */
export interface HookRule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** May include a subresource: `pods/*`. */
  readonly resources: readonly string[];
  /** `*`, `Namespaced` or `Cluster`. */
  readonly scope: string;
}

/** A named CEL expression. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** A webhook of a configuration. */
export interface Hook {
  /** Unique among all webhooks: configuration, name and index. */
  readonly id: string;
  readonly name: string;
  readonly target: WebhookTarget;
  readonly rules: readonly HookRule[];
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly isEquivalentMatched: boolean;
  readonly matchConditions: readonly MatchCondition[];
  /** True if the request continues when the call fails. */
  readonly isFailureIgnored: boolean;
  readonly timeoutSeconds: number;
  /** True if the webhook may be called for a dry run, because it has no side effects then. */
  readonly allowsDryRun: boolean;
  readonly isReinvokedIfNeeded: boolean;
  /** The first `admissionReviewVersions` entry that is supported; undefined if there is none. */
  readonly reviewVersion: "v1" | "v1beta1" | undefined;
}

const group = "admissionregistration.k8s.io";

/** All webhooks of one type, in call order: by configuration name. */
export class Hooks {
  readonly #reader: ClusterReader;
  readonly #resource: string;
  /**
   * Parsed webhooks by stored configuration. Stored objects are immutable (an update replaces them), so entries never
   * become stale.
   */
  readonly #read = new WeakMap<JsonRecord, readonly Hook[]>();

  constructor(reader: ClusterReader, type: "mutating" | "validating") {
    this.#reader = reader;
    this.#resource = `${type}webhookconfigurations`;
  }

  /** Returns the currently configured webhooks. */
  all(): readonly Hook[] {
    const configurations = this.#reader.list({ group, resource: this.#resource, namespace: "" });
    return configurations.flatMap((configuration) => {
      const cached = this.#read.get(configuration) ?? hooksOf(configuration);
      this.#read.set(configuration, cached);
      return cached;
    });
  }
}

/** Parses the webhooks of a configuration. */
export function hooksOf(configuration: unknown): Hook[] {
  const configurationName = textAt(configuration, "metadata", "name");
  const counts = new Map<string, number>();
  return listAt(configuration, "webhooks").map((hook) => {
    const name = textAt(hook, "name");
    const index = counts.get(name) ?? 0;
    counts.set(name, index + 1);
    const sideEffects = textAt(hook, "sideEffects");
    return {
      id: `${configurationName}/${name}/${index}`,
      name,
      target: targetOf(valueAt(hook, "clientConfig")),
      rules: listAt(hook, "rules").map(ruleOf),
      namespaceSelector: selectorOf(valueAt(hook, "namespaceSelector")),
      objectSelector: selectorOf(valueAt(hook, "objectSelector")),
      isEquivalentMatched: textAt(hook, "matchPolicy") !== "Exact",
      matchConditions: listAt(hook, "matchConditions").map((condition) => ({
        name: textAt(condition, "name"),
        expression: textAt(condition, "expression"),
      })),
      isFailureIgnored: textAt(hook, "failurePolicy") === "Ignore",
      timeoutSeconds: numberAt(hook, "timeoutSeconds") || 10,
      allowsDryRun: sideEffects === "None" || sideEffects === "NoneOnDryRun",
      isReinvokedIfNeeded: textAt(hook, "reinvocationPolicy") === "IfNeeded",
      reviewVersion: listAt(hook, "admissionReviewVersions").find(isKnownVersion),
    };
  });
}

function isKnownVersion(version: unknown): version is "v1" | "v1beta1" {
  return version === "v1" || version === "v1beta1";
}

/** Parses a `clientConfig`. */
export function targetOf(config: unknown): WebhookTarget {
  const service = valueAt(config, "service");
  const caBundle = textAt(config, "caBundle");
  if (!isRecord(service)) return { url: textAt(config, "url"), caBundle };
  const path = textAt(service, "path");
  const port = numberAt(service, "port");
  return {
    service: {
      namespace: textAt(service, "namespace"),
      name: textAt(service, "name"),
      ...(path === "" ? {} : { path }),
      ...(port === 0 ? {} : { port }),
    },
    caBundle,
  };
}

/** Parses a rule of a webhook or policy. */
export function ruleOf(rule: unknown): HookRule {
  const texts = (field: string): string[] => listAt(rule, field).map(String);
  const scope = textAt(rule, "scope");
  return {
    operations: texts("operations"),
    groups: texts("apiGroups"),
    versions: texts("apiVersions"),
    resources: texts("resources"),
    scope: scope === "" ? "*" : scope,
  };
}

/** Parses a selector of a webhook or policy. An absent selector matches everything, an invalid one nothing. */
export function selectorOf(value: unknown): LabelSelector {
  if (!isRecord(value)) return LabelSelector.everything;
  try {
    return labelSelectorFrom({
      matchLabels: Object.fromEntries(
        Object.entries(isRecord(value["matchLabels"]) ? value["matchLabels"] : {}).map(([key, text]) => [
          key,
          String(text),
        ]),
      ),
      matchExpressions: listAt(value, "matchExpressions").map((each) => ({
        key: textAt(each, "key"),
        operator: textAt(each, "operator"),
        values: listAt(each, "values").map(String),
      })),
    });
  } catch (error) {
    if (!(error instanceof InvalidSelectorError)) throw error;
    return LabelSelector.nothing;
  }
}
