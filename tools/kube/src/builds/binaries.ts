import { accessSync, constants } from "node:fs";
import { join, resolve } from "node:path";
import { BinariesMissingError } from "../errors.ts";
import { type Environment, binariesFolder } from "../cache/paths.ts";
import type { ClusterKind } from "../records/state.ts";
import { versions } from "../versions.ts";

/** A program of Kubernetes, or one used with it, that this tool can build. */
export type Binary =
  | "etcd"
  | "kube-apiserver"
  | "kube-controller-manager"
  | "kube-scheduler"
  | "kubelet"
  | "kube-proxy"
  | "coredns"
  | "kubectl"
  | "helm";

const controlPlane: readonly Binary[] = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"];
const node: readonly Binary[] = ["kubelet", "kube-proxy", "coredns"];

/** A build target. */
export type BuildTarget = "control-plane" | "node" | "kubectl" | "helm" | "all";

/** Build targets with their binaries. */
export const buildTargets: { readonly [target in BuildTarget]: readonly Binary[] } = {
  "control-plane": controlPlane,
  node: [...controlPlane, ...node],
  kubectl: ["kubectl"],
  helm: ["helm"],
  all: [...controlPlane, ...node, "kubectl"],
};

/** Reports whether a name is a build target. */
export function isBuildTarget(name: string): name is BuildTarget {
  return Object.hasOwn(buildTargets, name);
}

/** Returns the binaries of a cluster of the given kind. */
export function binariesFor(kind: ClusterKind): readonly Binary[] {
  switch (kind) {
    case "apiserver":
      return ["etcd", "kube-apiserver"];
    case "control-plane":
      return buildTargets["control-plane"];
    case "node":
      return buildTargets.node;
  }
}

/** Returns the binaries that are missing in a folder. */
export function missingBinaries(folder: string, wanted: readonly Binary[]): Binary[] {
  return wanted.filter((binary) => !isExecutable(join(folder, fileOf(binary))));
}

/** Returns the file of a binary. The name of the folder contains the versions of all others; that of helm is in its file name. */
export function fileOf(binary: Binary): string {
  return binary === "helm" ? `helm-${versions.helm}` : binary;
}

/** The source of binaries. */
export type Source =
  /** The folder in `KUBEBUILDER_ASSETS`, with all required binaries. */
  | { from: "assets"; folder: string }
  /** The cache of this tool; `missing` must be built. */
  | { from: "cache"; folder: string; missing: readonly Binary[] };

/**
 * Returns the source of the binaries for a cluster of the given kind.
 *
 * A folder in `KUBEBUILDER_ASSETS` is used completely or rejected: a controller manager of one release with an API server of
 * another would not be the requested Kubernetes.
 */
export function findBinaries(kind: ClusterKind, env: Environment): Source {
  const cache = binariesFolder(env);
  const wanted = binariesFor(kind);
  const assets = env["KUBEBUILDER_ASSETS"];
  if (assets === undefined || assets === "" || resolve(assets) === cache) {
    return { from: "cache", folder: cache, missing: missingBinaries(cache, wanted) };
  }
  const folder = resolve(assets);
  const missing = missingBinaries(folder, wanted);
  if (missing.length === 0) return { from: "assets", folder };
  throw new BinariesMissingError(
    `KUBEBUILDER_ASSETS is ${folder}, which does not contain ${missing.join(", ")}. Set it to a folder with these binaries, or unset it to build them.`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
