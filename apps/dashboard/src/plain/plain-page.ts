// Pages for browsers without scripts: the same addresses with the query `?plain`. They show the first state of the view of the page.

import type { DriftView, Overview, Refusal, ResourceView, WhyView } from "../api/types.ts";
import { objectQuery, readRoute, type Route } from "../present/routes.ts";
import { html, type Html } from "./html.ts";
import { page } from "./parts.ts";
import { plainOverview } from "./plain-overview.ts";
import { plainResource } from "./plain-resource.ts";
import { plainWhy } from "./plain-why.ts";

/** A page without scripts: the view that it needs, and its HTML. */
export interface PlainPage {
  /** Name and query of the view. */
  readonly view: string;
  readonly query: URLSearchParams;
  /** Name of a second view with the same query; undefined if one is enough. */
  readonly secondView?: string | undefined;
  /** Returns the page for the first states of the views, as the API sends them; undefined stands for an object that does not exist. */
  render(state: unknown, nowMs: number, secondState?: unknown): string;
}

/** Returns the page of an address; undefined if there is none. */
export function plainPage({ pathname, search }: URL): PlainPage | undefined {
  const route = readRoute(pathname, search);
  switch (route.page) {
    case "overview":
      return {
        view: "overview",
        query: new URLSearchParams({ namespace: route.namespace }),
        render: (state, nowMs) => {
          const overview: Overview = asSent(state);
          return page({ title: "Resources", body: plainOverview(overview, nowMs) });
        },
      };
    case "resource":
      return {
        ...objectPage("resource", route, (state, nowMs, second) => {
          const resource: ResourceView = asSent(state);
          const drift: DriftView | undefined = second === undefined ? undefined : asSent(second);
          return plainResource(resource, drift, nowMs);
        }),
        secondView: "drift",
      };
    case "why":
      return objectPage("why", route, (state, nowMs) => {
        const why: WhyView = asSent(state);
        return plainWhy(why, nowMs);
      });
    case "operators":
      return {
        view: "why",
        query: new URLSearchParams(),
        render: (state, nowMs) => {
          const why: WhyView = asSent(state);
          return page({ title: "Operators", body: plainWhy(why, nowMs) });
        },
      };
    default:
      return undefined;
  }
}

/** Returns a page that says why a request was refused. */
export function refusalPage({ message, login }: Refusal): string {
  const help =
    login === undefined ? undefined : "Log in with a browser that has JavaScript, and use its cookie until it expires.";
  return page({
    title: "The page cannot be shown",
    body: html`<p class="note problem">${message} ${help}</p>`,
  });
}

function objectPage(
  view: "resource" | "why",
  { ref }: Extract<Route, { readonly page: "resource" | "why" }>,
  bodyOf: (state: unknown, nowMs: number, secondState: unknown) => Html,
): PlainPage {
  const title = `${view === "why" ? "Why: " : ""}${ref.kind} ${ref.name}`;
  return {
    view,
    query: new URLSearchParams(objectQuery(ref)),
    render: (state, nowMs, secondState) =>
      page({
        title,
        body:
          state === undefined
            ? html`<p class="note unknown">The object does not exist.</p>`
            : bodyOf(state, nowMs, secondState),
      }),
  };
}

/** Returns a state as the page receives it from the API: fields without a value are missing. */
function asSent(state: unknown) {
  return JSON.parse(JSON.stringify(state));
}
