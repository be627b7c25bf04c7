import {
  type DeepReadonly,
  HomeostatError,
  quantityFromJSON,
  quantityFromMilli,
  TransientError,
} from "@homeostat/core";
import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "@homeostat/kubernetes/autoscaling/v2";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { goSelector } from "../common/go-selector.ts";
import type { CustomMetric, MetricsSource } from "./metrics-source.ts";
import {
  averageReplicas,
  perPodReplicas,
  type PodUsage,
  type Proposal,
  type Tolerances,
  totalReplicas,
  utilizationReplicas,
} from "./replica-count.ts";

/** The scale target of an autoscaler. */
export interface ScaleTarget {
  readonly namespace: string;
  /** `spec.replicas` and `status.replicas` of the scale. */
  readonly replicas: number;
  readonly statusReplicas: number;
  /** Selector of the pods in string form, and the pods that it matches. */
  readonly selector: string;
  readonly pods: readonly DeepReadonly<Pod>[];
  readonly tolerances: Tolerances;
  readonly now: number;
}

/** The replicas that a metric requires, its name in messages, and its status. */
export interface MetricProposal {
  readonly replicas: number;
  readonly name: string;
  readonly status: DeepReadonly<MetricStatus>;
}

/** Reason and message of a metric that could not be evaluated, and the error as the controller reports it. */
export interface MetricFailure {
  readonly reason: string;
  readonly message: string;
  readonly error: string;
}

type Spec = DeepReadonly<MetricSpec>;

/** Returns the replicas that one metric requires, or why it could not be evaluated. */
export async function metricReplicas(
  spec: Spec,
  target: ScaleTarget,
  { source, signal }: { readonly source: MetricsSource; readonly signal: AbortSignal },
): Promise<MetricProposal | MetricFailure> {
  const { reason, prefix, propose } = evaluation(spec, target, source);
  try {
    return await propose(signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof HomeostatError)) throw error;
    return { reason, message: error.message, error: `${prefix}: ${error.message}` };
  }
}

/** The evaluation of a metric, with the reason and the prefix of its errors. */
interface Evaluation {
  readonly reason: string;
  readonly prefix: string;
  readonly propose: (signal: AbortSignal) => Promise<MetricProposal>;
}

function evaluation(spec: Spec, target: ScaleTarget, source: MetricsSource): Evaluation {
  if (spec.type === "Resource" && spec.resource !== undefined) {
    const { name, target: wanted } = spec.resource;
    return {
      reason: "FailedGetResourceMetric",
      prefix: `failed to get ${name} resource metric value`,
      propose: async (signal) => {
        const found = await resourceReplicas({ name, container: "", wanted }, target, source, signal);
        return { ...found, status: { type: "Resource", resource: { name, current: found.current } } };
      },
    };
  }
  if (spec.type === "ContainerResource" && spec.containerResource !== undefined) {
    const { name, container, target: wanted } = spec.containerResource;
    return {
      reason: "FailedGetContainerResourceMetric",
      prefix: `failed to get ${container} container metric value`,
      propose: async (signal) => {
        const found = await resourceReplicas({ name, container, wanted }, target, source, signal);
        const containerResource = { name, container, current: found.current };
        return { ...found, status: { type: "ContainerResource", containerResource } };
      },
    };
  }
  if (spec.type === "Pods" && spec.pods !== undefined) return podsEvaluation(spec.pods, target, source);
  if (spec.type === "Object" && spec.object !== undefined) return objectEvaluation(spec.object, target, source);
  if (spec.type === "External" && spec.external !== undefined) {
    return externalEvaluation(spec.external, target, source);
  }
  const problem = `unknown metric source type ${JSON.stringify(spec.type)}`;
  return {
    reason: "InvalidMetricSourceType",
    prefix: problem,
    propose: () => Promise.reject(new TransientError(problem)),
  };
}

async function resourceReplicas(
  resource: { readonly name: string; readonly container: string; readonly wanted: DeepReadonly<MetricTarget> },
  target: ScaleTarget,
  source: MetricsSource,
  signal: AbortSignal,
): Promise<{ readonly replicas: number; readonly name: string; readonly current: MetricValueStatus }> {
  const { name, container, wanted } = resource;
  const { averageValue, averageUtilization } = wanted;
  const { namespace, selector } = target;
  const what = averageValue === undefined ? "utilization" : "usage";
  if (averageValue === undefined && averageUtilization === undefined) {
    throw new TransientError(
      "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
    );
  }
  try {
    const metrics = await source
      .usage({ namespace, selector, resource: name, container }, signal)
      .catch((error: unknown) => rethrow(error, `unable to get metrics for resource ${name}: `));
    const usage: PodUsage = { ...target, current: target.replicas, metrics, resource: name };
    // As metrics-server does, memory is printed in binary units.
    const printed = (found: Proposal): string =>
      quantityFromMilli(found.usage, name === "memory" ? "BinarySI" : "DecimalSI").toString();
    if (averageValue !== undefined) {
      const found = averageReplicas(usage, quantityFromJSON(averageValue).milliValue());
      return { replicas: found.replicas, name: `${name} resource`, current: { averageValue: printed(found) } };
    }
    const found = utilizationReplicas(usage, { target: averageUtilization ?? 0, container });
    const kind = container === "" ? "resource" : "container resource";
    return {
      replicas: found.replicas,
      name: `${name} ${kind} utilization (percentage of request)`,
      current: { averageUtilization: found.utilization ?? 0, averageValue: printed(found) },
    };
  } catch (error) {
    return rethrow(error, `failed to get ${name} ${what}: `);
  }
}

