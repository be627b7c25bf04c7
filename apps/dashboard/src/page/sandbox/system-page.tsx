import type { JSX } from "preact";
import type { SandboxSystem } from "../../api/sandbox-types.ts";
import { objectPath } from "../../present/routes.ts";
import { CopyButton } from "../common/copy-button.tsx";
import { Link } from "../common/navigation.tsx";
import { Notes } from "../common/notes.tsx";
import { ConnectionNote, DataTable, Section, StateMark } from "../common/parts.tsx";
import { useView } from "../common/use-view.ts";

/** Programs of the sandbox environment, proxies with the tables that they have confirmed, and Services that are taken over. */
export function SystemPage({ namespace }: { readonly namespace: string }): JSX.Element {
  const { data, stream } = useView("sandbox-system", new URLSearchParams({ namespace }).toString());
  return (
    <>
      <ConnectionNote stream={stream} />
      {data === undefined ? <p aria-busy="true">Loading.</p> : <System system={data} />}
    </>
  );
}

function System({ system: { programs, tables, takenOver, notes } }: { readonly system: SandboxSystem }): JSX.Element {
  return (
    <>
      <Notes notes={notes} />
      <Section title="Programs">
        {programs.length === 0 ? (
          <p class="empty">The namespace sandbox-system has no Deployments.</p>
        ) : (
          <DataTable label="Programs" columns={["Program", "State", "Replicas", "Version"]}>
            {programs.map((program) => (
              <tr key={program.name}>
                <td>{program.name}</td>
                <td>
                  <StateMark health={program} />
                </td>
                <td>{program.replicas}</td>
                <td>{program.version}</td>
              </tr>
            ))}
          </DataTable>
        )}
      </Section>
      <Section title="Route tables and proxies">
        <DataTable
          label="Route tables and proxies"
          columns={["Service", "State", "Interception", "Version", "Routes", "Proxies", "Route servers"]}
        >
          {tables.map((table) => (
            <tr key={`${table.namespace ?? ""}/${table.name}`}>
              <td>
                <Link to={objectPath("resource", table)}>{table.name}</Link>
                <br />
                <small>{table.namespace}</small>
              </td>
              <td>
                <StateMark health={table} />
                <br />
                <small>{table.message}</small>
              </td>
              <td>{table.interception}</td>
              <td>
                <code>{table.tableVersion}</code>
              </td>
              <td>{table.entries}</td>
              <td>{table.proxies}</td>
              <td>
                {table.replicas.map((replica) => (
                  <div key={replica}>{replica}</div>
                ))}
              </td>
            </tr>
          ))}
        </DataTable>
      </Section>
      <Section title="Services that are taken over">
        {takenOver.length === 0 ? <p class="empty">No Service is taken over.</p> : undefined}
        <ul>
          {takenOver.map(({ namespace, name, restore }) => (
            <li key={`${namespace}/${name}`}>
              {namespace}/{name}. To restore it: <code>{restore}</code>{" "}
              <CopyButton text={restore} label={`the command that restores ${name}`} />
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
