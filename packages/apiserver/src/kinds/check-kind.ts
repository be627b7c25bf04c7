import { quote } from "@homeostat/cel";
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  isEqual,
  isRecord,
  type JsonRecord,
  maskTrailingDash,
  pathSegmentPrefixProblems,
  pathSegmentProblems,
} from "@homeostat/core";
import { checkObjectMeta, type MetaRules, type Problem } from "@homeostat/schema";
import { checkMetaUpdate } from "../crd/check-meta-update.ts";
import { checkApiService } from "./check-api-service.ts";
import * as core from "./check-core.ts";
import { checkChangedEvent, checkNewEvent } from "./check-events.ts";
import * as jobs from "./check-jobs.ts";
import { checkLimitRange } from "./check-limits.ts";
import { checkNetworkPolicy } from "./check-network-policy.ts";
import * as policies from "./check-policies.ts";
import { checkService } from "./check-service.ts";
import { changesFirst, updateRules } from "./check-updates.ts";
import { checkWebhooks } from "./check-webhooks.ts";
import * as workloads from "./check-workloads.ts";
import { textAt } from "../tables/read.ts";
import { Field } from "./field.ts";
import type { BuiltInKind } from "./resource.ts";

type Check = (object: Field) => void;

/** Rules by `plural.group`. Kinds that are not here are checked for their metadata alone. */
const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["pods.", core.checkPod],
  ["configmaps.", core.checkConfigMap],
  ["secrets.", core.checkSecret],
  ["namespaces.", core.checkNamespace],
  ["persistentvolumeclaims.", core.checkClaim],
  ["resourcequotas.", core.checkResourceQuota],
  ["services.", checkService],
  ["deployments.apps", workloads.checkDeployment],
  ["replicasets.apps", workloads.checkReplicaSet],
  ["daemonsets.apps", workloads.checkDaemonSet],
  ["statefulsets.apps", workloads.checkStatefulSet],
  ["jobs.batch", jobs.checkJob],
  ["cronjobs.batch", jobs.checkCronJob],
  ["poddisruptionbudgets.policy", workloads.checkDisruptionBudget],
  ["networkpolicies.networking.k8s.io", checkNetworkPolicy],
  ["roles.rbac.authorization.k8s.io", core.checkRole],
  ["clusterroles.rbac.authorization.k8s.io", core.checkClusterRole],
  ["rolebindings.rbac.authorization.k8s.io", core.checkRoleBinding],
  ["clusterrolebindings.rbac.authorization.k8s.io", core.checkClusterRoleBinding],
  ["priorityclasses.scheduling.k8s.io", core.checkPriorityClass],
  ["limitranges.", checkLimitRange],
  // Nothing but metadata is checked there either.
  ["serviceaccounts.", () => undefined],
  ["validatingwebhookconfigurations.admissionregistration.k8s.io", checkWebhooks],
  ["mutatingwebhookconfigurations.admissionregistration.k8s.io", checkWebhooks],
  ["validatingadmissionpolicies.admissionregistration.k8s.io", policies.checkValidatingPolicy],
  ["validatingadmissionpolicybindings.admissionregistration.k8s.io", policies.checkValidatingBinding],
  ["mutatingadmissionpolicies.admissionregistration.k8s.io", policies.checkMutatingPolicy],
  ["mutatingadmissionpolicybindings.admissionregistration.k8s.io", policies.checkMutatingBinding],
  ["apiservices.apiregistration.k8s.io", checkApiService],
  ["leases.coordination.k8s.io", core.checkLease],
]);

/** The kinds whose fields are checked beyond their metadata, as `plural.group`. */
export const checkedKinds: readonly string[] = [...checks.keys()];

type NameRule = MetaRules["nameProblems"];

const subdomain: NameRule = (name, { isPrefix }) => dnsSubdomainProblems(isPrefix ? maskTrailingDash(name) : name);
const label: NameRule = (name, { isPrefix }) => dnsLabelProblems(isPrefix ? maskTrailingDash(name) : name);
const segment: NameRule = (name, { isPrefix }) =>
  isPrefix ? pathSegmentPrefixProblems(name) : pathSegmentProblems(name);
