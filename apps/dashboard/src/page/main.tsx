import { type JSX, render } from "preact";
import { useEffect } from "preact/hooks";
import type { Route } from "../present/routes.ts";
import { ComparePage } from "./load-tests/compare-page.tsx";
import { OverviewPage } from "./overview/overview-page.tsx";
import { ResourcePage } from "./resource/resource-page.tsx";
import { Link, useRoute } from "./common/navigation.tsx";
import { SandboxPages, sandboxTitles } from "./sandbox/sandbox-pages.tsx";
import { LoginPage } from "./session/login-page.tsx";
import { LogoutButton } from "./session/logout-button.tsx";
import { SessionContext, useSession } from "./session/session.ts";
import { WhyPage } from "./why/why-page.tsx";

function App(): JSX.Element {
  const route = useRoute();
  const { state, actions } = useSession();
  const title = state.step === "login" ? "Log in" : titleOf(route);
  useEffect(() => {
    document.title = `${title} - Homeostat`;
  }, [title]);
  return (
    <SessionContext.Provider value={actions}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <nav aria-label="Pages">
          <Link to="/" current={route.page === "overview"}>
            Resources
          </Link>
          <Link to="/operators" current={route.page === "operators"}>
            Operators
          </Link>
          <Link to="/sandboxes" current={route.page === "sandboxes"}>
            Sandboxes
          </Link>
          <LogoutButton state={state} actions={actions} />
        </nav>
      </header>
      {state.step === "login" && <LoginPage message={state.message} actions={actions} />}
      {state.step === "in" && <Page route={route} />}
    </SessionContext.Provider>
  );
}

function Page({ route }: { readonly route: Route }): JSX.Element {
  // The key makes another object another component, so that nothing of the one before is shown.
  const key = location.pathname + location.search;
  switch (route.page) {
    case "overview":
      return <OverviewPage key={key} namespace={route.namespace} />;
    case "resource":
      return <ResourcePage key={key} target={route.ref} />;
    case "why":
      return <WhyPage key={key} target={route.ref} />;
    case "operators":
      return <WhyPage key={key} target={undefined} />;
    case "sandboxes":
      return <SandboxPages key={key} part={route.part} namespace={route.namespace} />;
    case "compare":
      return <ComparePage key={key} tests={route.tests} />;
    case "unknown":
      return (
        <main id="main">
          <h1>Page not found</h1>
          <p>
            There is no page {route.path}. <Link to="/">Show all resources</Link>
          </p>
        </main>
      );
  }
}

function titleOf(route: Route): string {
  switch (route.page) {
    case "overview":
      return "Resources";
    case "operators":
      return "Operators";
    case "compare":
      return "Compare load tests";
    case "unknown":
      return "Page not found";
    case "resource":
      return `${route.ref.kind} ${route.ref.name}`;
    case "why":
      return `Why: ${route.ref.kind} ${route.ref.name}`;
    case "sandboxes":
      return sandboxTitles[route.part];
  }
}

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
