import type { DeepReadonly } from "homeostat";
import type { Volume } from "@homeostat/kubernetes/core/v1";
import type { Test } from "../api/locust-test.ts";

/** A Secret or ConfigMap that a test references. It is in the namespace of the test. */
export interface Reference {
  readonly kind: "Secret" | "ConfigMap";
  readonly name: string;
  /** The field that names it first. */
  readonly path: string;
}

type Named = readonly [kind: Reference["kind"], name: string | undefined, path: string];

/** Returns the Secrets and ConfigMaps that a test references, each once. */
export function referencesOf({ spec }: Test): Reference[] {
  const found = new Map<string, Reference>();
  for (const [kind, name = "", path] of [...fieldReferences(spec), ...volumeReferences(spec.volumes ?? [])]) {
    const key = `${kind}/${name}`;
    if (name !== "" && !found.has(key)) found.set(key, { kind, name, path });
  }
  return [...found.values()];
}

/** Returns the references of a test that it did not have before. */
export function newReferences(test: Test, old: Test | undefined): Reference[] {
  if (old === undefined) return referencesOf(test);
  const before = new Set(referencesOf(old).map(({ kind, name }) => `${kind}/${name}`));
  return referencesOf(test).filter(({ kind, name }) => !before.has(`${kind}/${name}`));
}

function* fieldReferences({ imagePullSecrets = [], testFiles, env }: Test["spec"]): Iterable<Named> {
  for (const [index, { name }] of imagePullSecrets.entries()) {
    yield ["Secret", name, `spec.imagePullSecrets[${index}].name`];
  }
  yield ["ConfigMap", testFiles?.configMapRef, "spec.testFiles.configMapRef"];
  yield ["ConfigMap", testFiles?.libConfigMapRef, "spec.testFiles.libConfigMapRef"];
  for (const [index, { name }] of (env?.configMapRefs ?? []).entries()) {
    yield ["ConfigMap", name, `spec.env.configMapRefs[${index}].name`];
  }
  for (const [index, { name }] of (env?.secretRefs ?? []).entries()) {
    yield ["Secret", name, `spec.env.secretRefs[${index}].name`];
  }
  for (const [index, { valueFrom }] of (env?.variables ?? []).entries()) {
    const path = `spec.env.variables[${index}].valueFrom`;
    yield ["ConfigMap", valueFrom?.configMapKeyRef?.name, `${path}.configMapKeyRef.name`];
    yield ["Secret", valueFrom?.secretKeyRef?.name, `${path}.secretKeyRef.name`];
  }
  for (const [index, { name }] of (env?.secretMounts ?? []).entries()) {
    yield ["Secret", name, `spec.env.secretMounts[${index}].name`];
  }
}

/** Volume types with a `secretRef`, which the kubelet or a driver reads. */
const typesWithSecret = ["cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"] as const;

function* volumeReferences(volumes: readonly DeepReadonly<Volume>[]): Iterable<Named> {
  for (const [index, volume] of volumes.entries()) {
    const path = `spec.volumes[${index}]`;
    const { secret, configMap, projected, csi, azureFile } = volume;
    yield ["Secret", secret?.secretName, `${path}.secret.secretName`];
    yield ["ConfigMap", configMap?.name, `${path}.configMap.name`];
    yield ["Secret", csi?.nodePublishSecretRef?.name, `${path}.csi.nodePublishSecretRef.name`];
    yield ["Secret", azureFile?.secretName, `${path}.azureFile.secretName`];
    for (const type of typesWithSecret) {
      yield ["Secret", volume[type]?.secretRef?.name, `${path}.${type}.secretRef.name`];
    }
    for (const [at, source] of (projected?.sources ?? []).entries()) {
      yield ["Secret", source.secret?.name, `${path}.projected.sources[${at}].secret.name`];
      yield ["ConfigMap", source.configMap?.name, `${path}.projected.sources[${at}].configMap.name`];
    }
  }
}
