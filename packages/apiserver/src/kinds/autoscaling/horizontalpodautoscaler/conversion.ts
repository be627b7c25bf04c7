// Conversion between the two versions. Annotations hold what `autoscaling/v1` has no field for.

import { isList, isRecord, type JsonRecord } from "@homeostat/core";
import { listAt, textAt, valueAt } from "../../../values/fields.ts";

const metricsKey = "autoscaling.alpha.kubernetes.io/metrics";
const currentKey = "autoscaling.alpha.kubernetes.io/current-metrics";
const conditionsKey = "autoscaling.alpha.kubernetes.io/conditions";
const behaviorKey = "autoscaling.alpha.kubernetes.io/behavior";
const ownKeys = new Set([metricsKey, currentKey, conditionsKey, behaviorKey]);

/** Converts an autoscaler of `autoscaling/v2` to `autoscaling/v1`. */
export function toAutoscalingV1(object: JsonRecord): JsonRecord {
  const { spec, status, metadata } = parts(object);
  const { metrics, behavior, ...otherSpec } = spec;
  const { currentMetrics, conditions, ...otherStatus } = status;
  const isCpu = (metric: unknown): boolean =>
    textAt(metric, "resource", "name") === "cpu" &&
    (textAt(metric, "resource", "target", "type") === "Utilization" ||
      valueAt(metric, "resource", "current", "averageUtilization") !== undefined);
  const metricList = isList(metrics) ? metrics : [];
  const cpu = valueAt(metricList.find(isCpu), "resource", "target", "averageUtilization");
  const currentList = isList(currentMetrics) ? currentMetrics : [];
  const now = valueAt(currentList.find(isCpu), "resource", "current", "averageUtilization");
  const others = metricList.filter((metric) => !isCpu(metric));
  const otherSeen = currentList.filter((metric) => !isCpu(metric));
  const annotations: JsonRecord = {
    ...(isRecord(metadata["annotations"]) ? metadata["annotations"] : {}),
    ...(others.length === 0 ? {} : { [metricsKey]: JSON.stringify(others) }),
    ...(otherSeen.length === 0 ? {} : { [currentKey]: JSON.stringify(otherSeen) }),
    ...(isList(conditions) && conditions.length > 0 ? { [conditionsKey]: JSON.stringify(conditions) } : {}),
    ...(isRecord(behavior) ? { [behaviorKey]: JSON.stringify(behavior) } : {}),
  };
  return {
    ...object,
    apiVersion: "autoscaling/v1",
    metadata: withAnnotations(metadata, annotations),
    spec: { ...otherSpec, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }) },
    status: {
      currentReplicas: 0,
      desiredReplicas: 0,
      ...otherStatus,
      ...(now === undefined ? {} : { currentCPUUtilizationPercentage: now }),
    },
  };
}

/** Converts an autoscaler of `autoscaling/v1` to `autoscaling/v2`. */
export function toAutoscalingV2(object: JsonRecord): JsonRecord {
  const { spec, status, metadata } = parts(object);
  const { targetCPUUtilizationPercentage: cpu, ...otherSpec } = spec;
  const { currentCPUUtilizationPercentage: now, ...otherStatus } = status;
  const annotations = isRecord(metadata["annotations"]) ? metadata["annotations"] : {};
  const [others, otherSeen, conditions, behavior] = [metricsKey, currentKey, conditionsKey, behaviorKey].map((key) =>
    readJson(annotations[key]),
  );
  const target = { type: "Utilization", averageUtilization: cpu };
  const metrics = [
    ...(isList(others) ? others : []),
    ...(cpu === undefined ? [] : [{ type: "Resource", resource: { name: "cpu", target } }]),
  ];
  const current = { averageUtilization: now };
  const currentMetrics = [
    ...(isList(otherSeen) ? otherSeen : []),
    ...(now === undefined ? [] : [{ type: "Resource", resource: { name: "cpu", current } }]),
  ];
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => !ownKeys.has(key)));
  return {
    ...object,
    apiVersion: "autoscaling/v2",
    metadata: withAnnotations(metadata, kept),
    spec: { ...otherSpec, ...(metrics.length === 0 ? {} : { metrics }), ...(isRecord(behavior) ? { behavior } : {}) },
    status: {
      ...otherStatus,
      ...(currentMetrics.length === 0 ? {} : { currentMetrics }),
      ...(listAt(conditions).length === 0 ? {} : { conditions }),
    },
  };
}

function parts(object: JsonRecord): { spec: JsonRecord; status: JsonRecord; metadata: JsonRecord } {
  const [spec, status, metadata] = ["spec", "status", "metadata"].map((name) => {
    const part = object[name];
    return isRecord(part) ? part : {};
  });
  return { spec: spec ?? {}, status: status ?? {}, metadata: metadata ?? {} };
}

function withAnnotations(metadata: JsonRecord, annotations: JsonRecord): JsonRecord {
  const { annotations: _, ...rest } = metadata;
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
}

function readJson(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
