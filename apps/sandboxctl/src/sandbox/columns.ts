import type { Sandbox } from "@homeostat/sandbox-operator";
import { ageOf, untilText } from "../output/ages.ts";
import type { Column } from "../output/print-objects.ts";

/** Returns the columns of a table of sandboxes. */
export function sandboxColumns(now: number, hasNamespaces: boolean): readonly Column<Sandbox>[] {
  const namespace: Column<Sandbox> = { head: "NAMESPACE", cell: ({ metadata }) => metadata.namespace ?? "" };
  return [
    ...(hasNamespaces ? [namespace] : []),
    { head: "NAME", cell: ({ metadata }) => metadata.name ?? "" },
    { head: "KEY", cell: ({ status }) => status.routingKey ?? "" },
    { head: "STATUS", cell: ({ status }) => status.phase ?? "" },
    { head: "SERVICES", cell: ({ spec, status }) => status.summary?.services ?? `0/${spec.services.length}` },
    { head: "ENDPOINT", cell: ({ status }) => status.endpoints?.[0]?.url ?? status.services?.[0]?.endpoint ?? "" },
    { head: "EXPIRES", cell: ({ status }) => untilText(status.expiresAt, now) },
    { head: "OWNER", cell: ({ status }) => status.createdBy ?? "" },
    { head: "AGE", cell: ({ metadata }) => ageOf(metadata.creationTimestamp, now) },
    { head: "DRIFT", cell: ({ status }) => status.summary?.drift ?? "", isWide: true },
    { head: "GROUPS", cell: ({ status }) => (status.routeGroups ?? []).join(","), isWide: true },
  ];
}
