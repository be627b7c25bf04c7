import type { DriftView, ResourceView, TreeNode } from "../api/types.ts";
import { noDriftText } from "../present/reconcile-text.ts";
import { objectPath } from "../present/routes.ts";
import { html, type Html, joined } from "./html.ts";
import { driftTable } from "./plain-drift.ts";
import { age, link, section, stateMark, table, text } from "./parts.ts";

/** Returns one object: its state, owned objects, conditions, events and YAML. */
export function plainResource(resource: ResourceView, drift: DriftView | undefined, nowMs: number): Html {
  const { ref, health, conditions, events, yaml } = resource;
  const place = ref.namespace === undefined ? "Cluster-scoped" : `Namespace ${ref.namespace}`;
  return joined([
    html`<p class="under-title">${place} ${stateMark(health)} ${link(objectPath("why", ref), "Why?")}</p>`,
    health.message === "" ? html`` : html`<p class="note ${health.state}">${health.message}</p>`,
    section("Owned objects", ownedObjects(resource, nowMs)),
    section(
      "Conditions",
      table({
        label: "Conditions",
        columns: ["Condition", "Status", "Reason", "Message", "Age", "Meaning and action"],
        rows: conditions.map(({ type, status, reason, message, since, meaning = "", action = "" }) => [
          ...[type, status, reason, message].map(text),
          age(since, nowMs),
          text(`${meaning} ${action}`.trim()),
        ]),
        none: "The object has no conditions.",
      }),
    ),
    section(
      "Events",
      table({
        label: "Events",
        columns: ["Age", "Type", "Reason", "Object", "Message", "Count"],
        rows: events.map(({ at, type, reason, about, message, count }) => [
          age(at, nowMs),
          ...[type, reason, about, message, count].map(text),
        ]),
        none: "There are no events.",
      }),
    ),
    ...(drift === undefined ? [] : [section("Drift log", driftTable(drift.entries, noDriftText(drift), nowMs))]),
    section("YAML", html`<pre class="scroll" tabindex="0">${yaml.map((line) => line.text).join("\n")}</pre>`),
  ]);
}

function ownedObjects({ tree, treeOmitted, hiddenKinds }: ResourceView, nowMs: number): Html {
  const childrenOf = (uid: string): readonly TreeNode[] => tree.filter(({ parent }) => parent === uid);
  const branch = (nodes: readonly TreeNode[]): Html =>
    nodes.length === 0
      ? html``
      : html`<ul class="tree">
          ${joined(nodes.map(leaf))}
        </ul>`;
  const leaf = (node: TreeNode): Html =>
    html`<li>
      <div class="tree-node">
        <small>${node.kind}</small> ${link(objectPath("resource", node), node.name)} ${stateMark(node)}
        ${age(node.createdAt, nowMs)}
      </div>
      ${node.message === "" ? html`` : html`<p class="tree-message">${node.message}</p>`}
      ${branch(childrenOf(node.uid))}
    </li>`;
  const [root] = tree;
  return joined([
    tree.length <= 1 ? html`<p class="empty">The object owns no objects.</p>` : html``,
    branch(root === undefined ? [] : childrenOf(root.uid)),
    treeOmitted === 0 ? html`` : html`<p class="note unknown">${treeOmitted} more objects are not shown.</p>`,
    hiddenKinds.length === 0
      ? html``
      : html`<p class="note unknown">
          You are not allowed to list ${hiddenKinds.join(", ")}. Objects of these kinds are missing here.
        </p>`,
  ]);
}
