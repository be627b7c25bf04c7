// The page System: programs, proxies with the tables that they have confirmed, and Services that are taken over.

import type { Stored } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import type { Service } from "@homeostat/kubernetes/core/v1";
import { baselineServiceName, isRestorable, isTakenOver, RouteTable } from "@homeostat/sandbox-operator";
import type { ProgramRow, TableRow, TakenOverRow } from "../api/sandbox-types.ts";
import { objectHealth } from "../health/object-health.ts";
import { refOf } from "./kind-refs.ts";

/** Returns the programs of the system namespace: operator, route server, gateway, tunnel server. */
export function programRows(deployments: readonly Stored<Deployment>[]): ProgramRow[] {
  return deployments
    .map((deployment) => ({
      ...objectHealth(deployment, Deployment),
      name: deployment.metadata.name,
      replicas: `${deployment.status?.readyReplicas ?? 0}/${deployment.spec?.replicas ?? 1}`,
      version: deployment.metadata.labels?.["app.kubernetes.io/version"] ?? "",
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Returns the route tables with the proxies that have confirmed their present version. */
export function tableRows(tables: readonly Stored<RouteTable>[]): TableRow[] {
  return tables
    .map((table): TableRow => {
      const { metadata, spec, status } = table;
      const { total = 0, synced = 0 } = status.proxies ?? {};
      return {
        ...refOf(RouteTable, metadata),
        ...tableHealth(table),
        tableVersion: spec.version,
        interception: spec.interception,
        entries: spec.entries.length,
        proxies: `${synced}/${total}`,
        replicas: (status.replicas ?? []).map(
          ({ name, version, roles = [] }) =>
            `${name}: version ${version}, ${roles.map((role) => `${role.role} ${role.synced}/${role.total}`).join(", ") || "no proxies"}`,
        ),
      };
    })
    .toSorted((one, other) =>
      `${one.namespace ?? ""}/${one.name}`.localeCompare(`${other.namespace ?? ""}/${other.name}`),
    );
}

/** Returns the state of a table by its condition Programmed. */
function tableHealth({ status }: Stored<RouteTable>): Pick<TableRow, "state" | "word" | "message"> {
  const programmed = status.conditions?.find(({ type }) => type === "Programmed");
  const isProgrammed = programmed?.status === "True";
  return {
    state: isProgrammed ? "ready" : "progressing",
    word: programmed?.reason ?? "Unknown",
    message: programmed?.message ?? "",
  };
}

/** Returns the Services that are taken over, with the command that restores each. */
export function takenOverRows(services: readonly Stored<Service>[]): TakenOverRow[] {
  const byKey = new Map(
    services.map((service) => [`${service.metadata.namespace ?? ""}/${service.metadata.name}`, service]),
  );
  return services
    .filter((service) => isTakenOver(service))
    .map((service) => {
      const { namespace = "", name, uid } = service.metadata;
      const base = byKey.get(`${namespace}/${baselineServiceName(name)}`);
      const restore = isRestorable(service, base) ? `sandboxctl admin restore ${name} -n ${namespace}` : undefined;
      return { namespace, name, uid, restore };
    });
}
