import type { ResourceType } from "@homeostat/core";
import type { Controller } from "@homeostat/runtime";

interface Selecting {
  readonly type: ResourceType;
  readonly select: { readonly namespace?: string | undefined };
}

/**
 * Controllers that look at some namespaces only. None stands for all, and leaves the controllers as they are.
 *
 * A controller of a kind with namespaces becomes one for each; with several, each has the namespace in its name. What it
 * reads, and what it needs the right to, is narrowed with it. Kinds without a namespace are read whole.
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
