// APIServices, API Priority and Fairness, proxies, and ResourceClaims.

import { type Case, del, get, inCase, patch, post, put } from "../case.ts";

const table = { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } };
const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const flows = "/apis/flowcontrol.apiserver.k8s.io/v1";
const devices = "resource.k8s.io/v1";

const service = (spec: object, name = "v1.{ns}.example.com"): object => ({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name },
  spec: { group: "{ns}.example.com", version: "v1", groupPriorityMinimum: 100, versionPriority: 10, ...spec },
});
const behind = { service: { namespace: "{ns}", name: "other" }, insecureSkipTLSVerify: true };
/** Waits until the condition has a reason, which both servers write with a delay. */
const available = (reason: string): Case["steps"][number] => ({
  do: "until",
  path: `${services}/v1.{ns}.example.com`,
  status: 200,
  shows: `"reason":"${reason}"`,
});
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.{ns}.example.com" },
  spec: {
    group: "{ns}.example.com",
    scope: "Cluster",
    names: { plural: "things", kind: "Thing" },
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      { name: "v2", served: false, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
    ],
  },
};

export const servingCases: readonly Case[] = [
  ...["v1.", "v1.apps", "v2.autoscaling", "v1.flowcontrol.apiserver.k8s.io"].map((name) => ({
    name: `the APIService ${name}`,
    steps: [get(`${services}/${name}`)],
  })),
  { name: "the list of groups", steps: [get("/apis"), get("/apis/resource.k8s.io"), get(flows)] },
  {
    name: "invalid APIServices",
    steps: [
      post(services, service({}, "wrong")),
      post(services, service({ version: "V1", groupPriorityMinimum: 30_000, versionPriority: -1 })),
      post(services, service({ caBundle: "YQ==", insecureSkipTLSVerify: true })),
      post(services, service({ ...behind, caBundle: "YQ==" })),
      post(services, service({ service: { port: 70_000 } })),
    ],
  },
  {
    name: "an APIService of an aggregated server",
    steps: [
      post(`${services}?fieldManager=t`, service(behind)),
      put(`${services}/v1.{ns}.example.com`, service(behind)),
      available("ServiceNotFound"),
      get(`${services}/v1.{ns}.example.com`),
      get(`${services}/v1.{ns}.example.com`, table),
      get("/apis/{ns}.example.com"),
      get("/apis/{ns}.example.com", { as: "unprivileged" }),
      get("/apis/{ns}.example.com/v1"),
      get("/apis/{ns}.example.com/v1/things"),
      get("/apis/{ns}.example.com/v1/namespaces/{ns}/things/a"),
      get("/apis/{ns}.example.com/v1/things", { as: "unprivileged" }),
      post("/apis/{ns}.example.com/v1/things", {}),
      get("/apis/{ns}.example.com/v2"),
      get("/apis/{ns}.example.com/v2/things"),
      del(`${services}/v1.{ns}.example.com`),
      { do: "until", path: "/apis/{ns}.example.com", status: 404 },
      get("/apis/{ns}.example.com/v1"),
    ],
  },
  {
    name: "the conditions of an APIService with an incomplete Service",
    steps: [
      post(`${services}?fieldManager=t`, service(behind)),
      available("ServiceNotFound"),
      post(inCase("services"), {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "other" },
        spec: { ports: [{ name: "web", port: 80 }] },
      }),
      available("ServicePortError"),
      get(`${services}/v1.{ns}.example.com`),
      patch("json", `${inCase("services")}/other`, [{ op: "replace", path: "/spec/ports/0/port", value: 443 }]),
      available("EndpointsNotFound"),
      get(`${services}/v1.{ns}.example.com`),
      post(inCase("endpointslices", "discovery.k8s.io/v1"), {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: { name: "other", labels: { "kubernetes.io/service-name": "other" } },
        addressType: "IPv4",
        endpoints: [{ addresses: ["10.1.1.1"], conditions: { ready: false } }],
        ports: [{ name: "web", port: 443 }],
      }),
      available("MissingEndpoints"),
      get(`${services}/v1.{ns}.example.com`),
      get("/apis/{ns}.example.com/v1"),
      del(`${services}/v1.{ns}.example.com`),
    ],
  },
  {
    name: "the authentication ConfigMap for aggregated servers",
    steps: [get("/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication")],
  },
  {
    name: "the APIService of a CRD",
    steps: [
      post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldManager=t", definition),
      { do: "until", path: `${services}/v1.{ns}.example.com`, status: 200 },
      get(`${services}/v1.{ns}.example.com`),
      get(`${services}/v2.{ns}.example.com`),
      { do: "until", path: "/apis/{ns}.example.com/v1/things", status: 200 },
      del("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.{ns}.example.com"),
      { do: "until", path: `${services}/v1.{ns}.example.com`, status: 404 },
    ],
    unordered: true,
  },
  ...["exempt", "system", "workload-low", "catch-all"].map((name) => ({
    name: `the priority level ${name}`,
    steps: [get(`${flows}/prioritylevelconfigurations/${name}`)],
  })),
  ...["exempt", "probes", "system-node-high", "system-leader-election", "catch-all"].map((name) => ({
    name: `the FlowSchema ${name}`,
    steps: [get(`${flows}/flowschemas/${name}`)],
  })),
  {
    name: "a priority level with defaults",
    steps: [
      post(`${flows}/prioritylevelconfigurations`, {
        apiVersion: "flowcontrol.apiserver.k8s.io/v1",
        kind: "PriorityLevelConfiguration",
        metadata: { name: "{ns}" },
        spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: {} } } },
      }),
      patch("merge", `${flows}/prioritylevelconfigurations/{ns}`, { spec: { limited: { lendablePercent: 5 } } }),
      get(`${flows}/prioritylevelconfigurations/{ns}`, table),
      del(`${flows}/prioritylevelconfigurations/{ns}`),
    ],
  },
  {
    name: "proxy requests to Services and nodes without a backend",
    steps: [
      get("/api/v1/namespaces/default/services/kubernetes/proxy/"),
      get("/api/v1/namespaces/default/services/kubernetes:1/proxy/x"),
      get("/api/v1/namespaces/default/services/a:b:c:d/proxy/"),
      get("/api/v1/namespaces/{ns}/services/absent/proxy/"),
      get("/api/v1/nodes/absent/proxy/"),
    ],
  },
  {
    name: "proxy requests to a node without addresses",
    steps: [
      post("/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "{ns}" } }),
      get("/api/v1/nodes/{ns}/proxy/"),
      get("/api/v1/nodes/{ns}:10250/proxy/pods"),
      get("/api/v1/nodes/https:{ns}:10250/proxy/pods"),
      get("/api/v1/nodes/https:absent:10250/proxy/"),
      get("/api/v1/nodes/a:b:c:d/proxy/"),
      del("/api/v1/nodes/{ns}"),
    ],
  },
  { name: "the OpenID configuration", steps: [get("/.well-known/openid-configuration")] },
  {
    name: "HEAD of an object",
    steps: [{ do: "request", method: "HEAD", path: "/api/v1/namespaces/{ns}" }],
  },
  {
    name: "ResourceClaims",
    steps: [
      post(`/apis/${devices}/deviceclasses`, {
        apiVersion: devices,
        kind: "DeviceClass",
        metadata: { name: "{ns}" },
        spec: {},
      }),
      post(inCase("resourceclaims", devices), {
        apiVersion: devices,
        kind: "ResourceClaim",
        metadata: { name: "a" },
        spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "{ns}" } }] } },
      }),
      get(`${inCase("resourceclaims", devices)}/a`, table),
      del(`${inCase("resourceclaims", devices)}/a`),
      post(inCase("resourceclaimtemplates", devices), {
        apiVersion: devices,
        kind: "ResourceClaimTemplate",
        metadata: { name: "a" },
        spec: {
          spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "{ns}", allocationMode: "All" } }] } },
        },
      }),
      get(`/apis/${devices}/resourceslices?fieldSelector=spec.driver%3Dx`),
      get(`/apis/${devices}/resourceslices?fieldSelector=spec.nothing%3Dx`),
      del(`/apis/${devices}/deviceclasses/{ns}`),
    ],
  },
];
