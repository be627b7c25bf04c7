import type { JSX } from "preact";
import type { SandboxSystem, TakenOverRow } from "../../api/sandbox-types.ts";
import { objectPath } from "../../present/routes.ts";
import { ConfirmButton } from "../common/confirm-button.tsx";
import { CopyButton } from "../common/copy-button.tsx";
import { Link } from "../common/navigation.tsx";
import { Notes } from "../common/notes.tsx";
import { ConnectionNote, DataTable, Section, StateMark } from "../common/parts.tsx";
import { sendWrite } from "../common/send-write.ts";
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

function System({
  system: { programs, tables, takenOver, mayRestore, notes },
}: {
  readonly system: SandboxSystem;
}): JSX.Element {
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
          {takenOver.map((row) => (
            <TakenOver key={row.uid} row={row} mayRestore={mayRestore} />
          ))}
        </ul>
      </Section>
    </>
  );
}

/** A Service that is taken over, with a button and the command that restore it. */
function TakenOver({
  row: { namespace, name, uid, restore },
  mayRestore,
}: {
  readonly row: TakenOverRow;
  readonly mayRestore: boolean;
}): JSX.Element {
  if (restore === undefined)
    return (
      <li>
        {namespace}/{name}. Its original selector is not recorded: correct the selector by hand.
      </li>
    );
  return (
    <li>
      {namespace}/{name}{" "}
      {mayRestore ? (
        <ConfirmButton
          label="Restore"
          title={`Restore ${namespace}/${name}`}
          text="Writes the original selector and target ports of the Service. Its requests reach the baseline without the routing proxy, so sandboxes and tunnels of the Service get no requests. After 10 minutes, the operator takes the Service over again if it still has routes."
          isDangerous
          send={() => sendWrite("restore-service", { namespace, name, uid })}
        />
      ) : undefined}{" "}
      <code>{restore}</code> <CopyButton text={restore} label={`the command that restores ${name}`} />
    </li>
  );
}
