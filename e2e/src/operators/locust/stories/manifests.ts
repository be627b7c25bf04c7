// The objects of the stories: a service under load, the files of a test, and tests.

import type { ConfigMap, Pod, Service } from "@homeostat/kubernetes/core/v1";
import type { LocustTestInput } from "@homeostat/locust-operator";
import { locustImage, nodeImage } from "./subject.ts";

/** How many users every test has. */
export const users = 4;

// Counts what it is asked, and refuses every fourth order.
const server = `
const counts = { total: 0, refused: 0 };
require("http").createServer((request, response) => {
  request.resume();
  if (request.url === "/counts") return response.end(JSON.stringify(counts));
  counts.total += 1;
  const isRefused = request.url === "/orders" && counts.total % 4 === 0;
  if (isRefused) counts.refused += 1;
  response.writeHead(isRefused ? 500 : 200).end("ok");
}).listen(8080);
`;

/** The service that is put under load. */
export function targetPod(namespace: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, name: "target", labels: { app: "target" } },
    spec: {
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [
        { name: "target", image: nodeImage, command: ["node", "-e", server], imagePullPolicy: "IfNotPresent" },
      ],
    },
  };
}

/** The name under which it is found. */
export function targetService(namespace: string): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace, name: "target" },
    spec: { selector: { app: "target" }, ports: [{ port: 8080, targetPort: 8080 }] },
  };
}

const locustfile = (path: string): string => `from locust import HttpUser, constant, task


class Shopper(HttpUser):
    wait_time = constant(0.1)

    @task
    def browse(self):
        self.client.get("${path}")
`;

/** The files of the tests: users that are served, and users of whom some are not. */
export function testFiles(namespace: string): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace, name: "files" },
    data: { "served.py": locustfile("/products"), "refused.py": locustfile("/orders") },
  };
}

/** What is different from test to test. */
export interface TestOptions {
  /** Which users come. */
  readonly file: "served.py" | "refused.py";
  /** `10s`. */
  readonly runTime: string;
  /** How long the master stays after the run. */
  readonly quitSeconds: number;
  /** How many workers there are; 1 unless told otherwise. */
  readonly workers?: number;
  readonly thresholds?: NonNullable<LocustTestInput["spec"]["thresholds"]>;
}

/** The name of the test in each namespace: with a dot, which the names of its objects cannot have. */
export const testName = "shop.smoke";
/** How its objects are called. */
export const masterName = "shop-smoke-master";

/** A test that keeps its results. */
export function loadTest(
  namespace: string,
  { file, runTime, quitSeconds, workers = 1, thresholds }: TestOptions,
): LocustTestInput {
  const path = `--locustfile /lotest/src/${file}`;
  // What the model of Locust is told, so that it fails where the real one does. Nobody else reads it.
  const script = JSON.stringify({ options: file === "refused.py" ? { failRatio: 0.25 } : {} });
  return {
    apiVersion: "locust.io/v2",
    kind: "LocustTest",
    metadata: { namespace, name: testName },
    spec: {
      image: locustImage,
      master: {
        command: `${path} --host http://target:8080 --users ${users} --spawn-rate ${users} --run-time ${runTime} --stop-timeout 5`,
        autoquit: { enabled: true, timeout: quitSeconds },
        annotations: { "homeostat.dev/simulate": script },
      },
      worker: { command: path, replicas: workers },
      testFiles: { configMapRef: "files" },
      liveStats: { enabled: true, intervalSeconds: 2 },
      results: { store: "ConfigMap" },
      ...(thresholds === undefined ? {} : { thresholds }),
    },
  };
}
