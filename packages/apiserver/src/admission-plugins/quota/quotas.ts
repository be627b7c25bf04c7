import type { Clock, JsonRecord, Quantity } from "@homeostat/core";
import { isEqual } from "@homeostat/core";
import { strategyOf } from "../../kinds/strategies.ts";
import { textAt, valueAt } from "../../values/fields.ts";
import type { AdmissionRequest, AdmissionStep } from "../../admission/admission.ts";
import type { ClusterReader } from "../../admission/cluster-reader.ts";
import { forbid, resourceOf } from "../../admission/forbid.ts";
import { addAmounts, type Amounts, amountsAt, amountsText, none, pick } from "../../admission/resource-lists.ts";
import type { QuotaEvaluator } from "../../admission/quota-evaluator.ts";
import { isInScope } from "./scopes.ts";
import type { MeasuredObjects, UsageIndex } from "./usage-index.ts";
import { measuredResource, measures, usageOf } from "./usage.ts";

/** Options of {@link ResourceQuotas}. */
export interface ResourceQuotasOptions {
  readonly reader: ClusterReader;
  readonly clock: Pick<Clock, "now">;
  /** Usage of stored objects. Default: all objects that a quota measures are read on each check. */
  readonly index?: Pick<UsageIndex, "used">;
}

/** A ResourceQuota status that must be updated. */
export interface OutdatedQuota {
  readonly namespace: string;
  readonly name: string;
  readonly status: JsonRecord;
}

/**
 * Enforces ResourceQuotas from the stored objects.
 *
 * {@link ResourceQuotas.step} refuses a write that exceeds a quota, in the same turn of the event loop as the write.
 * kube-apiserver instead reserves usage in the quota's status with a compare-and-swap, and the quota controller
 * corrects it later; here usage is always computed from what is stored, so it cannot be wrong. The server calls
 * {@link ResourceQuotas.outdated} after each change in a namespace, in the same turn, and stores the returned statuses.
 */
export class ResourceQuotas {
  readonly step: AdmissionStep;
  readonly #reader: ClusterReader;
  readonly #clock: Pick<Clock, "now">;
  readonly #index: Pick<UsageIndex, "used"> | undefined;

