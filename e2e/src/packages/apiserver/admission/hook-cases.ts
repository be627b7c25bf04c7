// Webhooks: the reviews that both servers send, and their handling of the responses.

import { crds, thingDefinition } from "../../../harness/thing-crd.ts";
import type { HookServer } from "./hook-server.ts";
import type { Step } from "./server.ts";

/** A webhook configuration and the requests sent while it is in force. */
export interface HookCase {
  readonly name: string;
  readonly sort: "Mutating" | "Validating";
  readonly hooks: readonly object[];
  /** Objects created before the configuration. */
  readonly before?: readonly Step[];
  readonly steps: readonly Step[];
  /** True if the ownership of fields is compared, too. */
  readonly hasManagers?: boolean;
}

const core = "/api/v1/namespaces/{ns}";
const configMap = (name: string, rest: object = {}, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  ...rest,
});
const create = (name: string, rest: object = {}, metadata: object = {}): Step => ({
  method: "POST",
  path: `${core}/configmaps?fieldManager=me`,
  body: configMap(name, rest, metadata),
});
const rule = (resources: readonly string[], operations: readonly string[] = ["*"], rest: object = {}): object => ({
  operations,
  apiGroups: ["*"],
  apiVersions: ["*"],
  resources,
  ...rest,
});

const things = "/apis/{ns}.example/v1/namespaces/{ns}/things";
const fields = (properties: object): object => ({ type: "object", properties });
/** A custom kind with a complete schema. */
const customKind: Step = {
  method: "POST",
  path: crds,
  body: thingDefinition([
    {
      name: "v1",
      served: true,
      storage: true,
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: fields({
          spec: fields({
            size: { type: "integer" },
            word: { type: "string", default: "none" },
            list: { type: "array", items: fields({ a: { type: "string" } }) },
          }),
          status: fields({ phase: { type: "string" } }),
        }),
      },
    },
  ]),
};
const thing = (method: string, rest: string, spec?: object): Step => ({
  method,
  path: `${things}${rest}`,
  ...(spec === undefined
    ? {}
    : { body: { apiVersion: "{ns}.example/v1", kind: "Thing", metadata: { name: "a" }, spec } }),
});

