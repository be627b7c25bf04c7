import { type Case, del, get, post, type RequestStep } from "../case.ts";

const flows = "/apis/flowcontrol.apiserver.k8s.io/v1";
const components = "/api/v1/componentstatuses";
// Other checks exist only in complete clusters, not in a control plane for tests.
const storage = `${components}?fieldSelector=metadata.name%3Detcd-0`;
const as = (kind: string): { headers: { accept: string } } => ({
  headers: { accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` },
});

const checks = [
  "/healthz/etcd",
  "/healthz/log",
  "/healthz/loopback-serving-certificate",
  "/healthz/informer-sync",
  "/healthz?verbose",
  "/livez/etcd",
  "/livez/etcd?verbose",
  "/livez/autoregister-completion",
  "/livez?verbose&exclude=etcd&exclude=absent",
  "/livez/shutdown",
  "/readyz/etcd-readiness",
  "/readyz/informer-sync",
  "/readyz/shutdown",
  "/readyz/poststarthook/rbac/bootstrap-roles",
  "/readyz/poststarthook",
  "/readyz/ping/",
  "/readyz?verbose",
  "/readyz?verbose&exclude=poststarthook/rbac/bootstrap-roles",
];

const flow = {
  apiVersion: "flowcontrol.apiserver.k8s.io/v1",
  kind: "FlowSchema",
  metadata: { name: "{ns}" },
  spec: {
    priorityLevelConfiguration: { name: "{ns}" },
    matchingPrecedence: 7000,
    rules: [
      {
        subjects: [{ kind: "Group", group: { name: "{ns}" } }],
        nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
      },
    ],
  },
};

const level = {
  apiVersion: "flowcontrol.apiserver.k8s.io/v1",
  kind: "PriorityLevelConfiguration",
  metadata: { name: "{ns}" },
  spec: { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } } },
};

/** Waits until the condition of the FlowSchema has a status, which the real server writes with a delay. */
const settled = (status: string): Case["steps"][number] => ({
  do: "until",
  path: `${flows}/flowschemas/{ns}`,
  status: 200,
  shows: `"type":"Dangling","status":"${status}"`,
});

/** Cases about health, components, OpenAPI and API Priority and Fairness. */
export const healthCases: readonly Case[] = [
  ...checks.map((path): Case => ({ name: `health at ${path}`, steps: [get(path)] })),
  {
    name: "health with another method",
    steps: [post("/healthz/etcd", ""), del("/livez/ping")],
  },
  {
    name: "health for a user without permissions",
    steps: [get("/healthz/etcd", { as: "unprivileged" }), get("/readyz?verbose", { as: "anonymous" })],
  },
  {
    name: "a component",
    steps: [get(`${components}/etcd-0`), get(`${components}/etcd-0`, as("Table")), get(`${components}/absent`)],
  },
  {
    name: "components",
    steps: [
      get(storage),
      get(storage, as("Table")),
      get(storage, as("PartialObjectMetadataList")),
      get(`${components}?labelSelector=a%3Db`),
      get(`${components}?fieldSelector=a%3Db`),
    ],
  },
  {
    name: "component statuses",
    steps: [
      get(`${components}?watch=1`),
      get("/api/v1/watch/componentstatuses"),
      post(components, {}),
      del(`${components}/etcd-0`),
      get(components, { as: "unprivileged" }),
    ],
  },
  {
    name: "OpenAPI documents that do not exist",
    steps: [get("/openapi/v3/"), get("/openapi/v3/absent"), get("/openapi/v3/apis/absent/v1")],
  },
  {
    name: "debug pages that are not served",
    steps: [
      get("/flagz"),
      get("/statusz"),
      get("/flagz", { as: "unprivileged" }),
      get("/metrics/absent"),
      get("/debug/api_priority_and_fairness/absent"),
      get("/debug/api_priority_and_fairness/dump_queues", { as: "unprivileged" }),
    ],
  },
  {
    name: "OpenAPI v2 in an unsupported format",
    steps: ["text/plain", "application/yaml", "application/vnd.kubernetes.protobuf"].map((accept) =>
      get("/openapi/v2", { headers: { accept } }),
    ),
  },
  {
    name: "media types of OpenAPI v2",
    steps: ["application/com.github.proto-openapi.spec.v2@v1.0+protobuf", "application/json", "*/*"].map(
      (accept): RequestStep => ({ do: "request", method: "HEAD", path: "/openapi/v2", headers: { accept } }),
    ),
  },
  {
    name: "HEAD of the OpenAPI index",
    steps: [{ do: "request", method: "HEAD", path: "/openapi/v3" }],
  },
  {
    name: "a FlowSchema and its priority level",
    steps: [
      post(`${flows}/flowschemas?fieldManager=t`, flow),
      settled("True"),
      get(`${flows}/flowschemas/{ns}`),
      post(`${flows}/prioritylevelconfigurations?fieldManager=t`, level),
      settled("False"),
      get(`${flows}/flowschemas/{ns}`),
      del(`${flows}/prioritylevelconfigurations/{ns}`),
      settled("True"),
      get(`${flows}/flowschemas/{ns}`),
      del(`${flows}/flowschemas/{ns}`),
    ],
  },
];
