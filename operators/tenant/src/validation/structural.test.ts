import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatProblems } from "@homeostat/schema";
import { defaultSettings } from "../testing/settings.fixture.test.ts";
import { managedDirectives } from "./redis.ts";
import { reservedVariables } from "./server.ts";
import { structuralProblems } from "./structural.ts";
import { tenant } from "./tenant.fixture.test.ts";
import { namespaceMetadataProblems } from "./texts.ts";

type Fields = Readonly<Record<string, unknown>>;

const said = (fields: Fields, name = "acme"): string =>
  formatProblems(structuralProblems(tenant(fields, { name }), defaultSettings));

/** What is refused: a title, the fields, and what is said about them. */
const refused: readonly (readonly [title: string, fields: Fields, text: string])[] = [
  [
    "no replicas of the server",
    { "server.replicas": 0 },
    "spec.server.replicas: Invalid value: 0: server replicas must be at least 1",
  ],
  [
    "a quantity that is none",
    { "redis.storage": "1 GB" },
    'spec.redis.storage: Invalid value: "1 GB": must be a positive quantity',
  ],
  [
    "a quantity of nothing",
    { "server.resources.cpu.limit": "0" },
    'spec.server.resources.cpu.limit: Invalid value: "0": must be a positive quantity',
  ],
  [
    "a quantity below nothing",
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
    "little storage for Redis",
    { "redis.storage": "63Mi" },
    'spec.redis.storage: Invalid value: "63Mi": must be at least 64Mi',
  ],
  [
    "little memory for Redis",
    { "redis.resources.memory.limit": "63Mi" },
    'spec.redis.resources.memory.limit: Invalid value: "63Mi": must be at least 64Mi',
  ],
  [
    "counts below nothing",
    { resources: { cpu: { limit: "9" } }, "quota.counts": { pods: "-1" } },
    'spec.quota.counts[pods]: Invalid value: "-1": must be a quantity of at least zero',
  ],
  ["counts without resources", { "quota.counts": { pods: 5 } }, "spec.quota: Forbidden: needs spec.resources"],
  [
    "container limits without resources",
    { "limitRange.default.cpu": "1" },
    "spec.limitRange: Forbidden: needs spec.resources",
  ],
  [
    "default requests above default limits",
    { resources: {}, limitRange: { default: { cpu: "1" }, defaultRequest: { cpu: "2" } } },
    'spec.limitRange.defaultRequest.cpu: Invalid value: "2": request must not exceed limit',
  ],
  [
    "a display name with control characters",
    { displayName: "Acme\u0007" },
    'spec.displayName: Invalid value: "Acme\\a": must not have control characters',
  ],
  [
    "a description with control characters",
    { description: "a\u001b[31m" },
    'spec.description: Invalid value: "a\\x1b[31m": must not have control characters, except line breaks',
  ],
  [
    "a version that is none",
    { version: "1.4" },
    'spec.version: Invalid value: "1.4": must be a semantic version, such as 1.4.2 or v1.4.2',
  ],
  ["a version that no tag can have", { version: "1.4.2+build" }, "must be a semantic version"],
  ["an image with spaces", { "server.image": "a b" }, 'spec.server.image: Invalid value: "a b": must be an image'],
  [
    "an image of Redis that is none",
    { "redis.image": "redis:" },
    'spec.redis.image: Invalid value: "redis:": must be an image',
  ],
  [
    "an image of the exporter that is none",
    { "redis.exporter.image": "UPPER" },
    "spec.redis.exporter.image: Invalid value",
  ],
  [
    "pull secrets with strange names",
    { "server.imagePullSecrets": ["a_b"] },
    'spec.server.imagePullSecrets[0]: Invalid value: "a_b": must be a valid object name',
  ],
  [
    "nothing available and nothing more",
    { upgradeStrategy: { maxUnavailable: 0, maxSurge: "0%" } },
    "spec.upgradeStrategy.maxUnavailable: Invalid value: 0: maxUnavailable and maxSurge must not both be zero",
  ],
  [
    "a surge below nothing",
    { "upgradeStrategy.maxSurge": -1 },
    "spec.upgradeStrategy.maxSurge: Invalid value: -1: must be a non-negative integer or a percentage up to 100%",
  ],
  [
    "a share above everything",
    { "upgradeStrategy.maxUnavailable": "101%" },
    'spec.upgradeStrategy.maxUnavailable: Invalid value: "101%": must be',
  ],
  [
    "a variable that no shell could name",
    { "server.env": [{ name: "A-B", value: "" }] },
    'spec.server.env[0].name: Invalid value: "A-B": must consist of letters, digits and underscores',
  ],
  [
    "a variable with a value and a source",
    { "server.env": [{ name: "A", value: "", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] },
    'spec.server.env[0]: Invalid value: "A": the variable A must have exactly one of value and valueFrom',
  ],
  ["a variable with neither", { "server.env": [{ name: "A" }] }, "the variable A must have exactly one of value and valueFrom"],
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
    "a reference with a strange key",
    { "server.env": [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "a/b" } } }] },
    "spec.server.env[0].valueFrom.secretKeyRef.key: Invalid value",
  ],
  [
    "a probe without a slash",
    { "server.probes.liveness.path": "health" },
    "spec.server.probes.liveness.path: Invalid value",
  ],
  [
    "a probe with an end of line",
    { "server.probes.readiness.path": "/a\nb" },
    "spec.server.probes.readiness.path: Invalid value",
  ],
  [
    "several successes of a liveness probe",
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
  ["more replicas of Redis than there can be", { "redis.replicas": 6 }, "spec.redis.replicas: Invalid value: 6"],
  [
    "a storage class with a strange name",
    { "redis.storageClassName": "Fast!" },
    "spec.redis.storageClassName: Invalid value",
  ],
  [
    "save points in other words",
    { "redis.persistence.savePoints": ["900 1", "often"] },
    'spec.redis.persistence.savePoints[1]: Invalid value: "often": must be "<seconds> <changes>"',
  ],
  ["directives in capitals", { "redis.config": { Port: "1" } }, "spec.redis.config[Port]: Invalid value"],
  [
    "directives of several lines",
    { "redis.config": { timeout: "0\nrequirepass x" } },
    'spec.redis.config[timeout]: Invalid value: "0\\nrequirepass x": must be a single line',
  ],
  ["directives with a carriage return", { "redis.config": { timeout: "0\rx" } }, "must be a single line"],
  ["directives with a NUL", { "redis.config": { timeout: "0\u0000" } }, "must be a single line"],
  ["directives with half a quote", { "redis.config": { timeout: '"0' } }, "has an unterminated quote"],
  ["directives with a word after a quote", { "redis.config": { timeout: "'0'x" } }, "text right after a closing quote"],
  ["directives with an escaped end", { "redis.config": { timeout: '"0\\"' } }, "has an unterminated quote"],
  ["directives with a bell", { "redis.config": { timeout: "0\u0007" } }, "must not have control characters"],
  [
    "directives without a value",
    { "redis.config": { timeout: " " } },
    'must not be empty; write an empty string as ""',
  ],
  [
    "memory in other units than Redis has",
    { "redis.config": { maxmemory: "100Mi" } },
    'spec.redis.config[maxmemory]: Invalid value: "100Mi": use Redis units (kb, mb, gb)',
  ],
  [
    "more memory for Redis than there is",
    { "redis.config": { maxmemory: "231mb" } },
    "must be more than 0 and at most 90% of the memory limit, which is 256Mi",
  ],
  ["memory without end", { "redis.config": { maxmemory: "0" } }, "must be more than 0"],
  [
    "a password from a foreign namespace",
    { "redis.security.authSecret": { name: "s", namespace: "kube-system" } },
    'spec.redis.security.authSecret.namespace: Invalid value: "kube-system": must be empty or the operator namespace',
  ],
  [
    "a password from nowhere",
    { "redis.security.authSecret": { name: "" } },
    "spec.redis.security.authSecret.name: Required value",
  ],
  [
    "a new password every hour",
    { "redis.security.rotation.interval": "1h" },
    "spec.redis.security.rotation.interval: Invalid value",
  ],
  [
    "an exporter at the port of Redis",
    { "redis.exporter.port": 6379 },
    "spec.redis.exporter.port: Invalid value: 6379: is the port of Redis itself",
  ],
  [
    "a rule without a peer",
    { "networkPolicy.ingressRules": [{ ports: [{ port: 80 }] }] },
    "spec.networkPolicy.ingressRules[0]: Required value: name a peer: from, namespaces or cidrs",
  ],
  [
    "a rule with an empty peer",
    { "networkPolicy.egressRules": [{ to: {}, namespaces: [], cidrs: [] }] },
    "spec.networkPolicy.egressRules[0]: Required value: name a peer: to",
  ],
  [
    "a rule in the wrong direction",
    { "networkPolicy.ingressRules": [{ to: { app: "a" }, from: { app: "a" } }] },
    "spec.networkPolicy.ingressRules[0].to: Forbidden: an ingress rule has from, not to",
  ],
  [
    "a rule out in the wrong direction",
    { "networkPolicy.egressRules": [{ from: { app: "a" }, to: { app: "a" } }] },
    "spec.networkPolicy.egressRules[0].from: Forbidden: an egress rule has to, not from",
  ],
  [
    "a block that is none",
    { "networkPolicy.egressRules": [{ cidrs: [{ cidr: "10.0.0.0/33" }] }] },
    'spec.networkPolicy.egressRules[0].cidrs[0].cidr: Invalid value: "10.0.0.0/33": must be a CIDR',
  ],
  [
    "a hole outside its block",
    { "networkPolicy.egressRules": [{ cidrs: [{ cidr: "10.0.0.0/8", except: ["11.0.0.0/16"] }] }] },
    'spec.networkPolicy.egressRules[0].cidrs[0].except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of 10.0.0.0/8',
  ],
  [
    "a hole as large as its block",
    { "networkPolicy.egressRules": [{ cidrs: [{ cidr: "10.0.0.0/8", except: ["10.0.0.0/8"] }] }] },
    "must be a strict subset of 10.0.0.0/8",
  ],
  [
    "a port that does not exist",
    { "networkPolicy.ingressRules": [{ from: { a: "b" }, ports: [{ port: 70_000 }] }] },
    "spec.networkPolicy.ingressRules[0].ports[0].port: Invalid value: 70000",
  ],
  [
    "a range of ports that ends before it begins",
    { "networkPolicy.ingressRules": [{ from: { a: "b" }, ports: [{ port: 80, endPort: 79 }] }] },
    "spec.networkPolicy.ingressRules[0].ports[0].endPort: Invalid value: 79: must not be below port",
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
    "name servers at no address",
    { "networkPolicy.dns.cidrs": ["169.254.20.10"] },
    "spec.networkPolicy.dns.cidrs[0]: Invalid value",
  ],
  [
    "labels that are none",
    { "networkPolicy.dns.podLabels": { "a b": "c" } },
    'spec.networkPolicy.dns.podLabels["a b"]: Invalid value: "a b": must be a valid label key',
  ],
  ["scraping from no namespace", { "monitoring.namespaces": ["A"] }, "spec.monitoring.namespaces[0]: Invalid value"],
  [
    "a version of pod security that is none",
    { "podSecurity.version": "1.30" },
    'spec.podSecurity.version: Invalid value: "1.30": must be latest or a version such as v1.30',
  ],
  [
    "a level of pod security below the operator's minimum",
    { "podSecurity.enforce": "privileged" },
    'spec.podSecurity.enforce: Invalid value: "privileged": is weaker than the minimum of this operator, baseline',
  ],
  [
    "a user that Kubernetes defines",
    { "access.admins": [{ kind: "User", name: "system:anonymous" }] },
    'spec.access.admins[0].name: Invalid value: "system:anonymous": names that begin with system: are reserved',
  ],
  [
    "a service account without a namespace",
    { "access.editors": [{ kind: "ServiceAccount", name: "ci" }] },
    "spec.access.editors[0].namespace: Required value: a ServiceAccount needs one",
  ],
  [
    "a user with a namespace",
    { "access.editors": [{ kind: "User", name: "eve", namespace: "a" }] },
    "spec.access.editors[0].namespace: Forbidden: a User has none",
  ],
  [
    "nobody",
    { "access.editors": [{ kind: "User", name: "" }] },
    "spec.access.editors[0].name: Required value: name the subject",
  ],
  [
    "a label of Kubernetes' own",
    { "namespaceMetadata.labels": { "pod-security.kubernetes.io/enforce": "privileged" } },
    "spec.namespaceMetadata.labels[pod-security.kubernetes.io/enforce]: Invalid value",
  ],
  [
    "an annotation of the operator's own",
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
    "a label whose value is none",
    { "namespaceMetadata.labels": { team: "a b" } },
    'spec.namespaceMetadata.labels[team]: Invalid value: "a b": must be a valid label value',
  ],
  [
    "a node with impossible labels",
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
      const answer = said(fields);

      assert.ok(answer.includes(text), answer);
    });
  }

  for (const name of ["a".repeat(47), "Acme", "9acme", "acme-", "a.b", "a_b", "-a"]) {
    it(`reports the name ${JSON.stringify(name)}`, () => {
      const text = "must have at most 46 characters, lower-case, starting with a letter";

      assert.ok(said({}, name).startsWith(`metadata.name: Invalid value: ${JSON.stringify(name)}: ${text}`));
    });
  }

  for (const name of reservedVariables) {
    it(`reports the reserved variable ${name}`, () => {
      assert.equal(
        said({ "server.env": [{ name, value: "x" }] }),
        `spec.server.env[0].name: Invalid value: "${name}": the variable ${name} is set by the operator`,
      );
    });
  }

  for (const key of [...managedDirectives, "tls-port", "cluster-enabled"]) {
    it(`reports the managed directive ${key}`, () => {
      assert.ok(said({ "redis.config": { [key]: "x" } }).includes(`${key} is managed by the operator`));
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
      said({ server: { replicas: "many" }, displayName: "\u0007" }),
      /^\[spec\.server\.replicas: Invalid value: "string".*, <nil>:/,
    );
    assert.match(said({ redis: [] }), /^\[spec\.redis: Invalid value: "array".*, <nil>:/);
  });
});

