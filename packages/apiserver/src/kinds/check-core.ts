// Rules of the kinds that hold settings, access and limits.

import { isQuantity, parseQuantity, qualifiedNameProblems } from "@homeostat/core";
import { checkPodSpec } from "./check-pod-spec.ts";
import { checkLabelSelector } from "./check-selectors.ts";
import { checkClaimSpec } from "./check-storage.ts";
import { configKeyProblems, type Field } from "./field.ts";

const bytesMax = 1024 * 1024;

/** Checks a Pod. */
export function checkPod(object: Field): void {
  const spec = object.at("spec");
  checkPodSpec(spec, object.at("metadata").at("name").text);
  if (spec.at("serviceAccountName").text !== "") return;
  for (const source of spec
    .at("volumes")
    .items()
    .flatMap((volume) => volume.at("projected").at("sources").items())) {
    const token = source.at("serviceAccountToken");
    if (token.isSet) token.forbidden("must not be specified when serviceAccountName is not set");
  }
}

/** Checks a ConfigMap. */
export function checkConfigMap(object: Field): void {
  let bytes = 0;
  const data = object.at("data");
  const binary = object.at("binaryData");
  for (const [key, value] of data.entries()) {
    const place = data.as(`data[${key}]`).with(key);
    place.each(configKeyProblems(key));
    if (binary.at(key).isSet) place.invalid("duplicate of key present in binaryData");
    bytes += Buffer.byteLength(String(value));
  }
  for (const [key, value] of binary.entries()) {
    binary.as(`binaryData[${key}]`).with(key).each(configKeyProblems(key));
    bytes += Buffer.from(String(value), "base64").length;
  }
  if (bytes > bytesMax) object.as("").tooLong(bytesMax);
}

const secretKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

/** Checks a Secret. */
export function checkSecret(object: Field): void {
  const data = object.at("data");
  let bytes = 0;
  for (const [key, value] of data.entries()) {
    data.as(`data[${key}]`).with(key).each(configKeyProblems(key));
    bytes += Buffer.from(String(value), "base64").length;
  }
  if (bytes > bytesMax) data.tooLong(bytesMax);
  const type = object.at("type").text;
  if (type === "kubernetes.io/service-account-token") {
    const name = object.at("metadata").at("annotations").at("kubernetes.io/service-account.name");
    if (name.text === "") name.as("metadata.annotations[kubernetes.io/service-account.name]").required();
  } else if (type === "kubernetes.io/basic-auth") {
    if (!data.at("username").isSet && !data.at("password").isSet) {
      data.as("data[username]").required();
      data.as("data[password]").required();
    }
  } else {
    for (const key of Object.hasOwn(secretKeys, type) ? (secretKeys[type] ?? []) : []) {
      if (!data.at(key).isSet) data.as(`data[${key}]`).required();
    }
  }
}

