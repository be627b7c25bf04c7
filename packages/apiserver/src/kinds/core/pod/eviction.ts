import {
  formatTime,
  InvalidSelectorError,
  isRecord,
  type JsonRecord,
  labelSelectorFrom,
  setCondition,
} from "@homeostat/core";
import { labelsOf } from "../../../admission/webhooks/match.ts";
import type { DeletionRequest, Propagation } from "../../../registry/deletion.ts";
import type { SpecialRequest, SpecialStore } from "../../../endpoints/endpoint-store.ts";
import {
  badRequestStatus,
  deletePreconditionStatus,
  forbiddenStatus,
  invalidStatus,
  notFoundStatus,
  tooManyRequestsStatus,
  unknownErrorStatus,
} from "../../../status/refusals.ts";
import { failure, type ServerStatus, StatusError } from "../../../status/status.ts";
import { entriesAt, isSet, listAt, numberAt, textAt, valueAt } from "../../../values/fields.ts";
import { Field } from "../../../validation/field.ts";
import { createdStatus } from "./binding.ts";
import { withPodCondition } from "./conditions.ts";

const pods = { group: "", resource: "pods" };
const budgets = { group: "policy", resource: "poddisruptionbudgets" };
const disruptedMax = 2000;
const tooManyMessage = "Cannot evict pod as it would violate the pod's disruption budget.";

/**
 * Evicts a pod: a POST to `pods/NAME/eviction`. Deletes the pod if its PodDisruptionBudget allows that.
 *
 * The budget is read, checked and written without another write in between, so that two evictions cannot use the same allowed disruption.
 */
export async function evictPod(request: SpecialRequest, store: SpecialStore): Promise<ServerStatus> {
  const { name, namespace, object: eviction, nowMs } = request;
  if (textAt(eviction, "metadata", "name") !== name) {
    throw new StatusError(badRequestStatus("name in URL does not match name in Eviction object"));
  }
  checkOptions(eviction, name);
  const isDryRun = dryRunOf(eviction, request.isDryRun);
  await request.validate();
  const storedName = { ...pods, namespace, name };
  const pod = store.get(storedName);
  if (pod === undefined) throw new StatusError(notFoundStatus(pods, name));
  if (!isExemptFromBudgets(pod)) {
    const decision = decideEviction(pod, budgetsOf(pod, store), nowMs);
    if (decision.type === "several") return multipleBudgetsStatus;
    if (decision.type === "spend" && !isDryRun) {
      const budgetName = textAt(decision.budget, "metadata", "name");
      await store.replace({ ...budgets, namespace, name: budgetName }, decision.budget);
    }
  }
  await markAndDelete({ pod, deletion: deletionOf(eviction), isDryRun, nowMs }, store);
  return createdStatus;
}

function checkOptions(eviction: JsonRecord, name: string): void {
  const field = "ignoreStoreReadErrorWithClusterBreakingPotential";
  if (valueAt(eviction, "deleteOptions", field) !== true) return;
  const problems: Parameters<typeof invalidStatus>[2][number][] = [];
  new Field(true, `deleteOptions.${field}`, problems).invalid(
    "can not be set for pod eviction, try after removing the option",
  );
  throw new StatusError(invalidStatus({ group: "policy", kind: "Eviction" }, name, problems));
}

/** Reports whether this is a dry run: the query or the body can request it, and if both do, they must agree. */
function dryRunOf(eviction: JsonRecord, isRequested: boolean): boolean {
  const bodyDryRun = listAt(eviction, "deleteOptions", "dryRun").map(String);
  if (bodyDryRun.length === 0) return isRequested;
  if (isRequested && bodyDryRun.join(" ") !== "All") {
    const both = `[All] and [${bodyDryRun.join(" ")}]`;
    throw new StatusError(unknownErrorStatus(`Non-matching dry-run options in request and content: ${both}`));
  }
  return true;
}

/** Reports whether budgets do not apply to a pod, because the pod has ended, has not started or is already being deleted. */
function isExemptFromBudgets(pod: JsonRecord): boolean {
  const phase = textAt(pod, "status", "phase");
  return ["Succeeded", "Failed", "Pending"].includes(phase) || isSet(pod, "metadata", "deletionTimestamp");
}

