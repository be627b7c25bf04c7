import type { ApiResource, Client, Scale } from "@homeostat/client";
import {
  ApiError,
  ConflictError,
  type DeepReadonly,
  formatGroupResource,
  formatTime,
  HomeostatError,
  InvalidSelectorError,
  isEqual,
  keyOf,
  type LabelSelector,
  ParseError,
  parseApiVersion,
  parseLabelSelector,
  quantityFromJSON,
  type Stored,
} from "@homeostat/core";
import {
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerStatus,
  type MetricStatus,
} from "@homeostat/kubernetes/autoscaling/v2";
import { Pod } from "@homeostat/kubernetes/core/v1";
import type { Informer } from "@homeostat/runtime";
import { type ControlLoop, type ControlParts, fieldManager } from "../common/parts.ts";
import { controlQueue, processQueue, type WorkResult } from "../common/work.ts";
import { Conditions } from "./conditions.ts";
import { metricReplicas, type MetricFailure, type MetricProposal, type ScaleTarget } from "./metric-replicas.ts";
import { MetricsSource } from "./metrics-source.ts";
import type { Tolerances } from "./replica-count.ts";
import { ScaleHistory } from "./scale-history.ts";

const component = "horizontal-pod-autoscaler";
/** Time between two reconciles of an autoscaler (`--horizontal-pod-autoscaler-sync-period`). */
const syncMs = 15_000;
/** Default of both tolerances (`--horizontal-pod-autoscaler-tolerance`). */
const defaultTolerance = 0.1;
/** Attempts to update a scale after conflicts, and the time between them (`retry.DefaultRetry` of client-go). */
const updateAttempts = 5;
const updateDelayMs = 10;

type Autoscaler = Stored<HorizontalPodAutoscaler>;
type Status = DeepReadonly<HorizontalPodAutoscalerStatus>;
type Metric = DeepReadonly<MetricStatus>;

/**
 * Builds the controller that sets the scale of the targets of HorizontalPodAutoscalers, by the metrics APIs.
 *
 * Every autoscaler is reconciled every 15 seconds, first 15 seconds after its creation: changes of the object and of
 * its pods do not trigger a reconcile.
 */
export function horizontalPodAutoscalers(parts: ControlParts): ControlLoop {
  return { name: `${component}-controller`, when: "leading", run: (signal) => run(parts, signal) };
}

async function run(parts: ControlParts, signal: AbortSignal): Promise<void> {
  const { cache, clock, log } = parts;
  const queue = controlQueue(component, clock);
  using autoscalers = cache.informer(HorizontalPodAutoscaler);
  using pods = cache.informer(Pod);
  const histories = new Map<string, ScaleHistory>();
  const selectors = new Map<string, LabelSelector>();
  using _ = autoscalers.subscribe(({ key, type }) => {
    if (type === "delete") selectors.delete(key);
    queue.addAfter(key, syncMs);
  });
  await Promise.all([autoscalers.ready(signal), pods.ready(signal)]).catch(() => undefined);
  const source = new MetricsSource(parts);
  const work = async (key: string, stop: AbortSignal): Promise<WorkResult> => {
    const found = autoscalers.get(key);
    if (found === undefined) {
      histories.delete(key);
      return;
    }
    try {
      await new Reconcile(found, { ...parts, source, pods, histories, selectors, signal: stop }).run();
    } catch (error) {
      // The conditions and events of the object report its problems; the next reconcile comes with the period.
      if (stop.aborted || !(error instanceof HomeostatError)) throw error;
      log.debug("Reconcile failed", { queue: component, key, error });
    }
    return { afterMs: syncMs };
  };
  await processQueue({ queue, log, workers: 5 }, work, signal);
}

interface ReconcileParts extends ControlParts {
  readonly source: MetricsSource;
  readonly pods: Informer<Pod>;
  readonly histories: Map<string, ScaleHistory>;
  /** Selectors of the targets of all autoscalers, to find pods with several autoscalers. */
  readonly selectors: Map<string, LabelSelector>;
  readonly signal: AbortSignal;
}

