/** How a contestant is made and run. */
export interface Contestant {
  readonly name: string;
  /** What it is, for people. */
  readonly what: string;
  /** Which program it is; see builds.ts. */
  readonly program: "homeostat" | "controller-runtime" | "kube-rs" | "client-node";
  /** The Node release it runs on: the one our images ship, or the one that runs this benchmark. */
  readonly node?: "newer" | "this";
  /** Arguments that tell it apart from the others of the same program. */
  readonly args: readonly string[];
  /** The root of the checkout that holds the program; this one when undefined. */
  readonly root?: string;
  /** Whether it takes part unless `--only` says otherwise. */
  readonly isDefault: boolean;
}

/** Everybody there is, ours first. */
export const contestants: readonly Contestant[] = [
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
    what: "controller-runtime with Go types: what everything is compared with",
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
    what: "kube-rs as its watcher is by default: lists in pages of 500",
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

/** Returns the contestant for another checkout of this repository, to compare two revisions in alternating rounds on one server. */
export function contestantBefore(root: string): Contestant {
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

export const contestantNames: readonly string[] = contestants.map(({ name }) => name);

export const defaultContestants: readonly string[] = contestants
  .filter(({ isDefault }) => isDefault)
  .map(({ name }) => name);
