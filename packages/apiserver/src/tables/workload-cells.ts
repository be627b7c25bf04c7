import { humanDuration } from "@homeostat/core";
import { isSet, listAt, numberAt, textAt, valueAt } from "./read.ts";
import {
  age,
  containerCells,
  instantMs,
  isTrue,
  labelText,
  nameOf,
  quantityText,
  selectorText,
  setOr,
  since,
} from "./words.ts";

const byFormat = { none: "<none>", invalid: "<error>" };

/** The cells of a deployment. */
export function deploymentCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    `${numberAt(object, "status", "readyReplicas")}/${numberAt(object, "spec", "replicas")}`,
    numberAt(object, "status", "updatedReplicas"),
    numberAt(object, "status", "availableReplicas"),
    age(object, nowMs),
    ...containerCells(valueAt(object, "spec", "template")),
    selectorText(object, { none: "", invalid: "<invalid>" }, "spec", "selector"),
  ];
}

/** The cells of a replica set. */
export function replicaSetCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    numberAt(object, "spec", "replicas"),
    numberAt(object, "status", "replicas"),
    numberAt(object, "status", "readyReplicas"),
    age(object, nowMs),
    ...containerCells(valueAt(object, "spec", "template")),
    selectorText(object, byFormat, "spec", "selector"),
  ];
}

/** The cells of a replication controller. */
export function replicationControllerCells(object: unknown, nowMs: number): unknown[] {
  return [...replicaSetCells(object, nowMs).slice(0, -1), labelText(object, "spec", "selector")];
}

/** The cells of a stateful set. */
export function statefulSetCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    `${numberAt(object, "status", "readyReplicas")}/${numberAt(object, "spec", "replicas")}`,
    age(object, nowMs),
    ...containerCells(valueAt(object, "spec", "template")),
  ];
}

/** The cells of a daemon set. */
export function daemonSetCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    numberAt(object, "status", "desiredNumberScheduled"),
    numberAt(object, "status", "currentNumberScheduled"),
    numberAt(object, "status", "numberReady"),
    numberAt(object, "status", "updatedNumberScheduled"),
    numberAt(object, "status", "numberAvailable"),
    labelText(object, "spec", "template", "spec", "nodeSelector"),
    age(object, nowMs),
    ...containerCells(valueAt(object, "spec", "template")),
    selectorText(object, byFormat, "spec", "selector"),
  ];
}

/** The cells of a pod template. */
export function podTemplateCells(object: unknown): unknown[] {
  const template = valueAt(object, "template");
  return [nameOf(object), ...containerCells(template), labelText(template, "metadata", "labels")];
}

/** The cells of a controller revision. */
export function controllerRevisionCells(object: unknown, nowMs: number): unknown[] {
  const owner = listAt(object, "metadata", "ownerReferences").find((each) => valueAt(each, "controller") === true);
  const [group, version] = textAt(owner, "apiVersion").split("/");
  const kind = `${textAt(owner, "kind")}${version === undefined ? "" : `.${group}`}`.toLowerCase();
  const controller = owner === undefined ? "<none>" : `${kind}/${textAt(owner, "name")}`;
  return [nameOf(object), controller, numberAt(object, "revision"), age(object, nowMs)];
}

const jobWords = [
  ["Suspended", "Suspended"],
  ["FailureTarget", "FailureTarget"],
  ["SuccessCriteriaMet", "SuccessCriteriaMet"],
] as const;

/** The cells of a job. */
export function jobCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    jobWord(object),
    completionsOf(object),
    durationOf(object, nowMs),
    age(object, nowMs),
    ...containerCells(valueAt(object, "spec", "template")),
    selectorText(object, byFormat, "spec", "selector"),
  ];
}

function jobWord(job: unknown): string {
  const conditions = listAt(job, "status", "conditions");
  if (isTrue(conditions, "Complete")) return "Complete";
  if (isTrue(conditions, "Failed")) return "Failed";
  if (isSet(job, "metadata", "deletionTimestamp")) return "Terminating";
  return jobWords.find(([type]) => isTrue(conditions, type))?.[1] ?? "Running";
}

