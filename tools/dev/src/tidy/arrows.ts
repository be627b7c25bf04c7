/**
 * Allowed imports between packages, as drawn in `docs/internals/architecture.md`: arrows only point down.
 *
 * A package that is not listed may not import any of ours, so a new package has to be added here first.
 */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  core: [],
  cel: ["core"],
  kubernetes: ["core"],
  schema: ["core", "cel", "kubernetes"],
  x509: ["core"],
  http: ["core"],
  routing: ["core"],
  proxy: ["core", "routing", "x509"],
  tunnel: ["core", "x509"],
  client: ["core", "http"],
  runtime: ["core", "client", "kubernetes"],
  webhook: ["core", "kubernetes", "schema", "x509"],
  apiserver: ["core", "cel", "http", "schema", "x509"],
  cluster: ["core", "http", "kubernetes", "client", "runtime", "apiserver"],
  operator: ["core", "http", "client", "kubernetes", "runtime", "schema", "webhook", "x509"],
  testing: ["core", "client", "kubernetes", "schema", "runtime", "webhook", "cluster", "operator"],
  homeostat: ["core", "client", "kubernetes", "operator", "runtime", "schema", "webhook"],
  "locust-operator": ["core", "http", "client", "kubernetes", "operator", "runtime", "schema", "homeostat"],
  "chronik-operator": ["core", "http", "client", "kubernetes", "operator", "runtime", "schema", "x509", "homeostat"],
  "sandbox-operator": [
    "core",
    "cel",
    "client",
    "kubernetes",
    "operator",
    "routing",
    "runtime",
    "schema",
    "webhook",
    "x509",
    "homeostat",
  ],
  "tenant-operator": ["core", "client", "kubernetes", "operator", "runtime", "schema", "webhook", "homeostat"],
};

/** Further packages that tests of operators may import: operators are tested on the embedded control plane. */
export const fromOperatorTests: readonly string[] = ["apiserver", "cluster", "operator-testing", "testing", "webhook"];

/**
 * Further packages that the app model of an operator may import. It is loaded only with an embedded cluster, from `./app-model`, so the
 * package is an optional peer dependency.
 */
export const fromAppModels: readonly string[] = ["cluster"];

/** Returns the folder of a package: `locust-operator` is in `operators/locust`. */
export function folderOf(name: string): string {
  const operator = /^(.*)-operator$/.exec(name)?.[1];
  return operator === undefined ? `packages/${name}` : `operators/${operator}`;
}

/** Packages whose product code must not import Node's built-in modules: they do no I/O and run anywhere. */
export const withoutNode: readonly string[] = ["core", "cel", "kubernetes", "schema", "routing"];
