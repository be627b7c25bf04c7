import type { JSX } from "preact";
import type { ConditionView } from "../../api/types.ts";
import { Age } from "../common/parts.tsx";

/** Conditions with their age, and what the runbook says about them. */
export function Conditions({
  conditions,
  now,
}: {
  readonly conditions: readonly ConditionView[];
  readonly now: number;
}): JSX.Element {
  if (conditions.length === 0) return <p class="empty">The status has no conditions.</p>;
  return (
    <ul class="conditions">
      {conditions.map((condition) => (
        <li key={condition.type}>
          <p>
            <strong>{condition.type}</strong> {condition.status}
            {condition.reason === "" ? "" : `, ${condition.reason}`}
            {condition.since === "" ? undefined : (
              <>
                , for <Age time={condition.since} now={now} />
              </>
            )}
          </p>
          {condition.message === "" ? undefined : <p>{condition.message}</p>}
          {condition.meaning === undefined ? undefined : (
            <p class="runbook">
              Meaning: <Marked text={condition.meaning} />.
              {condition.action ? (
                <>
                  {" "}
                  What to do: <Marked text={condition.action} />.
                </>
              ) : undefined}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** A text of a runbook, in which backticks mark code. */
function Marked({ text }: { readonly text: string }): JSX.Element {
  return <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
