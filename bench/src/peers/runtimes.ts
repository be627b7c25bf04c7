/** A measured controller runtime and how to run it. */
export interface PeerRuntime {
  readonly name: string;
  /** Description. */
  readonly what: string;
  /** Program; see builds.ts. */
  readonly program: "homeostat" | "controller-runtime" | "kube-rs" | "client-node";
  /** Node.js version it runs on: the one in our images, or the one that runs this benchmark. */
  readonly node?: "newer" | "this";
  /** Arguments that distinguish variants of the same program. */
  readonly args: readonly string[];
  /** Root of the checkout with the program; undefined for this repository. */
  readonly root?: string;
  /** True if it is measured by default, without `--only`. */
  readonly isDefault: boolean;
}

/** All runtimes, Homeostat first. */
export const runtimes: readonly PeerRuntime[] = [
  {
    name: "homeostat",
    what: "homeostat on the Node release that our images ship",
    program: "homeostat",
    node: "newer",
    args: [],
    isDefault: true,
  },
  {
    name: "homeostat-this-node",
    what: "homeostat on the Node release that runs the benchmark",
    program: "homeostat",
    node: "this",
    args: [],
    isDefault: false,
  },
  {
    name: "go-typed",
    what: "controller-runtime with Go types: the reference",
    program: "controller-runtime",
    args: ["--objects", "typed"],
    isDefault: true,
  },
  {
    name: "go-stripped",
    what: "the same, with a cache transform that drops managedFields",
    program: "controller-runtime",
    args: ["--objects", "stripped"],
    isDefault: false,
  },
  {
    name: "go-unstructured",
    what: "controller-runtime with unstructured objects",
    program: "controller-runtime",
    args: ["--objects", "unstructured"],
    isDefault: true,
  },
  {
    name: "kube-rs",
    what: "kube-rs with the defaults of its watcher: lists in pages of 500",
    program: "kube-rs",
    args: ["--lists", "paged"],
    isDefault: true,
  },
  {
    name: "kube-rs-streaming",
    what: "kube-rs with streaming lists",
    program: "kube-rs",
    args: ["--lists", "streaming"],
    isDefault: false,
  },
  {
    name: "client-node",
    what: "@kubernetes/client-node, informer, on the Node release that our images ship",
    program: "client-node",
    node: "newer",
    args: [],
    isDefault: true,
  },
];

/** Returns the runtime for another checkout of this repository, to compare two revisions in alternating rounds on one server. */
export function runtimeOfCheckout(root: string): PeerRuntime {
  return {
    name: "homeostat-before",
    what: `homeostat in ${root}`,
    program: "homeostat",
    node: "newer",
    args: [],
    root,
    isDefault: false,
  };
}

export const runtimeNames: readonly string[] = runtimes.map(({ name }) => name);

export const defaultRuntimes: readonly string[] = runtimes.filter(({ isDefault }) => isDefault).map(({ name }) => name);
