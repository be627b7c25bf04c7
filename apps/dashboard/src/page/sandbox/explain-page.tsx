import type { Explanation } from "@homeostat/routing";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { outcomeText } from "../../present/outcome-text.ts";
import { Notes } from "../common/notes.tsx";
import { ConnectionNote, Section } from "../common/parts.tsx";
import { useView } from "../common/use-view.ts";

/** Explains where a request goes, by the decision function of the proxies. The explanation follows changes of the routes. */
export function ExplainPage({ namespace }: { readonly namespace: string }): JSX.Element {
  const [query, setQuery] = useState("");
  return (
    <>
      <form
        class="explain"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery(queryOf(new FormData(event.currentTarget)));
        }}
      >
        <label>
          Namespace
          <input type="text" name="namespace" required defaultValue={namespace} />
        </label>
        <label>
          Service
          <input type="text" name="service" required />
        </label>
        <label>
          Port
          <input type="text" name="port" inputMode="numeric" placeholder="the only one" />
        </label>
        <label>
          Method
          <input type="text" name="method" defaultValue="GET" />
        </label>
        <label>
          Path
          <input type="text" name="path" defaultValue="/" />
        </label>
        <label class="wide">
          Headers, one per line
          <textarea name="headers" rows={4} placeholder="x-routing-key: pr-42" />
        </label>
        <button type="submit">Explain</button>
      </form>
      {query === "" ? undefined : <Answer key={query} query={query} />}
    </>
  );
}

function queryOf(form: FormData): string {
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === "string" ? value : "";
  };
  const query = new URLSearchParams(
    ["namespace", "service", "port", "method", "path"].map((name) => [name, text(name).trim()]),
  );
  for (const line of text("headers").split("\n")) if (line.trim() !== "") query.append("header", line.trim());
  return query.toString();
}

function Answer({ query }: { readonly query: string }): JSX.Element {
  const { data, stream } = useView("explain", query);
  return (
    <Section title="Explanation">
      <ConnectionNote stream={stream} />
      {data === undefined && stream.message === "" ? <p aria-busy="true">Loading.</p> : undefined}
      {data === undefined ? undefined : <Notes notes={data.notes} />}
      {data?.problem === undefined ? undefined : <p class="note problem">{data.problem}</p>}
      {data?.explanation === undefined ? undefined : <Steps explanation={data.explanation} />}
    </Section>
  );
}

function Steps({ explanation }: { readonly explanation: Explanation }): JSX.Element {
  const { steps, outcome, targets = [], ifTargetVanished, responseHeader, renderer } = explanation;
  return (
    <div aria-live="polite">
      <p class={`note outcome ${outcome.type === "entry" ? "ready" : outcome.type === "baseline" ? "" : "problem"}`}>
        {outcomeText(outcome)}
      </p>
      <ol>
        {steps.map(({ text }, index) => (
          <li key={index}>{text}</li>
        ))}
      </ol>
      <ul>
        <li>Interception: {renderer}</li>
        {targets.map(({ address }) => (
          <li key={address}>
            Target <code>{address}</code>. Only the route server knows whether it is ready.
          </li>
        ))}
        {ifTargetVanished === undefined ? undefined : <li>If no target were ready: {outcomeText(ifTargetVanished)}</li>}
        {responseHeader === undefined ? undefined : (
          <li>
            Response header <code>x-sandbox-route: {responseHeader}</code>
          </li>
        )}
      </ul>
    </div>
  );
}
