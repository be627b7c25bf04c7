import type { DeepReadonly } from "@homeostat/core";
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod } from "@homeostat/kubernetes/core/v1";

/** Reports whether a node matches the node selector and required node affinity of a pod. */
export function matchesNodeAffinity(node: DeepReadonly<Node>, { spec }: DeepReadonly<Pod>): boolean {
  const labels = node.metadata.labels ?? {};
  const hasLabels = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  if (!hasLabels) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** Reports whether a node matches all expressions of a term. An empty term matches nothing. */
function matchesTerm(term: DeepReadonly<NodeSelectorTerm>, { metadata }: DeepReadonly<Node>): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = metadata.labels ?? {};
  return (
    matchExpressions.every((one) => matches(one, Object.hasOwn(labels, one.key) ? labels[one.key] : undefined)) &&
    matchFields.every((one) => matches(one, one.key === "metadata.name" ? metadata.name : undefined))
  );
}

function matches({ operator, values = [] }: DeepReadonly<NodeSelectorRequirement>, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return compare(value, values[0]) > 0;
    case "Lt":
      return compare(value, values[0]) < 0;
  }
}

/** Compares integers; 0 when either is not an integer. */
function compare(a: string | undefined, b: string | undefined): number {
  const isNumber = (text: string | undefined): text is string => text !== undefined && /^[+-]?\d{1,19}$/.test(text);
  if (!isNumber(a) || !isNumber(b)) return 0;
  const [one, other] = [BigInt(a.replace("+", "")), BigInt(b.replace("+", ""))];
  return one > other ? 1 : one < other ? -1 : 0;
}
