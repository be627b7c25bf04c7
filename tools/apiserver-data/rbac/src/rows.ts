import assert from "node:assert/strict";

interface Meta {
  readonly name: string;
  readonly namespace?: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Selector {
  readonly matchLabels: Readonly<Record<string, string>>;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly apiGroup?: string;
  readonly namespace?: string;
}

/** A role of either kind, as the server sends it. */
export interface RoleJson {
  readonly metadata: Meta;
  readonly rules: readonly Rule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors: readonly Selector[] };
}

/** A binding of either kind, as the server sends it. */
export interface BindingJson {
  readonly metadata: Meta;
  readonly roleRef: Subject;
  readonly subjects?: readonly Subject[];
}

const commonLabel = "kubernetes.io/bootstrapping";
const commonAnnotations = { "rbac.authorization.kubernetes.io/autoupdate": "true" };

/** Returns a row: namespace, name, labels that are `true`, labels of the roles it aggregates, rules. Throws for anything else in the role. */
export function roleRow({ metadata, rules, aggregationRule, ...rest }: RoleJson): unknown[] {
  assert.deepEqual(rest, {});
  const sums = (aggregationRule?.clusterRoleSelectors ?? []).map((selector) => {
    const [label = "", ...more] = Object.keys(selector.matchLabels);
    assert.deepEqual([selector, more], [{ matchLabels: { [label]: "true" } }, []]);
    return label;
  });
  return [metadata.namespace ?? "", metadata.name, labelsOf(metadata), sums, (rules ?? []).map(ruleText)];
}

/** Returns a row: namespace, name, labels, `Kind name` of the role, `Kind name` or `ServiceAccount namespace/name` of the subjects. */
export function bindingRow({ metadata, roleRef, subjects, ...rest }: BindingJson): unknown[] {
  assert.deepEqual(rest, {});
  assert.equal(roleRef.apiGroup, "rbac.authorization.k8s.io");
  const role = `${roleRef.kind} ${roleRef.name}`;
  return [metadata.namespace ?? "", metadata.name, labelsOf(metadata), role, (subjects ?? []).map(subjectText)];
}

function labelsOf({ labels: { [commonLabel]: common, ...labels }, annotations }: Meta): string[] {
  assert.equal(common, "rbac-defaults");
  assert.deepEqual(annotations, commonAnnotations);
  for (const value of Object.values(labels)) assert.equal(value, "true");
  return Object.keys(labels);
}

/** Formats a rule as `verbs|groups|resources|names` or `verbs|paths`, with comma-separated lists. */
function ruleText({ verbs, apiGroups, resources, resourceNames, nonResourceURLs, ...rest }: Rule): string {
  assert.deepEqual(rest, {});
  const lists = nonResourceURLs === undefined ? [verbs, apiGroups ?? [], resources ?? []] : [verbs, nonResourceURLs];
  if (resourceNames !== undefined) lists.push(resourceNames);
  for (const text of lists.flat()) assert.match(text, /^[^|,]*$/);
  return lists.map((list) => list.join(",")).join("|");
}

function subjectText({ kind, apiGroup, name, namespace, ...rest }: Subject): string {
  assert.deepEqual(rest, {});
  if (kind === "ServiceAccount") return `${kind} ${namespace}/${name}`;
  assert.equal(apiGroup, "rbac.authorization.k8s.io");
  return `${kind} ${name}`;
}
