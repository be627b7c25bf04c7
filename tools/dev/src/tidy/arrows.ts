/**
 * Which package may import which, as drawn in `docs/internals/architecture.md`: arrows only ever point down.
 *
 * A folder that is not named here may import nothing of ours, so a new package has to be drawn first.
 */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  core: [],
  cel: ["core"],
  kubernetes: ["core"],
  schema: ["core", "cel", "kubernetes"],
  x509: ["core"],
  http: ["core"],
  client: ["core", "http"],
  runtime: ["core", "client", "kubernetes"],
  webhook: ["core", "kubernetes", "schema", "x509"],
  apiserver: ["core", "cel", "http", "schema", "x509"],
  cluster: ["core", "http", "kubernetes", "client", "runtime", "apiserver"],
  operator: ["core", "client", "kubernetes", "runtime", "schema", "webhook", "x509"],
  homeostat: ["core", "client", "kubernetes", "operator", "runtime", "schema", "webhook"],
  "locust-operator": ["core", "http", "client", "kubernetes", "operator", "runtime", "schema", "homeostat"],
  "tenant-operator": ["core", "client", "kubernetes", "operator", "runtime", "schema", "webhook", "homeostat"],
};

/** What the tests of an operator may import besides: operators are tested on the embedded control plane. */
export const fromOperatorTests: readonly string[] = ["apiserver", "cluster", "operator-testing", "webhook"];

/**
 * What the app model of an operator may import besides. It is loaded only with an embedded cluster, from `./app-model`, so the
 * package is an optional peer dependency.
 */
export const fromAppModels: readonly string[] = ["cluster"];

/** Where a package lives. An operator's folder does not repeat that it is one. */
export function folderOf(name: string): string {
  const operator = /^(.*)-operator$/.exec(name)?.[1];
  return operator === undefined ? `packages/${name}` : `operators/${operator}`;
}

/** Packages whose product code imports no module of Node's: they run anywhere and do no input or output. */
export const withoutNode: readonly string[] = ["core", "cel", "kubernetes", "schema"];
