// Validation of pod templates and of the selectors that go with them.

import { labelSelectorFrom } from "@homeostat/core";
import type { Field } from "../../validation/field.ts";
import { checkLabelSelector } from "../../validation/label-selector.ts";
import { checkPodSpec } from "./pod-spec.ts";

/** Checks a pod template. */
export function checkPodTemplate(template: Field): void {
  checkTemplateMeta(template);
  checkPodSpec(template.at("spec"));
}

/** Checks the labels and annotations of a pod template. */
export function checkTemplateMeta(template: Field): void {
  // kube-apiserver leaves `metadata` out of these paths.
  template.at("metadata").at("labels").as(`${template.path}.labels`).labels();
  checkAnnotations(template.at("metadata").at("annotations").as(`${template.path}.annotations`));
}

function checkAnnotations(annotations: Field): void {
  for (const [key] of annotations.entries()) annotations.with(key.toLowerCase()).qualifiedName();
}

/** Reports whether a selector matches labels; undefined when it is invalid. */
export function selectorMatches(selector: Field, labels: Field): boolean | undefined {
  try {
    const parsed = labelSelectorFrom({
      matchLabels: Object.fromEntries(
        selector
          .at("matchLabels")
          .entries()
          .map(([key, value]) => [key, String(value)]),
      ),
      matchExpressions: selector
        .at("matchExpressions")
        .items()
        .map((each) => ({
          key: each.at("key").text,
          operator: each.at("operator").text,
          values: each
            .at("values")
            .items()
            .map((value) => value.text),
        })),
    });
    return parsed.matches(Object.fromEntries(labels.entries().map(([key, value]) => [key, String(value)])));
  } catch {
    return undefined;
  }
}

/** Returns a selector as Go prints it. */
export function printedSelector(selector: Field): unknown {
  if (!selector.isSet) return null;
  const [labels, expressions] = [selector.at("matchLabels"), selector.at("matchExpressions")];
  return {
    ...(labels.length > 0 ? { matchLabels: inOrder(labels) } : {}),
    ...(expressions.length > 0
      ? {
          matchExpressions: expressions.items().map((each) => ({
            key: each.at("key").text,
            operator: each.at("operator").text,
            ...(each.at("values").length > 0 ? { values: each.at("values").value } : {}),
          })),
        }
      : {}),
  };
}

/**
 * Checks a selector, which must match the labels of the template.
 *
 * Returns false when the selector is invalid: kube-apiserver does not check the template then.
 */
export function checkSelectorMatchesTemplate(spec: Field, kind: string, problem = "invalid label selector"): boolean {
  const selector = spec.at("selector");
  const isEmpty = selector.at("matchLabels").length + selector.at("matchExpressions").length === 0;
  if (!selector.isSet) selector.required();
  else {
    checkLabelSelector(selector);
    if (isEmpty) selector.invalid(`empty selector is invalid for ${kind}`, printedSelector(selector));
  }
  const labels = spec.at("template").at("metadata").at("labels");
  const isMatching = selector.isSet ? selectorMatches(selector, labels) : false;
  if (isMatching === undefined) {
    selector.invalid(problem, printedSelector(selector));
    return false;
  }
  if (!isMatching) labels.invalid("`selector` does not match template `labels`", printedLabels(labels));
  return true;
}

/** Returns a map with sorted keys, as Go prints it. */
function inOrder(map: Field): unknown {
  return Object.fromEntries(map.entries());
}

/** Returns labels as Go prints them: null for none, unless the body had an empty map. */
export function printedLabels(labels: Field): unknown {
  return labels.isSet || labels.isSentEmpty ? inOrder(labels) : null;
}

/** Checks that the pods of a template always restart and have no deadline, as controllers of long-running pods require. */
export function checkLongRunning(template: Field, kind: string): void {
  const policy = template.at("spec").at("restartPolicy");
  if (policy.text !== "Always") policy.notSupported(["Always"]);
  const deadline = template.at("spec").at("activeDeadlineSeconds");
  if (deadline.isSet) deadline.forbidden(`activeDeadlineSeconds in ${kind} is not Supported`);
}
