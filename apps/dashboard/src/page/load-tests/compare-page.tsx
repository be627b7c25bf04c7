import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { LoadTestsMessage, RunRef } from "../../api/load-tests.ts";
import { comparedData, comparisonCharts, knownTotals, totalsRows } from "../../present/load-charts.ts";
import { objectPath } from "../../present/routes.ts";
import { comparePath, formatRunRef, readRunRef } from "../../present/run-refs.ts";
import { Link, navigate } from "../common/navigation.tsx";
import { ConnectionNote, DataTable, Section } from "../common/parts.tsx";
import { useStream } from "../common/stream.ts";
import { Chart } from "./chart.tsx";
import { CsvButton } from "./csv-button.tsx";
import { applyMessage, type ShownRun, type ShownTests } from "./load-tests.ts";

/** Runs of load tests side by side: totals in columns, and one chart for each value with a line for each run. */
export function ComparePage({ tests }: { readonly tests: readonly RunRef[] }): JSX.Element {
  const [shown, setShown] = useState<ShownTests>();
  const query = new URLSearchParams(tests.map((ref): [string, string] => ["test", formatRunRef(ref)])).toString();
  const stream = useStream("compare", query, {
    part: (data) => {
      const message: LoadTestsMessage = JSON.parse(data);
      setShown((before) => applyMessage(before, message));
    },
  });
  const runs = tests.map((ref, index) => ({ ref, ...(shown?.runs[index] ?? missing) }));
  const known = runs.flatMap(({ test, points }) => (test === undefined ? [] : [{ ...test, points }]));
  return (
    <main id="main">
      <h1>Compare load tests</h1>
      <ConnectionNote stream={stream} />
      {shown === undefined ? (
        <p aria-busy="true">Loading.</p>
      ) : (
        <>
          <AddRun tests={tests} candidates={shown.candidates} />
          {tests.length === 0 ? <p class="empty">Add runs to compare them.</p> : <Totals runs={runs} tests={tests} />}
          <p class="under-title">{known.length === 0 ? undefined : <CsvButton runs={known} />}</p>
          {tests.length === 0 ? undefined : <Charts runs={runs} />}
        </>
      )}
    </main>
  );
}

const missing: ShownRun = { test: undefined, points: [] };

interface ComparedRun extends ShownRun {
  readonly ref: RunRef;
}

function AddRun({
  tests,
  candidates,
}: {
  readonly tests: readonly RunRef[];
  readonly candidates: readonly RunRef[];
}): JSX.Element {
  const [chosen, setChosen] = useState("");
  const known = new Set(tests.map(formatRunRef));
  const others = candidates.map(formatRunRef).filter((text) => !known.has(text));
  const added = readRunRef(others.includes(chosen) ? chosen : (others[0] ?? ""));
  if (others.length === 0) return <p class="empty">There are no other runs to compare with.</p>;
  return (
    <form
      class="filters add"
      onSubmit={(event) => {
        event.preventDefault();
        if (added !== undefined) navigate(comparePath([...tests, added]));
      }}
    >
      <label>
        Test and run
        <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
          {others.map((text) => (
            <option key={text} value={text}>
              {text.replace("@", ", run ")}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" disabled={added === undefined}>
        Add to the comparison
      </button>
    </form>
  );
}

function labelOf({ ref, test }: ComparedRun): string {
  return `${ref.name}, run ${test?.run ?? ref.run ?? "?"}`;
}

function Totals({
  runs,
  tests,
}: {
  readonly runs: readonly ComparedRun[];
  readonly tests: readonly RunRef[];
}): JSX.Element {
  return (
    <Section title="Totals">
      <DataTable label="Totals" columns={["Value", ...runs.map(labelOf)]}>
        <tr>
          <th scope="row">Test</th>
          {runs.map(({ ref }) => (
            <td key={formatRunRef(ref)}>
              <Link to={objectPath("resource", { group: "locust.io", kind: "LocustTest", ...ref })}>
                {ref.namespace}/{ref.name}
              </Link>
            </td>
          ))}
        </tr>
        <tr>
          <th scope="row">Verdict</th>
          {runs.map(({ ref, test }) => (
            <td key={formatRunRef(ref)}>
              {test === undefined ? "This run is not known." : test.outcome || test.phase}
              {test === undefined || test.note === "" ? undefined : <small> {test.note}</small>}
            </td>
          ))}
        </tr>
        {totalsRows.map(({ label, text }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {runs.map(({ ref, test, points }) => (
              <td key={formatRunRef(ref)}>{text(knownTotals(test?.totals ?? {}, points))}</td>
            ))}
          </tr>
        ))}
        <tr>
          <th scope="row">Comparison</th>
          {runs.map(({ ref }, index) => (
            <td key={formatRunRef(ref)}>
              <Link to={comparePath(tests.filter((_, other) => other !== index))}>Remove</Link>
            </td>
          ))}
        </tr>
      </DataTable>
    </Section>
  );
}

function Charts({ runs }: { readonly runs: readonly ComparedRun[] }): JSX.Element {
  const points = runs.map((run) => run.points);
  const charts = useMemo(
    () => comparisonCharts.map((chart) => ({ chart, data: comparedData(points, chart.columns[0] ?? "at") })),
    points,
  );
  const labels = runs.map(labelOf);
  return (
    <div class="charts">
      {charts.map(({ chart, data }) => (
        <Chart
          key={chart.title}
          title={chart.title}
          unit={chart.unit}
          data={data}
          labels={labels}
          limits={[]}
          time="elapsed"
        />
      ))}
    </div>
  );
}