/** The cases, with webhooks at a server. */
export function hookCases(server: Pick<HookServer, "port" | "caBundle">): HookCase[] {
  const hook = (path: string, rest: object = {}): object => ({
    name: `${path.slice(1)}.example.com`,
    clientConfig: { url: `https://127.0.0.1:${server.port}${path}`, caBundle: server.caBundle },
    rules: [rule(["configmaps"])],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...rest,
  });
  const both = (name: string, paths: readonly string[]): HookCase[] =>
    paths.flatMap((path) =>
      (["Mutating", "Validating"] as const).map((sort) => ({
        name: `${name}: ${path}, ${sort}`,
        sort,
        hooks: [hook(path)],
        steps: [create("a"), create("b")],
      })),
    );
  return [
    ...both("answers", ["/allow", "/deny", "/deny-reason", "/deny-message", "/deny-whole", "/warn"]),
    ...both("invalid responses", [
      "/no-response",
      "/wrong-uid",
      "/no-kind",
      "/other-kind",
      "/no-json",
      "/list",
      "/nothing",
      "/broken",
      "/yaml",
      "/no-type",
      "/no-patch",
      "/merge-patch",
    ]),
    ...both("statuses", ["/500", "/404", "/400"]),
    ...both("connections", ["/hang-up"]),
    ...["/label", "/empty-patch", "/bad-patch", "/failing-patch"].map((path) => ({
      name: `patches: ${path}`,
      sort: "Mutating" as const,
      hooks: [hook(path)],
      steps: [create("a"), { method: "DELETE", path: `${core}/configmaps/a` }],
    })),
    {
      name: "reviews of every kind of write",
      sort: "Validating",
      hooks: [hook("/allow", { rules: [rule(["*/*"])] })],
      steps: [
        create("a", { data: { a: "b" } }),
        create("", {}, { generateName: "made-up-" }),
        { method: "POST", path: `${core}/configmaps?dryRun=All`, body: configMap("dry") },
        {
          method: "PUT",
          path: `${core}/configmaps/a?fieldValidation=Strict`,
          body: configMap("a", { data: { a: "c" } }),
        },
        { method: "PATCH", path: `${core}/configmaps/a?fieldManager=me`, body: { data: { d: "e" } } },
        {
          method: "PATCH",
          path: `${core}/configmaps/a?fieldManager=me&force=true`,
          type: "application/apply-patch+yaml",
          body: configMap("a", { data: { f: "g" } }),
        },
        { method: "DELETE", path: `${core}/configmaps/a`, body: { propagationPolicy: "Background" } },
        {
          method: "POST",
          path: `/apis/apps/v1/namespaces/{ns}/deployments`,
          body: {
            apiVersion: "apps/v1",
            kind: "Deployment",
            metadata: { name: "d" },
            spec: {
              selector: { matchLabels: { a: "b" } },
              template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "a" }] } },
            },
          },
        },
        { method: "PATCH", path: "/apis/apps/v1/namespaces/{ns}/deployments/d/scale", body: { spec: { replicas: 2 } } },
        {
          method: "PATCH",
          path: "/apis/apps/v1/namespaces/{ns}/deployments/d/status",
          body: { status: { replicas: 2 } },
        },
        { method: "PATCH", path: "/api/v1/namespaces/{ns}", body: { metadata: { labels: { a: "b" } } } },
        {
          method: "POST",
          path: `${core}/serviceaccounts`,
          body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a" } },
        },
        {
          method: "POST",
          path: `${core}/serviceaccounts/a/token`,
          body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
        },
      ],
    },
    ...["/unknown-field", "/unknown-list", "/odd-type"].map((path) => ({
      name: `custom resources: ${path}`,
      sort: "Mutating" as const,
      hooks: [hook(path, { rules: [rule(["things", "things/status"])] })],
      before: [customKind],
      steps: [
        thing("POST", "", { size: 1 }),
        thing("GET", "/a"),
        { ...thing("PATCH", "/a?fieldManager=other&force=true", { size: 2 }), type: "application/apply-patch+yaml" },
        { method: "PATCH", path: `${things}/a`, body: { spec: { size: 3 } } },
        { method: "PATCH", path: `${things}/a`, body: { spec: { nonsense: null } } },
        { method: "PATCH", path: `${things}/a/status`, body: { status: { phase: "x" } } },
        thing("GET", "/a"),
      ],
      hasManagers: true,
    })),
    {
      name: "reviews in version v1beta1",
      sort: "Mutating",
      hooks: [hook("/label", { admissionReviewVersions: ["v1beta1", "v1"] })],
      steps: [create("a")],
    },
    {
      name: "equivalent versions",
      sort: "Mutating",
      hooks: [
        hook("/label", {
          rules: [
            {
              operations: ["*"],
              apiGroups: ["autoscaling"],
              apiVersions: ["v1"],
              resources: ["horizontalpodautoscalers"],
            },
          ],
        }),
        hook("/deny", {
          matchPolicy: "Exact",
          rules: [
            {
              operations: ["*"],
              apiGroups: ["autoscaling"],
              apiVersions: ["v1"],
              resources: ["horizontalpodautoscalers"],
            },
          ],
        }),
      ],
      steps: [
        {
          method: "POST",
          path: "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
          body: {
            apiVersion: "autoscaling/v2",
            kind: "HorizontalPodAutoscaler",
            metadata: { name: "a" },
            spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" }, maxReplicas: 3 },
          },
        },
      ],
    },
    {
      name: "rules, scopes and selectors",
      sort: "Validating",
      hooks: [
        hook("/deny", { rules: [rule(["configmaps"], ["DELETE"])] }),
        hook("/deny-reason", { rules: [rule(["configmaps"], ["*"], { scope: "Cluster" })] }),
        hook("/deny-message", { rules: [rule(["secrets", "pods/*"])] }),
        hook("/warn", { objectSelector: { matchLabels: { seen: "yes" } } }),
      ],
      steps: [
        create("a"),
        create("b", {}, { labels: { seen: "yes" } }),
        { method: "PATCH", path: `${core}/configmaps/b`, body: { metadata: { labels: { seen: null } } } },
        { method: "DELETE", path: `${core}/configmaps/a` },
        {
          method: "POST",
          path: `${core}/secrets`,
          body: { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } },
        },
      ],
    },
    {
      name: "conditions",
      sort: "Validating",
      hooks: [
        hook("/deny", {
          matchConditions: [
            { name: "big", expression: "object.metadata.name.startsWith('big') && request.userInfo.username != ''" },
          ],
        }),
        hook("/deny-reason", { matchConditions: [{ name: "data", expression: "object.data.key == 'x'" }] }),
        hook("/deny-message", {
          failurePolicy: "Ignore",
          matchConditions: [{ name: "data", expression: "object.data.other == 'x'" }],
        }),
        hook("/warn", {
          matchConditions: [
            { name: "may", expression: "authorizer.group('').resource('pods').namespace('x').check('get').allowed()" },
            { name: "own", expression: "authorizer.requestResource.check('create').allowed()" },
          ],
        }),
      ],
      steps: [
        create("small", { data: { key: "y", other: "y" } }),
        create("big", { data: { key: "y" } }),
        create("keyed", { data: { key: "x" } }),
        create("bare"),
      ],
    },
    {
      name: "dry runs and side effects",
      sort: "Validating",
      hooks: [hook("/allow"), hook("/warn", { sideEffects: "NoneOnDryRun" })],
      steps: [{ method: "POST", path: `${core}/configmaps?dryRun=All`, body: configMap("a") }],
    },
    {
      name: "failure policy Ignore",
      sort: "Mutating",
      hooks: [hook("/500", { failurePolicy: "Ignore" }), hook("/no-json", { failurePolicy: "Ignore" }), hook("/label")],
      steps: [create("a")],
    },
    {
      name: "reinvocation of webhooks",
      sort: "Mutating",
      hooks: [hook("/count", { reinvocationPolicy: "IfNeeded" }), hook("/label"), hook("/allow")],
      steps: [create("a")],
    },
    {
      name: "a webhook that times out",
      sort: "Validating",
      hooks: [hook("/slow", { timeoutSeconds: 1 })],
      steps: [create("a")],
    },
    {
      name: "a webhook with a certificate of an unknown authority",
      sort: "Validating",
      hooks: [hook("/allow", { clientConfig: { url: `https://127.0.0.1:${server.port}/allow` } })],
      steps: [create("a")],
    },
    {
      name: "a webhook with a certificate for another name",
      sort: "Validating",
      hooks: [
        hook("/allow", {
          clientConfig: { url: `https://localhost:${server.port}/allow`, caBundle: server.caBundle },
        }),
      ],
      steps: [create("a")],
    },
    {
      name: "a webhook with an unknown host",
      sort: "Validating",
      hooks: [hook("/allow", { clientConfig: { url: "https://nowhere.invalid/allow", caBundle: server.caBundle } })],
      steps: [create("a")],
    },
    {
      name: "a webhook on a closed port",
      sort: "Validating",
      hooks: [hook("/allow", { clientConfig: { url: "https://127.0.0.1:1/allow", caBundle: server.caBundle } })],
      steps: [create("a")],
    },
    {
      name: "a webhook behind a Service that does not exist",
      sort: "Validating",
      hooks: [
        hook("/allow", {
          clientConfig: { service: { namespace: "{ns}", name: "missing", path: "/allow" }, caBundle: server.caBundle },
        }),
      ],
      steps: [create("a")],
    },
  ];
}
