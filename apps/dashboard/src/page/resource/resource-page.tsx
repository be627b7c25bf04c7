import { systemClock } from "@homeostat/core";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { DriftView, ResourceView } from "../../api/types.ts";
import { diffValues, type FieldChange } from "../../present/diff-values.ts";
import { noDriftText } from "../../present/reconcile-text.ts";
import { objectPath, objectQuery, type RouteRef } from "../../present/routes.ts";
import { KindFeed } from "../common/kind-feed.ts";
import { Link } from "../common/navigation.tsx";
import { useNow } from "../common/now.ts";
import { ConnectionNote, Section, StateMark } from "../common/parts.tsx";
import { useStream } from "../common/stream.ts";
import { DriftLog } from "../why/drift-log.tsx";
import { ActionButtons } from "./action-buttons.tsx";
import { Conditions } from "./conditions.tsx";
import { DeleteButton } from "./delete-button.tsx";
import { Events } from "./events.tsx";
import { kindPart } from "./kind-pages.ts";
import { StatusChanges } from "./status-changes.tsx";
import { Tree } from "./tree.tsx";
import { Yaml } from "./yaml.tsx";

/** A change of the status that the page has seen. */
export interface StatusChange {
  readonly at: number;
  readonly resourceVersion: string;
  readonly changes: readonly FieldChange[];
}

/** Largest number of status changes that the page keeps. */
const changesMax = 50;

interface Loaded {
  readonly resource: ResourceView | undefined;
  readonly changes: readonly StatusChange[];
}

/** One object: the tree of its owned objects, conditions, events, status changes and YAML. */
export function ResourcePage({ target }: { readonly target: RouteRef }): JSX.Element {
  const [loaded, setLoaded] = useState<Loaded>();
  const [drift, setDrift] = useState<DriftView>();
  const now = useNow();
  const [feed] = useState(() => new KindFeed());
  const stream = useStream("resource", objectQuery(target), {
    resource: (data) => {
      const resource: ResourceView = JSON.parse(data);
      setLoaded((before) => ({ resource, changes: withChange(before, resource) }));
    },
    drift: (data) => setDrift(JSON.parse(data)),
    part: (data) => feed.push(data),
    missing: () => setLoaded((before) => ({ resource: undefined, changes: before?.changes ?? [] })),
  });
  const resource = loaded?.resource;
  const Part = resource === undefined ? undefined : kindPart(resource.ref);
  return (
    <main id="main">
      <h1>
        {target.kind} {target.name}
      </h1>
      <p class="under-title">
        {target.namespace === undefined ? "Cluster-scoped" : `Namespace ${target.namespace}`}
        {resource === undefined ? undefined : <StateMark health={resource.health} />}
        <Link to={objectPath("why", target)}>Why?</Link>
        {resource === undefined ? undefined : <ActionButtons resource={resource} />}
        {resource?.mayDelete === true ? <DeleteButton resource={resource} /> : undefined}
      </p>
      <ConnectionNote stream={stream} />
      {loaded === undefined && stream.message === "" ? <p aria-busy="true">Loading.</p> : undefined}
      {loaded !== undefined && resource === undefined ? (
        <p class="note unknown">The object does not exist. This page shows it when it is created.</p>
      ) : undefined}
      {resource === undefined ? undefined : (
        <>
          {resource.health.message === "" ? undefined : (
            <p class={`note ${resource.health.state}`}>{resource.health.message}</p>
          )}
          {Part === undefined ? undefined : <Part resource={resource} feed={feed} />}
          <div class="columns">
            <Section title="Owned objects">
              <Tree resource={resource} now={now} />
            </Section>
            <Section title="Conditions">
              <Conditions conditions={resource.conditions} now={now} />
            </Section>
          </div>
          <Section title="Events">
            <Events events={resource.events} now={now} />
          </Section>
          <Section title="Drift log">
            <Drift drift={drift} now={now} />
          </Section>
          <Section title="Status changes">
            <StatusChanges changes={loaded?.changes ?? []} now={now} />
          </Section>
          <Section title="YAML and field managers">
            <Yaml lines={resource.yaml} />
          </Section>
        </>
      )}
    </main>
  );
}

/** Drift of the owned objects that operators have corrected. */
function Drift({ drift, now }: { readonly drift: DriftView | undefined; readonly now: number }): JSX.Element {
  if (drift === undefined) return <p aria-busy="true">Loading.</p>;
  const { entries, problems } = drift;
  return (
    <>
      {problems.map((problem) => (
        <p key={problem} class="note unknown">
          {problem}
        </p>
      ))}
      <DriftLog entries={entries} none={noDriftText(drift)} now={now} />
    </>
  );
}

function withChange(before: Loaded | undefined, { status, resourceVersion }: ResourceView): readonly StatusChange[] {
  const known = before?.changes ?? [];
  if (before?.resource === undefined) return known;
  const changes = diffValues(before.resource.status, status);
  return changes.length === 0
    ? known
    : [{ at: systemClock.now(), resourceVersion, changes }, ...known].slice(0, changesMax);
}
