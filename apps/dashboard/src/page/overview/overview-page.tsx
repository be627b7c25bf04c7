import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { KindSummary, Overview, OverviewChange, OverviewRow, State } from "../../api/types.ts";
import { objectPath } from "../../present/routes.ts";
import { countStates, kindOf, type RowFilter, selectRows, stateOrder } from "../../present/sort-rows.ts";
import { Link, navigate } from "../common/navigation.tsx";
import { useNow } from "../common/now.ts";
import { Age, ConnectionNote, StateMark, stateNames } from "../common/parts.tsx";
import { useStream } from "../common/stream.ts";
import { VirtualList } from "./virtual-list.tsx";

interface Loaded {
  readonly kinds: readonly KindSummary[];
  readonly rows: ReadonlyMap<string, OverviewRow>;
}

const rowHeight = 56;
const everything: RowFilter = { text: "", state: "", kind: "" };

/** All custom resources: problems first, by state, with the last change. */
export function OverviewPage({ namespace }: { readonly namespace: string }): JSX.Element {
  const [loaded, setLoaded] = useState<Loaded>();
  const [filter, setFilter] = useState(everything);
  const now = useNow();
  const stream = useStream("overview", new URLSearchParams({ namespace }).toString(), {
    overview: (data) => {
      const { kinds, rows }: Overview = JSON.parse(data);
      setLoaded({ kinds, rows: new Map(rows.map((row) => [row.uid, row])) });
    },
    change: (data) => {
      const change: OverviewChange = JSON.parse(data);
      setLoaded((before) => (before === undefined ? before : changed(before, change)));
    },
  });
  const rows = useMemo(() => selectRows(loaded?.rows.values() ?? [], filter), [loaded, filter]);
  return (
    <main id="main">
      <h1>Resources</h1>
      <ConnectionNote stream={stream} />
      {loaded === undefined ? <p aria-busy="true">Loading.</p> : <StateFilter {...{ loaded, filter, setFilter }} />}
      {loaded === undefined ? undefined : <Filters {...{ loaded, filter, setFilter, namespace }} />}
      {loaded?.kinds
        .flatMap(({ problem }) => problem ?? [])
        .map((problem) => (
          <p class="note unknown" key={problem}>
            {problem}
          </p>
        ))}
      {loaded === undefined ? undefined : rows.length === 0 ? (
        <p class="empty">{loaded.rows.size === 0 ? emptyText(loaded.kinds) : "No resource matches the filter."}</p>
      ) : (
        <VirtualList
          items={rows}
          keyOf={({ uid }) => uid}
          rowHeight={rowHeight}
          label="Resources"
          header={<Header />}
          row={(row) => <Row row={row} now={now} />}
        />
      )}
    </main>
  );
}

function emptyText(kinds: readonly KindSummary[]): string {
  return kinds.length === 0
    ? "No operator has installed a CRD. CRDs are found by the label app.kubernetes.io/name, which the manifests of an operator set."
    : `There is no object of these kinds: ${kinds.map(({ kind }) => kind).join(", ")}.`;
}

function changed(before: Loaded, { kinds, rows, removed }: OverviewChange): Loaded {
  const next = new Map(before.rows);
  for (const uid of removed) next.delete(uid);
  for (const row of rows) next.set(row.uid, row);
  return { kinds: kinds ?? before.kinds, rows: next };
}

interface FilterProps {
  readonly loaded: Loaded;
  readonly filter: RowFilter;
  readonly setFilter: (filter: RowFilter) => void;
}

function StateFilter({ loaded, filter, setFilter }: FilterProps): JSX.Element {
  const counts = countStates(loaded.rows.values());
  const button = (state: State | "", text: string, count: number): JSX.Element => (
    <button
      type="button"
      key={state}
      class={`count ${state}`}
      aria-pressed={filter.state === state}
      onClick={() => setFilter({ ...filter, state: filter.state === state ? "" : state })}
    >
      <strong>{count}</strong> {text}
    </button>
  );
  return (
    <div class="counts" role="group" aria-label="Filter by state">
      {button("", "All", loaded.rows.size)}
      {stateOrder.map((state) => button(state, stateNames[state], counts[state]))}
    </div>
  );
}

function Filters({ loaded, filter, setFilter, namespace }: FilterProps & { readonly namespace: string }): JSX.Element {
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  const kinds = [...new Map(loaded.kinds.map((kind) => [kindOf(kind), kind])).values()];
  const goToNamespace = (value: string): void =>
    navigate(value === "" ? "/" : `/?namespace=${encodeURIComponent(value)}`);
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        Search (/)
        <input
          type="search"
          ref={search}
          value={filter.text}
          onInput={({ currentTarget }) => setFilter({ ...filter, text: currentTarget.value })}
        />
      </label>
      <label>
        Kind
        <select
          value={filter.kind}
          onChange={({ currentTarget }) => setFilter({ ...filter, kind: currentTarget.value })}
        >
          <option value="">All kinds</option>
          {kinds.map((kind) => (
            <option key={kindOf(kind)} value={kindOf(kind)}>
              {kind.kind}
              {kind.operator === undefined ? "" : ` (${kind.operator})`}
            </option>
          ))}
        </select>
      </label>
      <label>
        Namespace
        <input
          type="text"
          placeholder="All namespaces"
          defaultValue={namespace}
          onChange={({ currentTarget }) => goToNamespace(currentTarget.value.trim())}
        />
      </label>
    </form>
  );
}

function Header(): JSX.Element {
  return (
    <>
      <span role="columnheader">Resource</span>
      <span role="columnheader">State</span>
      <span role="columnheader">Last change</span>
    </>
  );
}

function Row({ row, now }: { readonly row: OverviewRow; readonly now: number }): JSX.Element {
  const { lastChange } = row;
  return (
    <>
      <span role="cell" class="cell-name">
        <Link to={objectPath("resource", row)}>{row.name}</Link>
        <small>
          {row.kind}
          {row.namespace === undefined ? "" : ` in ${row.namespace}`}
        </small>
      </span>
      <span role="cell" class="cell-state">
        <StateMark health={row} />
        <small title={row.message}>{row.message}</small>
      </span>
      <span role="cell" class="cell-change">
        <Age time={lastChange?.at ?? row.createdAt} now={now} />
        <small>
          {lastChange === undefined ? "created" : `${lastChange.subresource || "object"} by ${lastChange.manager}`}
        </small>
      </span>
    </>
  );
}
