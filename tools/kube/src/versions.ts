/** Releases that this tool builds and starts. Other versions are built into another folder. */
export const versions = {
  kubernetes: "1.36.3",
  etcd: "3.6.8",
  coredns: "1.14.7",
  /** Used to render charts; not part of a cluster. */
  helm: "3.22.0",
  /** Minimum Go version according to their go.mod files. */
  go: "1.26",
  locust: "2.47.0",
} as const;
