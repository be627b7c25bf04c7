import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatProblems } from "@homeostat/schema";
import { defaultSettings } from "../testing/default-settings.ts";
import { managedDirectives } from "./redis.ts";
import { reservedVariables } from "./server.ts";
import { structuralProblems } from "./structural.ts";
import { tenant } from "../testing/validated-tenant.ts";
import { namespaceMetadataProblems } from "./texts.ts";

type Fields = Readonly<Record<string, unknown>>;

const problemsOf = (fields: Fields, name = "acme"): string =>
  formatProblems(structuralProblems(tenant(fields, { name }), defaultSettings));

/** Rejected tenants: title, fields and expected message. */
const refused: readonly (readonly [title: string, fields: Fields, text: string])[] = [
  [
    "no replicas of the server",
    { "server.replicas": 0 },
    "spec.server.replicas: Invalid value: 0: server replicas must be at least 1",
  ],
  [
    "an invalid quantity",
    { "redis.storage": "1 GB" },
    'spec.redis.storage: Invalid value: "1 GB": must be a positive quantity',
  ],
  [
    "a quantity of zero",
    { "server.resources.cpu.limit": "0" },
    'spec.server.resources.cpu.limit: Invalid value: "0": must be a positive quantity',
  ],
  [
    "a negative quantity",
    { "resources.memory.request": "-1Gi" },
    'spec.resources.memory.request: Invalid value: "-1Gi": must be a positive quantity',
  ],
  [
    "a request above its limit",
    { "server.resources.memory": { request: "1Gi", limit: "512Mi" } },
    'spec.server.resources.memory.request: Invalid value: "1Gi": request must not exceed limit',
  ],
  [
    "a request above its limit for the whole tenant",
    { "resources.cpu": { request: 3, limit: "2" } },
    "spec.resources.cpu.request: Invalid value: 3: request must not exceed limit",
  ],
  [
    "too little storage for Redis",
    { "redis.storage": "63Mi" },
    'spec.redis.storage: Invalid value: "63Mi": must be at least 64Mi',
  ],
  [
    "too little memory for Redis",
    { "redis.resources.memory.limit": "63Mi" },
    'spec.redis.resources.memory.limit: Invalid value: "63Mi": must be at least 64Mi',
  ],
  [
    "negative counts",
    { resources: { cpu: { limit: "9" } }, "quota.counts": { pods: "-1" } },
    'spec.quota.counts[pods]: Invalid value: "-1": must be a quantity that is not negative',
  ],
  ["counts without resources", { "quota.counts": { pods: 5 } }, "spec.quota: Forbidden: requires spec.resources"],
  [
    "container limits without resources",
    { "limitRange.default.cpu": "1" },
    "spec.limitRange: Forbidden: requires spec.resources",
  ],
  [
    "default requests above default limits",
    { resources: {}, limitRange: { default: { cpu: "1" }, defaultRequest: { cpu: "2" } } },
    'spec.limitRange.defaultRequest.cpu: Invalid value: "2": request must not exceed limit',
  ],
  [
    "a display name with control characters",
    { displayName: "Acme\u0007" },
    'spec.displayName: Invalid value: "Acme\\a": must not contain control characters',
  ],
  [
    "a description with control characters",
    { description: "a\u001b[31m" },
    'spec.description: Invalid value: "a\\x1b[31m": must not contain control characters, except line breaks',
  ],
  [
    "an invalid version",
    { version: "1.4" },
    'spec.version: Invalid value: "1.4": must be a semantic version, such as 1.4.2 or v1.4.2',
  ],
  ["a version that is not a valid tag", { version: "1.4.2+build" }, "must be a semantic version"],
  ["an image with spaces", { "server.image": "a b" }, 'spec.server.image: Invalid value: "a b": must be an image'],
  [
    "an invalid Redis image",
    { "redis.image": "redis:" },
    'spec.redis.image: Invalid value: "redis:": must be an image',
  ],
  ["an invalid exporter image", { "redis.exporter.image": "UPPER" }, "spec.redis.exporter.image: Invalid value"],
  [
    "pull secrets with invalid names",
    { "server.imagePullSecrets": ["a_b"] },
    'spec.server.imagePullSecrets[0]: Invalid value: "a_b": must be a valid object name',
  ],
  [
    "maxUnavailable and maxSurge of zero",
    { upgradeStrategy: { maxUnavailable: 0, maxSurge: "0%" } },
    "spec.upgradeStrategy.maxUnavailable: Invalid value: 0: maxUnavailable and maxSurge must not both be zero",
  ],
  [
    "a negative surge",
    { "upgradeStrategy.maxSurge": -1 },
    "spec.upgradeStrategy.maxSurge: Invalid value: -1: must be a non-negative integer or a percentage up to 100%",
  ],
  [
    "a percentage above 100",
    { "upgradeStrategy.maxUnavailable": "101%" },
    'spec.upgradeStrategy.maxUnavailable: Invalid value: "101%": must be',
  ],
  [
    "an invalid variable name",
    { "server.env": [{ name: "A-B", value: "" }] },
    'spec.server.env[0].name: Invalid value: "A-B": must consist of letters, digits and underscores',
  ],
  [
    "a variable with a value and a source",
    { "server.env": [{ name: "A", value: "", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] },
    'spec.server.env[0]: Invalid value: "A": the variable A must have exactly one of value and valueFrom',
  ],
  [
    "a variable without a value and a source",
    { "server.env": [{ name: "A" }] },
    "the variable A must have exactly one of value and valueFrom",
  ],
  [
    "a variable with both sources",
    {
      "server.env": [
        { name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" }, configMapKeyRef: { name: "s", key: "k" } } },
      ],
    },
    "the variable A must have exactly one of configMapKeyRef and secretKeyRef",
  ],
  [
    "a variable with no source",
    { "server.env": [{ name: "A", valueFrom: {} }] },
    "the variable A must have exactly one of configMapKeyRef and secretKeyRef",
  ],
  [
    "a variable twice",
    {
      "server.env": [
        { name: "A", value: "1" },
        { name: "A", value: "2" },
      ],
    },
    'spec.server.env[1]: Duplicate value: {"name":"A"}',
  ],
  [
    "a reference without a name",
    { "server.env": [{ name: "A", valueFrom: { secretKeyRef: { name: "", key: "k" } } }] },
    "spec.server.env[0].valueFrom.secretKeyRef.name: Required value: set the name of the object",
  ],
  [
    "a reference with an invalid key",
    { "server.env": [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "a/b" } } }] },
    "spec.server.env[0].valueFrom.secretKeyRef.key: Invalid value",
  ],
  [
    "a probe path without a slash",
    { "server.probes.liveness.path": "health" },
    "spec.server.probes.liveness.path: Invalid value",
  ],
  [
    "a probe path with a line break",
    { "server.probes.readiness.path": "/a\nb" },
    "spec.server.probes.readiness.path: Invalid value",
  ],
  [
    "a success threshold above 1 of a liveness probe",
    { "server.probes.liveness.successThreshold": 2 },
    "spec.server.probes.liveness.successThreshold: Invalid value: 2: must be 1 for liveness",
  ],
  [
    "a mode that does not exist",
    { "redis.mode": "sentinel" },
    'spec.redis.mode: Unsupported value: "sentinel": supported values: "standalone", "replication"',
  ],
  [
    "standalone with several replicas",
    { "redis.mode": "standalone", "redis.replicas": 3 },
    'spec.redis.mode: Invalid value: "standalone": standalone allows one replica, not 3',
  ],
  ["too many Redis replicas", { "redis.replicas": 6 }, "spec.redis.replicas: Invalid value: 6"],
  [
    "an invalid storage class name",
    { "redis.storageClassName": "Fast!" },
    "spec.redis.storageClassName: Invalid value",
  ],
  [
    "invalid save points",
    { "redis.persistence.savePoints": ["900 1", "often"] },
    'spec.redis.persistence.savePoints[1]: Invalid value: "often": must be "<seconds> <changes>"',
  ],
  ["directives in upper case", { "redis.config": { Port: "1" } }, "spec.redis.config[Port]: Invalid value"],
  [
    "directives of several lines",
    { "redis.config": { timeout: "0\nrequirepass x" } },
    'spec.redis.config[timeout]: Invalid value: "0\\nrequirepass x": must be a single line',
  ],
  ["directives with a carriage return", { "redis.config": { timeout: "0\rx" } }, "must be a single line"],
  ["directives with a NUL", { "redis.config": { timeout: "0\u0000" } }, "must be a single line"],
  ["directives with an unterminated quote", { "redis.config": { timeout: '"0' } }, "has an unterminated quote"],
  ["directives with a word after a quote", { "redis.config": { timeout: "'0'x" } }, "text right after a closing quote"],
  ["directives with an escaped closing quote", { "redis.config": { timeout: '"0\\"' } }, "has an unterminated quote"],
  ["directives with a bell", { "redis.config": { timeout: "0\u0007" } }, "must not contain control characters"],
  [
    "directives without a value",
    { "redis.config": { timeout: " " } },
    'must not be empty; write an empty string as ""',
  ],
  [
    "memory in units that Redis does not support",
    { "redis.config": { maxmemory: "100Mi" } },
    'spec.redis.config[maxmemory]: Invalid value: "100Mi": use Redis units (kb, mb, gb)',
  ],
  [
    "maxmemory above the memory limit",
    { "redis.config": { maxmemory: "231mb" } },
    "must be greater than 0 and at most 90% of the memory limit (256Mi)",
  ],
  ["unlimited maxmemory", { "redis.config": { maxmemory: "0" } }, "must be greater than 0"],
  [
    "a password from a foreign namespace",
    { "redis.security.authSecret": { name: "s", namespace: "kube-system" } },
    'spec.redis.security.authSecret.namespace: Invalid value: "kube-system": must be empty or the operator namespace',
  ],
  [
    "a password Secret without a name",
    { "redis.security.authSecret": { name: "" } },
    "spec.redis.security.authSecret.name: Required value",
  ],
  [
    "a rotation interval below a day",
    { "redis.security.rotation.interval": "1h" },
    "spec.redis.security.rotation.interval: Invalid value",
  ],
  [
    "an exporter at the port of Redis",
    { "redis.exporter.port": 6379 },
    "spec.redis.exporter.port: Invalid value: 6379: is already used by Redis",
  ],
  [
    "a rule without a peer",
    { "networkPolicy.ingressRules": [{ ports: [{ port: 80 }] }] },
    "spec.networkPolicy.ingressRules[0]: Required value: set a peer: from, namespaces or cidrs",
  ],
  [
    "a rule with an empty peer",
    { "networkPolicy.egressRules": [{ to: {}, namespaces: [], cidrs: [] }] },
    "spec.networkPolicy.egressRules[0]: Required value: set a peer: to",
  ],
  [
    "an ingress rule with to",
    { "networkPolicy.ingressRules": [{ to: { app: "a" }, from: { app: "a" } }] },
    "spec.networkPolicy.ingressRules[0].to: Forbidden: an ingress rule uses from, not to",
  ],
  [
    "an egress rule with from",
    { "networkPolicy.egressRules": [{ from: { app: "a" }, to: { app: "a" } }] },
    "spec.networkPolicy.egressRules[0].from: Forbidden: an egress rule uses to, not from",
  ],
  [
    "an invalid CIDR",
    { "networkPolicy.egressRules": [{ cidrs: [{ cidr: "10.0.0.0/33" }] }] },
    'spec.networkPolicy.egressRules[0].cidrs[0].cidr: Invalid value: "10.0.0.0/33": must be a CIDR',
  ],
  [
    "an exception outside its CIDR",
    { "networkPolicy.egressRules": [{ cidrs: [{ cidr: "10.0.0.0/8", except: ["11.0.0.0/16"] }] }] },
    'spec.networkPolicy.egressRules[0].cidrs[0].except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of 10.0.0.0/8',
  ],
  [
    "an exception as large as its CIDR",
    { "networkPolicy.egressRules": [{ cidrs: [{ cidr: "10.0.0.0/8", except: ["10.0.0.0/8"] }] }] },
    "must be a strict subset of 10.0.0.0/8",
  ],
  [
    "an invalid port",
    { "networkPolicy.ingressRules": [{ from: { a: "b" }, ports: [{ port: 70_000 }] }] },
    "spec.networkPolicy.ingressRules[0].ports[0].port: Invalid value: 70000",
  ],
  [
    "a port range that ends before its start",
    { "networkPolicy.ingressRules": [{ from: { a: "b" }, ports: [{ port: 80, endPort: 79 }] }] },
    "spec.networkPolicy.ingressRules[0].ports[0].endPort: Invalid value: 79: must not be less than port",
  ],
  [
    "a namespace with dots",
    { "networkPolicy.allowedNamespaces": ["a.b"] },
    'spec.networkPolicy.allowedNamespaces[0]: Invalid value: "a.b": must be a valid namespace name',
  ],
  [
    "a namespace twice",
    { "networkPolicy.allowedNamespaces": ["a", "a"] },
    'spec.networkPolicy.allowedNamespaces[1]: Duplicate value: "a"',
  ],
  [
    "an invalid DNS CIDR",
    { "networkPolicy.dns.cidrs": ["169.254.20.10"] },
    "spec.networkPolicy.dns.cidrs[0]: Invalid value",
  ],
  [
    "invalid labels",
    { "networkPolicy.dns.podLabels": { "a b": "c" } },
    'spec.networkPolicy.dns.podLabels["a b"]: Invalid value: "a b": must be a valid label key',
  ],
  [
    "an invalid monitoring namespace",
    { "monitoring.namespaces": ["A"] },
    "spec.monitoring.namespaces[0]: Invalid value",
  ],
  [
    "an invalid Pod Security version",
    { "podSecurity.version": "1.30" },
    'spec.podSecurity.version: Invalid value: "1.30": must be latest or a version such as v1.30',
  ],
  [
    "a Pod Security level below the operator's minimum",
    { "podSecurity.enforce": "privileged" },
    'spec.podSecurity.enforce: Invalid value: "privileged": is weaker than baseline, the minimum of this operator',
  ],
  [
    "a user that Kubernetes defines",
    { "access.admins": [{ kind: "User", name: "system:anonymous" }] },
    'spec.access.admins[0].name: Invalid value: "system:anonymous": names that start with system: are reserved',
  ],
  [
    "a service account without a namespace",
    { "access.editors": [{ kind: "ServiceAccount", name: "ci" }] },
    "spec.access.editors[0].namespace: Required value: a ServiceAccount requires a namespace",
  ],
  [
    "a user with a namespace",
    { "access.editors": [{ kind: "User", name: "eve", namespace: "a" }] },
    "spec.access.editors[0].namespace: Forbidden: must not be set for a User",
  ],
  [
    "a subject without a name",
    { "access.editors": [{ kind: "User", name: "" }] },
    "spec.access.editors[0].name: Required value: set the name of the subject",
  ],
  [
    "a label reserved by Kubernetes",
    { "namespaceMetadata.labels": { "pod-security.kubernetes.io/enforce": "privileged" } },
    "spec.namespaceMetadata.labels[pod-security.kubernetes.io/enforce]: Invalid value",
  ],
  [
    "an annotation reserved by the operator",
    { "namespaceMetadata.annotations": { "neurallog.io/tenant-uid": "x" } },
    "keys under neurallog.io are reserved",
  ],
  [
    "a label that exempts the namespace from policies",
    { "namespaceMetadata.labels": { "admission.gatekeeper.sh/ignore": "true" } },
    'spec.namespaceMetadata.labels[admission.gatekeeper.sh/ignore]: Invalid value: "admission.gatekeeper.sh/ignore": gatekeeper.sh is reserved by --reserved-namespace-keys of this operator; ask a cluster administrator',
  ],
  [
    "a label without a prefix that exempts the namespace from webhooks",
    { "namespaceMetadata.labels": { "control-plane": "x" } },
    "spec.namespaceMetadata.labels[control-plane]: Invalid value",
  ],
  [
    "an annotation that gives pods a cloud identity",
    { "namespaceMetadata.annotations": { "iam.amazonaws.com/permitted": ".*" } },
    "amazonaws.com is reserved",
  ],
  [
    "an invalid label value",
    { "namespaceMetadata.labels": { team: "a b" } },
    'spec.namespaceMetadata.labels[team]: Invalid value: "a b": must be a valid label value',
  ],
  [
    "a node selector with invalid labels",
    { nodeSelector: { "": "a" } },
    'spec.nodeSelector[""]: Invalid value: "": must be a valid label key',
  ],
];