/** What is allowed, and easily refused by mistake. */
const allowed: readonly (readonly [title: string, fields: Fields])[] = [
  ["nothing at all", {}],
  ["a name with spaces and letters from elsewhere", { displayName: "Ärzte & Söhne 日本" }],
  ["a description of several lines", { description: "one\ntwo" }],
  ["a version with a v", { version: "v1.4.2-rc.1" }],
  ["an empty variable", { "server.env": [{ name: "A", value: "" }] }],
  ["a variable instead of a built-in one", { "server.env": [{ name: "NODE_ENV", value: "test" }] }],
  ["replication with one replica", { "redis.mode": "replication" }],
  ["zero of something", { resources: { cpu: { limit: "9" } }, "quota.counts": { "services.nodeports": 0 } }],
  ["Recreate, whatever the rest says", { upgradeStrategy: { type: "Recreate", maxUnavailable: 0, maxSurge: 0 } }],
  [
    "quotes in directives",
    { "redis.config": { "notify-keyspace-events": '""', "proc-title-template": `'a \\'b' "c"` } },
  ],
  ["90% of the memory", { "redis.config": { maxmemory: "230mb" } }],
  [
    "memory that a request has raised",
    { "redis.resources.memory.request": "1Gi", "redis.config": { maxmemory: "900mb" } },
  ],
  [
    "a password from the operator's namespace",
    { "redis.security.authSecret": { name: "s", namespace: "neurallog-system" } },
  ],
  [
    "everybody, as a block",
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
  ["a label of somebody whose name ends alike", { "namespaceMetadata.labels": { "notk8s.io/team": "a" } }],
  ["amounts as numbers", { "server.resources.cpu": { limit: 1, request: 1 } }],
];

describe("a valid tenant", () => {
  for (const [title, fields] of allowed) {
    it(`may have ${title}`, () => {
      assert.equal(said(fields), "");
    });
  }

  it("may have a name of 46 characters", () => {
    assert.equal(said({}, "a".repeat(46)), "");
  });
});
