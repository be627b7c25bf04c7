import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { SandboxList, SandboxRow } from "../../api/sandbox-types.ts";
import type { State } from "../../api/types.ts";
import { formatUntil } from "../../present/format.ts";
import { objectPath } from "../../present/routes.ts";
import { type SandboxFilter, selectSandboxes } from "../../present/select-sandboxes.ts";
import { stateOrder } from "../../present/sort-rows.ts";
import { ConfirmButton } from "../common/confirm-button.tsx";
import { Link } from "../common/navigation.tsx";
import { Notes } from "../common/notes.tsx";
import { useNow } from "../common/now.ts";
import { ConnectionNote, DataTable, StateMark, stateNames } from "../common/parts.tsx";
import { sendWrite } from "../common/send-write.ts";
import { useView } from "../common/use-view.ts";

const everything: SandboxFilter = { text: "", owner: "", label: "", state: "" };
const columns = ["Select", "Sandbox", "State", "Owner", "Key", "Entries", "Drift", "Expires"];

/** All Sandboxes with owner and expiry. Several can be extended or deleted at once. */
export function SandboxListPage({ namespace }: { readonly namespace: string }): JSX.Element {
  const { data, stream } = useView("sandboxes", new URLSearchParams({ namespace }).toString());
  const [filter, setFilter] = useState(everything);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const now = useNow();
  const rows = useMemo(() => selectSandboxes(data?.rows ?? [], filter), [data, filter]);
  if (data === undefined)
    return (
      <>
        <ConnectionNote stream={stream} />
        <p aria-busy="true">Loading.</p>
      </>
    );
  const choose = (uid: string): void =>
    setChosen((before) => new Set(before.has(uid) ? [...before].filter((one) => one !== uid) : [...before, uid]));
  return (
    <>
      <ConnectionNote stream={stream} />
      <Notes notes={data.notes} />
      <Filters {...{ rows: data.rows, filter, setFilter }} />
      <BulkButtons list={data} rows={rows.filter(({ uid }) => chosen.has(uid))} />
      {rows.length === 0 ? (
        <p class="empty">{data.rows.length === 0 ? "There is no Sandbox." : "No sandbox matches the filter."}</p>
      ) : (
        <DataTable label="Sandboxes" columns={columns}>
          {rows.map((row) => (
            <tr key={row.uid}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Select ${row.name}`}
                  checked={chosen.has(row.uid)}
                  onChange={() => choose(row.uid)}
                />
              </td>
              <td>
                <Link to={objectPath("resource", row)}>{row.name}</Link>
                <br />
                <small>{row.namespace}</small>
              </td>
              <td>
                <StateMark health={row} />
              </td>
              <td>{row.owner}</td>
              <td>
                <code>{row.routingKey}</code>
              </td>
              <td>{row.services}</td>
              <td>{row.drift}</td>
              <td>{row.expiresAt === "" ? "never" : formatUntil(row.expiresAt, now)}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </>
  );
}

function Filters({
  rows,
  filter,
  setFilter,
}: {
  readonly rows: readonly SandboxRow[];
  readonly filter: SandboxFilter;
  readonly setFilter: (filter: SandboxFilter) => void;
}): JSX.Element {
  const owners = [...new Set(rows.map(({ owner }) => owner))].filter((owner) => owner !== "").toSorted();
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        Search
        <input
          type="search"
          value={filter.text}
          onInput={({ currentTarget }) => setFilter({ ...filter, text: currentTarget.value })}
        />
      </label>
      <label>
        Owner
        <select
          value={filter.owner}
          onChange={({ currentTarget }) => setFilter({ ...filter, owner: currentTarget.value })}
        >
          <option value="">All owners</option>
          {owners.map((owner) => (
            <option key={owner} value={owner}>
              {owner}
            </option>
          ))}
        </select>
      </label>
      <label>
        Label
        <input
          type="text"
          placeholder="key or key=value"
          value={filter.label}
          onInput={({ currentTarget }) => setFilter({ ...filter, label: currentTarget.value })}
        />
      </label>
      <label>
        State
        <select
          value={filter.state}
          onChange={({ currentTarget }) =>
            setFilter({ ...filter, state: stateOrder.find((state: State) => state === currentTarget.value) ?? "" })
          }
        >
          <option value="">All states</option>
          {stateOrder.map((state) => (
            <option key={state} value={state}>
              {stateNames[state]}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}

/** Buttons for the selected sandboxes. Each one is a request of its own, so that one refusal does not stop the others. */
function BulkButtons({
  list,
  rows,
}: {
  readonly list: SandboxList;
  readonly rows: readonly SandboxRow[];
}): JSX.Element {
  const [time, setTime] = useState("4h");
  const names = rows.map(({ name }) => name).join(", ");
  const sendAll = async (write: string, extra: object): Promise<string | undefined> => {
    const refusals = await Promise.all(
      rows.map(async ({ group, kind, namespace, name, uid }) => {
        const refused = await sendWrite(write, { group, kind, namespace, name, uid, ...extra });
        return refused === undefined ? [] : [`${name}: ${refused}`];
      }),
    );
    return refusals.flat().join(" ") || undefined;
  };
  if (!list.mayChange && !list.mayDelete) return <></>;
  return (
    <div class="filters" role="group" aria-label="Selected sandboxes">
      <span aria-live="polite">{rows.length} selected</span>
      {list.mayChange ? (
        <>
          <label class="inline">
            Time to add
            <input type="text" size={6} value={time} onInput={({ currentTarget }) => setTime(currentTarget.value)} />
          </label>
          <ConfirmButton
            label="Extend selected"
            title={`Extend ${rows.length} sandboxes`}
            text={`Adds ${time} to the lifetime of ${names}.`}
            disabled={rows.length === 0}
            send={() => sendAll("action", { action: "extend", inputs: { time } })}
          />
        </>
      ) : undefined}
      {list.mayDelete ? (
        <ConfirmButton
          label="Delete selected"
          title={`Delete ${rows.length} sandboxes`}
          text={`Deletes ${names} with their forks and routes.`}
          isDangerous
          disabled={rows.length === 0}
          send={() => sendAll("delete", {})}
        />
      ) : undefined}
    </div>
  );
}