/** The result of the metrics of an autoscaler; `replicas` is undefined when nothing can be decided. */
interface Evaluated {
  readonly statuses: readonly Metric[] | undefined;
  readonly replicas?: number;
  /** Name of the metric that requires the most replicas. */
  readonly name?: string;
  readonly problem?: string;
}

/** One reconcile of one autoscaler, in the order of `reconcileAutoscaler` of kube-controller-manager. */
class Reconcile {
  readonly #object: Autoscaler;
  readonly #parts: ReconcileParts;
  readonly #key: string;
  readonly #now: number;
  readonly #conditions: Conditions;

  constructor(object: Autoscaler, parts: ReconcileParts) {
    this.#object = object;
    this.#parts = parts;
    this.#key = keyOf(object);
    this.#now = parts.clock.now();
    this.#conditions = new Conditions(object.status?.conditions ?? [], this.#now);
  }

  async run(): Promise<void> {
    const { spec } = this.#object;
    const target = await this.#readTarget();
    if (target === undefined) return this.#write(this.#object.status ?? { desiredReplicas: 0 });
    const { kind, scale } = target;
    this.#conditions.set("AbleToScale", true, {
      reason: "SucceededGetScale",
      message: "the HPA controller was able to get the target's current scale",
    });
    const current = scale.spec?.replicas ?? 0;
    const { histories } = this.#parts;
    const history = histories.get(this.#key) ?? new ScaleHistory(current, this.#now);
    histories.set(this.#key, history);
    const min = spec.minReplicas ?? 1;
    if (current === 0) {
      this.#conditions.set("ScalingActive", false, {
        reason: "ScalingDisabled",
        message: "scaling is disabled since the replica count of the target is zero",
      });
      return this.#writeReplicas({ current, desired: 0, statuses: undefined });
    }
    if (current > spec.maxReplicas || current < min) {
      const isAbove = current > spec.maxReplicas;
      const desired = isAbove ? spec.maxReplicas : min;
      const reason = `Current number of replicas ${isAbove ? "above Spec.MaxReplicas" : "below Spec.MinReplicas"}`;
      return this.#rescale({ kind, scale, current, desired, reason, statuses: undefined, history });
    }
    const evaluated = await this.#evaluate(scale);
    const { replicas, name = "", statuses } = evaluated;
    if (replicas === undefined) {
      await this.#writeReplicas({ current, desired: this.#object.status?.desiredReplicas ?? 0, statuses });
      return this.#warn("FailedComputeMetricsReplicas", evaluated.problem ?? "");
    }
    const behavior = spec.behavior;
    const limit = { current, desired: replicas, min, max: spec.maxReplicas, behavior, now: this.#now };
    const { replicas: desired, able, limited } = history.limit(limit);
    this.#conditions.set("AbleToScale", true, able);
    this.#conditions.set("ScalingLimited", limited.isLimited, limited);
    if (desired === current) return this.#writeReplicas({ current, desired, statuses });
    const reason = replicas > current ? `${name} above target` : replicas < current ? "All metrics below target" : "";
    return this.#rescale({ kind, scale, current, desired, reason, statuses, history });
  }

  /** Reads the scale of the target. Sets the condition and returns undefined when there is none. */
  async #readTarget(): Promise<{ readonly kind: ApiResource; readonly scale: Scale } | undefined> {
    const { kinds, client, signal } = this.#parts;
    const { metadata, spec } = this.#object;
    const reference = spec.scaleTargetRef;
    const { group } = parseApiVersion(reference.apiVersion ?? "v1");
    const kind = kinds.preferred.find((known) => known.group === group && known.kind === reference.kind);
    let problem = `no matches for kind "${reference.kind}" in group "${group}"`;
    if (kind !== undefined) {
      try {
        const scale = await readScale(client, kind, { namespace: metadata.namespace, name: reference.name }, signal);
        if (scale !== undefined) return { kind, scale };
        problem = `${formatGroupResource(kind)} "${reference.name}" not found`;
      } catch (error) {
        if (signal.aborted || !(error instanceof HomeostatError)) throw error;
        problem = messageOf(error);
      }
    }
    this.#warn("FailedGetScale", problem);
    this.#conditions.set("AbleToScale", false, {
      reason: "FailedGetScale",
      message: `the HPA controller was unable to get the target's current scale: ${problem}`,
    });
    return undefined;
  }

  /** Evaluates all metrics. The one that requires the most replicas counts. */
  async #evaluate(scale: Scale): Promise<Evaluated> {
    const { spec } = this.#object;
    const target = this.#targetOf(scale);
    if (typeof target === "string") return { statuses: undefined, problem: target };
    const { source, signal } = this.#parts;
    const results: (MetricProposal | MetricFailure)[] = [];
    for (const metric of spec.metrics ?? []) results.push(await metricReplicas(metric, target, { source, signal }));
    const proposals = results.filter((result) => "replicas" in result);
    const failures = results.filter((result) => "error" in result);
    for (const { reason, message } of failures) this.#warn(reason, message);
    // kube-controller-manager reports an empty status for a metric that it could not evaluate.
    const statuses = results.map((result): Metric => ("status" in result ? result.status : { type: "" }));
    const best = proposals.reduce<MetricProposal | undefined>(
      (highest, one) =>
        highest === undefined || highest.replicas === 0 || one.replicas > highest.replicas ? one : highest,
      undefined,
    );
    const [first] = failures;
    const problem =
      first === undefined
        ? {}
        : {
            problem: `invalid metrics (${failures.length} invalid out of ${results.length}), first error is: ${first.error}`,
          };
    // With a broken metric the target may only grow: the broken one could require more replicas than the others.
    if (best === undefined || (first !== undefined && best.replicas < target.replicas)) {
      const message = `the HPA was unable to compute the replica count: ${first?.message ?? ""}`;
      this.#conditions.set("ScalingActive", false, { reason: first?.reason ?? "", message });
      return { statuses, ...problem };
    }
    this.#conditions.set("ScalingActive", true, {
      reason: "ValidMetricFound",
      message: `the HPA was able to successfully calculate a replica count from ${best.name}`,
    });
    return { statuses, replicas: best.replicas, name: best.name, ...problem };
  }

  /** Returns the pods of the target; a message when its selector is missing, invalid or shared. */
  #targetOf(scale: Scale): ScaleTarget | string {
    const { metadata } = this.#object;
    const { pods, selectors } = this.#parts;
    const { namespace = "" } = metadata;
    const text = scale.status?.selector ?? "";
    if (text === "") {
      const message = "the HPA target's scale is missing a selector";
      return this.#reject("SelectorRequired", "selector is required", { reason: "InvalidSelector", message });
    }
    let selector: LabelSelector;
    try {
      selector = parseLabelSelector(text);
    } catch (error) {
      if (!(error instanceof ParseError || error instanceof InvalidSelectorError)) throw error;
      const message = `couldn't convert selector into a corresponding internal selector object: ${error.message}`;
      return this.#reject("InvalidSelector", message, { reason: "InvalidSelector", message });
    }
    selectors.set(this.#key, selector);
    const chosen = pods.list({ namespace, labels: selector });
    const others = [...selectors].filter(
      ([key, other]) =>
        key.startsWith(`${namespace}/`) && chosen.some(({ metadata: { labels } }) => other.matches(labels)),
    );
    if (others.length > 1) {
      const message = `pods by selector ${text} are controlled by multiple HPAs: [${others.map(([key]) => key).join(" ")}]`;
      return this.#reject("AmbiguousSelector", message, { reason: "AmbiguousSelector", message });
    }
    return {
      namespace,
      replicas: scale.spec?.replicas ?? 0,
      statusReplicas: scale.status?.replicas ?? 0,
      selector: text,
      pods: chosen,
      tolerances: tolerancesOf(this.#object),
      now: this.#now,
    };
  }

  #reject(event: string, problem: string, condition: { readonly reason: string; readonly message: string }): string {
    this.#warn(event, problem);
    this.#conditions.set("ScalingActive", false, condition);
    return problem;
  }

  /** Updates the scale of the target, and reports the result. */
  async #rescale(change: {
    readonly kind: ApiResource;
    readonly scale: Scale;
    readonly current: number;
    readonly desired: number;
    readonly reason: string;
    readonly statuses: readonly Metric[] | undefined;
    readonly history: ScaleHistory;
  }): Promise<void> {
    const { kind, scale, current, desired, reason, statuses, history } = change;
    try {
      await this.#updateScale(kind, scale, desired);
    } catch (error) {
      if (this.#parts.signal.aborted || !(error instanceof HomeostatError)) throw error;
      const problem = messageOf(error);
      this.#warn("FailedRescale", `New size: ${desired}; reason: ${reason}; error: ${problem}`);
      this.#conditions.set("AbleToScale", false, {
        reason: "FailedUpdateScale",
        message: `the HPA controller was unable to update the target scale: ${problem}`,
      });
      return this.#writeReplicas({ current, desired: this.#object.status?.desiredReplicas ?? 0, statuses });
    }
    this.#conditions.set("AbleToScale", true, {
      reason: "SucceededRescale",
      message: `the HPA controller was able to update the target scale to ${desired}`,
    });
    const message = `New size: ${desired}; reason: ${reason}`;
    this.#parts.events.record(component, this.#object, { type: "Normal", reason: "SuccessfulRescale", message });
    history.record({ from: current, to: desired, behavior: this.#object.spec.behavior, now: this.#now });
    return this.#writeReplicas({ current, desired, statuses, isRescaled: true });
  }

  async #updateScale(kind: ApiResource, scale: Scale, replicas: number): Promise<void> {
    const { client, clock, signal } = this.#parts;
    const { namespace, name = "" } = scale.metadata;
    let latest = scale;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const next = { ...latest, spec: { ...latest.spec, replicas } };
        await client.update(kind, next, { subresource: "scale", fieldManager, signal });
        return;
      } catch (error) {
        if (!(error instanceof ConflictError) || attempt === updateAttempts) throw error;
      }
      await clock.sleep(updateDelayMs, signal);
      latest = (await readScale(client, kind, { namespace, name }, signal)) ?? latest;
    }
  }

  #writeReplicas(written: {
    readonly current: number;
    readonly desired: number;
    readonly statuses: readonly Metric[] | undefined;
    readonly isRescaled?: boolean;
  }): Promise<void> {
    const { current, desired, statuses, isRescaled = false } = written;
    const lastScaleTime = isRescaled ? formatTime(this.#now) : this.#object.status?.lastScaleTime;
    return this.#write({
      ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
      currentReplicas: current,
      desiredReplicas: desired,
      ...(statuses === undefined ? {} : { currentMetrics: statuses }),
    });
  }

  async #write(status: Status): Promise<void> {
    const { client, signal } = this.#parts;
    const next = { ...status, conditions: this.#conditions.list() };
    if (isEqual(next, this.#object.status)) return;
    const options = { subresource: "status", fieldManager, signal } as const;
    try {
      await client.update(HorizontalPodAutoscaler, { ...this.#object, status: next }, options);
    } catch (error) {
      if (signal.aborted || !(error instanceof HomeostatError)) throw error;
      this.#warn("FailedUpdateStatus", messageOf(error));
    }
  }

  #warn(reason: string, message: string): void {
    this.#parts.events.record(component, this.#object, { type: "Warning", reason, message });
  }
}

function readScale(
  client: Client,
  kind: ApiResource,
  name: { readonly namespace: string | undefined; readonly name: string },
  signal: AbortSignal,
): Promise<Scale | undefined> {
  return client.get(kind, name, { subresource: "scale", signal });
}

function tolerancesOf({ spec: { behavior } }: Autoscaler): Tolerances {
  const read = (tolerance: string | number | undefined): number =>
    tolerance === undefined ? defaultTolerance : quantityFromJSON(tolerance).asApproximateNumber();
  return { scaleDown: read(behavior?.scaleDown?.tolerance), scaleUp: read(behavior?.scaleUp?.tolerance) };
}

/** Returns the message of the server, as client-go's errors have it. */
function messageOf(error: HomeostatError): string {
  return error instanceof ApiError && error.serverMessage !== "" ? error.serverMessage : error.message;
}
