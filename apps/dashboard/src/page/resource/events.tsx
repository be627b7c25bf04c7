import type { JSX } from "preact";
import type { EventView } from "../../api/types.ts";
import { Age, DataTable } from "../common/parts.tsx";

/** Events of an object and of its owned objects, the newest first. */
export function Events({ events, now }: { readonly events: readonly EventView[]; readonly now: number }): JSX.Element {
  if (events.length === 0)
    return <p class="empty">There are no events. The API server keeps events for one hour by default.</p>;
  return (
    <DataTable label="Events" columns={["Age", "Object", "Reason", "Message"]}>
      {events.map((event) => (
        <tr key={event.uid} class={event.type === "Warning" ? "warning" : ""}>
          <td>
            <Age time={event.at} now={now} />
          </td>
          <td>{event.about}</td>
          <td>
            {event.type === "Warning" ? "Warning " : ""}
            {event.reason}
            {event.count > 1 ? ` (${event.count} times)` : ""}
          </td>
          <td>{event.message}</td>
        </tr>
      ))}
    </DataTable>
  );
}
