// Paths, methods, bodies and media types of requests.

import { type Case, configMap, del, get, inCase, patch, post, put } from "../case.ts";

const maps = inCase("configmaps");
const protobuf = "application/vnd.kubernetes.protobuf";

const paths: readonly string[] = [
  "/nothing",
  "/api/v2",
  "/api/v1/nothings",
  "/api/v1/namespaces/{ns}/nothings",
  "/api/v1/namespaces/{ns}/nothings/x",
  "/apis/nothing.example",
  "/apis/nothing.example/v1",
  "/apis/nothing.example/v1/things",
  "/apis/apps/v2",
  "/apis/apps/v2/deployments",
  "/apis/apps/v1/nothings",
  "/api/v1/namespaces/{ns}/pods/x/nothing",
  "/api/v1/namespaces/{ns}/configmaps/x/status",
  "/api/v1/namespaces/{ns}/configmaps/absent",
  "/api/v1/namespaces/absent-{ns}/configmaps",
  "/api/v1/namespaces/absent-{ns}/configmaps/x",
  "/api/v1/namespaces/absent-{ns}",
  "/api/v1/configmaps/x",
  "/api/v1/nodes/absent",
  "/apis/rbac.authorization.k8s.io/v1/clusterroles/absent",
  "/apis/apps/v1/namespaces/{ns}/deployments/absent",
  "/apis/apps/v1/namespaces/{ns}/deployments/absent/scale",
  "/apis/apps/v1/namespaces/{ns}/deployments/absent/status",
  "/healthz",
  "/livez/ping",
  "/readyz?exclude=nothing",
];

const methods: readonly (readonly [string, string])[] = [
  ["POST", "/api/v1/namespaces/{ns}/configmaps/x"],
  ["PUT", "/api/v1/namespaces/{ns}/configmaps"],
  ["PATCH", "/api/v1/namespaces/{ns}/configmaps"],
  ["DELETE", "/api/v1/configmaps"],
  ["POST", "/api/v1/configmaps"],
  ["DELETE", "/api/v1/namespaces"],
  ["OPTIONS", "/api/v1/namespaces/{ns}/configmaps"],
  ["POST", "/api/v1/namespaces/{ns}/pods/x/status"],
  ["DELETE", "/apis/apps/v1/namespaces/{ns}/deployments/x/scale"],
  ["GET", "/api/v1/namespaces/{ns}/pods/x/eviction"],
  ["GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"],
  ["GET", "/api/v1/namespaces/{ns}/bindings"],
];

/** Bodies for the creation of a ConfigMap, each invalid in one way. */
const bodies: readonly (readonly [string, unknown])[] = [
  ["nothing", ""],
  ["invalid JSON", "{"],
  ["a text", '"x"'],
  ["a list", "[]"],
  ["null", "null"],
  ["no kind and version", { metadata: { name: "a" } }],
  ["another kind", { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } }],
  ["an unknown kind", { apiVersion: "v1", kind: "Nothing", metadata: { name: "a" } }],
  ["another version", { apiVersion: "v2", kind: "ConfigMap", metadata: { name: "a" } }],
  ["another group", { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" } }],
  ["a version with two slashes", { apiVersion: "a/b/c", kind: "ConfigMap", metadata: { name: "a" } }],
  ["no name", { apiVersion: "v1", kind: "ConfigMap", metadata: {} }],
  ["no metadata", { apiVersion: "v1", kind: "ConfigMap" }],
  ["an invalid name", configMap("A_b")],
  ["a name that is too long", configMap("a".repeat(254))],
  ["an invalid label", configMap("a", {}, { labels: { "a b": "c", d: "e f" } })],
  ["an invalid annotation", configMap("a", {}, { annotations: { "a b": "c" } })],
  ["an invalid finalizer", configMap("a", {}, { finalizers: ["x"] })],
  ["an invalid owner", configMap("a", {}, { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "", uid: "" }] })],
  [
    "two controlling owners",
    configMap(
      "a",
      {},
      {
        ownerReferences: ["b", "c"].map((name) => ({
          apiVersion: "v1",
          kind: "Pod",
          name,
          uid: name,
          controller: true,
        })),
      },
    ),
  ],
  ["another namespace", configMap("a", {}, { namespace: "elsewhere" })],
  ["a resourceVersion", configMap("a", {}, { resourceVersion: "5" })],
  ["a uid", configMap("a", {}, { uid: "x" })],
  ["a wrong type of data", { ...configMap("a"), data: { a: 1 } }],
  ["a wrong type of metadata", { apiVersion: "v1", kind: "ConfigMap", metadata: [] }],
  ["an invalid key of data", { ...configMap("a"), data: { "a/b": "c" } }],
  ["the same key in data and binaryData", { ...configMap("a"), data: { a: "b" }, binaryData: { a: "Yg==" } }],
  ["invalid base64", { ...configMap("a"), binaryData: { a: "!" } }],
  ["unknown fields", { ...configMap("a"), colour: "red", metadata: { name: "a", shade: "dark" } }],
  [
    "a field twice",
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","name":"b"},"data":{"a":"b","a":"c"}}',
  ],
  ["a field in another case", { ...configMap("a"), Data: { a: "b" } }],
  ["a key named __proto__", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"__proto__":"x"}}'],
];

