import { isList, isRecord, labelSelectorFrom } from "@homeostat/core";
import { checkPodSpec } from "./check-pod-spec.ts";
import { checkLabelSelector } from "./check-selectors.ts";
import { checkClaimSpec } from "./check-storage.ts";
import { Field } from "./field.ts";
import { printedAs } from "./printed.ts";

/** Checks a template for pods. */
export function checkPodTemplate(template: Field): void {
  checkTemplateMeta(template);
  checkPodSpec(template.at("spec"));
}

function checkTemplateMeta(template: Field): void {
  // The server leaves `metadata` out of these paths.
  template.at("metadata").at("labels").as(`${template.path}.labels`).labels();
  checkAnnotations(template.at("metadata").at("annotations").as(`${template.path}.annotations`));
}

function checkAnnotations(annotations: Field): void {
  for (const [key] of annotations.entries()) annotations.with(key.toLowerCase()).qualifiedName();
}

/** Whether a selector can be read and chooses what has these labels; undefined where it cannot be read. */
export function chooses(selector: Field, labels: Field): boolean | undefined {
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

/** A selector as Go prints it: some fields even when they are empty. */
function shownSelector(selector: Field): unknown {
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
 * Checks a selector and the labels of the template, which must fit together.
 *
 * Gives false where the selector cannot be read: the server then does not look at the template.
 */
function checkSelected(spec: Field, kind: string, words = "invalid label selector"): boolean {
  const selector = spec.at("selector");
  const isEmpty = selector.at("matchLabels").length + selector.at("matchExpressions").length === 0;
  if (!selector.isSet) selector.required();
  else {
    checkLabelSelector(selector);
    if (isEmpty) selector.invalid(`empty selector is invalid for ${kind}`, shownSelector(selector));
  }
  const labels = spec.at("template").at("metadata").at("labels");
  const isChosen = selector.isSet ? chooses(selector, labels) : false;
  if (isChosen === undefined) {
    selector.invalid(words, shownSelector(selector));
    return false;
  }
  if (!isChosen) labels.invalid("`selector` does not match template `labels`", shownLabels(labels));
  return true;
}

/** A map with its keys in order, as Go prints it. */
export function inOrder(map: Field): unknown {
  return Object.fromEntries(map.entries());
}

/** Labels as Go prints them: none are nothing, unless somebody said that there are none. */
export function shownLabels(labels: Field): unknown {
  return labels.isSet || labels.isSentEmpty ? inOrder(labels) : null;
}

function checkLasting(template: Field, kind: string): void {
  const policy = template.at("spec").at("restartPolicy");
  if (policy.text !== "Always") policy.notSupported(["Always"]);
  const deadline = template.at("spec").at("activeDeadlineSeconds");
  if (deadline.isSet) deadline.forbidden(`activeDeadlineSeconds in ${kind} is not Supported`);
}

const percent = /^[0-9]+%$/;
const percentDetail =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Checks a count that may be a share. */
export function checkCountOrPercent(count: Field): void {
  if (typeof count.value === "string") {
    if (!percent.test(count.value)) count.invalid(percentDetail);
  } else count.notNegative();
}

function isAboveAll(count: Field): boolean {
  return percent.test(count.text) && Number.parseInt(count.text, 10) > 100;
}

function amountOf(count: Field): number {
  return typeof count.value === "string" ? Number.parseInt(count.value, 10) || 0 : count.number;
}

/** Checks a Deployment. */
export function checkDeployment(object: Field): void {
  const spec = object.at("spec");
  spec.at("replicas").notNegative();
  if (checkSelected(spec, "deployment")) {
    checkPodTemplate(spec.at("template"));
    checkLasting(spec.at("template"), "ReplicaSet");
  }
  const strategy = spec.at("strategy");
  const rolling = strategy.at("rollingUpdate");
  if (strategy.at("type").text === "Recreate") {
    if (rolling.isSet) rolling.forbidden("may not be specified when strategy `type` is 'Recreate'");
  } else if (strategy.at("type").text === "RollingUpdate") checkRolling(rolling);
  else
    strategy.notSupported(["Recreate", "RollingUpdate"], shownStrategy(strategy, { maxUnavailable: 0, maxSurge: 0 }));
  spec.at("minReadySeconds").notNegative();
  spec.at("revisionHistoryLimit").notNegative();
  const deadline = spec.at("progressDeadlineSeconds");
  if (deadline.isSet) {
    deadline.notNegative();
    if (deadline.number <= spec.at("minReadySeconds").number) deadline.invalid("must be greater than minReadySeconds");
  }
}

/** A strategy as Go prints what the server holds: every field, by the name it has there. */
function shownStrategy(strategy: Field, fields: Readonly<Record<string, null | number>>): unknown {
  const rolling = strategy.at("rollingUpdate");
  const shown = Object.entries(fields).map(([name, none]) => {
    return [name.charAt(0).toUpperCase() + name.slice(1), rolling.at(name).value ?? none];
  });
  return { Type: strategy.at("type").text, RollingUpdate: rolling.isSet ? Object.fromEntries(shown) : null };
}

function checkRolling(rolling: Field): void {
  const [down, up] = [rolling.at("maxUnavailable"), rolling.at("maxSurge")];
  checkCountOrPercent(down);
  checkCountOrPercent(up);
  if (amountOf(down) === 0 && amountOf(up) === 0) down.invalid("may not be 0 when `maxSurge` is 0");
  if (isAboveAll(down)) down.invalid("must not be greater than 100%");
}

/** Checks a ReplicaSet. */
export function checkReplicaSet(object: Field): void {
  const spec = object.at("spec");
  spec.at("replicas").notNegative();
  spec.at("minReadySeconds").notNegative();
  if (checkSelected(spec, "deployment")) {
    checkPodTemplate(spec.at("template"));
    checkLasting(spec.at("template"), "ReplicaSet");
  }
}

/** Checks a DaemonSet. */
export function checkDaemonSet(object: Field): void {
  const spec = object.at("spec");
  const selector = spec.at("selector");
  checkLabelSelector(selector);
  const labels = spec.at("template").at("metadata").at("labels");
  const isEmpty = selector.at("matchLabels").length + selector.at("matchExpressions").length === 0;
  if (!selector.isSet || chooses(selector, labels) === false) {
    labels.invalid("`selector` does not match template `labels`", shownLabels(labels));
  }
  if (isEmpty && selector.isSet) selector.invalid("empty selector is invalid for daemonset", shownSelector(selector));
  checkPodTemplate(spec.at("template"));
  checkLasting(spec.at("template"), "DaemonSet");
  spec.at("minReadySeconds").notNegative();
  const strategy = spec.at("updateStrategy");
  if (strategy.at("type").text === "RollingUpdate") {
    const rolling = strategy.at("rollingUpdate");
    checkCountOrPercent(rolling.at("maxUnavailable"));
    checkCountOrPercent(rolling.at("maxSurge"));
    const hasDown = amountOf(rolling.at("maxUnavailable")) !== 0;
    const hasUp = amountOf(rolling.at("maxSurge")) !== 0;
    if (hasDown && hasUp) rolling.at("maxSurge").invalid("may not be set when maxUnavailable is non-zero");
    if (!hasDown && !hasUp) rolling.at("maxUnavailable").required("cannot be 0 when maxSurge is 0");
  } else if (strategy.at("type").text !== "OnDelete") {
    strategy.notSupported(["RollingUpdate", "OnDelete"], shownStrategy(strategy, { maxUnavailable: 0, maxSurge: 0 }));
  }
  spec.at("revisionHistoryLimit").notNegative();
}

/** Checks a new StatefulSet. */
export function checkStatefulSet(object: Field): void {
  checkStatefulSetSpec(object.at("spec"), { isNew: true });
}

/** Checks a changed StatefulSet: what cannot change is not looked at again. */
export function checkChangedStatefulSet(object: Field): void {
  checkStatefulSetSpec(object.at("spec"), { isNew: false });
}

function checkStatefulSetSpec(spec: Field, { isNew }: { isNew: boolean }): void {
  const policy = spec.at("podManagementPolicy");
  if (policy.text !== "OrderedReady" && policy.text !== "Parallel") {
    policy.invalid(`must be 'OrderedReady' or 'Parallel'`, policy.text);
  }
  const strategy = spec.at("updateStrategy");
  if (strategy.at("type").text === "OnDelete") {
    if (strategy.at("rollingUpdate").isSet) {
      strategy.at("rollingUpdate").invalid("only allowed for updateStrategy 'RollingUpdate'");
    }
  } else if (strategy.at("type").text === "RollingUpdate") {
    strategy.at("rollingUpdate").at("partition").notNegative();
  } else
    strategy.invalid(
      "must be 'RollingUpdate' or 'OnDelete'",
      shownStrategy(strategy, { partition: 0, maxUnavailable: null }),
    );
  const retention = spec.at("persistentVolumeClaimRetentionPolicy");
  for (const name of ["whenDeleted", "whenScaled"]) {
    if (!["Retain", "Delete"].includes(retention.at(name).text)) retention.at(name).notSupported(["Retain", "Delete"]);
  }
  spec.at("replicas").notNegative();
  spec.at("minReadySeconds").notNegative();
  if (spec.at("ordinals").isSet) spec.at("ordinals").at("start").notNegative();
  if (isNew) {
    for (const claim of spec.at("volumeClaimTemplates").items()) checkClaimSpec(claim.at("spec"));
    if (spec.at("serviceName").text !== "") spec.at("serviceName").dnsLabel();
  }
  if (checkSelected(spec, "statefulset", "")) {
    const template = spec.at("template").with(withClaims(spec));
    checkPodTemplate(template);
    // The server looks at these twice.
    checkTemplateMeta(template);
  }
  checkLasting(spec.at("template"), "StatefulSet");
}

/** The template as its pods will be: with a volume for each claim, and names that the controller gives. */
function withClaims(spec: Field): unknown {
  const template = spec.at("template").value;
  const pod = isRecord(template) ? template["spec"] : undefined;
  if (!isRecord(template) || !isRecord(pod)) return template;
  const { hostname: _hostname, subdomain: _subdomain, ...rest } = pod;
  const names = new Set(
    spec
      .at("volumeClaimTemplates")
      .items()
      .map((claim) => claim.at("metadata").at("name").text),
  );
  const own = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = isList(pod["volumes"])
    ? pod["volumes"].filter((each) => !names.has(new Field(each, "", []).at("name").text))
    : [];
  return { ...template, spec: { ...rest, volumes: [...own, ...others] } };
}

/** Checks a PodDisruptionBudget. */
export function checkDisruptionBudget(object: Field): void {
  const spec = object.at("spec");
  const [min, max] = [spec.at("minAvailable"), spec.at("maxUnavailable")];
  if (min.isSet && max.isSet) {
    const shown = printedAs("PodDisruptionBudgetSpec", spec.value);
    spec.invalid("minAvailable and maxUnavailable cannot be both set", shown);
  }
  for (const count of [min, max]) {
    if (!count.isSet) continue;
    checkCountOrPercent(count);
    if (isAboveAll(count)) count.invalid("must not be greater than 100%");
  }
  checkLabelSelector(spec.at("selector"));
  const policy = spec.at("unhealthyPodEvictionPolicy");
  if (policy.isSet) policy.oneOf(["AlwaysAllow", "IfHealthyBudget"]);
}
