import { isSet, listAt, numberAt, textAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf, quantityText, setOr } from "../../../tables/cell-text.ts";

/** Returns the table cells of an autoscaler. */
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

/** Field of the spec by type of metric. */
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
