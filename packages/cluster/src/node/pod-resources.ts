import { quantityFromJSON } from "@homeostat/core";
import type { PodStatus, ResourceRequirements } from "@homeostat/kubernetes/core/v1";
import type { ContainerView, PodView } from "./pod-view.ts";

type Amounts = Record<string, string | number>;

/** Returns the resources that the status of a pod shows: sums over its containers and sidecars. */
export function podResources({ spec }: PodView): Pick<PodStatus, "resources" | "allocatedResources"> {
  const containers = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always"),
  ];
  const requests = sum(containers.map(({ resources }) => resources?.requests));
  // A pod has a limit for a resource only if all of its containers have one.
  const limits = sum(
    containers.map(({ resources }) => resources?.limits),
    { onlyCommon: true },
  );
  return {
    resources: {
      ...(isEmpty(limits) ? {} : { limits }),
      ...(isEmpty(requests) ? {} : { requests }),
    },
    ...(isEmpty(requests) ? {} : { allocatedResources: requests }),
  };
}

/** Returns the resources that the status of a container shows. */
export function containerResources({ resources }: ContainerView): {
  resources: ResourceRequirements;
  allocatedResources?: Amounts;
} {
  const { limits, requests } = resources ?? {};
  return {
    resources: {
      ...(limits === undefined ? {} : { limits: { ...limits } }),
      ...(requests === undefined ? {} : { requests: { ...requests } }),
    },
    ...(requests === undefined ? {} : { allocatedResources: { ...requests } }),
  };
}

function sum(
  all: readonly (Readonly<Amounts> | undefined)[],
  { onlyCommon = false }: { onlyCommon?: boolean } = {},
): Amounts {
  const names = new Set(all.flatMap((amounts) => Object.keys(amounts ?? {})));
  const total: Amounts = {};
  for (const name of names) {
    const given = all.flatMap((amounts) =>
      amounts !== undefined && Object.hasOwn(amounts, name) ? [amounts[name] ?? "0"] : [],
    );
    if (onlyCommon && given.length < all.length) continue;
    const [first = "0", ...rest] = given;
    total[name] =
      rest.length === 0 ? first : rest.reduce<string | number>((left, right) => addQuantities(left, right), first);
  }
  return total;
}

function addQuantities(left: string | number, right: string | number): string {
  return quantityFromJSON(left).add(quantityFromJSON(right)).toString();
}

function isEmpty(amounts: Amounts): boolean {
  return Object.keys(amounts).length === 0;
}