/** Checks a Namespace. */
export function checkNamespace(object: Field): void {
  for (const finalizer of object.at("spec").at("finalizers").items()) {
    const place = finalizer.as("spec.finalizers");
    place.each(qualifiedNameProblems(finalizer.text));
    checkFinalizerName(place);
  }
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Checks that a finalizer is one of Kubernetes' own, or says whose it is. */
export function checkFinalizerName(name: Field): void {
  if (name.text.includes("/") || standardFinalizers.has(name.text)) return;
  name.invalid("name is neither a standard finalizer name nor is it fully qualified", name.text);
}

/** Checks a PersistentVolumeClaim. */
export function checkClaim(object: Field): void {
  checkClaimSpec(object.at("spec"));
}

/** Checks a Role. */
export function checkRole(object: Field): void {
  for (const rule of object.at("rules").items()) checkRule(rule, true);
}

/** Checks a ClusterRole. */
export function checkClusterRole(object: Field): void {
  for (const rule of object.at("rules").items()) checkRule(rule, false);
  const aggregation = object.at("aggregationRule");
  if (!aggregation.isSet) return;
  const selectors = aggregation.at("clusterRoleSelectors");
  if (selectors.length === 0)
    selectors.required("at least one clusterRoleSelector required if aggregationRule is non-nil");
  for (const selector of selectors.items()) {
    const before = selector.problems.length;
    checkLabelSelector(selector);
    if (selector.problems.length > before) selector.invalid("invalid label selector.", null);
  }
}

function checkRule(rule: Field, isNamespaced: boolean): void {
  if (rule.at("verbs").length === 0) rule.at("verbs").required("verbs must contain at least one value");
  const urls = rule.at("nonResourceURLs");
  if (urls.length > 0) {
    if (isNamespaced) urls.invalid("namespaced rules cannot apply to non-resource URLs");
    if (rule.at("apiGroups").length + rule.at("resources").length + rule.at("resourceNames").length > 0) {
      urls.invalid("rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (rule.at("apiGroups").length === 0)
    rule.at("apiGroups").required("resource rules must supply at least one api group");
  if (rule.at("resources").length === 0)
    rule.at("resources").required("resource rules must supply at least one resource");
}

const rbac = "rbac.authorization.k8s.io";

/** Checks a RoleBinding. */
export function checkRoleBinding(object: Field): void {
  checkBinding(object, ["Role", "ClusterRole"]);
}

/** Checks a ClusterRoleBinding. */
export function checkClusterRoleBinding(object: Field): void {
  checkBinding(object, ["ClusterRole"]);
}

function checkBinding(object: Field, kinds: readonly string[]): void {
  const role = object.at("roleRef");
  if (role.at("apiGroup").text !== rbac) role.at("apiGroup").notSupported([rbac], role.at("apiGroup").text);
  if (!kinds.includes(role.at("kind").text)) role.at("kind").notSupported(kinds, role.at("kind").text);
  checkRoleName(role.at("name"));
  for (const subject of object.at("subjects").items()) checkSubject(subject, kinds.length > 1);
}

function checkRoleName(name: Field): void {
  if (name.text === "") {
    name.required();
    return;
  }
  if (name.text === "." || name.text === "..") name.invalid(`may not be '${name.text}'`);
  for (const sign of ["/", "%"]) if (name.text.includes(sign)) name.invalid(`may not contain '${sign}'`);
}

function checkSubject(subject: Field, isNamespaced: boolean): void {
  const [kind, name, group] = [subject.at("kind"), subject.at("name"), subject.at("apiGroup")];
  if (name.text === "") name.required();
  switch (kind.text) {
    case "ServiceAccount":
      if (name.text !== "") name.dnsSubdomain();
      if (group.text !== "") group.notSupported([""]);
      if (!isNamespaced && subject.at("namespace").text === "") subject.at("namespace").required();
      break;
    case "User":
    case "Group":
      if (group.text !== rbac) group.notSupported([rbac], group.text);
      break;
    default:
      kind.notSupported(["ServiceAccount", "User", "Group"], kind.text);
  }
}

const scopes = new Set([
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
]);

/** Checks a ResourceQuota. */
export function checkResourceQuota(object: Field): void {
  const hard = object.at("spec").at("hard");
  for (const [name, value] of hard.entries()) {
    const place = hard.as(`spec.hard[${name}]`);
    place.with(name).qualifiedName();
    const text = String(value);
    if (!isQuantity(text)) continue;
    const amount = parseQuantity(text);
    if (amount.sign() < 0) place.invalid("must be greater than or equal to 0", amount.toString());
    if (isCount(name) && !amount.isInteger()) place.invalid("must be an integer", amount.toString());
  }
  const list = object.at("spec").at("scopes");
  const texts = list.items().map((scope) => scope.text);
  for (const scope of texts) if (!scopes.has(scope)) list.invalid("unsupported scope");
  for (const [one, other] of [
    ["BestEffort", "NotBestEffort"],
    ["Terminating", "NotTerminating"],
  ] as const) {
    if (texts.includes(one) && texts.includes(other)) list.invalid("conflicting scopes");
  }
}

const counts = new Set([
  "pods",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

function isCount(name: string): boolean {
  return counts.has(name) || name.startsWith("count/");
}

/** Checks a PriorityClass. */
export function checkPriorityClass(object: Field): void {
  const value = object.at("value");
  const name = object.at("metadata").at("name").text;
  if (name.startsWith("system-")) {
    const problem = systemPriorityProblem(name, value.number, object.at("globalDefault").value === true);
    const words = "priority class names with 'system-' prefix are reserved for system use only. error: ";
    if (problem !== undefined)
      object
        .at("metadata")
        .at("name")
        .forbidden(words + problem);
  } else if (value.number > 1_000_000_000) {
    value.forbidden("maximum allowed value of a user defined priority is 1000000000");
  }
  const policy = object.at("preemptionPolicy");
  if (policy.isSet) policy.oneOf(["PreemptLowerPriority", "Never"], { isRequired: true });
}

/** The classes that Kubernetes keeps for itself. */
const systemPriorities: ReadonlyMap<string, number> = new Map([
  ["system-node-critical", 2_000_001_000],
  ["system-cluster-critical", 2_000_000_000],
]);

/** Why a class is none of Kubernetes' own; undefined when it is just such a one. */
function systemPriorityProblem(name: string, value: number, isDefault: boolean): string | undefined {
  const known = systemPriorities.get(name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known !== value) return `value of ${name} PriorityClass must be ${known}`;
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

/** Checks a Lease. */
export function checkLease(object: Field): void {
  const spec = object.at("spec");
  for (const name of ["leaseDurationSeconds", "leaseTransitions"]) {
    const value = spec.at(name);
    if (!value.isSet) continue;
    if (name === "leaseDurationSeconds" && value.number <= 0) value.invalid("must be greater than 0");
    if (name === "leaseTransitions" && value.number < 0) value.invalid("must be greater than or equal to 0");
  }
}
