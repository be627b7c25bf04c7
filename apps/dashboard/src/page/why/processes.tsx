import type { JSX } from "preact";
import type { OperatorProcess } from "../../api/types.ts";
import { readController, readInformer, type ShownController } from "../../present/explanation.ts";
import { formatBytes, formatUntil } from "../../present/format.ts";
import { Age, DataTable } from "../common/parts.tsx";

/** Operator processes with their leadership, the queues of their controllers, and the watches and sizes of their caches. */
export function Processes({
  processes,
  now,
}: {
  readonly processes: readonly OperatorProcess[];
  readonly now: number;
}): JSX.Element {
  if (processes.length === 0) return <p class="empty">No operator was found.</p>;
  return (
    <>
      {processes.map((process) => (
        <details key={process.name} open={processes.length === 1 || process.problem !== undefined}>
          <summary>
            {process.name}: {summaryOf(process)}
          </summary>
          <Controllers controllers={process.controllers.map(readController)} now={now} />
          <Informers informers={process.informers} now={now} />
        </details>
      ))}
    </>
  );
}

function summaryOf({ problem, isLeading, controllers }: OperatorProcess): string {
  if (problem !== undefined) return problem;
  const role = isLeading === true ? "leading" : "standing by";
  return `${role}, ${controllers.length} ${controllers.length === 1 ? "controller" : "controllers"}`;
}

function Controllers({
  controllers,
  now,
}: {
  readonly controllers: readonly ShownController[];
  readonly now: number;
}): JSX.Element | null {
  if (controllers.length === 0) return null;
  return (
    <DataTable label="Controllers" columns={["Controller", "State", "Running", "Waiting", "Delayed", "Next keys"]}>
      {controllers.map(({ name, resource, state, running, waiting, delayed, keys }) => (
        <tr key={name}>
          <td>
            {name} <small>{resource}</small>
          </td>
          <td>{state}</td>
          <td>{running}</td>
          <td>{waiting}</td>
          <td>{delayed}</td>
          <td>
            {keys.slice(0, 3).map((key) => (
              <div key={`${key.state} ${key.key}`}>
                {key.key} {key.state} {key.state === "delayed" ? formatUntil(key.at, now) : ""}
              </div>
            ))}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function Informers({
  informers,
  now,
}: {
  readonly informers: readonly unknown[];
  readonly now: number;
}): JSX.Element | null {
  if (informers.length === 0) return null;
  return (
    <DataTable label="Watches and cache" columns={["Watch", "State", "Objects", "Size", "Last data"]}>
      {informers.map(readInformer).map(({ name, state, objects, bytes, lastByteAt, failures, error }) => (
        <tr key={name} class={failures > 0 ? "warning" : ""}>
          <td>{name}</td>
          <td>
            {state}
            {failures === 0 ? "" : `, ${failures} failures: ${error}`}
          </td>
          <td>{objects}</td>
          <td>{formatBytes(bytes)}</td>
          <td>{lastByteAt === "" ? "" : <Age time={lastByteAt} now={now} />}</td>
        </tr>
      ))}
    </DataTable>
  );
}
