import type { JSX } from "preact";
import type { MatchResult } from "../../api/sandbox-types.ts";
import { listIn, numberIn, textIn } from "../../health/fields.ts";
import { objectPath } from "../../present/routes.ts";
import { CopyButton } from "../common/copy-button.tsx";
import { Link } from "../common/navigation.tsx";
import { Notes } from "../common/notes.tsx";
import { DataTable, Section } from "../common/parts.tsx";
import { useView } from "../common/use-view.ts";
import type { KindPartProps } from "../resource/kind-pages.ts";
import { Endpoints } from "./endpoints.tsx";

/** Match tree with its present result, conflicts, explicit routes and preview addresses of a RouteGroup. */
export function RouteGroupPart({ resource: { ref, spec, status } }: KindPartProps): JSX.Element {
  const { namespace = "", name, group } = ref;
  const { data } = useView("route-group", new URLSearchParams({ namespace, name }).toString());
  const key = textIn(status, "routingKey");
  const routes = listIn(spec, "routes");
  const sandbox = (target: string): JSX.Element => (
    <Link to={objectPath("resource", { group, kind: "Sandbox", namespace, name: target })}>{target}</Link>
  );
  return (
    <>
      {key === "" ? undefined : (
        <p>
          Routing key <code>{key}</code> <CopyButton text={key} label="the routing key" />
        </p>
      )}
      <Section title="Match tree">
        {data === undefined ? <p aria-busy="true">Loading.</p> : <Notes notes={data.notes} />}
        {data !== undefined && data.match === undefined ? (
          <p class="empty">The group matches no sandboxes.</p>
        ) : undefined}
        {data?.match === undefined ? undefined : (
          <ul class="tree match">
            <Node node={data.match} all={data.sandboxes.length} sandbox={sandbox} />
          </ul>
        )}
      </Section>
      {data === undefined || data.conflicts.length === 0 ? undefined : (
        <Section title="Conflicts">
          <DataTable label="Conflicts" columns={["Service", "Served by", "Not used", "Why"]}>
            {data.conflicts.map(({ service, winner, losers, why }) => (
              <tr key={service}>
                <td>{service}</td>
                <td>{winner === "" ? "none" : sandbox(winner)}</td>
                <td>{losers.join(", ")}</td>
                <td>{why}</td>
              </tr>
            ))}
          </DataTable>
        </Section>
      )}
      {routes.length === 0 ? undefined : (
        <Section title="Explicit routes">
          <DataTable label="Explicit routes" columns={["Sandbox", "Key", "Paths", "Methods", "Percent"]}>
            {routes.map((route, index) => (
              <tr key={index}>
                <td>{sandbox(textIn(route, "targetSandbox"))}</td>
                <td>{textIn(route, "routingKey") || key}</td>
                <td>
                  {listIn(route, "paths")
                    .map((path) => textIn(path, "prefix") || textIn(path, "exact"))
                    .join(", ") || "all"}
                </td>
                <td>
                  {listIn(route, "methods")
                    .filter((method) => typeof method === "string")
                    .join(", ") || "all"}
                </td>
                <td>{numberIn(route, "percent") ?? 100} %</td>
              </tr>
            ))}
          </DataTable>
        </Section>
      )}
      <Endpoints status={status} />
    </>
  );
}

function Node({
  node: { text, matched, children },
  all,
  sandbox,
}: {
  readonly node: MatchResult;
  readonly all: number;
  readonly sandbox: (name: string) => JSX.Element;
}): JSX.Element {
  return (
    <li>
      <div class="tree-node">
        <strong>{text}</strong>
        <span>
          matches {matched.length} of {all}
        </span>
        {matched.map((name) => (
          <span key={name}>{sandbox(name)}</span>
        ))}
      </div>
      {children.length === 0 ? undefined : (
        <ul class="tree">
          {children.map((child, index) => (
            <Node key={index} node={child} all={all} sandbox={sandbox} />
          ))}
        </ul>
      )}
    </li>
  );
}