describe("namespaceMetadataProblems", () => {
  it("follows the setting, but never opens the keys of Kubernetes and of the operator", () => {
    const settings = { reservedNamespaceKeys: ["example.com"] };
    const problemsOf = (key: string): string =>
      formatProblems([...namespaceMetadataProblems({ labels: { [key]: "a" } }, settings)]);

    assert.match(problemsOf("team.example.com/a"), /example\.com is reserved/);
    assert.equal(problemsOf("openshift.io/run-level"), "");
    for (const key of ["pod-security.kubernetes.io/enforce", "k8s.io/a", "neurallog.io/tenant"]) {
      assert.match(problemsOf(key), /are reserved$/, key);
    }
  });
});

describe("structuralProblems", () => {
  for (const [title, fields, text] of refused) {
    it(`reports ${title}`, () => {
      const problems = problemsOf(fields);

      assert.ok(problems.includes(text), problems);
    });
  }

  for (const name of ["a".repeat(47), "Acme", "9acme", "acme-", "a.b", "a_b", "-a"]) {
    it(`reports the name ${JSON.stringify(name)}`, () => {
      const text =
        "must be at most 46 lower-case letters, digits and dashes, start with a letter and end with a letter or digit";

      assert.ok(problemsOf({}, name).startsWith(`metadata.name: Invalid value: ${JSON.stringify(name)}: ${text}`));
    });
  }

  for (const name of reservedVariables) {
    it(`reports the reserved variable ${name}`, () => {
      assert.equal(
        problemsOf({ "server.env": [{ name, value: "x" }] }),
        `spec.server.env[0].name: Invalid value: "${name}": the variable ${name} is set by the operator`,
      );
    });
  }

  for (const key of [...managedDirectives, "tls-port", "cluster-enabled"]) {
    it(`reports the managed directive ${key}`, () => {
      assert.ok(problemsOf({ "redis.config": { [key]: "x" } }).includes(`${key} is managed by the operator`));
    });
  }

  it("reports all problems at once", () => {
    const answer = structuralProblems(
      tenant(
        { "server.replicas": 0, "redis.storage": "x", "server.env": [{ name: "PORT", value: "1" }] },
        { name: "9" },
      ),
      defaultSettings,
    );

    assert.deepEqual(
      answer.map(({ path }) => path),
      ["metadata.name", "spec.server.replicas", "spec.server.env[0].name", "spec.redis.storage"],
    );
  });

  it("reports only type errors when there are any", () => {
    assert.match(
      problemsOf({ server: { replicas: "many" }, displayName: "\u0007" }),
      /^\[spec\.server\.replicas: Invalid value: "string".*, <nil>:/,
    );
    assert.match(problemsOf({ redis: [] }), /^\[spec\.redis: Invalid value: "array".*, <nil>:/);
  });
});

/** Valid tenants that are easily rejected by mistake. */
const allowed: readonly (readonly [title: string, fields: Fields])[] = [
  ["an empty spec", {}],
  ["a display name with spaces and non-ASCII letters", { displayName: "Ärzte & Söhne 日本" }],
  ["a description of several lines", { description: "one\ntwo" }],
  ["a version with the prefix v", { version: "v1.4.2-rc.1" }],
  ["an empty variable", { "server.env": [{ name: "A", value: "" }] }],
  ["a variable that overrides one of the operator", { "server.env": [{ name: "NODE_ENV", value: "test" }] }],
  ["replication with one replica", { "redis.mode": "replication" }],
  ["a count of zero", { resources: { cpu: { limit: "9" } }, "quota.counts": { "services.nodeports": 0 } }],
  [
    "Recreate with maxUnavailable and maxSurge of zero",
    { upgradeStrategy: { type: "Recreate", maxUnavailable: 0, maxSurge: 0 } },
  ],
  [
    "quotes in directives",
    { "redis.config": { "notify-keyspace-events": '""', "proc-title-template": `'a \\'b' "c"` } },
  ],
  ["90% of the memory", { "redis.config": { maxmemory: "230mb" } }],
  [
    "maxmemory below a limit that the request has raised",
    { "redis.resources.memory.request": "1Gi", "redis.config": { maxmemory: "900mb" } },
  ],
  [
    "a password from the operator's namespace",
    { "redis.security.authSecret": { name: "s", namespace: "neurallog-system" } },
  ],
  [
    "the CIDR of all addresses",
    { "networkPolicy.egressRules": [{ cidrs: [{ cidr: "0.0.0.0/0" }, { cidr: "::/0", except: ["fc00::/7"] }] }] },
  ],
  ["the service accounts of a namespace", { "access.viewers": [{ kind: "Group", name: "system:serviceaccounts:ci" }] }],
  [
    "an annotation of any text",
    { "namespaceMetadata.annotations": { "example.com/note": "any text, even\nof two lines" } },
  ],
  [
    "labels that only look like reserved ones",
    { "namespaceMetadata.labels": { "notkyverno.io/a": "a", "x/control-plane": "a" } },
  ],
  ["a label with a domain that ends like a reserved one", { "namespaceMetadata.labels": { "notk8s.io/team": "a" } }],
  ["amounts as numbers", { "server.resources.cpu": { limit: 1, request: 1 } }],
];

describe("a valid tenant", () => {
  for (const [title, fields] of allowed) {
    it(`may have ${title}`, () => {
      assert.equal(problemsOf(fields), "");
    });
  }

  it("may have a name of 46 characters", () => {
    assert.equal(problemsOf({}, "a".repeat(46)), "");
  });
});

describe("a tenant that exceeds the limits of the schema", () => {
  it("is not checked against rules that read every entry", () => {
    const labels = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`-invalid-${index}`, "a"]));

    const problems = problemsOf({ "namespaceMetadata.labels": labels });

    assert.match(problems, /spec\.namespaceMetadata\.labels: Too many: 21: must have at most 20 items/);
    assert.doesNotMatch(problems, /must be a valid label key/);
  });
});
