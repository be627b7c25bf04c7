import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WhyView } from "../../api/types.ts";
import { readExplanation } from "../../present/explanation.ts";
import { objectPath, objectQuery, type RouteRef } from "../../present/routes.ts";
import { Link } from "../common/navigation.tsx";
import { useNow } from "../common/now.ts";
import { ConnectionNote, Section } from "../common/parts.tsx";
import { useStream } from "../common/stream.ts";
import { Processes } from "./processes.tsx";
import { Timeline } from "./timeline.tsx";

/** The work of controllers on an object and its causes; without an object, the state of all operators. */
export function WhyPage({ target }: { readonly target: RouteRef | undefined }): JSX.Element {
  const [view, setView] = useState<WhyView>();
  const now = useNow();
  const stream = useStream("why", target === undefined ? "" : objectQuery(target), {
    why: (data) => setView(JSON.parse(data)),
  });
  return (
    <main id="main">
      <h1>{target === undefined ? "Operators" : `Why: ${target.kind} ${target.name}`}</h1>
      {target === undefined ? undefined : (
        <p class="under-title">
          {target.namespace === undefined ? "Cluster-scoped" : `Namespace ${target.namespace}`}
          <Link to={objectPath("resource", target)}>Resource</Link>
        </p>
      )}
      <ConnectionNote stream={stream} />
      {view === undefined && stream.message === "" ? <p aria-busy="true">Loading.</p> : undefined}
      {view === undefined || target === undefined ? undefined : (
        <>
          {view.histories.length === 0 ? (
            <p class="note unknown">
              No operator process has reconciled this object since it started.
              {view.processes.length === 0
                ? " No operator was found: they are pods with the label app.kubernetes.io/name of a CRD."
                : ""}
            </p>
          ) : undefined}
          {view.histories.map(({ process, controller, explanation }) => (
            <Section key={`${process} ${controller}`} title={`Controller ${controller} of ${process}`}>
              <Timeline explanation={readExplanation(explanation)} now={now} />
            </Section>
          ))}
        </>
      )}
      {view === undefined ? undefined : (
        <Section title={target === undefined ? "Processes" : "Operators"}>
          <Processes processes={view.processes} now={now} />
        </Section>
      )}
    </main>
  );
}
