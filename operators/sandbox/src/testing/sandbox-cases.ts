// Valid and invalid Sandboxes.

import { long, many, type SchemaCase, type UpdateCase } from "./schema-case.ts";

/** Returns an entry of a sandbox with some fields changed. */
export function entry(fields: object = {}): object {
  return { name: "cart", targetRef: { name: "cart" }, ...fields };
}

const withEntry = (fields: object): object => ({ services: [entry(fields)] });
const withContainer = (fields: object): object => withEntry({ containers: [{ name: "app", ...fields }] });
const withEnv = (fields: object): object => withContainer({ env: [{ name: "A", ...fields }] });
const withEndpoint = (fields: object): object => ({
  endpoints: [{ name: "web", target: "http://frontend.shop.svc:8080", ...fields }],
});
const withHook = (fields: object): object => ({ provision: [{ name: "db", create: { image: "i" }, ...fields }] });
const withFault = (fields: object): object => ({ faults: [{ service: "cart", delayMs: 10, ...fields }] });

const accepted: readonly Omit<SchemaCase, "kind">[] = [
  {
    title: "gets its defaults",
    spec: {},
    expect: {
      "spec.ttl": 86_400,
      "spec.ttlFrom": "CreatedAt",
      "spec.description": "",
      "spec.labels": {},
      "spec.services": [],
      "spec.endpoints": [],
      "spec.resources": { pods: 20 },
      "spec.idle": { startIdle: false, wakeTimeoutSeconds: 90 },
      "spec.suspend": false,
      "spec.priority": 0,
      "spec.provision": [],
      "spec.faults": [],
      "spec.routingKey": null,
    },
  },
  {
    title: "gets the defaults of an entry",
    spec: withEntry({}),
    expect: {
      "spec.services.0": {
        name: "cart",
        mode: "Fork",
        targetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "cart" },
        readyTimeoutSeconds: 180,
        onUnavailable: "Fail",
        driftPolicy: "Follow",
        preserveLabels: [],
        volumes: "Share",
      },
    },
  },
  {
    title: "is the example of the documentation",
    name: "pr-42",
    spec: {
      ttl: "2d",
      ttlFrom: "LastActivity",
      labels: { feature: "checkout-v2", team: "payments" },
      services: [
        {
          name: "cart",
          targetRef: { kind: "Deployment", name: "cart" },
          containers: [{ name: "app", image: "shop/cart:pr-42", env: [{ name: "LOG_LEVEL", value: "debug" }] }],
        },
      ],
      endpoints: [{ name: "web", target: "http://frontend.shop.svc:8080" }],
      resources: { cpu: "1", memory: "1Gi" },
    },
    expect: { "spec.ttl": "2d", "spec.endpoints.0.auth": "Token", "spec.endpoints.0.path": "/" },
  },
  { title: "has a ttl of an integer", spec: { ttl: 3600 }, expect: { "spec.ttl": 3600 } },
  ...["300", "5m", "1h", "300s", "1w"].map((ttl) => ({ title: `has the ttl ${ttl}`, spec: { ttl } })),
  { title: "has no expiry, as far as the schema knows", spec: { ttl: 0 } },
  { title: "has the longest description", spec: { description: long(1024) } },
  { title: "has 32 labels", spec: { labels: Object.fromEntries(many(32, (index) => [`k${index}`, "v"])) } },
  ...["abc", "a-b", "42x", long(63)].map((routingKey) => ({
    title: `has the key ${routingKey}`,
    spec: { routingKey },
  })),
  {
    title: "has 20 entries",
    spec: { services: many(20, (index) => ({ name: `e${index}`, targetRef: { name: `w${index}` } })) },
  },
  {
    title: "has entries with the same name in two namespaces",
    spec: {
      services: [entry(), { name: "other", targetRef: { name: "cart", namespace: "other" } }],
    },
  },
  {
    title: "has entries of the same name and two kinds",
    spec: { services: [entry(), { name: "b", targetRef: { kind: "StatefulSet", name: "cart" } }] },
  },
  {
    title: "forks a Rollout",
    spec: withEntry({ targetRef: { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name: "cart" } }),
  },
  { title: "has a local entry with empty lists", spec: withEntry({ mode: "Local", containers: [], patches: [] }) },
  { title: "has a virtual entry", spec: withEntry({ mode: "Virtual" }) },
  { title: "has quantities as numbers", spec: { resources: { cpu: 2, memory: "512Mi", pods: 0 } } },
  { title: "has no replicas", spec: withEntry({ replicas: 0 }), expect: { "spec.services.0.replicas": 0 } },
  { title: "reads a Secret", spec: withEnv({ valueFrom: { secretKeyRef: { name: "s", key: "k" } } }) },
  {
    title: "reads the address of another fork",
    spec: withEnv({ valueFrom: { fork: { name: "b", expression: "host:port" } } }),
  },
  { title: "reads an output of a hook", spec: withEnv({ valueFrom: { provision: { name: "db", key: "URL" } } }) },
  { title: "deletes a variable", spec: withEnv({ operation: "Delete" }) },
  {
    title: "has a JSON patch",
    spec: withEntry({ patches: [{ type: "JSON", value: [{ op: "remove", path: "/a" }] }] }),
  },
  {
    title: "has a strategic patch",
    spec: withEntry({ patches: [{ value: { spec: { template: {} } } }] }),
    expect: { "spec.services.0.patches.0.type": "Strategic" },
  },
  { title: "has a grpc endpoint without a port", spec: withEndpoint({ target: "grpc://cart.shop.svc" }) },
  { title: "has the longest endpoint name", spec: withEndpoint({ name: long(30) }) },
  { title: "has a host", spec: withEndpoint({ host: "web.preview.example.com" }) },
  { title: "has a hook", spec: withHook({ outputs: ["URL"] }), expect: { "spec.provision.0.timeoutSeconds": 300 } },
  {
    title: "has a fault",
    spec: withFault({ abortCode: 503, paths: [{ prefix: "/api" }], methods: ["GET"] }),
    expect: { "spec.faults.0.percent": 100 },
  },
  { title: "sleeps", spec: { idle: { sleepAfterSeconds: 30, startIdle: true, wakeTimeoutSeconds: 600 } } },
  { title: "has a name that starts with a digit", name: "42-fix", spec: {} },
];