function budgetsOf(pod: JsonRecord, store: SpecialStore): JsonRecord[] {
  const namespace = textAt(pod, "metadata", "namespace");
  return store.list({ ...budgets, namespace }).filter((budget) => {
    const selector = valueAt(budget, "spec", "selector");
    if (!isRecord(selector)) return false;
    try {
      return labelSelectorFrom(selector).matches(labelsOf(pod));
    } catch (error) {
      if (!(error instanceof InvalidSelectorError)) throw error;
      return false;
    }
  });
}

const multipleBudgetsStatus: ServerStatus = failure({
  code: 500,
  message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
});

type BudgetDecision =
  /** No budget applies, and none is changed. */
  | { readonly type: "free" }
  /** The budget allows the eviction; `budget` has one allowed disruption less and must be stored. */
  | { readonly type: "spend"; readonly budget: JsonRecord }
  | { readonly type: "several" };

/** Decides whether the budgets of a pod allow its eviction. Throws a `StatusError` (429) when no disruption is allowed. */
export function decideEviction(pod: JsonRecord, found: readonly JsonRecord[], nowMs: number): BudgetDecision {
  const [budget] = found;
  if (budget === undefined) return { type: "free" };
  if (found.length > 1) return { type: "several" };
  if (!isReady(pod)) {
    const policy = textAt(budget, "spec", "unhealthyPodEvictionPolicy");
    const wanted = numberAt(budget, "status", "desiredHealthy");
    const isHealthy = wanted > 0 && numberAt(budget, "status", "currentHealthy") >= wanted;
    if (policy === "AlwaysAllow" || isHealthy) return { type: "free" };
  }
  return { type: "spend", budget: withDisruptionUsed(budget, textAt(pod, "metadata", "name"), nowMs) };
}

function isReady(pod: JsonRecord): boolean {
  return listAt(pod, "status", "conditions").some(
    (condition) => textAt(condition, "type") === "Ready" && textAt(condition, "status") === "True",
  );
}

