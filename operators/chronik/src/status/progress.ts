import type { Component, StatefulComponent } from "../api/identity.ts";
import type { ComponentProgress } from "../decide/phase.ts";
import type { Observed } from "../observe/observed.ts";

/** The progress of each component. `search` is absent if the spec requests no search nodes. */
export type Progress = Readonly<Record<StatefulComponent, ComponentProgress>> & {
  readonly search?: ComponentProgress | undefined;
};

/** Returns the progress of all components towards the desired counts. */
export function progressOf(
  observed: Observed,
  desired: Readonly<Record<Component, number>>,
  hasSearch: boolean,
): Progress {
  const stateful = (component: StatefulComponent): ComponentProgress => {
    const { set, members } = observed[component];
    return {
      isObserved: set !== undefined && !set.isTerminating && set.observedGeneration >= set.generation,
      desired: desired[component],
      replicas: members.length,
      ready: members.filter(({ readySince }) => readySince !== undefined).length,
      updated: members.filter(({ revision, isTerminating }) => revision === set?.updateRevision && !isTerminating)
        .length,
    };
  };
  return {
    controller: stateful("controller"),
    ingest: stateful("ingest"),
    ...(hasSearch && { search: searchProgress(observed, desired.search) }),
  };
}

function searchProgress({ search }: Observed, desired: number): ComponentProgress {
  const active = search.deployments.find(({ color }) => color === search.activeColor);
  return {
    isObserved: active !== undefined && active.observedGeneration >= active.generation,
    desired,
    replicas: active?.replicas ?? 0,
    ready: search.pods.filter(({ isReady, color }) => isReady && color === active?.color).length,
    updated: active?.updatedReplicas ?? 0,
  };
}
