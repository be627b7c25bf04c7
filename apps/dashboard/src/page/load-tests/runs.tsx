import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { LoadTestView } from "../../api/load-tests.ts";
import { formatNumber, formatValue } from "../../present/load-charts.ts";
import { comparePath } from "../../present/run-refs.ts";
import { navigate } from "../common/navigation.tsx";
import { useNow } from "../common/now.ts";
import { Age, DataTable } from "../common/parts.tsx";

/** The runs of a test, of which two or more can be selected for a comparison. */
export function Runs({ test }: { readonly test: LoadTestView }): JSX.Element {
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const now = useNow();
  const { namespace, name, runs } = test;
  const toggle = (run: number): void =>
    setChosen((before) => (before.includes(run) ? before.filter((one) => one !== run) : [...before, run]));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        navigate(comparePath(chosen.map((run) => ({ namespace, name, run }))));
      }}
    >
      <DataTable label="Runs" columns={["Run", "Outcome", "Started", "Requests", "Failed", "p95"]}>
        {runs.map(({ run, phase, outcome, startTime, totals }) => (
          <tr key={run}>
            <td>
              <label class="choice">
                <input type="checkbox" checked={chosen.includes(run)} onChange={() => toggle(run)} /> Run {run}
              </label>
            </td>
            <td>{outcome || phase}</td>
            <td>{startTime === "" ? "-" : <Age time={startTime} now={now} />}</td>
            <td>{formatNumber(totals.requests)}</td>
            <td>{formatValue(totals.failRatio === undefined ? undefined : totals.failRatio * 100, "%")}</td>
            <td>{formatValue(totals.p95, "ms")}</td>
          </tr>
        ))}
      </DataTable>
      <button type="submit" disabled={chosen.length < 2}>
        Compare the selected runs
      </button>
    </form>
  );
}