/** Names that would leave their place in a URL, a path, a header, a log line or a JavaScript object. */
const hostileNames = ["../secrets", "a/b", "a%2fb", "a\nb", "a\u0000b", "__proto__", "a b", "-a", "\u00e4"];

const refused: readonly (readonly [title: string, spec: unknown, message: string, name?: string])[] = [
  ["has a name with a dot", {}, "must be at most 63 lower-case letters, digits and dashes", "a.b"],
  ["has a long name", {}, "must be at most 63 lower-case letters, digits and dashes", long(64)],
  ["has a ttl without a unit's number", { ttl: "d" }, "spec.ttl"],
  ["has a ttl with two units", { ttl: "1h30m" }, "spec.ttl"],
  ["has a ttl with an unknown unit", { ttl: "1y" }, "spec.ttl"],
  ["has a negative ttl", { ttl: -1 }, "spec.ttl"],
  ["has a ttl of a fraction", { ttl: 1.5 }, "spec.ttl"],
  ["has a short ttl", { ttl: 299 }, "must be at least 5m"],
  ["has a short ttl as text", { ttl: "4m" }, "must be at least 5m"],
  ["has a ttl with too many digits", { ttl: "99999999999s" }, "spec.ttl"],
  ["has an unknown ttlFrom", { ttlFrom: "Never" }, "spec.ttlFrom"],
  ["has a long description", { description: long(1025) }, "spec.description"],
  ["has 33 labels", { labels: Object.fromEntries(many(33, (index) => [`k${index}`, "v"])) }, "spec.labels"],
  ["has a reserved label", { labels: { "sandbox.example.com/x": "v" } }, "label sandbox.example.com/x is reserved"],
  ["has an invalid label value", { labels: { a: "b c" } }, "spec.labels.a"],
  ["has a short key", { routingKey: "ab" }, "spec.routingKey"],
  ["has a long key", { routingKey: long(64) }, "spec.routingKey"],
  ["has a key in upper case", { routingKey: "ABC" }, "spec.routingKey"],
  ["has a key that ends with a dash", { routingKey: "abc-" }, "spec.routingKey"],
  ["has a key with a dot", { routingKey: "a.b" }, "spec.routingKey"],
  ["has the key baseline", { routingKey: "baseline" }, "must not be baseline or production"],
  ["has the key production", { routingKey: "production" }, "must not be baseline or production"],
  [
    "has 21 entries",
    { services: many(21, (index) => ({ name: `e${index}`, targetRef: { name: `w${index}` } })) },
    "spec.services",
  ],
  ["has two entries of one name", { services: [entry(), entry({ targetRef: { name: "other" } })] }, "spec.services[1]"],
  [
    "has two entries for one workload",
    { services: [entry(), entry({ name: "b" })] },
    "each workload can be the target of one entry only",
  ],
  ["has an entry without a name", { services: [{ targetRef: { name: "a" } }] }, "spec.services[0].name"],
  ["has an entry without a target", { services: [{ name: "a" }] }, "spec.services[0].targetRef"],
  ["has a target without a name", withEntry({ targetRef: {} }), "targetRef.name"],
  ["has an entry name in upper case", withEntry({ name: "Cart" }), "spec.services[0].name"],
  ...hostileNames.flatMap(
    (name) =>
      [
        [`has an entry with the name ${JSON.stringify(name)}`, withEntry({ name }), "spec.services[0].name"],
        [`has a target with the name ${JSON.stringify(name)}`, withEntry({ targetRef: { name } }), "targetRef.name"],
        [`has the Service ${JSON.stringify(name)}`, withEntry({ serviceNames: [name] }), "serviceNames[0]"],
        [
          `has a container with the name ${JSON.stringify(name)}`,
          withEntry({ containers: [{ name }] }),
          "containers[0]",
        ],
        [`has an endpoint with the name ${JSON.stringify(name)}`, withEndpoint({ name }), "endpoints[0].name"],
        [`has a hook with the name ${JSON.stringify(name)}`, withHook({ name }), "spec.provision[0].name"],
      ] as const,
  ),
  ["has an unknown mode", withEntry({ mode: "Mirror" }), "spec.services[0].mode"],
  ["has an unknown target kind", withEntry({ targetRef: { kind: "DaemonSet", name: "a" } }), "targetRef.kind"],
  [
    "has a Rollout of apps/v1",
    withEntry({ targetRef: { kind: "Rollout", name: "a" } }),
    "must be argoproj.io/v1alpha1 for the kind Rollout, not apps/v1",
  ],
  [
    "has a Deployment of another API",
    withEntry({ targetRef: { apiVersion: "v1", name: "a" } }),
    "must be apps/v1 for the kind Deployment, not v1",
  ],
  ["has an invalid target namespace", withEntry({ targetRef: { name: "a", namespace: "A" } }), "targetRef.namespace"],
  ["has an invalid service name", withEntry({ serviceNames: ["a.b"] }), "serviceNames[0]"],
  ["has a service name twice", withEntry({ serviceNames: ["a", "a"] }), "serviceNames[1]"],
  [
    "has a local entry with containers",
    withEntry({ mode: "Local", containers: [{ name: "app" }] }),
    "entry cart has the mode Local, which starts no pods",
  ],
  [
    "has a virtual entry with patches",
    withEntry({ mode: "Virtual", patches: [{ value: {} }] }),
    "entry cart has the mode Virtual, which starts no pods",
  ],
  [
    "has a local entry with replicas",
    withEntry({ mode: "Local", replicas: 1 }),
    "remove containers, patches and replicas",
  ],
  ["has a container without a name", withEntry({ containers: [{ image: "i" }] }), "containers[0].name"],
  ["has a container twice", withEntry({ containers: [{ name: "a" }, { name: "a" }] }), "containers[1]"],
  ["has an empty image", withContainer({ image: "" }), "containers[0].image"],
  ["has an unknown pull policy", withContainer({ imagePullPolicy: "Sometimes" }), "imagePullPolicy"],
  [
    "has a variable with value and source",
    withEnv({ value: "1", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }),
    "variable A has both value and valueFrom",
  ],
  [
    "deletes a variable and sets it",
    withEnv({ value: "1", operation: "Delete" }),
    "variable A is deleted; remove its value",
  ],
  ["has a variable with an empty source", withEnv({ valueFrom: {} }), "exactly one of configMapKeyRef"],
  [
    "has a variable with two sources",
    withEnv({ valueFrom: { fork: { name: "b", expression: "host" }, provision: { name: "p", key: "K" } } }),
    "exactly one of configMapKeyRef",
  ],
  ["has an unknown expression", withEnv({ valueFrom: { fork: { name: "b", expression: "port" } } }), "expression"],
  ["has an unknown operation", withEnv({ operation: "Append" }), "operation"],
  ["has an invalid variable name", withContainer({ env: [{ name: "1 A" }] }), "env[0].name"],
  ["has a variable twice", withContainer({ env: [{ name: "A" }, { name: "A" }] }), "env[1]"],
  ["has nine patches", withEntry({ patches: many(9, () => ({ value: {} })) }), "patches"],
  ["has a patch without a value", withEntry({ patches: [{ type: "Merge" }] }), "patches[0].value"],
  ["has an unknown patch type", withEntry({ patches: [{ type: "Apply", value: {} }] }), "patches[0].type"],
  ["has six replicas", withEntry({ replicas: 6 }), "replicas"],
  ["has negative replicas", withEntry({ replicas: -1 }), "replicas"],
  ["has a short ready timeout", withEntry({ readyTimeoutSeconds: 9 }), "readyTimeoutSeconds"],
  ["has a long ready timeout", withEntry({ readyTimeoutSeconds: 1801 }), "readyTimeoutSeconds"],
  ["has an unknown onUnavailable", withEntry({ onUnavailable: "Retry" }), "onUnavailable"],
  ["has an unknown drift policy", withEntry({ driftPolicy: "Ignore" }), "driftPolicy"],
  ["has an unknown volume mode", withEntry({ volumes: "Copy" }), "volumes"],
  ["has an endpoint without a target", { endpoints: [{ name: "web" }] }, "endpoints[0].target"],
  ["has an endpoint with a long name", withEndpoint({ name: long(31) }), "endpoints[0].name"],
  [
    "has two endpoints of one name",
    { endpoints: [...many(2, () => ({ name: "a", target: "http://a.b.svc" }))] },
    "endpoints[1]",
  ],
  [
    "has eleven endpoints",
    { endpoints: many(11, (index) => ({ name: `e${index}`, target: "http://a.b.svc" })) },
    "endpoints",
  ],
  [
    "has an endpoint with an IP address",
    withEndpoint({ target: "http://10.0.0.1:80" }),
    "must be the URL of a Service",
  ],
  [
    "has an endpoint outside of the cluster",
    withEndpoint({ target: "http://example.com" }),
    "must be the URL of a Service",
  ],
  ["has an endpoint with a path", withEndpoint({ target: "http://a.b.svc/x" }), "must be the URL of a Service"],
  ["has an endpoint with another scheme", withEndpoint({ target: "tcp://a.b.svc:80" }), "must be the URL of a Service"],
  ["has an endpoint without a namespace", withEndpoint({ target: "http://a.svc" }), "must be the URL of a Service"],
  ["has an endpoint with credentials", withEndpoint({ target: "http://u:p@a.b.svc" }), "must be the URL of a Service"],
  ["has an invalid host", withEndpoint({ host: "*.example.com" }), "endpoints[0].host"],
  ["has a host without a domain", withEndpoint({ host: "web" }), "endpoints[0].host"],
  ["has an unknown authentication", withEndpoint({ auth: "Basic" }), "endpoints[0].auth"],
  ["has a path without a slash", withEndpoint({ path: "api" }), "must start with /"],
  ["has a path with two dots", withEndpoint({ path: "/a/../b" }), "must start with /"],
  ["has a path with two slashes", withEndpoint({ path: "/a//b" }), "must start with /"],
  ["has a path with a query", withEndpoint({ path: "/a?b" }), "must start with /"],
  ["has no CPU", { resources: { cpu: 0 } }, "must be a quantity greater than 0"],
  ["has negative memory", { resources: { memory: "-1Gi" } }, "must be a quantity greater than 0"],
  ["has memory that is no quantity", { resources: { memory: "much" } }, "spec.resources.memory"],
  ["has negative pods", { resources: { pods: -1 } }, "spec.resources.pods"],
  ["sleeps too early", { idle: { sleepAfterSeconds: 29 } }, "sleepAfterSeconds"],
  ["wakes too early", { idle: { wakeTimeoutSeconds: 4 } }, "wakeTimeoutSeconds"],
  ["wakes too late", { idle: { wakeTimeoutSeconds: 601 } }, "wakeTimeoutSeconds"],
  ["has a low priority", { priority: -1001 }, "spec.priority"],
  ["has a high priority", { priority: 1001 }, "spec.priority"],
  [
    "has nine hooks",
    { provision: many(9, (index) => ({ name: `p${index}`, create: { image: "i" } })) },
    "spec.provision",
  ],
  ["has a hook without create", { provision: [{ name: "db" }] }, "spec.provision[0].create"],
  ["has a hook without an image", withHook({ create: {} }), "spec.provision[0].create.image"],
  ["has a hook twice", { provision: many(2, () => ({ name: "db", create: { image: "i" } })) }, "spec.provision[1]"],
  ["has an invalid output", withHook({ outputs: ["a b"] }), "outputs[0]"],
  ["has eleven faults", { faults: many(11, () => ({ service: "cart", delayMs: 1 })) }, "spec.faults"],
  ["has a fault without an effect", { faults: [{ service: "cart" }] }, "fault of service cart has no effect"],
  [
    "has a fault with jitter only",
    { faults: [{ service: "cart", abortCode: 500, jitterMs: 1 }] },
    "jitterMs needs delayMs",
  ],
  ["has a fault with a success code", withFault({ abortCode: 200 }), "abortCode"],
  ["has a fault above 100 percent", withFault({ percent: 101 }), "percent"],
  [
    "has a fault with two path conditions in one",
    withFault({ paths: [{ prefix: "/a", exact: "/b" }] }),
    "exactly one of prefix, exact must be set",
  ],
  ["has a fault with an empty path condition", withFault({ paths: [{}] }), "exactly one of prefix, exact must be set"],
  ["has a fault with a method in lower case", withFault({ methods: ["get"] }), "methods[0]"],
];

export const sandboxCases: readonly SchemaCase[] = [
  ...accepted.map((one) => ({ kind: "Sandbox" as const, ...one })),
  ...refused.map(([title, spec, message, name = "a"]) => ({
    kind: "Sandbox" as const,
    title,
    spec,
    name,
    refused: message,
  })),
];

export const sandboxUpdates: readonly UpdateCase[] = [
  { kind: "Sandbox", title: "sets its key later", before: {}, after: { routingKey: "abc" } },
  { kind: "Sandbox", title: "keeps its key", before: { routingKey: "abc" }, after: { routingKey: "abc", ttl: "2h" } },
  {
    kind: "Sandbox",
    title: "changes its key",
    before: { routingKey: "abc" },
    after: { routingKey: "abd" },
    refused: "routingKey cannot be changed once it is set",
  },
  {
    kind: "Sandbox",
    title: "removes its key",
    before: { routingKey: "abc" },
    after: {},
    refused: "routingKey cannot be changed once it is set",
  },
  {
    kind: "Sandbox",
    title: "changes a target",
    before: { services: [entry()] },
    after: { services: [entry({ targetRef: { name: "b" } })] },
  },
];
