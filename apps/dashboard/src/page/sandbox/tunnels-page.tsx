import type { JSX } from "preact";
import type { TunnelRow } from "../../api/sandbox-types.ts";
import { formatMs } from "../../present/format.ts";
import { objectPath } from "../../present/routes.ts";
import { ConfirmButton } from "../common/confirm-button.tsx";
import { Link } from "../common/navigation.tsx";
import { Notes } from "../common/notes.tsx";
import { useNow } from "../common/now.ts";
import { Age, ConnectionNote, DataTable, StateMark } from "../common/parts.tsx";
import { sendWrite } from "../common/send-write.ts";
import { useView } from "../common/use-view.ts";

const columns = ["Tunnel", "State", "Machine", "User", "Since", "Round trip", "Local ports", "Disconnect"];

/** Machines of developers that take the place of services. */
export function TunnelsPage({ namespace }: { readonly namespace: string }): JSX.Element {
  const { data, stream } = useView("tunnels", new URLSearchParams({ namespace }).toString());
  const now = useNow();
  return (
    <>
      <ConnectionNote stream={stream} />
      {data === undefined ? <p aria-busy="true">Loading.</p> : <Notes notes={data.notes} />}
      {data?.rows.length === 0 ? <p class="empty">There is no LocalWorkload.</p> : undefined}
      {data === undefined || data.rows.length === 0 ? undefined : (
        <DataTable label="Tunnels" columns={columns}>
          {data.rows.map((row) => (
            <Row key={row.uid} row={row} now={now} mayDelete={data.mayDelete} />
          ))}
        </DataTable>
      )}
    </>
  );
}

function Row({
  row,
  now,
  mayDelete,
}: {
  readonly row: TunnelRow;
  readonly now: number;
  readonly mayDelete: boolean;
}): JSX.Element {
  const { group, kind, namespace, name, uid } = row;
  return (
    <tr>
      <td>
        <Link to={objectPath("resource", row)}>{name}</Link>
        <br />
        <small>
          {row.service} of sandbox {row.sandbox} in {namespace}
        </small>
      </td>
      <td>
        <StateMark health={row} />
      </td>
      <td>{row.machine}</td>
      <td>{row.user}</td>
      <td>{row.since === "" ? "" : <Age time={row.since} now={now} />}</td>
      <td>{row.roundTripMs === undefined ? "" : formatMs(row.roundTripMs)}</td>
      <td>
        {row.localPorts}
        <br />
        <small>{row.ports.join(", ")}</small>
      </td>
      <td>
        {mayDelete ? (
          <ConfirmButton
            label="Disconnect"
            title={`Disconnect ${name}`}
            text="Deletes the LocalWorkload, as sandboxctl local disconnect does. The tunnel server ends the connection, and requests reach the baseline or fail, as the LocalWorkload says."
            isDangerous
            send={() => sendWrite("delete", { group, kind, namespace, name, uid })}
          />
        ) : undefined}
      </td>
    </tr>
  );
}
