import type { Answer } from "../http/handler.ts";
import type { Kinds } from "../registry/kinds.ts";
import type { Registry } from "../registry/registry.ts";

const type = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

/** What a monitoring system reads at `/metrics`: how many objects there are of each kind, and how many watches. */
export function metricsAnswer({ registry, kinds }: { readonly registry: Registry; readonly kinds: Kinds }): Answer {
  const view = registry.home.store.view();
  const counts = new Map<string, number>();
  for (const { prefix, resource } of kinds.all()) {
    const { group, plural } = resource;
    counts.set(group === "" ? plural : `${plural}.${group}`, view.count({ prefix }));
  }
  const lines = [
    "# HELP apiserver_storage_objects Number of stored objects at the time of last check split by kind.",
    "# TYPE apiserver_storage_objects gauge",
    ...[...counts].map(([name, count]) => `apiserver_storage_objects{resource="${name}"} ${count}`),
    "# HELP apiserver_registered_watchers Number of watches that are running.",
    "# TYPE apiserver_registered_watchers gauge",
    `apiserver_registered_watchers ${registry.hub.size}`,
  ];
  return { status: 200, headers: { "Content-Type": type }, body: `${lines.join("\n")}\n` };
}
