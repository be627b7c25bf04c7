// Names that users and other programs rely on: group and kind, annotations, labels, ports, and the names of owned objects.

export const group = "locust.io";
/** The stored version, which the controller works with. */
export const apiVersion = "locust.io/v2";
export const kind = "LocustTest";

/** Delays the deletion of a test until the controller has recorded the event and dropped its in-memory state. */
export const finalizer = "locust.io/cleanup";

export const annotations = {
  /** On a test: stop it. The value is the reason. */
  stop: "locust.io/stop",
  /** On a finished test: run it again, once per value. */
  rerun: "locust.io/rerun",
  /** On owned objects: the number of the run they belong to. */
  run: "locust.io/run",
  /** On Jobs: the TTL in seconds that they get once their result is recorded. */
  ttl: "locust.io/ttl-seconds-after-finished",
  /** On the v1 form of a test: the whole v2 spec, where v1 cannot express it. */
  v2Spec: "locust.io/v2-spec",
  /** On the v1 form of a test: the v2 spec was too large for an annotation. */
  v2SpecOmitted: "locust.io/v2-spec-omitted",
} as const;

export const labels = {
  app: "app",
  testName: "performance-test-name",
  podName: "performance-test-pod-name",
  managedBy: "managed-by",
  component: "app.kubernetes.io/component",
} as const;

/** The value of the label `managed-by`, by which the watch selects pods. */
export const manager = "locust-k8s-operator";

export type Role = "master" | "worker";

export const ports = {
  /** Workers connect to the master here. */
  master: 5557,
  /** Second master port, used by older Locust versions. */
  masterBind: 5558,
  /** Web UI and web API of the master. */
  web: 8089,
  /** Container port of workers. */
  worker: 8080,
} as const;

/**
 * Returns the name of the Job, the Service, the container and the volume of a role: `team-a-load-test-master` for the test
 * `team-a.load-test`. Creation, lookup and validation all use this function.
 */
export function nodeName(test: string, role: Role): string {
  return `${withoutDots(test)}-${role}`;
}

export function webUiName(test: string): string {
  return `${withoutDots(test)}-webui`;
}

export function resultsName(test: string, run: number): string {
  return run > 1 ? `${withoutDots(test)}-results-${run}` : `${withoutDots(test)}-results`;
}

/** Replaces dots, which names of Services and volumes must not contain. */
export function withoutDots(name: string): string {
  return name.replaceAll(".", "-");
}