  constructor({ reader, clock, index }: ResourceQuotasOptions) {
    this.#index = index;
    this.#reader = reader;
    this.#clock = clock;
    this.step = {
      name: "ResourceQuota",
      validate: (request) => (request.isDryRun ? this.#check(request) : undefined),
      atWrite: (request) => this.#check(request),
    };
  }

  /** Returns the quota statuses of a namespace that must be updated. */
  outdated(namespace: string): OutdatedQuota[] {
    return this.#quotas(namespace).flatMap((quota) => {
      const used = this.#used(quota, namespace);
      const status = { hard: sortedTexts(amountsAt(quota, "spec", "hard")), used: sortedTexts(used) };
      const current = { hard: valueAt(quota, "status", "hard"), used: valueAt(quota, "status", "used") };
      if (isEqual(status, current)) return [];
      return [{ namespace, name: textAt(quota, "metadata", "name"), status }];
    });
  }

  #quotas(namespace: string): readonly JsonRecord[] {
    return this.#reader.list({ group: "", resource: "resourcequotas", namespace });
  }

  /** Returns the usage of everything that a quota limits. */
  #used(quota: unknown, namespace: string): Map<string, Quantity> {
    const names = [...amountsAt(quota, "spec", "hard").keys()];
    const resources = new Set(names.map(measuredResource).filter((resource) => resource !== undefined));
    const used = new Map<string, Quantity>();
    for (const resource of resources) this.#addUse(used, { quota, namespace, resource });
    return pick(used, names);
  }

  #addUse(used: Map<string, Quantity>, measured: MeasuredObjects): void {
    const { quota, namespace, resource } = measured;
    for (const name of amountsAt(quota, "spec", "hard").keys()) if (measures(name, resource)) used.set(name, none);
    if (this.#index !== undefined) return addAmounts(used, this.#index.used(measured));
    const [plural = "", ...group] = resource.split(".");
    const nowMs = this.#clock.now();
    for (const object of this.#reader.list({ group: group.join("."), resource: plural, namespace })) {
      if (isInScope(quota, resource, object)) addAmounts(used, usageOf(resource, object, nowMs));
    }
  }

  #check(request: AdmissionRequest): void {
    const { namespace, object, oldObject, operation } = request;
    const resource = resourceOf(request);
    const { isUnmeasured, quota: evaluator } = strategyOf(request.kind.resource);
    if (namespace === "" || resource === "namespaces" || isUnmeasured === true || !isMeasured(request, evaluator))
      return;
    const quotas = this.#quotas(namespace);
    if (quotas.length === 0) return;
    const nowMs = this.#clock.now();
    const use = usageOf(resource, object, nowMs);
    const isReplaced = operation === "UPDATE" && textAt(oldObject, "metadata", "resourceVersion") !== "";
    const before = isReplaced ? usageOf(resource, oldObject, nowMs) : undefined;
    const applicable = quotas.flatMap((quota) => {
      const hard = amountsAt(quota, "spec", "hard");
      const names = [...hard.keys()].filter((name) => measures(name, resource));
      if (names.length === 0 || !isInScope(quota, resource, object)) return [];
      const missing = evaluator?.missingText?.(object, names) ?? "";
      if (missing !== "") throw forbid(request, `failed quota: ${textAt(quota, "metadata", "name")}: ${missing}`);
      return [{ quota, hard }];
    });
    for (const { quota, hard } of applicable) {
      const isCounted = before !== undefined && isInScope(quota, resource, oldObject);
      const more = increase(use, isCounted ? before : new Map(), hard);
      if (more.size > 0) this.#checkLimits(request, { quota, hard, more, resource });
    }
  }

  #checkLimits(
    request: AdmissionRequest,
    {
      quota,
      hard,
      more,
      resource,
    }: { readonly quota: unknown; readonly hard: Amounts; readonly more: Amounts; readonly resource: string },
  ): void {
    const used = new Map<string, Quantity>();
    this.#addUse(used, { quota, namespace: request.namespace, resource });
    const exceeded = [...more].flatMap(([name, amount]) => {
      const limit = hard.get(name);
      return limit !== undefined && (used.get(name) ?? none).add(amount).isGreaterThan(limit) ? [name] : [];
    });
    if (exceeded.length === 0) return;
    const texts = [
      `exceeded quota: ${textAt(quota, "metadata", "name")}`,
      `requested: ${amountsText(pick(more, exceeded))}`,
      `used: ${amountsText(pick(used, exceeded))}`,
      `limited: ${amountsText(pick(hard, exceeded))}`,
    ];
    throw forbid(request, texts.join(", "));
  }
}

/** Reports whether a write can change the usage. */
function isMeasured(
  { operation, subresource, object, oldObject }: AdmissionRequest,
  evaluator: QuotaEvaluator | undefined,
): boolean {
  if (subresource !== "") {
    return operation === "UPDATE" && evaluator?.measuredSubresources?.includes(subresource) === true;
  }
  if (operation === "CREATE") return true;
  return operation === "UPDATE" && evaluator?.measuresUpdate?.(object, oldObject) === true;
}

/** Returns the additional usage of limited resources. */
function increase(use: Amounts, before: Amounts, hard: Amounts): Map<string, Quantity> {
  const more = new Map<string, Quantity>();
  for (const [name, amount] of pick(use, hard.keys())) {
    const difference = amount.sub(before.get(name) ?? none);
    if (difference.sign() > 0) more.set(name, difference);
  }
  return more;
}

function sortedTexts(amounts: Amounts): JsonRecord {
  const sorted = [...amounts].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return Object.fromEntries(sorted.map(([name, amount]) => [name, amount.canonical()]));
}
