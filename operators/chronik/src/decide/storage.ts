// Order of storage growth. `growVolumes` of the runtime grows the claims of one StatefulSet and recreates it without its pods; this decides for which
// StatefulSet it may be called, and with which claims.

import { quantityFromJSON } from "@homeostat/core";
import type { StatefulComponent } from "../api/identity.ts";
import type { Observed, ObservedClaim } from "../observe/observed.ts";
import { isObserved } from "./members.ts";

/** Input of {@link storageOrder}. */
export interface StorageInput {
  readonly observed: Pick<Observed, StatefulComponent | "claims">;
  /** Desired size of each volume. */
  readonly size: string;
}

export type GrowthPermission =
  | { readonly isAllowed: true }
  /** Nothing has to grow. */
  | { readonly isAllowed: false; readonly waitsFor: undefined }
  | { readonly isAllowed: false; readonly waitsFor: string };

/** The decision about storage growth. */
export interface StorageOrder {
  readonly permissions: Readonly<Record<StatefulComponent, GrowthPermission>>;
  /**
   * Names of the claims to pass to `growVolumes`. Claims that a user has grown beyond the spec are omitted: they are neither an error nor a request
   * to shrink.
   */
  readonly claims: readonly string[];
  /** Names of the claims that are larger than the spec. */
  readonly larger: readonly string[];
  /** Number of claims whose volume has not reached the requested size. */
  readonly resizing: number;
}

/** Decides which StatefulSet grows its volumes now: controllers before ingest nodes, and never two StatefulSets at the same time. */
export function storageOrder({ observed, size }: StorageInput): StorageOrder {
  const larger = observed.claims.filter(({ request }) => compare(request, size) > 0);
  const claims = observed.claims.filter((claim) => !larger.includes(claim));
  const isSmall = (component: StatefulComponent): boolean => {
    const template = observed[component].set?.templateSize;
    if (template !== undefined && compare(template, size) < 0) return true;
    return claims.some((claim) => claim.component === component && compare(claim.request, size) < 0);
  };
  const isAbsent = (component: StatefulComponent): boolean => !isObserved(observed[component].set);
  const permissionOf = (component: StatefulComponent, other: StatefulComponent): GrowthPermission => {
    if (!isSmall(component)) return { isAllowed: false, waitsFor: undefined };
    if (isAbsent(other)) return { isAllowed: false, waitsFor: `the StatefulSet of ${other}` };
    if (component === "ingest" && isSmall("controller"))
      return { isAllowed: false, waitsFor: "the volumes of the controllers" };
    return { isAllowed: true };
  };
  return {
    permissions: { controller: permissionOf("controller", "ingest"), ingest: permissionOf("ingest", "controller") },
    claims: claims.map(({ name }) => name),
    larger: larger.map(({ name }) => name),
    resizing: observed.claims.filter(isResizing).length,
  };
}

function isResizing({ request, capacity, isResizing, fileSystemResizeSince }: ObservedClaim): boolean {
  return (
    isResizing || fileSystemResizeSince !== undefined || (capacity !== undefined && compare(capacity, request) < 0)
  );
}

function compare(a: string, b: string): number {
  return quantityFromJSON(a).compareTo(quantityFromJSON(b));
}
