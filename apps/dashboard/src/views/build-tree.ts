import type { KubeObject, ResourceType, Stored } from "@homeostat/core";
import type { TreeNode } from "../api/types.ts";
import { objectHealth } from "../health/object-health.ts";

/** An object that may be part of a tree, with its kind: objects of which only the metadata is read have another `kind` field. */
export interface TreeCandidate {
  readonly type: ResourceType;
  readonly object: Stored<KubeObject>;
}

/** A tree of owned objects. */
export interface Tree {
  /** The root first; owners come before the objects they own. */
  readonly nodes: readonly TreeNode[];
  /** Number of owned objects beyond the limit. */
  readonly omitted: number;
}

/**
 * Returns the UIDs of an object's owners: its owner references, or the annotation that marks objects of owners in other namespaces, such as
 * `homeostat.dev/owner-uid`.
 *
 * The annotation counts only without owner references: the Deployment controller copies annotations to ReplicaSets.
 */
export function ownerUids({ metadata: { ownerReferences = [], annotations = {} } }: Stored<KubeObject>): string[] {
  if (ownerReferences.length > 0) return ownerReferences.map(({ uid }) => uid);
  return Object.entries(annotations).flatMap(([name, value]) => (name.endsWith("-uid") ? [value] : []));
}

/** Builds the tree of all candidates that the root owns, directly or through other objects. */
export function buildTree(root: TreeCandidate, candidates: readonly TreeCandidate[], nodesMax: number): Tree {
  const owned = new Map<string, TreeCandidate[]>();
  for (const candidate of candidates) {
    for (const uid of new Set(ownerUids(candidate.object))) {
      const list = owned.get(uid) ?? [];
      owned.set(uid, list);
      list.push(candidate);
    }
  }
  const seen = new Set([root.object.metadata.uid]);
  const nodes: TreeNode[] = [nodeOf(root, undefined)];
  let omitted = 0;
  // Iterating a list that grows: breadth first.
  const queue = [root];
  for (const { object } of queue) {
    const { uid } = object.metadata;
    for (const child of (owned.get(uid) ?? []).toSorted(byKindAndName)) {
      if (seen.has(child.object.metadata.uid)) continue;
      seen.add(child.object.metadata.uid);
      queue.push(child);
      if (nodes.length < nodesMax) nodes.push(nodeOf(child, uid));
      else omitted += 1;
    }
  }
  return { nodes, omitted };
}

function nodeOf({ type, object }: TreeCandidate, parent: string | undefined): TreeNode {
  const { group, version, kind, plural } = type;
  const { uid, namespace, name, creationTimestamp = "" } = object.metadata;
  const health = objectHealth(object, type);
  return { uid, parent, group, version, kind, plural, namespace, name, createdAt: creationTimestamp, ...health };
}

function byKindAndName(one: TreeCandidate, other: TreeCandidate): number {
  const text = ({ type, object }: TreeCandidate): string => `${type.kind} ${object.metadata.name}`;
  return text(one).localeCompare(text(other));
}
