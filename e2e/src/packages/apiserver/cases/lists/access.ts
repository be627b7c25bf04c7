// Authorization: RBAC, access reviews, impersonation.

import { type Case, configMap, del, get, inCase, patch, post } from "../case.ts";

const maps = inCase("configmaps");
const rbac = "rbac.authorization.k8s.io/v1";
const unprivileged = { as: "unprivileged" } as const;
const anonymous = { as: "anonymous" } as const;
const review = (kind: string, spec: object): object => ({ apiVersion: "authorization.k8s.io/v1", kind, spec });
const reviews = "/apis/authorization.k8s.io/v1";

const attempts: readonly (readonly [string, string])[] = [
  ["GET", "/api/v1/namespaces/{ns}/configmaps"],
  ["GET", "/api/v1/configmaps"],
  ["GET", "/api/v1/namespaces/{ns}/configmaps/a"],
  ["GET", "/api/v1/namespaces/{ns}/configmaps?watch=1&timeoutSeconds=1"],
  ["POST", "/api/v1/namespaces/{ns}/configmaps"],
  ["PUT", "/api/v1/namespaces/{ns}/configmaps/a"],
  ["PATCH", "/api/v1/namespaces/{ns}/configmaps/a"],
  ["DELETE", "/api/v1/namespaces/{ns}/configmaps/a"],
  ["DELETE", "/api/v1/namespaces/{ns}/configmaps"],
  ["GET", "/api/v1/namespaces/{ns}/pods/p/log"],
  ["POST", "/api/v1/namespaces/{ns}/pods/p/eviction"],
  ["PATCH", "/apis/apps/v1/namespaces/{ns}/deployments/d/scale"],
  ["GET", "/apis/apps/v1/namespaces/{ns}/deployments/d/status"],
  ["GET", "/api/v1/namespaces/{ns}"],
  ["GET", "/api/v1/nodes"],
  ["GET", "/apis/nothing.example/v1/things"],
  ["GET", "/metrics"],
  ["GET", "/version"],
  ["GET", "/api"],
  ["GET", "/apis"],
];