function podsEvaluation(
  { metric, target: wanted }: NonNullable<Spec["pods"]>,
  target: ScaleTarget,
  source: MetricsSource,
): Evaluation {
  return {
    reason: "FailedGetPodsMetric",
    prefix: "failed to get pods metric value",
    propose: async (signal) => {
      const metrics = await source
        .podMetric(customMetric(metric, target), target.selector, signal)
        .catch((error: unknown) => rethrow(error, `unable to get metric ${metric.name}: `));
      const usage: PodUsage = { ...target, current: target.replicas, metrics, resource: "" };
      const found = averageReplicas(usage, quantityFromJSON(wanted.averageValue ?? "0").milliValue());
      const current = { averageValue: quantityFromMilli(found.usage).toString() };
      return {
        replicas: found.replicas,
        name: `pods metric ${metric.name}`,
        status: { type: "Pods", pods: { metric: identifier(metric), current } },
      };
    },
  };
}

function objectEvaluation(
  { metric, describedObject, target: wanted }: NonNullable<Spec["object"]>,
  target: ScaleTarget,
  source: MetricsSource,
): Evaluation {
  const read = (signal: AbortSignal): Promise<bigint> => {
    const { kind, name } = describedObject;
    return source.objectMetric(customMetric(metric, target), describedObject, signal).catch((error: unknown) => {
      // kube-controller-manager prints the arguments of this message in the wrong order.
      if (!(error instanceof HomeostatError)) throw error;
      const text = `unable to get metric ${metric.name}: ${kind} on ${target.namespace} ${name}/${error.message}`;
      throw new TransientError(text, { cause: error });
    });
  };
  const status = (current: MetricValueStatus): DeepReadonly<MetricStatus> => ({
    type: "Object",
    object: { describedObject: { ...describedObject }, metric: identifier(metric), current },
  });
  return {
    reason: "FailedGetObjectMetric",
    prefix:
      wanted.type === "AverageValue"
        ? `failed to get object metric value: failed to get ${metric.name} object metric`
        : "failed to get object metric value",
    propose: async (signal) => {
      if (wanted.type === "Value" && wanted.value !== undefined) {
        const value = await read(signal);
        const goal = quantityFromJSON(wanted.value).milliValue();
        const { replicas, usage } = totalReplicas(value, goal, { ...target, current: target.replicas });
        const current = { value: quantityFromMilli(usage).toString() };
        return { replicas, name: `${describedObject.kind} metric ${metric.name}`, status: status(current) };
      }
      if (wanted.type === "AverageValue" && wanted.averageValue !== undefined) {
        const value = await read(signal);
        const { replicas, usage } = perPodReplicas(value, quantityFromJSON(wanted.averageValue).milliValue(), target);
        const current = { averageValue: quantityFromMilli(usage).toString() };
        return { replicas, name: externalName(metric), status: status(current) };
      }
      throw new TransientError(
        "invalid object metric source: neither a value target nor an average value target was set",
      );
    },
  };
}

function externalEvaluation(
  { metric, target: wanted }: NonNullable<Spec["external"]>,
  target: ScaleTarget,
  source: MetricsSource,
): Evaluation {
  const { name } = metric;
  const status = (current: MetricValueStatus): DeepReadonly<MetricStatus> => ({
    type: "External",
    external: { metric: identifier(metric), current },
  });
  const isAverage = wanted.averageValue !== undefined;
  const inner = isAverage ? `failed to get ${name} external metric` : `failed to get external metric ${name}`;
  return {
    reason: "FailedGetExternalMetric",
    prefix: `failed to get ${name} external metric value: ${inner}`,
    propose: async (signal) => {
      const prefix = `unable to get external metric ${target.namespace}/${name}/${goSelector(metric.selector)}: `;
      const value = await source
        .externalMetric(customMetric(metric, target), signal)
        .catch((error: unknown) => rethrow(error, prefix));
      if (wanted.averageValue !== undefined) {
        const { replicas, usage } = perPodReplicas(value, quantityFromJSON(wanted.averageValue).milliValue(), target);
        const current = { averageValue: quantityFromMilli(usage).toString() };
        return { replicas, name: externalName(metric), status: status(current) };
      }
      const goal = quantityFromJSON(wanted.value ?? "0").milliValue();
      const { replicas, usage } = totalReplicas(value, goal, { ...target, current: target.replicas });
      const current = { value: quantityFromMilli(usage).toString() };
      return { replicas, name: externalName(metric), status: status(current) };
    },
  };
}

type Identifier = NonNullable<Spec["pods"]>["metric"];

function customMetric({ name, selector }: Identifier, { namespace }: ScaleTarget): CustomMetric {
  return { namespace, metric: name, metricSelector: selector };
}

function identifier({ name, selector }: Identifier): Identifier {
  return { name, ...(selector === undefined ? {} : { selector }) };
}

function externalName({ name, selector }: Identifier): string {
  return `external metric ${name}(${goSelector(selector)})`;
}

/** Throws an error again with a longer message. Errors that are not ours are thrown as they are. */
function rethrow(error: unknown, prefix: string): never {
  if (!(error instanceof HomeostatError)) throw error;
  throw new TransientError(`${prefix}${error.message}`, { cause: error });
}
