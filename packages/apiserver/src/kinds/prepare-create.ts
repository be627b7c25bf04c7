// What the server sets in a new object beyond its defaults, where that needs no more than the object itself.

import { deepClone, formatTime, isEqual, isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { localCondition } from "../special/api-services.ts";
import { entriesAt, isSet, listAt, textAt } from "../tables/read.ts";
import { fill, partOf } from "./fill.ts";
import { qualityOfService } from "./pod-quality.ts";
import type { BuiltInKind } from "./resource.ts";

/** What a new object is prepared with. */
export interface CreateContext {
  /** The `metadata.uid` that the object got. */
  readonly uid: string;
  readonly nowMs: number;
}

type Preparation = (object: JsonRecord, context: CreateContext) => void;

function pod(object: JsonRecord, { nowMs }: CreateContext): void {
  const status: JsonRecord = { phase: "Pending", qosClass: qualityOfService(object) };
  if (listAt(object, "spec", "schedulingGates").length > 0) {
    const message = "Scheduling is blocked due to non-empty scheduling gates";
    status["conditions"] = [
      {
        type: "PodScheduled",
        status: "False",
        lastTransitionTime: formatTime(nowMs),
        reason: "SchedulingGated",
        message,
      },
    ];
  }
  object["status"] = status;
}

function job(object: JsonRecord, { uid }: CreateContext): void {
  delete object["status"];
  const spec = partOf(object, "spec");
  if (spec["manualSelector"] === true) return;
  const name = textAt(object, "metadata", "name");
  const labels = partOf(partOf(partOf(spec, "template"), "metadata"), "labels");
  const metadata = partOf(object, "metadata");
  const own = isRecord(metadata["labels"]) ? metadata["labels"] : {};
  // A job without labels has those of its pods.
  const isShared = Object.keys(own).length === 0 || isEqual(own, labels);
  fill(labels, {
    "job-name": name,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "batch.kubernetes.io/controller-uid": uid,
  });
  if (isShared) metadata["labels"] = { ...labels };
  fill(partOf(partOf(spec, "selector"), "matchLabels"), { "batch.kubernetes.io/controller-uid": uid });
}

function namespace(object: JsonRecord): void {
  object["status"] = { phase: "Active" };
  const spec = partOf(object, "spec");
  const finalizers = listAt(spec, "finalizers");
  if (!finalizers.includes("kubernetes")) spec["finalizers"] = [...finalizers, "kubernetes"];
}

function claim(object: JsonRecord): void {
  object["status"] = { phase: "Pending" };
  const spec = partOf(object, "spec");
  // Two fields for one thing: each is copied to the other where it can be said in both.
  const [source, ref] = [spec["dataSource"], spec["dataSourceRef"]];
  if (isRecord(source) && !isRecord(ref)) spec["dataSourceRef"] = deepClone(source);
  else if (isRecord(ref) && !isRecord(source) && textAt(ref, "namespace") === "") spec["dataSource"] = deepClone(ref);
}

function volume(object: JsonRecord, { nowMs }: CreateContext): void {
  object["status"] = { phase: "Pending", lastPhaseTransitionTime: formatTime(nowMs) };
}

/** Where a DaemonSet counts the changes of its template. */
export const templateGeneration = "deprecated.daemonset.template.generation";

function daemonSet(object: JsonRecord): void {
  delete object["status"];
  partOf(partOf(object, "metadata"), "annotations")[templateGeneration] = "1";
}

function limitRange(object: JsonRecord, { uid }: CreateContext): void {
  // Alone of all kinds it may come without a name, and gets a unique one.
  fill(partOf(object, "metadata"), { name: uid });
}

/** What is behind another server waits for it; the rest is there at once. */
function apiService(object: JsonRecord, { nowMs }: CreateContext): void {
  object["status"] = isSet(object, "spec", "service") ? {} : { conditions: [localCondition(nowMs)] };
}

const emptyBudget = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };

const preparations: ReadonlyMap<string, Preparation> = new Map<string, Preparation>([
  ["pods.", pod],
  ["namespaces.", namespace],
  ["persistentvolumeclaims.", claim],
  ["persistentvolumes.", volume],
  ["jobs.batch", job],
  ["limitranges.", limitRange],
  ["daemonsets.apps", daemonSet],
  ["apiservices.apiregistration.k8s.io", apiService],
  ["poddisruptionbudgets.policy", (object) => void (object["status"] = { ...emptyBudget })],
  // A kubelet reports what its node is when it registers it.
  ["nodes.", () => undefined],
]);

/**
 * Sets in a new object, in place and after its defaults, what the server sets: an empty status, labels and a selector that
 * only a Job's own pods have, the service class of a pod.
 *
 * Not here, because it needs the state of the cluster: addresses and ports of Services, the user who asks for a certificate.
 */
export function prepareForCreate(kind: BuiltInKind, object: JsonRecord, context: CreateContext): void {
  const prepare = preparations.get(`${kind.plural}.${kind.group}`);
  if (prepare !== undefined) prepare(object, context);
  else if (kind.hasStatus) delete object["status"];
}

/** Moves `stringData` of a Secret into `data`, as reading one does. The texts win. */
export function decodeSecretStrings(secret: JsonRecord): void {
  if (!isRecord(secret["stringData"])) return;
  const data = partOf(secret, "data");
  for (const [key, text] of entriesAt(secret, "stringData")) {
    safeSet(data, key, Buffer.from(String(text), "utf8").toString("base64"));
  }
  delete secret["stringData"];
}

const unreachable = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** What admission adds to a new pod where nothing else is configured: a grace on nodes that fail, and a priority. */
export function admitPod(pod: JsonRecord): void {
  const spec = partOf(pod, "spec");
  const tolerations = [...listAt(spec, "tolerations")];
  for (const key of unreachable) {
    const isTolerated = tolerations.some((each) => {
      const effect = textAt(each, "effect");
      const own = textAt(each, "key");
      return (own === key || own === "") && (effect === "NoExecute" || effect === "");
    });
    if (!isTolerated) tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  }
  spec["tolerations"] = tolerations;
  const isSystem = systemPriorities.get(textAt(spec, "priorityClassName"));
  if (!isSet(spec, "priority")) spec["priority"] = isSystem ?? 0;
  fill(spec, { preemptionPolicy: "PreemptLowerPriority" });
}

const systemPriorities: ReadonlyMap<string, number> = new Map([
  ["system-cluster-critical", 2000000000],
  ["system-node-critical", 2000001000],
]);

/** The finalizer that keeps a volume or a claim while it is used; admission adds it. */
export function protectStorage(object: JsonRecord, kind: "PersistentVolume" | "PersistentVolumeClaim"): void {
  const name = kind === "PersistentVolume" ? "kubernetes.io/pv-protection" : "kubernetes.io/pvc-protection";
  const metadata = partOf(object, "metadata");
  const finalizers = listAt(metadata, "finalizers");
  if (!finalizers.includes(name)) metadata["finalizers"] = [...finalizers, name];
}
