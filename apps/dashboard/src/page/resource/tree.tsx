import type { JSX } from "preact";
import type { ResourceView, TreeNode } from "../../api/types.ts";
import { objectPath } from "../../present/routes.ts";
import { Link } from "../common/navigation.tsx";
import { Age, StateMark } from "../common/parts.tsx";

/** The tree of the objects that a resource owns, with their states. */
export function Tree({ resource, now }: { readonly resource: ResourceView; readonly now: number }): JSX.Element {
  const { tree, treeOmitted, hiddenKinds } = resource;
  const children = new Map<string, TreeNode[]>();
  for (const node of tree) {
    const siblings = children.get(node.parent ?? "") ?? [];
    children.set(node.parent ?? "", siblings);
    siblings.push(node);
  }
  const root = tree[0];
  return (
    <>
      {root === undefined ? undefined : <Branch nodes={children.get(root.uid) ?? []} {...{ children, now }} />}
      {tree.length <= 1 ? <p class="empty">The object owns no objects.</p> : undefined}
      {treeOmitted === 0 ? undefined : <p class="note unknown">{treeOmitted} more objects are not shown.</p>}
      {hiddenKinds.length === 0 ? undefined : (
        <p class="note unknown">
          You are not allowed to list {hiddenKinds.join(", ")}. Objects of these kinds are missing here.
        </p>
      )}
    </>
  );
}

interface BranchProps {
  readonly nodes: readonly TreeNode[];
  readonly children: ReadonlyMap<string, readonly TreeNode[]>;
  readonly now: number;
}

function Branch({ nodes, children, now }: BranchProps): JSX.Element | null {
  if (nodes.length === 0) return null;
  return (
    <ul class="tree">
      {nodes.map((node) => (
        <li key={node.uid}>
          <div class="tree-node">
            <small>{node.kind}</small>
            <Link to={objectPath("resource", node)}>{node.name}</Link>
            <StateMark health={node} />
            <Age time={node.createdAt} now={now} />
          </div>
          {node.message === "" ? undefined : <p class="tree-message">{node.message}</p>}
          <Branch nodes={children.get(node.uid) ?? []} {...{ children, now }} />
        </li>
      ))}
    </ul>
  );
}
