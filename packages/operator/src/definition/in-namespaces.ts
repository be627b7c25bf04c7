import type { ResourceType } from "@homeostat/core";
import type { Controller } from "@homeostat/runtime";

interface Selecting {
  readonly type: ResourceType;
  readonly select: { readonly namespace?: string | undefined };
}

/**
 * Returns controllers that are restricted to some namespaces. An empty list means all, and returns the controllers unchanged.
 *
 * A controller of a namespaced kind becomes one controller per namespace; with several, the namespace is part of its name.
 * The kinds that it watches and the permissions that it needs are restricted in the same way. Cluster-scoped kinds are not.
 */
export function inNamespaces(controllers: readonly Controller[], namespaces: readonly string[]): readonly Controller[] {
  if (namespaces.length === 0) return controllers;
  return controllers.flatMap((controller) => {
    const { for: primary, select } = controller.definition;
    if (primary.scope === "Cluster" || isNarrow(select)) return [controller];
    return namespaces.map((namespace) => narrowed(controller, namespace, namespaces.length > 1));
  });
}

function narrowed({ name, fieldManager, definition }: Controller, namespace: string, isOneOfMany: boolean): Controller {
  const { owns = {}, watches = {} } = definition;
  return {
    name: isOneOfMany ? `${name}-${namespace}` : name,
    fieldManager,
    definition: {
      ...definition,
      select: { ...definition.select, namespace },
      owns: Object.fromEntries(Object.entries(owns).map(([key, kind]) => [key, within(kind, namespace)])),
      watches: Object.fromEntries(Object.entries(watches).map(([key, kind]) => [key, within(kind, namespace)])),
      access: (definition.access ?? []).map((needed) =>
        needed.type.scope === "Cluster" || isNarrow(needed) ? needed : { ...needed, namespace },
      ),
    },
  };
}

function within<K extends Selecting>(kind: K, namespace: string): K {
  if (kind.type.scope === "Cluster" || isNarrow(kind.select)) return kind;
  return { ...kind, select: { ...kind.select, namespace } };
}

function isNarrow(select: { readonly namespace?: string | undefined } | undefined): boolean {
  return select?.namespace !== undefined && select.namespace !== "";
}