/** Returns the budget with one allowed disruption less. Throws a `StatusError` when there is none. */
function withDisruptionUsed(budget: JsonRecord, podName: string, nowMs: number): JsonRecord {
  const name = textAt(budget, "metadata", "name");
  const status = isRecord(budget["status"]) ? budget["status"] : {};
  if (numberAt(status, "observedGeneration") < numberAt(budget, "metadata", "generation")) {
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const allowed = numberAt(status, "disruptionsAllowed");
  const refuse = (why: string): StatusError =>
    new StatusError(forbiddenStatus({ group: "policy", resource: "poddisruptionbudget" }, name, why));
  if (allowed < 0) throw refuse("pdb disruptions allowed is negative");
  if (entriesAt(status, "disruptedPods").length > disruptedMax) {
    throw refuse("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (allowed === 0) throw tooMany(notAllowedMessage(name, status), 0);
  const isLast = allowed === 1;
  return {
    ...budget,
    status: {
      ...status,
      disruptedPods: {
        ...(isRecord(status["disruptedPods"]) ? status["disruptedPods"] : {}),
        [podName]: formatTime(nowMs),
      },
      disruptionsAllowed: allowed - 1,
      ...(isLast ? { conditions: withNoDisruptionAllowed(status, nowMs) } : {}),
    },
  };
}

function withNoDisruptionAllowed(status: JsonRecord, nowMs: number): JsonRecord[] {
  const conditions = listAt(status, "conditions").flatMap((each) => (isRecord(each) ? [each] : []));
  const [made] = setCondition(
    [],
    {
      type: "DisruptionAllowed",
      status: "False",
      reason: "InsufficientPods",
      message: "",
      observedGeneration: numberAt(status, "observedGeneration"),
    },
    nowMs,
  );
  const old = conditions.find((each) => textAt(each, "type") === "DisruptionAllowed");
  const wanted = {
    ...made,
    ...(textAt(old, "status") === "False" ? { lastTransitionTime: old?.["lastTransitionTime"] } : {}),
  };
  return old === undefined
    ? [...conditions, wanted]
    : conditions.map((each) => (each === old ? { ...each, ...wanted } : each));
}

function tooMany(message: string, retryAfterSeconds: number): StatusError {
  const { details, ...status } = tooManyRequestsStatus(tooManyMessage, retryAfterSeconds);
  const causes = [{ reason: "DisruptionBudget", message }];
  const { retryAfterSeconds: _zero, ...rest } = details ?? {};
  const after = retryAfterSeconds === 0 ? {} : { retryAfterSeconds };
  const { code, ...head } = status;
  return new StatusError({ ...head, details: { ...rest, causes, ...after }, ...(code === undefined ? {} : { code }) });
}

function notAllowedMessage(name: string, status: JsonRecord): string {
  const condition = listAt(status, "conditions").find((each) => textAt(each, "type") === "DisruptionAllowed");
  const [reason, message] = [textAt(condition, "reason"), textAt(condition, "message")];
  const isFalse = textAt(condition, "status") === "False" && message !== "";
  const budget = `The disruption budget ${name}`;
  if (isFalse && reason === "SyncFailed") {
    return `${budget} does not allow evicting pods currently because it failed sync: ${message}`;
  }
  const [wanted, current] = [numberAt(status, "desiredHealthy"), numberAt(status, "currentHealthy")];
  if (current <= wanted) return `${budget} needs ${wanted} healthy pods and has ${current} currently`;
  if (isFalse) return `${budget} does not allow evicting pods currently (${reason}): ${message}`;
  return `${budget} does not allow evicting pods currently`;
}

function isPropagation(text: string): text is Propagation {
  return text === "Orphan" || text === "Background" || text === "Foreground";
}

function deletionOf(eviction: JsonRecord): DeletionRequest {
  const options = valueAt(eviction, "deleteOptions");
  const seconds = valueAt(options, "gracePeriodSeconds");
  const propagation = textAt(options, "propagationPolicy");
  const [uid, version] = [textAt(options, "preconditions", "uid"), textAt(options, "preconditions", "resourceVersion")];
  return {
    ...(typeof seconds === "number" ? { gracePeriodSeconds: seconds } : {}),
    ...(isPropagation(propagation) ? { propagation } : {}),
    preconditions: { ...(uid === "" ? {} : { uid }), ...(version === "" ? {} : { resourceVersion: version }) },
  };
}

/** Sets the condition `DisruptionTarget` on the pod, then deletes it. */
async function markAndDelete(
  { pod, deletion, isDryRun, nowMs }: { pod: JsonRecord; deletion: DeletionRequest; isDryRun: boolean; nowMs: number },
  store: SpecialStore,
): Promise<void> {
  const [namespace, name] = [textAt(pod, "metadata", "namespace"), textAt(pod, "metadata", "name")];
  const storedName = { ...pods, namespace, name };
  if (isDryRun) return store.remove(storedName, deletion, { isDryRun });
  const { uid, resourceVersion } = deletion.preconditions ?? {};
  checkPrecondition(pod, name, "UID", uid);
  checkPrecondition(pod, name, "ResourceVersion", resourceVersion);
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  } as const;
  const marked = await store.replace(storedName, withPodCondition(pod, condition, nowMs));
  const version =
    resourceVersion === undefined ? {} : { resourceVersion: textAt(marked, "metadata", "resourceVersion") };
  return store.remove(
    storedName,
    { ...deletion, preconditions: { ...deletion.preconditions, ...version } },
    { isDryRun },
  );
}

function checkPrecondition(
  pod: JsonRecord,
  name: string,
  field: "UID" | "ResourceVersion",
  wanted: string | undefined,
): void {
  const found = textAt(pod, "metadata", field === "UID" ? "uid" : "resourceVersion");
  if (wanted === undefined || wanted === found) return;
  throw new StatusError(deletePreconditionStatus({ group: "", kind: "Pod" }, name, { field, wanted, found }));
}
