/** The releases this tool builds and starts. A change here builds into a folder of its own. */
export const versions = {
  kubernetes: "1.36.3",
  etcd: "3.6.8",
  coredns: "1.14.7",
  /** Built when a chart is to be rendered; not a part of any cluster. */
  helm: "3.22.0",
  /** The oldest Go that compiles the above, as their go.mod says. */
  go: "1.26",
  locust: "2.47.0",
} as const;
