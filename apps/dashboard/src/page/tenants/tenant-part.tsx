import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { QuotaRow, TenantView } from "../../api/tenants.ts";
import { recordIn, numberIn, textIn } from "../../health/fields.ts";
import { phaseState } from "../../health/object-health.ts";
import { rotationTexts } from "../../present/rotation.ts";
import { useNow } from "../common/now.ts";
import { Age, DataTable, Section, StateMark } from "../common/parts.tsx";
import type { KindPartProps } from "../resource/kind-pages.ts";

/** Components, quota and password of a tenant. */
export function TenantPart({ resource, feed }: KindPartProps): JSX.Element {
  const [view, setView] = useState<TenantView>();
  const now = useNow();
  useEffect(() => feed.subscribe((data) => setView(JSON.parse(data))), [feed]);
  const { age, next, step } = rotationTexts(resource, now);
  return (
    <>
      <div class="columns">
        <Section title="Components">
          <Components status={resource.status} now={now} />
        </Section>
        <Section title="Redis password">
          <p>{age}</p>
          {step === "" ? undefined : <p class="note progressing">{step}</p>}
          {next === "" ? undefined : <p>{next}</p>}
        </Section>
      </div>
      <Section title="Quota">{view === undefined ? <p aria-busy="true">Loading.</p> : <Quota view={view} />}</Section>
    </>
  );
}

const components = [
  { title: "Server", field: "serverStatus" },
  { title: "Redis", field: "redisStatus" },
] as const;

function Components({ status, now }: { readonly status: unknown; readonly now: number }): JSX.Element {
  return (
    <DataTable label="Components" columns={["Component", "Phase", "Ready", "Since", "Message"]}>
      {components.map(({ title, field }) => {
        const component = recordIn(status, field);
        const phase = textIn(component, "phase") || "Pending";
        return (
          <tr key={field}>
            <th scope="row">{title}</th>
            <td>
              <StateMark health={{ state: phaseState(phase), word: phase }} />
            </td>
            <td>
              {numberIn(component, "readyReplicas") ?? 0}/{numberIn(component, "totalReplicas") ?? 0}
            </td>
            <td>
              <Age time={textIn(component, "lastTransitionTime")} now={now} />
            </td>
            <td>{textIn(component, "message")}</td>
          </tr>
        );
      })}
      <tr>
        <th scope="row">Address</th>
        <td colSpan={4}>{textIn(recordIn(status, "urls"), "server") || "-"}</td>
      </tr>
    </DataTable>
  );
}

/** Share of a quota above which it is shown as nearly used up, as in the condition QuotaPressure. */
const pressureAbove = 0.9;

function Quota({ view: { quota, note } }: { readonly view: TenantView }): JSX.Element {
  if (note !== "") return <p class="note unknown">{note}</p>;
  if (quota.length === 0) return <p class="empty">The tenant has no quota. Set spec.resources to limit it.</p>;
  return (
    <DataTable label="Quota" columns={["Resource", "Use", "Used", "Limit"]}>
      {quota.map((row) => (
        <tr key={`${row.quota} ${row.resource}`}>
          <th scope="row">{row.resource}</th>
          <td>
            <Use row={row} />
          </td>
          <td>{row.used}</td>
          <td>{row.hard}</td>
        </tr>
      ))}
    </DataTable>
  );
}

function Use({ row: { resource, ratio } }: { readonly row: QuotaRow }): JSX.Element {
  const percent = Math.floor(ratio * 100);
  return (
    <span class={`use ${ratio > pressureAbove ? "problem" : "ready"}`}>
      <meter min={0} max={1} high={pressureAbove} value={Math.min(1, ratio)} aria-label={`Use of ${resource}`} />
      {percent} %{ratio > pressureAbove ? " (nearly used up)" : ""}
    </span>
  );
}
