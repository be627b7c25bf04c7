import type { ComponentChildren, JSX } from "preact";
import type { Health, State } from "../../api/types.ts";
import { formatAge } from "../../present/format.ts";
import type { StreamState } from "./stream.ts";

/** Names of states for people. */
export const stateNames: Readonly<Record<State, string>> = {
  problem: "Problem",
  progressing: "Progressing",
  unknown: "Unknown",
  ready: "Ready",
  finished: "Finished",
};

/** The state of an object: a mark with the color of the state, and the word of the object. */
export function StateMark({ health }: { readonly health: Pick<Health, "state" | "word"> }): JSX.Element {
  return (
    <span class={`state ${health.state}`} title={stateNames[health.state]}>
      <span class="dot" aria-hidden="true" />
      {health.word}
    </span>
  );
}

/** The age of a time, with the time itself as a tooltip. */
export function Age({ time, now }: { readonly time: string; readonly now: number }): JSX.Element {
  return (
    <time dateTime={time} title={time}>
      {formatAge(time, now)}
    </time>
  );
}

/** A message about the connection, if there is something to say. Screen readers announce it. */
export function ConnectionNote({ stream }: { readonly stream: StreamState }): JSX.Element {
  const { status, message } = stream;
  const isQuiet = message === "" && status !== "lost";
  return (
    <div role="status" class={isQuiet ? "" : `note ${status === "refused" ? "problem" : "progressing"}`}>
      {isQuiet ? undefined : message.split("\n").map((line) => <p key={line}>{line}</p>)}
    </div>
  );
}

/** A section with a heading. */
export function Section({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A table that scrolls on its own if it is wider than the page. Its children are rows. */
export function DataTable({
  label,
  columns,
  children,
}: {
  readonly label: string;
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
