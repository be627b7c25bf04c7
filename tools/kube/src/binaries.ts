import { accessSync, constants } from "node:fs";
import { join, resolve } from "node:path";
import { BinariesMissingError } from "./errors.ts";
import { type Environment, binariesFolder } from "./paths.ts";
import type { ClusterKind } from "./state.ts";
import { versions } from "./versions.ts";

/** A program of Kubernetes, or beside it, that this tool can build. */
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

/** A name that `build` takes. */
export type BuildTarget = "control-plane" | "node" | "kubectl" | "helm" | "all";

/** What `build` takes as its argument, and the binaries each stands for. */
export const buildTargets: { readonly [target in BuildTarget]: readonly Binary[] } = {
  "control-plane": controlPlane,
  node: [...controlPlane, ...node],
  kubectl: ["kubectl"],
  helm: ["helm"],
  all: [...controlPlane, ...node, "kubectl"],
};

/** Whether `build` takes that name. */
export function isBuildTarget(name: string): name is BuildTarget {
  return Object.hasOwn(buildTargets, name);
}

/** The binaries that a cluster of that kind is made of. */
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

/** Those of the binaries that the folder does not hold. */
export function missingBinaries(folder: string, wanted: readonly Binary[]): Binary[] {
  return wanted.filter((binary) => !isExecutable(join(folder, fileOf(binary))));
}

/** The file of a binary. The folder is named after the releases of all others; helm's stands in its own name. */
export function fileOf(binary: Binary): string {
  return binary === "helm" ? `helm-${versions.helm}` : binary;
}

/** Where binaries come from. */
export type Source =
  /** A folder the user named with `KUBEBUILDER_ASSETS`; it has all that is needed. */
  | { from: "assets"; folder: string }
  /** The cache of this tool; `missing` are still to be built. */
  | { from: "cache"; folder: string; missing: readonly Binary[] };

/**
 * Where the binaries for a cluster of that kind come from.
 *
 * A folder in `KUBEBUILDER_ASSETS` is taken whole or refused: a controller manager of one release beside an API server
 * of another would not be the Kubernetes anybody asked for.
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
    `KUBEBUILDER_ASSETS is ${folder}, which has no ${missing.join(", ")}. Point it at a folder that has, or unset it to use binaries built here.`,
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
