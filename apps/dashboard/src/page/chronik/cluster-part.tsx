import type { JSX } from "preact";
import { clusterState, type RoleProgress } from "../../chronik/cluster-state.ts";
import { objectPath } from "../../present/routes.ts";
import { CopyButton } from "../common/copy-button.tsx";
import { Link } from "../common/navigation.tsx";
import { useNow } from "../common/now.ts";
import { Age, DataTable, Section, StateMark } from "../common/parts.tsx";
import type { KindPartProps } from "../resource/kind-pages.ts";

/** Members, leader, rollout, gates and plan of a ChronikCluster. */
export function ClusterPart({ resource }: KindPartProps): JSX.Element {
  const { members, leader, voters, caughtUp, progress, plan, bootstrapServers, rolloutSince, lastError } =
    clusterState(resource);
  const now = useNow();
  return (
    <>
      {lastError === "" ? undefined : <p class="note problem">{lastError}</p>}
      <dl class="fields">
        <div>
          <dt>Leader</dt>
          <dd>{leader || "unknown"}</dd>
        </div>
        <div>
          <dt>Voters caught up with the leader</dt>
          <dd>
            {caughtUp} of {voters}
          </dd>
        </div>
        <div>
          <dt>Rollout</dt>
          <dd>
            {rolloutSince === "" ? (
              "not in progress"
            ) : (
              <>
                in progress for <Age time={rolloutSince} now={now} />
              </>
            )}
          </dd>
        </div>
        {bootstrapServers === "" ? undefined : (
          <div>
            <dt>Bootstrap servers</dt>
            <dd>
              <code>{bootstrapServers}</code> <CopyButton text={bootstrapServers} label="the bootstrap servers" />
            </dd>
          </div>
        )}
      </dl>
      <Section title="Members">
        {members.length === 0 ? <p class="empty">The cluster has no pods that you may see.</p> : undefined}
        <DataTable label="Members" columns={["Member", "Role", "State", "Age", "Notes"]}>
          {members.map(({ node, role, isLeader, note }) => (
            <tr key={node.uid}>
              <td>
                <Link to={objectPath("resource", node)}>{node.name}</Link>
              </td>
              <td>
                {role}
                {isLeader ? <strong>, leader</strong> : undefined}
              </td>
              <td>
                <StateMark health={node} />
              </td>
              <td>
                <Age time={node.createdAt} now={now} />
              </td>
              <td>{note}</td>
            </tr>
          ))}
        </DataTable>
      </Section>
      <Section title="Rollout">
        {progress.map((one) => (
          <Progress key={one.role} progress={one} now={now} />
        ))}
      </Section>
      <Section title="Plan">
        {plan.length === 0 ? <p class="empty">The operator has nothing to do.</p> : undefined}
        <ol>
          {plan.map(({ step, component, target, waitsFor }, index) => (
            <li key={index}>
              <strong>{step}</strong> {[component, target].filter((part) => part !== "").join(" ")}
              {waitsFor === "" ? <em> now</em> : <span> waits: {waitsFor}</span>}
            </li>
          ))}
        </ol>
      </Section>
    </>
  );
}

function Progress({ progress, now }: { readonly progress: RoleProgress; readonly now: number }): JSX.Element {
  const { role, desired, ready, updated, outdated, message, blockedSince, gates } = progress;
  return (
    <div class="rollout">
      <p>
        <strong>{role}</strong>: {ready} of {desired} ready, {updated} up to date
        {outdated === 0 ? "" : `, ${outdated} have to restart`}
      </p>
      <progress
        aria-label={`Members of ${role} that are up to date`}
        max={Math.max(desired, 1)}
        value={Math.min(updated, desired)}
      />
      {gates.length === 0 ? undefined : (
        <ul class="gates" aria-label={`Gates of ${role}`}>
          {gates.map(({ name, state }) => (
            <li key={name} class={state}>
              {name}: {state === "unchecked" ? "not checked yet" : state}
            </li>
          ))}
        </ul>
      )}
      {message === "" ? undefined : (
        <p class="note progressing">
          {message}
          {blockedSince === "" ? undefined : (
            <>
              , for <Age time={blockedSince} now={now} />
            </>
          )}
        </p>
      )}
    </div>
  );
}