const validation = ["", "Ignore", "Warn", "Strict", "Other"];

const accepts: readonly string[] = [
  "*/*",
  "application/json",
  "application/yaml",
  "text/html",
  "application/json;q=0.5, application/yaml",
  "application/json;as=Nothing;g=meta.k8s.io;v=v1",
  "application/json;as=Table;g=meta.k8s.io;v=v9,application/json",
  "application/cbor",
  "image/*",
];

const contentTypes: readonly string[] = [
  "text/plain",
  "application/json; charset=utf-8",
  "application/yaml",
  "application/x-www-form-urlencoded",
  "application/json-patch+json",
  "",
];

const patchTypes: readonly string[] = ["application/json", "text/plain", "application/apply-patch+json", ""];

export const requestCases: readonly Case[] = [
  ...paths.map((path) => ({ name: `GET ${path}`, steps: [get(path)] })),
  ...methods.map(([method, path]) => ({
    name: `${method} ${path}`,
    steps: [{ do: "request" as const, method, path, ...(method === "GET" ? {} : { body: configMap("x") }) }],
  })),
  ...bodies.map(([what, body]) => ({ name: `create with ${what}`, steps: [post(maps, body), get(`${maps}/a`)] })),
  ...validation.map((each) => ({
    name: `create with unknown fields and fieldValidation=${each}`,
    steps: [
      post(`${maps}?fieldValidation=${each}`, { ...configMap("a"), colour: "red", metadata: { name: "a", shade: 1 } }),
      get(`${maps}/a`),
    ],
  })),
  ...accepts.map((accept) => ({
    name: `read as ${accept}`,
    steps: [
      post(maps, configMap("a", { k: "v" })),
      get(`${maps}/a`, { headers: { accept } }),
      get(maps, { headers: { accept } }),
    ],
  })),
  ...contentTypes.map((type) => ({
    name: `create with content type "${type}"`,
    steps: [post(maps, configMap("a"), { headers: { "content-type": type } })],
  })),
  ...patchTypes.map((type) => ({
    name: `patch with content type "${type}"`,
    steps: [
      post(maps, configMap("a")),
      { do: "request" as const, method: "PATCH", path: `${maps}/a`, body: {}, headers: { "content-type": type } },
    ],
  })),
  {
    name: "create from YAML",
    steps: [
      post(maps, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {x: y}\ndata:\n  k: |\n    v\n", {
        headers: { "content-type": "application/yaml" },
      }),
    ],
  },
  {
    name: "create from YAML with a duplicate key",
    steps: [
      post(maps, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n  k: w\n", {
        headers: { "content-type": "application/yaml" },
      }),
    ],
  },
  {
    name: "create from invalid protobuf",
    steps: [post(maps, "k8s\0nonsense", { headers: { "content-type": protobuf } })],
  },
  { name: "pretty by query", steps: [get(`${maps}/absent?pretty=true`), get(`/api/v1/namespaces/{ns}?pretty=1`)] },
  {
    name: "dryRun with an invalid value",
    steps: [post(`${maps}?dryRun=Some`, configMap("a")), get(`${maps}/a`)],
  },
  {
    name: "field managers that are too long or not printable",
    steps: [
      post(`${maps}?fieldManager=${"m".repeat(129)}`, configMap("a")),
      post(`${maps}?fieldManager=%01`, configMap("a")),
    ],
  },
  {
    name: "names in the path and in the body that differ",
    steps: [
      post(maps, configMap("a")),
      put(`${maps}/a`, configMap("b")),
      put(`${maps}/a`, configMap("a", {}, { namespace: "x" })),
    ],
  },
  {
    name: "invalid names",
    steps: [get(`${maps}/..`), get(`${maps}/%2e%2e`), get(`${maps}/A_B`), get(`${maps}/a%2Fb`), del(`${maps}/A_B`)],
  },
  {
    name: "patches of an object that does not exist",
    steps: [
      patch("merge", `${maps}/absent`, { data: { a: "b" } }),
      patch("json", `${maps}/absent`, []),
      patch("strategic", `${maps}/absent`, {}),
    ],
  },
  { name: "apply without a field manager", steps: [patch("apply", `${maps}/a`, configMap("a"))] },
  { name: "force without apply", steps: [post(maps, configMap("a")), patch("merge", `${maps}/a?force=true`, {})] },
];
