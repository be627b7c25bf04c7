import type { JSX } from "preact";
import { type SandboxPart, sandboxParts, sandboxesPath } from "../../present/routes.ts";
import { Link, navigate } from "../common/navigation.tsx";
import { ExplainPage } from "./explain-page.tsx";
import { NewSandboxPage } from "./new-sandbox-page.tsx";
import { PoliciesPage } from "./policies-page.tsx";
import { PropagationPage } from "./propagation-page.tsx";
import { RouteMapPage } from "./route-map-page.tsx";
import { SandboxListPage } from "./sandbox-list-page.tsx";
import { SystemPage } from "./system-page.tsx";
import { TunnelsPage } from "./tunnels-page.tsx";

/** Titles of the pages about sandbox environments. */
export const sandboxTitles: Readonly<Record<SandboxPart, string>> = {
  list: "Sandboxes",
  new: "New sandbox",
  map: "Route map",
  explain: "Explain a route",
  tunnels: "Tunnels",
  propagation: "Propagation",
  policies: "Policies",
  system: "System",
};

const pages: Readonly<Record<SandboxPart, (props: { readonly namespace: string }) => JSX.Element>> = {
  list: SandboxListPage,
  new: NewSandboxPage,
  map: RouteMapPage,
  explain: ExplainPage,
  tunnels: TunnelsPage,
  propagation: PropagationPage,
  policies: PoliciesPage,
  system: SystemPage,
};

/** A page about sandbox environments, with links to the others. */
export function SandboxPages({
  part,
  namespace,
}: {
  readonly part: SandboxPart;
  readonly namespace: string;
}): JSX.Element {
  const Content = pages[part];
  return (
    <main id="main">
      <h1>{sandboxTitles[part]}</h1>
      <nav class="parts" aria-label="Pages about sandboxes">
        {sandboxParts.map((one) => (
          <Link key={one} to={sandboxesPath(one, namespace)} current={one === part}>
            {sandboxTitles[one]}
          </Link>
        ))}
      </nav>
      {part === "explain" ? undefined : (
        <form class="filters" onSubmit={(event) => event.preventDefault()}>
          <label>
            Namespace
            <input
              type="text"
              placeholder="All namespaces"
              defaultValue={namespace}
              onChange={({ currentTarget }) => navigate(sandboxesPath(part, currentTarget.value.trim()))}
            />
          </label>
        </form>
      )}
      <Content namespace={namespace} />
    </main>
  );
}
