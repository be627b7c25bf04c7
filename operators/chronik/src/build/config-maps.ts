import type { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/annotations.ts";
import type { Component } from "../api/identity.ts";
import { names } from "../api/names.ts";
import { controllerFiles, type FileInput, ingestFiles, searchFiles, sharedConfig } from "./config-files.ts";
import { type ChildObject, metadataOf } from "./metadata.ts";
import type { ResolvedCluster } from "./resolve.ts";

/** Builds the ConfigMap that all components share. */
export function sharedConfigMap(resolved: ResolvedCluster): ChildObject<ConfigMap> {
  return { metadata: metadataOf(resolved, { name: names.config(resolved.name) }), data: sharedConfig(resolved) };
}

const files = { controller: controllerFiles, ingest: ingestFiles, search: searchFiles };

/** Builds the ConfigMap with the files of a component. */
export function componentConfigMap(
  resolved: ResolvedCluster,
  component: Component,
  input: FileInput,
): ChildObject<ConfigMap> {
  // Recorded here as well as in the status, so that an edited or restored status cannot let members found a second cluster.
  const isMarked = component === "controller" && input.isBootstrapped;
  return {
    metadata: metadataOf(resolved, {
      name: names.componentConfig(resolved.name, component),
      component,
      annotations: isMarked ? { [annotations.bootstrapped]: "true" } : {},
    }),
    data: files[component](resolved, input),
  };
}
