// The pages of the dashboard of `npm start`, with its samples.

const namespace = "homeostat-samples";
const mainText = "document.querySelector('main').innerText";

/** Samples of `npm start` with their kinds. */
export const samples = {
  checkout: "LocustTest",
  acme: "Tenant",
  events: "ChronikCluster",
  "pr-42": "Sandbox",
} as const;

/** A page. */
export interface CheckedPage {
  readonly path: string;
  /** Expression that is true when the page has its data. */
  readonly isLoaded: string;
}

/** All pages by name. */
export const pages = {
  overview: {
    path: "/",
    isLoaded: `${JSON.stringify(Object.keys(samples))}.every((name) => document.body.innerText.includes(name))`,
  },
  resource: {
    path: "/resource/neurallog.io/Tenant/-/acme",
    isLoaded: `document.querySelectorAll(".tree li").length > 5 && document.querySelector(".conditions li") && /Server\\s+Running[^]*Redis\\s+Running/.test(${mainText}) && ${mainText}.includes("has no quota") && !${mainText}.includes("Loading")`,
  },
  why: { path: "/why/neurallog.io/Tenant/-/acme", isLoaded: `document.querySelector(".timeline li")` },
  operators: { path: "/operators", isLoaded: `document.querySelectorAll("details").length === 4` },
  "load-test": {
    path: `/resource/locust.io/LocustTest/${namespace}/checkout`,
    isLoaded: `document.querySelectorAll(".plot canvas").length === 5 && [...document.querySelectorAll("main button")].some((button) => button.innerText === "Run again") && !${mainText}.includes("Loading")`,
  },
  compare: {
    path: `/compare?test=${namespace}/checkout@1`,
    isLoaded: `document.querySelectorAll(".plot canvas").length === 7`,
  },
  cluster: {
    path: `/resource/chronik.stream/ChronikCluster/${namespace}/events`,
    isLoaded: `document.querySelectorAll('[aria-label="Members"] tbody tr').length > 3 && document.querySelector("progress") && !${mainText}.includes("Loading")`,
  },
  sandbox: {
    path: `/resource/sandbox.example.com/Sandbox/${namespace}/pr-42`,
    isLoaded: `document.querySelector(".copies code") && document.querySelector(".diff li") && !${mainText}.includes("Loading")`,
  },
  "route-group": {
    path: `/resource/sandbox.example.com/RouteGroup/${namespace}/checkout-v2`,
    isLoaded: `/matches 1 of 1/.test(document.querySelector(".match")?.innerText ?? "") && !${mainText}.includes("Loading")`,
  },
  pod: {
    path: "/resource/-/Pod/tenant-acme/acme-redis-0",
    isLoaded: `document.querySelector(".log") && /Container \\S+: Running/.test(${mainText}) && !${mainText}.includes("Loading")`,
  },
  sandboxes: { path: "/sandboxes", isLoaded: `${mainText}.includes("pr-42")` },
  "new-sandbox": {
    path: `/sandboxes/new?namespace=${namespace}`,
    isLoaded: `document.querySelector("fieldset option")`,
  },
  "route-map": { path: `/sandboxes/map?namespace=${namespace}`, isLoaded: `document.querySelector("svg .box.fork")` },
  explain: { path: "/sandboxes/explain", isLoaded: `document.querySelector("form.explain")` },
  tunnels: { path: "/sandboxes/tunnels", isLoaded: `/LocalWorkload/.test(${mainText})` },
  propagation: {
    path: "/sandboxes/propagation",
    isLoaded: `/No Service has lost a routing key/.test(${mainText})`,
  },
  policies: { path: "/sandboxes/policies", isLoaded: `document.querySelector(".fields dd")` },
  system: { path: "/sandboxes/system", isLoaded: `/TakenOver|Programmed|WaitingForProxies/.test(${mainText})` },
} as const satisfies Readonly<Record<string, CheckedPage>>;

/** Name of a page. */
export type PageName = keyof typeof pages;

/** Names of all pages. */
export const pageNames: readonly PageName[] = Object.keys(pages).filter(isPageName);

function isPageName(name: string): name is PageName {
  return Object.hasOwn(pages, name);
}
