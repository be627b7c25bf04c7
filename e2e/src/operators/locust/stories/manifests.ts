// Objects of the stories: a target service, locustfiles, and load tests.

import type { ConfigMap, Pod, Service } from "@homeostat/kubernetes/core/v1";
import type { LocustTestInput } from "@homeostat/locust-operator";
import { locustImage, nodeImage } from "./subject.ts";

/** Number of users of every load test. */
export const users = 4;

// Counts its requests and fails every fourth order.
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

/** The target service of the load. */
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

/** Host name of the target service. */
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

/** Locustfiles of the load tests: users whose requests succeed, and users of whose requests some fail. */
export function testFiles(namespace: string): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace, name: "files" },
    data: { "served.py": locustfile("/products"), "refused.py": locustfile("/orders") },
  };
}

/** Differences between load tests. */
export interface TestOptions {
  /** Locustfile of the test. */
  readonly file: "served.py" | "refused.py";
  /** Run time, such as `10s`. */
  readonly runTime: string;
  /** Time that the master stays after the run. */
  readonly quitSeconds: number;
  /** Number of workers. Default: 1. */
  readonly workers?: number;
  readonly thresholds?: NonNullable<LocustTestInput["spec"]["thresholds"]>;
}

/** Name of the load test in each namespace. It contains a dot, which names of its objects cannot contain. */
export const testName = "shop.smoke";
/** Prefix of the names of its objects. */
export const masterName = "shop-smoke-master";

/** Returns a load test that stores its results. */
export function loadTest(
  namespace: string,
  { file, runTime, quitSeconds, workers = 1, thresholds }: TestOptions,
): LocustTestInput {
  const path = `--locustfile /lotest/src/${file}`;
  // Read only by the app model of Locust, so that it fails where the real Locust does.
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
