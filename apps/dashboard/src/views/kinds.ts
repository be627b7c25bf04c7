import type { KubeObject, ResourceType } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import type { Cache, Informer } from "@homeostat/runtime";
import { textIn } from "../health/fields.ts";
import { mayWatch, type ViewContext } from "./view.ts";

/** Label of a CRD with the name of its operator, as the manifests and charts of the operator kit set it. */
const operatorLabel = "app.kubernetes.io/name";

/** Names, version and scope of a kind, without the type of its objects. */
export type KindType = Pick<ResourceType, "group" | "version" | "kind" | "plural" | "scope">;

/** A kind of custom resources. */
export interface CustomKind {
  readonly type: KindType;
  /** Name of the operator that installed the CRD. */
  readonly operator?: string | undefined;
}

/** A CRD without its schemas, which take megabytes. */
interface SmallDefinition extends KubeObject {
  readonly customKind: CustomKind | undefined;
}

/** Custom kinds of a cluster, kept up to date. */
export interface CustomKinds extends Disposable {
  /** Returns the kinds, sorted by kind and group. */
  list(): readonly CustomKind[];
  /** Calls a function after each change. */
  onChange(run: () => void): void;
}

/**
 * Finds the kinds of custom resources.
 *
 * A user who may read CRDs gets those whose CRD names its operator: CRDs that the operator kit installed have the label. For other users, discovery lists
 * all custom kinds once, because it has no labels.
 */
export async function customKinds(cache: Cache, context: ViewContext, signal: AbortSignal): Promise<CustomKinds> {
  if (!(await mayWatch(context, { type: CustomResourceDefinition }, signal))) return discoveredKinds(context, signal);
  const definitions = cache.informer(CustomResourceDefinition, { transform: smallDefinition });
  await definitions.ready(signal);
  return {
    list: () => sorted(definitions.list().flatMap(({ customKind }) => customKind ?? [])),
    onChange: (run) => void definitions.subscribe(run),
    [Symbol.dispose]: () => definitions[Symbol.dispose](),
  };
}

async function discoveredKinds({ client }: ViewContext, signal: AbortSignal): Promise<CustomKinds> {
  const { resources } = await client.mapper.all({ signal });
  const seen = new Set<string>();
  const found = resources.flatMap(({ group, version, kind, plural, scope, verbs }) => {
    const isCustom = group.includes(".") && !group.endsWith(".k8s.io") && verbs.includes("watch");
    const id = `${plural}.${group}`;
    if (!isCustom || seen.has(id)) return [];
    seen.add(id);
    return [{ type: { group, version, kind, plural, scope } }];
  });
  return { list: () => sorted(found), onChange: () => undefined, [Symbol.dispose]: () => undefined };
}

function smallDefinition(definition: CustomResourceDefinition): SmallDefinition {
  const { apiVersion, kind, metadata } = definition;
  return { apiVersion, kind, metadata, customKind: customKindOf(definition) };
}

/** Returns the kind of a CRD in the version that is stored; undefined if it is not served, or if the CRD names no operator. */
export function customKindOf({ metadata, spec, status }: CustomResourceDefinition): CustomKind | undefined {
  const { group, names, scope, versions } = spec;
  const version = versions.find(({ storage, served }) => storage && served) ?? versions.find(({ served }) => served);
  const isEstablished = status?.conditions?.some(
    (one) => textIn(one, "type") === "Established" && textIn(one, "status") === "True",
  );
  const operator = metadata.labels?.[operatorLabel];
  if (version === undefined || isEstablished !== true || operator === undefined) return undefined;
  const type: KindType = {
    group,
    version: version.name,
    kind: names.kind,
    plural: names.plural,
    scope: scope === "Namespaced" ? "Namespaced" : "Cluster",
  };
  return { type, operator };
}

/** An informer of any kind. */
export type AnyInformer = Informer<KubeObject>;

function sorted(kinds: readonly CustomKind[]): readonly CustomKind[] {
  const nameOf = ({ type }: CustomKind): string => `${type.kind}.${type.group}`;
  return kinds.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));
}
