/** The API group of load tests. */
export const group = "locust.io";

/** The version that is stored and worked with. */
export const apiVersion = "locust.io/v2";

/** The kind of load tests. */
export const kind = "LocustTest";

/** Keeps a deleted test until its deletion was logged and told. */
export const finalizer = "locust.io/cleanup";

/** Annotations with a meaning, on tests and on what is made for them. */
export const annotations = {
  /** On a test: end it now, for the reason that is the value. */
  stop: "locust.io/stop",
  /** On a finished test: run it again, once per value. */
  rerun: "locust.io/rerun",
  /** On everything made for a test: the number of the run it was made for. */
  run: "locust.io/run",
  /** On the v1 form of a test only: the whole v2 spec, where v1 cannot say all of it. */
  v2Spec: "locust.io/v2-spec",
  /** On the v1 form of a test only: the v2 spec was too large to be kept. */
  v2SpecOmitted: "locust.io/v2-spec-omitted",
} as const;

/** Labels of pods, Jobs and Services. */
export const labels = {
  app: "app",
  testName: "performance-test-name",
  podName: "performance-test-pod-name",
  managedBy: "managed-by",
  component: "app.kubernetes.io/component",
} as const;

/** What the label `managed-by` says; the watch of pods asks for it. */
export const manager = "locust-k8s-operator";

/** Which half of a test something belongs to. */
export type Role = "master" | "worker";

/** The ports of Locust and of what runs beside it. */
export const ports = {
  /** Where workers talk to the master. */
  master: 5557,
  /** The second port of the master, which older Locusts use. */
  masterBind: 5558,
  /** The web interface of the master. */
  web: 8089,
  /** The port that worker containers announce. */
  worker: 8080,
} as const;
