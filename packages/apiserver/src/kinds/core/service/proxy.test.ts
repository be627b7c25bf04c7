import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { named, readerOf, refusal } from "../../../testing/admission-request.ts";
import { serviceProxyTarget } from "./proxy.ts";

const pod = named("p", { status: { podIPs: [{ ip: "10.1.0.2" }] } }, "team");
const service = named("web", { spec: { ports: [{ name: "http", port: 80 }] } }, "team");
const targetRef = { kind: "Pod", namespace: "team", name: "p" };
const ports = [{ name: "http", port: 8080 }];

const endpoints = named("web", { subsets: [{ addresses: [{ ip: "10.1.0.2", targetRef }], ports }] }, "team");
const slice = named(
  "web-1",
  {
    metadata: { labels: { "kubernetes.io/service-name": "web" } },
    endpoints: [{ addresses: ["10.1.0.2"], conditions: { ready: true }, targetRef }],
    ports,
  },
  "team",
);

describe("serviceProxyTarget", () => {
  const whole = { services: [service], pods: [pod] };
  const ask = (name: string, objects: Parameters<typeof readerOf>[0]): ReturnType<typeof serviceProxyTarget> =>
    serviceProxyTarget({ namespace: "team", name }, readerOf(objects));

  it("returns a pod from the Endpoints or EndpointSlices of the Service", () => {
    const place = { pod, scheme: "http", host: "10.1.0.2", port: "8080" };

    assert.deepEqual(ask("web:http", { ...whole, endpoints: [endpoints] }), place);
    assert.deepEqual(ask("web:80", { ...whole, "endpointslices.discovery.k8s.io": [slice] }), place);
  });

  it("rejects requests with the messages of kube-apiserver", async () => {
    const away = named("web", { subsets: [{ addresses: [{ ip: "10.9.9.9", targetRef }], ports }] }, "team");

    assert.equal(await refusal(() => ask("a:b:c:d", whole)), '400 invalid service request "a:b:c:d"');
    assert.equal(await refusal(() => ask("web", whole)), '404 services "web" not found');
    assert.equal(await refusal(() => ask("web:81", whole)), '503 no service port 81 found for service "web"');
    assert.equal(
      await refusal(() => ask("web:http", { ...whole, endpoints: [away] })),
      '503 no endpoints available for service "web:http"',
    );
  });
});