const shortSubdomain: NameRule = (name, options) => [
  ...subdomain(name, options),
  ...(name.length > 52 ? ["must be no more than 52 characters"] : []),
];

/** The name of a version of a group says both. */
function versionName(object: JsonRecord): NameRule {
  const wanted = `${textAt(object, "spec", "version")}.${textAt(object, "spec", "group")}`;
  return (name, options) => {
    const problems = segment(name, options);
    if (problems.length > 0) return problems;
    return name === wanted ? [] : [`must be \`spec.version+"."+spec.group\`: ${quote(wanted)}`];
  };
}

function nameRule({ group, plural }: BuiltInKind): NameRule {
  if (group === "rbac.authorization.k8s.io" || group === "policy") return segment;
  if (group === "" && (plural === "namespaces" || plural === "services")) return label;
  if (group === "apps" && plural === "statefulsets") return label;
  return group === "batch" && plural === "cronjobs" ? shortSubdomain : subdomain;
}

/**
 * Everything that is wrong with a new object of a built-in kind, in the words and the order of the server.
 *
 * The object has been decoded, defaulted and prepared; its metadata has a name and a namespace. `emptied`: where an empty map
 * or list was said, which messages show.
 */
export function checkNewObject(kind: BuiltInKind, object: JsonRecord, emptied?: ReadonlySet<string>): Problem[] {
  if (kind.plural === "events") return firstOf(checkNewEvent(kind, object), () => checkPlainMeta(object));
  const check = checks.get(`${kind.plural}.${kind.group}`);
  if (kind.group === "policy") {
    // The rules of this group leave metadata to the registry, which looks at it when all else is right.
    const problems: Problem[] = [];
    check?.(new Field(object, "", problems, emptied));
    return problems.length > 0 ? problems : checkMeta(kind, object);
  }
  const problems = checkMeta(kind, object);
  check?.(new Field(object, "", problems, emptied));
  return problems;
}

function firstOf(problems: Problem[], others: () => Problem[]): Problem[] {
  return problems.length > 0 ? problems : others();
}

/** What the metadata of any object is held to. */
function checkPlainMeta(object: JsonRecord): Problem[] {
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  return checkObjectMeta(metadata, "metadata", { isNamespaced: true, nameProblems: segment });
}

/** Everything that is wrong with an object that is to replace `old`: what is wrong in itself, and what may not change. */
export function checkChangedObject(
  kind: BuiltInKind,
  object: JsonRecord,
  { old, emptied }: { readonly old: JsonRecord; readonly emptied?: ReadonlySet<string> | undefined },
): Problem[] {
  if (kind.plural === "events") return checkChangedEvent(kind, object, old);
  const problems = checkMeta(kind, object);
  const name = `${kind.plural}.${kind.group}`;
  const field = new Field(object, "", problems, emptied);
  const before = new Field(old, "", []);
  problems.push(...checkMetaUpdate(object, old));
  const rule = updateRules.get(name);
  if (changesFirst.has(name)) rule?.(field, before);
  // What was stored before a rule was made is left alone as long as it does not change.
  if (!isEqual(object["spec"], old["spec"]) || !isRecord(object["spec"])) {
    (changeChecks.get(name) ?? checks.get(name))?.(field);
  }
  if (!changesFirst.has(name)) rule?.(field, before);
  return problems;
}

/** Kinds that are checked in another way when they change. */
const changeChecks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["statefulsets.apps", workloads.checkChangedStatefulSet],
  ["jobs.batch", jobs.checkChangedJob],
]);

/** Groups whose metadata is held to the rules of all objects, without those of the first kinds. */
const generalMeta = new Set([
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "coordination.k8s.io",
  "policy",
]);

function checkMeta(kind: BuiltInKind, object: JsonRecord): Problem[] {
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const problems = checkObjectMeta(metadata, "metadata", {
    isNamespaced: kind.scope === "Namespaced",
    nameProblems: kind.plural === "apiservices" ? versionName(object) : nameRule(kind),
  });
  if (!generalMeta.has(kind.group)) {
    const finalizers = new Field(metadata, "metadata", problems).at("finalizers");
    for (const finalizer of finalizers.items()) core.checkFinalizerName(finalizer);
  }
  return problems;
}