const role = (rules: object[]): object => ({ apiVersion: rbac, kind: "Role", metadata: { name: "r" }, rules });
const bind = (name: string): object => ({
  apiVersion: rbac,
  kind: "RoleBinding",
  metadata: { name: "b" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
  subjects: [{ kind: "User", name: "unprivileged", apiGroup: "rbac.authorization.k8s.io" }],
});
const roles = inCase("roles", rbac);
const bindings = inCase("rolebindings", rbac);

export const accessCases: readonly Case[] = [
  ...attempts.map(([method, path]) => ({
    name: `a user without permissions: ${method} ${path}`,
    steps: [
      {
        do: "request" as const,
        method,
        path,
        ...unprivileged,
        ...(method === "GET"
          ? {}
          : {
              body: configMap("a"),
              ...(method === "PATCH" ? { headers: { "content-type": "application/merge-patch+json" } } : {}),
            }),
      },
    ],
  })),
  { name: "a wrong token", steps: [get(maps, { ...anonymous, headers: { authorization: "Bearer wrong" } })] },
  {
    name: "permissions granted by a role",
    steps: [
      post(roles, role([{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "create"] }])),
      post(bindings, bind("r")),
      post(maps, configMap("a"), unprivileged),
      get(`${maps}/a`, unprivileged),
      get(maps, unprivileged),
      del(`${maps}/a`, undefined, unprivileged),
      get("/api/v1/namespaces/default/configmaps", unprivileged),
    ],
  },
  {
    name: "permissions for one resource name",
    steps: [
      post(maps, configMap("a")),
      post(
        roles,
        role([
          {
            apiGroups: [""],
            resources: ["configmaps"],
            resourceNames: ["a"],
            verbs: ["get", "list", "watch", "patch"],
          },
        ]),
      ),
      post(bindings, bind("r")),
      get(`${maps}/a`, unprivileged),
      get(`${maps}/b`, unprivileged),
      get(maps, unprivileged),
      get(`${maps}?fieldSelector=metadata.name%3Da`, unprivileged),
      patch("merge", `${maps}/a`, { data: { k: "v" } }, unprivileged),
    ],
  },
  {
    name: "a user cannot grant permissions that the user lacks",
    steps: [
      post(
        roles,
        role([{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: ["*"] }]),
      ),
      post(bindings, bind("r")),
      post(
        roles,
        { ...role([{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }]), metadata: { name: "more" } },
        unprivileged,
      ),
      post(bindings, { ...bind("absent"), metadata: { name: "b2" } }, unprivileged),
      post(bindings, { ...bind("r"), metadata: { name: "b3" } }, unprivileged),
    ],
  },
  ...[
    { verb: "get", resource: "pods", namespace: "{ns}" },
    { verb: "*", resource: "*", group: "*" },
    { verb: "create", resource: "deployments", group: "apps", subresource: "scale" },
    {},
  ].map((resourceAttributes, index) => ({
    name: `a SelfSubjectAccessReview ${index}`,
    steps: [
      post(`${reviews}/selfsubjectaccessreviews`, review("SelfSubjectAccessReview", { resourceAttributes })),
      post(
        `${reviews}/selfsubjectaccessreviews`,
        review("SelfSubjectAccessReview", { resourceAttributes }),
        unprivileged,
      ),
    ],
  })),
  {
    name: "a review of a non-resource path",
    steps: [
      post(
        `${reviews}/selfsubjectaccessreviews`,
        review("SelfSubjectAccessReview", { nonResourceAttributes: { path: "/apis", verb: "get" } }),
        unprivileged,
      ),
    ],
  },
  {
    name: "a review without attributes",
    steps: [post(`${reviews}/selfsubjectaccessreviews`, review("SelfSubjectAccessReview", {}))],
  },
  {
    name: "a review with two kinds of attributes",
    steps: [
      post(
        `${reviews}/selfsubjectaccessreviews`,
        review("SelfSubjectAccessReview", { resourceAttributes: {}, nonResourceAttributes: {} }),
      ),
    ],
  },
  {
    name: "a SubjectAccessReview",
    steps: [
      post(
        `${reviews}/subjectaccessreviews`,
        review("SubjectAccessReview", {
          user: "x",
          groups: ["system:masters"],
          resourceAttributes: { verb: "get", resource: "pods" },
        }),
      ),
      post(
        `${reviews}/subjectaccessreviews`,
        review("SubjectAccessReview", { resourceAttributes: { verb: "get", resource: "pods" } }),
      ),
    ],
  },
  {
    name: "a LocalSubjectAccessReview",
    steps: [
      post(
        `${reviews}/namespaces/{ns}/localsubjectaccessreviews`,
        review("LocalSubjectAccessReview", {
          user: "x",
          resourceAttributes: { verb: "get", resource: "pods", namespace: "{ns}" },
        }),
      ),
      post(
        `${reviews}/namespaces/{ns}/localsubjectaccessreviews`,
        review("LocalSubjectAccessReview", {
          user: "x",
          resourceAttributes: { verb: "get", resource: "pods", namespace: "other" },
        }),
      ),
    ],
  },
  {
    name: "a SelfSubjectReview",
    steps: [
      post(
        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
        unprivileged,
      ),
    ],
  },
  {
    name: "a TokenReview of an invalid token",
    steps: [
      post("/apis/authentication.k8s.io/v1/tokenreviews", {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenReview",
        spec: { token: "x" },
      }),
      post("/apis/authentication.k8s.io/v1/tokenreviews", {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenReview",
        spec: {},
      }),
    ],
  },
  {
    name: "impersonation",
    steps: [
      get(maps, { headers: { "impersonate-user": "x" } }),
      get(maps, { headers: { "impersonate-user": "x", "impersonate-group": "system:masters" } }),
      get(maps, { headers: { "impersonate-group": "system:masters" } }),
      get(maps, { headers: { "impersonate-user": "system:serviceaccount:{ns}:default" } }),
    ],
  },
  {
    name: "a token of a service account",
    steps: [
      post(inCase("serviceaccounts"), { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "s" } }),
      post(`${inCase("serviceaccounts")}/s/token`, {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: 600 },
      }),
      post(`${inCase("serviceaccounts")}/s/token`, {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: 1 },
      }),
      post(`${inCase("serviceaccounts")}/absent/token`, {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: {},
      }),
    ],
  },
];
