import type { JSX } from "preact";
import { objectPath } from "../../present/routes.ts";
import { Link } from "../common/navigation.tsx";
import { Notes } from "../common/notes.tsx";
import { ConnectionNote, Section } from "../common/parts.tsx";
import { useView } from "../common/use-view.ts";

const policyKind = { group: "sandbox.example.com", kind: "SandboxPolicy" };

/** The combination of all SandboxPolicies of each namespace. */
export function PoliciesPage({ namespace }: { readonly namespace: string }): JSX.Element {
  const { data, stream } = useView("policies", new URLSearchParams({ namespace }).toString());
  return (
    <>
      <ConnectionNote stream={stream} />
      {data === undefined ? <p aria-busy="true">Loading.</p> : <Notes notes={data.notes} />}
      {data?.rows.length === 0 ? <p class="empty">There is no SandboxPolicy.</p> : undefined}
      {data?.rows.map((row) => (
        <Section key={row.namespace} title={`Namespace ${row.namespace}`}>
          <p>
            Combined from{" "}
            {row.policies.map((name, index) => (
              <span key={name}>
                {index === 0 ? "" : ", "}
                <Link to={objectPath("resource", { ...policyKind, namespace: row.namespace, name })}>{name}</Link>
              </span>
            ))}
          </p>
          {row.limits.length === 0 ? <p class="empty">The operator has not combined the policies yet.</p> : undefined}
          <dl class="fields">
            {row.limits.map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </Section>
      ))}
    </>
  );
}
