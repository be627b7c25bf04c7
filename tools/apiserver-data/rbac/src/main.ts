// Generates the default roles and bindings from those that a real API server creates at its start.
//
//   npx tsc -b tools/apiserver-data/rbac && node --conditions=development tools/apiserver-data/rbac/dist/main.js

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { realCluster } from "@homeostat/kube";
import { type BindingJson, bindingRow, type RoleJson, roleRow } from "./rows.ts";

const file = fileURLToPath(
  new URL("../../../../packages/apiserver/src/auth/rbac/generated/default-policy.ts", import.meta.url),
);

await using cluster = await realCluster({ need: "apiserver" });
const release = (await get<{ gitVersion: string }>("/version")).gitVersion;
const rows = {
  clusterRoles: (await list<RoleJson>("clusterroles")).map(roleRow),
  clusterRoleBindings: (await list<BindingJson>("clusterrolebindings")).map(bindingRow),
  roles: (await list<RoleJson>("roles")).map(roleRow),
  roleBindings: (await list<BindingJson>("rolebindings")).map(bindingRow),
};

const head = [
  `// Made from what Kubernetes ${release} has at its start by tools/apiserver-data/rbac. Do not edit: run that tool.`,
  "// Derived from Kubernetes: Copyright The Kubernetes Authors.",
  "// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).",
  "",
  'import type { BindingRow, RoleRow } from "../default-policy.ts";',
  "",
  "/** The release the defaults are of. */",
  `export const release = ${JSON.stringify(release)};`,
];
const tables = Object.entries(rows).map(([name, list]) => {
  const type = name.endsWith("Bindings") ? "BindingRow" : "RoleRow";
  const lines = list.map((row) => `  ${JSON.stringify(row)},`);
  return `export const ${name}: readonly ${type}[] = [\n${lines.join("\n")}\n];`;
});
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${[...head, "", tables.join("\n\n")].join("\n")}\n`);
console.log(
  Object.entries(rows)
    .map(([name, list]) => `${list.length} ${name}`)
    .join(", "),
);

/** Returns the objects of a resource in the order of their creation. */
async function list<T extends RoleJson | BindingJson>(resource: string): Promise<T[]> {
  const { items } = await get<{ items: T[] }>(`/apis/rbac.authorization.k8s.io/v1/${resource}`);
  return items.sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
}

async function get<T>(path: string): Promise<T> {
  const { status, text } = await cluster.request({ method: "GET", path });
  if (status !== 200) throw new Error(`GET ${path} returned ${status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}
