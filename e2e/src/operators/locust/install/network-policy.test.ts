import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { it } from "node:test";
import type { LabelSelector } from "@homeostat/kubernetes/meta/v1";
import type { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import type { Deployment } from "@homeostat/kubernetes/apps/v1";
import {
  LocustTest,
  locustOperator,
  masterJob,
  masterService,
  ports,
  readSettings,
  workerJob,
} from "@homeostat/locust-operator";
import { operatorManifests } from "@homeostat/operator";
import { startEmbeddedServer } from "../../../harness/test-server.ts";
import { repository } from "../../../harness/repository.ts";

const yaml = createRequire(import.meta.resolve("@homeostat/client"))("yaml") as { parse(text: string): unknown };
const file = join(repository, "operators/locust/samples/network-policy.yaml");
const policy = yaml.parse(readFileSync(file, "utf8")) as NetworkPolicy;
const reading = readSettings({});

/** Labels of the pods in the cluster. */
const test = LocustTest.parse({
  apiVersion: "locust.io/v2",
  kind: "LocustTest",
  metadata: { name: "shop", namespace: "perf", uid: "1" },
  spec: { image: "i", master: { command: "m" }, worker: { command: "w", replicas: 1 } },
});
const plan = { test, settings: reading.settings, run: 1 };
const master = masterJob(plan).spec?.template.metadata?.labels ?? {};
const worker = workerJob(plan).spec?.template.metadata?.labels ?? {};
const namespace = "locust-system";
const installed = operatorManifests(locustOperator(reading), { namespace }).find(({ kind }) => kind === "Deployment");
const operator = (installed as unknown as Deployment).spec.template.metadata?.labels ?? {};

const fits = ({ matchLabels = {} }: LabelSelector = {}, labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value);

/** Reports whether the policy allows a pod of a namespace to reach a port. */
function isAllowed(
  port: number,
  from: { readonly labels: Readonly<Record<string, string>>; readonly in: string },
): boolean {
  return (policy.spec?.ingress ?? []).some(
    (rule) =>
      rule.ports?.some((each) => each.port === port) &&
      rule.from?.some(({ podSelector, namespaceSelector }) => {
        const namespaceMatches =
          namespaceSelector === undefined
            ? from.in === "perf"
            : fits(namespaceSelector, { "kubernetes.io/metadata.name": from.in });
        return namespaceMatches && fits(podSelector, from.labels);
      }),
  );
}

it("the sample policy selects the pods of load tests and admits only the traffic that they need", () => {
  const stranger = { labels: { app: "web" }, in: "perf" };
  const theOperator = { labels: operator, in: namespace };

  assert.ok(fits(policy.spec?.podSelector, master) && fits(policy.spec?.podSelector, worker));
  assert.ok(!fits(policy.spec?.podSelector, stranger.labels));
  assert.ok(isAllowed(ports.web, theOperator));
  assert.ok(!isAllowed(ports.web, stranger) && !isAllowed(ports.web, { labels: worker, in: "perf" }));
  assert.ok(!isAllowed(ports.web, { labels: operator, in: "elsewhere" }));
  for (const { port } of masterService(plan).spec?.ports ?? []) {
    assert.ok(
      isAllowed(port, { labels: worker, in: "perf" }) || isAllowed(port, { labels: {}, in: "monitoring" }),
      `${port}`,
    );
  }
  assert.ok(isAllowed(5557, { labels: worker, in: "perf" }) && !isAllowed(5557, stranger));
});

it("the sample policy is stored unchanged", async () => {
  await using server = await startEmbeddedServer();
  const path = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies?fieldValidation=Strict";

  const { status, text } = await server.request({ method: "POST", path, body: policy });

  assert.equal(status, 201, text);
});