function completionsOf(job: unknown): string {
  const done = numberAt(job, "status", "succeeded");
  if (isSet(job, "spec", "completions")) return `${done}/${numberAt(job, "spec", "completions")}`;
  const parallelism = numberAt(job, "spec", "parallelism");
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function durationOf(job: unknown, nowMs: number): string {
  const start = instantMs(valueAt(job, "status", "startTime"));
  if (start === undefined) return "";
  return humanDuration((instantMs(valueAt(job, "status", "completionTime")) ?? nowMs) - start);
}

/** The cells of a cron job. */
export function cronJobCells(object: unknown, nowMs: number): unknown[] {
  const suspend = valueAt(object, "spec", "suspend");
  const last = valueAt(object, "status", "lastScheduleTime");
  return [
    nameOf(object),
    textAt(object, "spec", "schedule"),
    setOr(object, ["spec", "timeZone"], "<none>"),
    suspend === true ? "True" : suspend === false ? "False" : "<unset>",
    listAt(object, "status", "active").length,
    isSet(last) ? since(last, nowMs) : "<none>",
    age(object, nowMs),
    ...containerCells(valueAt(object, "spec", "jobTemplate", "spec", "template")),
    selectorText(object, byFormat, "spec", "jobTemplate", "spec", "selector"),
  ];
}

/** The cells of a disruption budget. */
export function disruptionBudgetCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    setOr(object, ["spec", "minAvailable"], "N/A"),
    setOr(object, ["spec", "maxUnavailable"], "N/A"),
    numberAt(object, "status", "disruptionsAllowed"),
    age(object, nowMs),
  ];
}

/** The cells of an autoscaler. */
export function autoscalerCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    `${textAt(object, "spec", "scaleTargetRef", "kind")}/${textAt(object, "spec", "scaleTargetRef", "name")}`,
    metricsOf(object),
    setOr(object, ["spec", "minReplicas"], "<unset>"),
    numberAt(object, "spec", "maxReplicas"),
    numberAt(object, "status", "currentReplicas"),
    age(object, nowMs),
  ];
}

function metricsOf(object: unknown): string {
  const metrics = listAt(object, "spec", "metrics");
  if (metrics.length === 0) return "<none>";
  const texts = metrics.map((metric, index) => metricText(metric, listAt(object, "status", "currentMetrics")[index]));
  const shown = texts.slice(0, 2).join(", ");
  return texts.length > 2 ? `${shown} + ${texts.length - 2} more...` : shown;
}

/** The field of each type of metric. */
const metricFields: Readonly<Record<string, string>> = {
  External: "external",
  Pods: "pods",
  Object: "object",
  Resource: "resource",
  ContainerResource: "containerResource",
};

function metricText(metric: unknown, status: unknown): string {
  const type = textAt(metric, "type");
  const field = Object.hasOwn(metricFields, type) ? metricFields[type] : undefined;
  if (field === undefined) return "<unknown type>";
  const target = valueAt(metric, field, "target");
  const current = valueAt(status, field, "current");
  const isShare = type === "Resource" || type === "ContainerResource";
  const name = isShare ? `${textAt(metric, field, "name")}: ` : "";
  if (isSet(target, "averageValue") || type === "Pods") {
    const isStrict = type === "External" || type === "Object";
    const isKnown = isSet(status, field) && (!isStrict || isSet(current, "averageValue"));
    const now = isKnown ? quantityText(valueAt(current, "averageValue")) : "<unknown>";
    return `${name}${now}/${quantityText(valueAt(target, "averageValue"))}${isStrict ? " (avg)" : ""}`;
  }
  if (isShare) {
    const percent = (value: unknown, word: string): string =>
      isSet(value, "averageUtilization") ? `${numberAt(value, "averageUtilization")}%` : word;
    return `${name}${percent(current, "<unknown>")}/${percent(target, "<auto>")}`;
  }
  const now = isSet(status, field) ? quantityText(valueAt(current, "value")) : "<unknown>";
  return `${now}/${quantityText(valueAt(target, "value"))}`;
}
