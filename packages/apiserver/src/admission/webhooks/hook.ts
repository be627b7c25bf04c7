// Webhooks as their configurations describe them.

import { InvalidSelectorError, type JsonRecord, labelSelectorFrom, LabelSelector, isRecord } from "@homeostat/core";
import { listAt, numberAt, textAt, valueAt } from "../../values/fields.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import type { WebhookTarget } from "./webhook-client.ts";

/** Which requests a webhook is asked about. */
export interface HookRule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** With parts: `pods/*`. */
  readonly resources: readonly string[];
  /** `*`, `Namespaced` or `Cluster`. */
  readonly scope: string;
}

/** A CEL expression under a name. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** One webhook of a configuration. */
export interface Hook {
  /** Names it among all webhooks. */
  readonly id: string;
  readonly name: string;
  readonly target: WebhookTarget;
  readonly rules: readonly HookRule[];
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly isEquivalentMatched: boolean;
  readonly matchConditions: readonly MatchCondition[];
  /** Whether a request goes on when the webhook cannot be asked. */
  readonly isFailureIgnored: boolean;
  readonly timeoutSeconds: number;
  /** Whether it may be asked about a dry run. */
  readonly allowsDryRun: boolean;
  readonly isRepeatedIfNeeded: boolean;
  /** The first of its versions that is known here; undefined when none is. */
  readonly reviewVersion: "v1" | "v1beta1" | undefined;
}

const group = "admissionregistration.k8s.io";

/** All webhooks of a sort, in the order in which they are asked: by the names of their configurations. */
export class Hooks {
  readonly #reader: ClusterReader;
  readonly #resource: string;
  /** Configurations do not change, they are replaced: what was read once stays true. */
  readonly #read = new WeakMap<JsonRecord, readonly Hook[]>();

  constructor(reader: ClusterReader, sort: "mutating" | "validating") {
    this.#reader = reader;
    this.#resource = `${sort}webhookconfigurations`;
  }

  /** The webhooks that are configured now. */
  all(): readonly Hook[] {
    const configurations = this.#reader.list({ group, resource: this.#resource, namespace: "" });
    return configurations.flatMap((configuration) => {
      const known = this.#read.get(configuration) ?? hooksOf(configuration);
      this.#read.set(configuration, known);
      return known;
    });
  }
}

/** The webhooks of one configuration. */
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
      isRepeatedIfNeeded: textAt(hook, "reinvocationPolicy") === "IfNeeded",
      reviewVersion: listAt(hook, "admissionReviewVersions").find(isKnownVersion),
    };
  });
}

function isKnownVersion(version: unknown): version is "v1" | "v1beta1" {
  return version === "v1" || version === "v1beta1";
}

/** Where a webhook is, from a `clientConfig`. */
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

/** A rule of a webhook or a policy. */
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

/** A selector of a webhook or a policy: one that is absent chooses everything. */
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
