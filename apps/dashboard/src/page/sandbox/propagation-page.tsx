import type { JSX } from "preact";
import { objectPath } from "../../present/routes.ts";
import { Link } from "../common/navigation.tsx";
import { Notes } from "../common/notes.tsx";
import { useNow } from "../common/now.ts";
import { Age, ConnectionNote, DataTable } from "../common/parts.tsx";
import { useView } from "../common/use-view.ts";

const columns = ["Lost by", "Called", "Requests", "Last", "Sandbox", "Routing key", "Sample trace"];

/** Services that call others without the routing key of the request that they serve. */
export function PropagationPage({ namespace }: { readonly namespace: string }): JSX.Element {
  const { data, stream } = useView("propagation", new URLSearchParams({ namespace }).toString());
  const now = useNow();
  return (
    <>
      <ConnectionNote stream={stream} />
      {data === undefined ? <p aria-busy="true">Loading.</p> : <Notes notes={data.notes} />}
      <p>
        A Service that does not pass the routing key on breaks the way of a request: all Services behind it serve it
        from the baseline. The proxies sample requests with a trace ID and report the most frequent loss of each sandbox
        in the last hour.
      </p>
      {data?.rows.length === 0 ? <p class="empty">No Service has lost a routing key in the last hour.</p> : undefined}
      {data === undefined || data.rows.length === 0 ? undefined : (
        <DataTable label="Lost routing keys" columns={columns}>
          {data.rows.map(({ sandbox, routingKey, namespace: place, from, to, count, traceId, lastTime }) => (
            <tr key={`${place}/${sandbox.name} ${from} ${to}`}>
              <td>
                {from}
                <br />
                <small>{place}</small>
              </td>
              <td>{to}</td>
              <td>{count}</td>
              <td>
                <Age time={lastTime} now={now} />
              </td>
              <td>
                <Link to={objectPath("resource", sandbox)}>{sandbox.name}</Link>
              </td>
              <td>
                <code>{routingKey}</code>
              </td>
              <td>
                <code>{traceId}</code>
              </td>
            </tr>
          ))}
        </DataTable>
      )}
    </>
  );
}
