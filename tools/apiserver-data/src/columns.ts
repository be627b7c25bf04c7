import { type ApiAccess, requestApi } from "@homeostat/kube";
import type { ResourceRow } from "./resources.ts";
import { listField } from "./server.ts";

const tableType = "application/json;as=Table;g=meta.k8s.io;v=v1";

/** Reads the table columns of every resource that can be listed, by `plural.group`. */
export async function readColumns(access: ApiAccess, rows: readonly ResourceRow[]): Promise<Map<string, unknown[]>> {
  const columns = new Map<string, unknown[]>();
  for (const row of rows) {
    if (!row.verbs.includes("list")) continue;
    const base = row.group === "" ? `/api/${row.version}` : `/apis/${row.group}/${row.version}`;
    const table = await getTable(access, `${base}/${row.plural}?limit=1`);
    columns.set(`${row.plural}.${row.group}`, listField(table, "columnDefinitions"));
  }
  return columns;
}

async function getTable(access: ApiAccess, path: string): Promise<unknown> {
  return (await requestApi(access, { path, accept: tableType })).body;
}
