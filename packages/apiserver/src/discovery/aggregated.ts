import type { ServedGroup } from "./served.ts";
import type { ServedResource } from "../resources/resource.ts";

/** The kind of the objects that an endpoint returns, in aggregated discovery. */
interface ResponseKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One resource in aggregated discovery. */
export interface ResourceDiscovery {
  readonly resource: string;
  readonly responseKind: ResponseKind;
  readonly scope: "Cluster" | "Namespaced";
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind: ResponseKind;
    readonly verbs: readonly string[];
  }[];
}

/** An `APIGroupDiscoveryList` of `apidiscovery.k8s.io/v2`: all groups, versions and resources in one document. */
export interface GroupDiscoveryList {
  readonly kind: "APIGroupDiscoveryList";
  readonly apiVersion: "apidiscovery.k8s.io/v2";
  readonly metadata: Readonly<Record<string, never>>;
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly ResourceDiscovery[];
      readonly freshness: "Current";
    }[];
  }[];
}

/** Builds the aggregated discovery document: of the core group for `/api`, of all other groups for `/apis`. */
export function aggregatedDiscovery(groups: readonly ServedGroup[], path: "/api" | "/apis"): GroupDiscoveryList {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups
      .filter(({ name }) => (name === "") === (path === "/api"))
      .map(({ name, versions }) => ({
        metadata: name === "" ? {} : { name },
        versions: versions.map(({ version, resources }) => ({
          version,
          resources: resources.map(resourceDiscovery),
          freshness: "Current",
        })),
      })),
  };
}

function resourceDiscovery(row: ServedResource): ResourceDiscovery {
  // kube-apiserver leaves group and version empty for built-in kinds and sets them for custom resources.
  const own = row.isCustom ? { group: row.group, version: row.version } : { group: "", version: "" };
  return {
    resource: row.plural,
    responseKind: { ...own, kind: row.kind },
    scope: row.scope,
    singularResource: row.singular,
    verbs: row.verbs,
    ...(row.shortNames.length > 0 ? { shortNames: row.shortNames } : {}),
    ...(row.categories.length > 0 ? { categories: row.categories } : {}),
    ...(row.subresources.length > 0
      ? {
          subresources: row.subresources.map((part) => ({
            subresource: part.name,
            responseKind: {
              ...(part.version === "" ? own : { group: part.group, version: part.version }),
              kind: part.kind,
            },
            verbs: part.verbs,
          })),
        }
      : {}),
  };
}
