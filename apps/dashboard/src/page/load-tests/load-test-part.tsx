import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { LoadPoint, LoadTestsMessage, LoadTestView, ThresholdView } from "../../api/load-tests.ts";
import {
  columnLabel,
  formatNumber,
  knownTotals,
  limitLines,
  loadCharts,
  runData,
  totalsRows,
} from "../../present/load-charts.ts";
import { comparePath } from "../../present/run-refs.ts";
import { Link } from "../common/navigation.tsx";
import { DataTable, Section } from "../common/parts.tsx";
import type { KindPartProps } from "../resource/kind-pages.ts";
import { Chart } from "./chart.tsx";
import { CsvButton } from "./csv-button.tsx";
import { applyMessage, type ShownTests } from "./load-tests.ts";
import { Runs } from "./runs.tsx";

/** The latest run of a load test: verdict, charts with thresholds, totals, and the runs before it. */
export function LoadTestPart({ feed }: KindPartProps): JSX.Element {
  const [shown, setShown] = useState<ShownTests>();
  useEffect(
    () =>
      feed.subscribe((data) => {
        const message: LoadTestsMessage = JSON.parse(data);
        setShown((before) => applyMessage(before, message));
      }),
    [feed],
  );
  const { test, points = [] } = shown?.runs[0] ?? {};
  if (test === undefined)
    return (
      <Section title="Load test">
        <p aria-busy="true">Loading.</p>
      </Section>
    );
  return (
    <>
      <Section title={`Load test, run ${test.run}`}>
        <Verdict test={test} />
        <p class="under-title">
          <CsvButton runs={[{ ...test, points }]} />
          <Link to={comparePath([{ namespace: test.namespace, name: test.name, run: test.run }])}>
            Compare with other runs
          </Link>
        </p>
        {test.note === "" ? undefined : <p class="note unknown">{test.note}</p>}
        <Charts points={points} thresholds={test.thresholds} />
      </Section>
      <div class="columns">
        <Section title="Thresholds">
          <Thresholds thresholds={test.thresholds} />
        </Section>
        <Section title="Totals">
          <Totals test={test} points={points} />
        </Section>
      </div>
      <Section title="Runs">
        <Runs test={test} />
      </Section>
    </>
  );
}

/** Outcome and progress of a run. */
function Verdict({ test }: { readonly test: LoadTestView }): JSX.Element {
  const { outcome, phase, verdict, percent } = test;
  const state = outcome === "Passed" ? "ready" : outcome === "" || outcome === "Unknown" ? "progressing" : "problem";
  const isRunning = phase === "Running" || phase === "Pending";
  return (
    <div class={`note ${isRunning ? "progressing" : state}`} role="status">
      <p>
        <strong>{isRunning || outcome === "" ? phase || "Not started" : outcome}</strong>
        {verdict === "" ? "" : `: ${verdict}`}
        {isRunning && percent !== undefined ? ` (${percent} % of the run time)` : ""}
      </p>
    </div>
  );
}

function Charts({
  points,
  thresholds,
}: {
  readonly points: readonly LoadPoint[];
  readonly thresholds: readonly ThresholdView[];
}): JSX.Element {
  const charts = useMemo(() => loadCharts.map((chart) => ({ chart, data: runData(points, chart.columns) })), [points]);
  return (
    <div class="charts">
      {charts.map(({ chart, data }) => (
        <Chart
          key={chart.title}
          title={chart.title}
          unit={chart.unit}
          data={data}
          labels={chart.columns.map(columnLabel)}
          limits={limitLines(chart, thresholds)}
          time="clock"
        />
      ))}
    </div>
  );
}

function Thresholds({ thresholds }: { readonly thresholds: readonly ThresholdView[] }): JSX.Element {
  if (thresholds.length === 0) return <p class="empty">The test has no thresholds.</p>;
  const limitOf = ({ min, max }: ThresholdView): string =>
    [min === undefined ? [] : `min ${formatNumber(min)}`, max === undefined ? [] : `max ${formatNumber(max)}`]
      .flat()
      .join(", ");
  return (
    <DataTable label="Thresholds" columns={["Metric", "Limit", "Actual", "Result"]}>
      {thresholds.map((threshold, index) => (
        <tr key={index}>
          <td>
            {threshold.metric}
            {threshold.name === "Aggregated" ? "" : ` of ${threshold.name}`}
          </td>
          <td>{limitOf(threshold)}</td>
          <td>{formatNumber(threshold.actual)}</td>
          <td>
            <span class={`state ${threshold.passed === false ? "problem" : threshold.passed ? "ready" : "unknown"}`}>
              <span class="dot" aria-hidden="true" />
              {threshold.passed === undefined ? "Not evaluated yet" : threshold.passed ? "Passed" : "Failed"}
            </span>{" "}
            {threshold.message}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function Totals({ test, points }: { readonly test: LoadTestView; readonly points: readonly LoadPoint[] }): JSX.Element {
  if (test.outcome === "" && points.length === 0) return <p class="empty">There are no statistics of this run yet.</p>;
  const totals = knownTotals(test.totals, points);
  return (
    <DataTable label="Totals" columns={["Value", test.outcome === "" ? "So far" : `Run ${test.run}`]}>
      {totalsRows.map(({ label, text }) => (
        <tr key={label}>
          <th scope="row">{label}</th>
          <td>{text(totals)}</td>
        </tr>
      ))}
    </DataTable>
  );
}
