import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { EntryDiff } from "../../api/sandbox-types.ts";
import type { TreeNode } from "../../api/types.ts";
import { listIn, numberIn, recordIn, textIn } from "../../health/fields.ts";
import { formatUntil } from "../../present/format.ts";
import { objectPath } from "../../present/routes.ts";
import { CopyButton } from "../common/copy-button.tsx";
import { Link } from "../common/navigation.tsx";
import { useNow } from "../common/now.ts";
import { LogTail } from "../log/log-tail.tsx";
import { DataTable, Section, StateMark } from "../common/parts.tsx";
import { useView } from "../common/use-view.ts";
import type { KindPartProps } from "../resource/kind-pages.ts";
import { Endpoints } from "./endpoints.tsx";

/** Key, entries, drift, endpoints, groups and expiry of a Sandbox. */
export function SandboxPart({ resource: { ref, status, tree } }: KindPartProps): JSX.Element {
  const { namespace = "", name } = ref;
  const { data } = useView("sandbox", new URLSearchParams({ namespace, name }).toString());
  const now = useNow();
  const expiresAt = textIn(status, "expiresAt");
  const groups = listIn(status, "routeGroups").filter((group) => typeof group === "string");
  const usage = recordIn(status, "usage");
  return (
    <>
      <dl class="fields">
        <Field name="Owner" value={textIn(status, "createdBy")} />
        <Field name="Expires" value={expiresAt === "" ? "never" : `${formatUntil(expiresAt, now)} (${expiresAt})`} />
        <Field name="Last request" value={textIn(status, "lastActivityTime") || "none seen"} />
        <Field
          name="Limits of all forks"
          value={`CPU ${textIn(usage, "cpu") || "0"}, memory ${textIn(usage, "memory") || "0"}, pods ${numberIn(usage, "pods") ?? 0}`}
        />
        <div>
          <dt>Groups</dt>
          <dd>
            {groups.length === 0 ? "none" : undefined}
            {groups.map((group) => (
              <Link
                key={group}
                to={objectPath("resource", { group: ref.group, kind: "RouteGroup", namespace, name: group })}
              >
                {group}
              </Link>
            ))}
          </dd>
        </div>
      </dl>
      <Section title="Routing key">
        {data?.keyForms.length === 0 ? <p class="empty">The sandbox has no key yet.</p> : undefined}
        <ul class="copies">
          {data?.keyForms.map(({ label, text }) => (
            <li key={label}>
              <span>{label}</span> <code>{text}</code> <CopyButton text={text} label={label} />
            </li>
          ))}
          {data?.curl === undefined ? undefined : (
            <li>
              <span>From a pod</span> <code>{data.curl}</code> <CopyButton text={data.curl} label="the curl command" />
            </li>
          )}
        </ul>
      </Section>
      <Section title="Entries">
        <Entries status={status} tree={tree} />
        <Logs pods={tree.filter(({ kind }) => kind === "Pod")} />
        {data?.diffs.map((diff) => (
          <Diff key={diff.entry} diff={diff} />
        ))}
      </Section>
      <Endpoints status={status} />
    </>
  );
}

/** The log of a pod. It is read while it is open. */
function Logs({ pods }: { readonly pods: readonly TreeNode[] }): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Logs of the pods</summary>
      {isOpen ? <LogTail pods={pods} /> : undefined}
    </details>
  );
}

function Field({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Entries({ status, tree }: { readonly status: unknown; readonly tree: readonly TreeNode[] }): JSX.Element {
  const entries = listIn(status, "services");
  if (entries.length === 0) return <p class="empty">The sandbox has no entries.</p>;
  return (
    <DataTable label="Entries" columns={["Entry", "Mode", "State", "Pods", "Drift", "Message"]}>
      {entries.map((entry) => {
        const name = textIn(entry, "name");
        const fork = textIn(entry, "forkName");
        return (
          <tr key={name}>
            <td>{name}</td>
            <td>{textIn(entry, "mode") || "Fork"}</td>
            <td>{textIn(entry, "status")}</td>
            <td>
              {numberIn(entry, "readyReplicas") ?? 0}/{numberIn(entry, "replicas") ?? 0}
              {podsOf(fork, tree).map((pod) => (
                <div key={pod.uid}>
                  <Link to={objectPath("resource", pod)}>{pod.name}</Link> <StateMark health={pod} />
                </div>
              ))}
            </td>
            <td>{textIn(entry, "drift")}</td>
            <td>{textIn(entry, "message")}</td>
          </tr>
        );
      })}
    </DataTable>
  );
}

/** Returns the pods below the Deployment of a fork. */
function podsOf(fork: string, tree: readonly TreeNode[]): TreeNode[] {
  const deployment = tree.find(({ kind, name }) => kind === "Deployment" && name === fork);
  const replicaSets = new Set(tree.filter(({ parent }) => parent === deployment?.uid).map(({ uid }) => uid));
  return deployment === undefined
    ? []
    : tree.filter(({ kind, parent = "" }) => kind === "Pod" && replicaSets.has(parent));
}

function Diff({ diff: { entry, changes, omitted, problem } }: { readonly diff: EntryDiff }): JSX.Element {
  return (
    <details>
      <summary>
        Entry {entry}: {changes.length + omitted} differences from the baseline
      </summary>
      {problem === undefined ? undefined : <p class="note unknown">{problem}</p>}
      <ul class="diff">
        {changes.map(({ path, old, new: after }) => (
          <li key={path}>
            <code>{path}</code>
            {old === undefined ? undefined : <del>{old}</del>}
            {after === undefined ? undefined : <ins>{after}</ins>}
          </li>
        ))}
      </ul>
      {omitted === 0 ? undefined : <p>{omitted} more differences are not shown.</p>}
    </details>
  );
}
