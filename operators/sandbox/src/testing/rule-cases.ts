// Objects that break each rule beyond the schemas, and similar objects that do not. The table is long because it has a row for each form.

import type { SandboxInput } from "../api/sandbox.ts";
import type { OperatorConfig } from "../settings/config.ts";
import { defaultConfig } from "../settings/config.ts";
import { localWorkloadProblems, localWorkloadRules } from "../validation/local-workload-rules.ts";
import {
  routeTableProblems,
  routeTableRules,
  sandboxPolicyProblems,
  sandboxPolicyRules,
} from "../validation/policy-rules.ts";
import type { ObjectProblem } from "../validation/problem.ts";
import { routeGroupProblems, routeGroupRules } from "../validation/route-group-rules.ts";
import { sandboxProblems, sandboxRules } from "../validation/sandbox-rules.ts";
import {
  localWorkloadWith,
  namespace,
  policyWith,
  routeGroupWith,
  routeTableWith,
  sandboxWith,
  sandboxWithEntry,
} from "./objects.ts";
import { many } from "./schema-case.ts";

/** One row: a rule, the field of its problem, and the problems of two objects. */
export interface RuleCase {
  readonly rule: string;
  readonly path: string;
  /** Part of the message. */
  readonly says: string;
  readonly bad: () => readonly ObjectProblem[];
  readonly good: () => readonly ObjectProblem[];
}

const preview = { ...defaultConfig, preview: { ...defaultConfig.preview, domain: "preview.example.com" } };

interface Setting {
  readonly config?: Pick<OperatorConfig, "limits" | "preview">;
  readonly in?: string;
}

/** Returns a function that makes rows for a kind. */
function rowsFor<T>(
  problemsOf: (
    object: T,
    context: { namespace: string; config: Pick<OperatorConfig, "limits" | "preview"> },
  ) => readonly ObjectProblem[],
) {
  return (rule: string, path: string, says: string, bad: T, good: T, setting: Setting = {}): RuleCase => {
    const context = { namespace: setting.in ?? namespace, config: setting.config ?? defaultConfig };
    return {
      rule,
      path,
      says,
      bad: () => problemsOf(bad, context),
      good: () => problemsOf(good, setting.in === undefined ? context : { ...context, namespace }),
    };
  };
}

const sandbox = rowsFor(sandboxProblems);
const group = rowsFor(routeGroupProblems);
const local = rowsFor(localWorkloadProblems);
const policy = rowsFor(sandboxPolicyProblems);
const table = rowsFor(routeTableProblems);

type EntryInput = NonNullable<SandboxInput["spec"]["services"]>[number];
type PatchInput = NonNullable<EntryInput["patches"]>[number];
const target = "http://frontend.shop.svc:8080";
const env = (
  valueFrom: NonNullable<NonNullable<NonNullable<EntryInput["containers"]>[number]["env"]>[number]["valueFrom"]>,
) => ({
  containers: [{ name: "app", env: [{ name: "A", valueFrom }] }],
});
const patched = (value: PatchInput["value"], type: PatchInput["type"] = "JSON") =>
  sandboxWithEntry({ patches: [{ type: type ?? "JSON", value }] });
const valueOf = "spec.services[0].patches[0].value";
const good = patched([{ op: "add", path: "/spec/paused", value: true }]);
const cart = { name: "cart", targetRef: { name: "cart" } };

const sandboxCases: readonly RuleCase[] = [
  sandbox(
    "TtlOutOfRange",
    "spec.ttl",
    "must be at most 1w, limits.maxTTL of the operator",
    sandboxWith({ ttl: "8d" }),
    sandboxWith({ ttl: "7d" }),
  ),
  sandbox("TtlOutOfRange", "spec.ttl", "0 means no expiry", sandboxWith({ ttl: 0 }), sandboxWith({ ttl: 300 })),
  sandbox(
    "LabelReserved",
    "spec.labels[sandbox.example.com/x]",
    "use another key",
    sandboxWith({ labels: { "sandbox.example.com/x": "a" } }),
    sandboxWith({ labels: { "example.com/x": "a" } }),
  ),
  sandbox(
    "LabelKeyInvalid",
    'spec.labels["a b"]',
    "must be a label key",
    sandboxWith({ labels: { "a b": "c" } }),
    sandboxWith({ labels: { "a-b": "c" } }),
  ),
  sandbox(
    "DescriptionInvalid",
    "spec.description",
    "control characters",
    sandboxWith({ description: "a\u0000" }),
    sandboxWith({ description: "a\nb" }),
  ),
  sandbox(
    "TargetDuplicate",
    "spec.services[1].targetRef",
    "spec.services[0] has the same target Deployment/shop/cart; merge the two entries",
    sandboxWith({ services: [cart, { name: "b", targetRef: { name: "cart", namespace } }] }),
    sandboxWith({ services: [cart, { name: "b", targetRef: { name: "cart", namespace: "other" } }] }),
  ),
  sandbox(
    "PatternInvalid",
    "spec.services[0].preserveLabels[1]",
    "must be a regular expression in RE2 syntax",
    sandboxWithEntry({ preserveLabels: ["a", "("] }),
    sandboxWithEntry({ preserveLabels: ["a", "^b.*$"] }),
  ),
  sandbox(
    "PatternInvalid",
    "spec.services[0].preserveLabels[0]",
    "RE2",
    sandboxWithEntry({ preserveLabels: ["(?=a)"] }),
    sandboxWithEntry({ preserveLabels: ["(?:a)"] }),
  ),
  sandbox(
    "ImageInvalid",
    "spec.services[0].containers[0].image",
    "must be an image reference",
    sandboxWithEntry({ containers: [{ name: "app", image: "A B" }] }),
    sandboxWithEntry({ containers: [{ name: "app", image: "a/b:1" }] }),
  ),
  sandbox(
    "ResourcesInvalid",
    "spec.services[0].containers[0].resources.requests[cpu]",
    "request must not exceed limit",
    sandboxWithEntry({ containers: [{ name: "app", resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } }] }),
    sandboxWithEntry({ containers: [{ name: "app", resources: { limits: { cpu: "2" }, requests: { cpu: "1" } } }] }),
  ),
  sandbox(
    "ResourcesInvalid",
    "spec.services[0].containers[0].resources.limits[memory]",
    "must be a positive quantity",
    sandboxWithEntry({ containers: [{ name: "app", resources: { limits: { memory: "-1Gi" } } }] }),
    sandboxWithEntry({ containers: [{ name: "app", resources: { limits: { memory: "1Gi" } } }] }),
  ),
  sandbox(
    "VariableSourceInvalid",
    "spec.services[0].containers[0].env[0].valueFrom.secretKeyRef.name",
    "set the name",
    sandboxWithEntry(env({ secretKeyRef: { key: "k" } })),
    sandboxWithEntry(env({ secretKeyRef: { name: "s", key: "k" } })),
  ),
  sandbox(
    "VariableSourceInvalid",
    "spec.services[0].containers[0].env[0].valueFrom.configMapKeyRef.key",
    "must consist of",
    sandboxWithEntry(env({ configMapKeyRef: { name: "c", key: "a b" } })),
    sandboxWithEntry(env({ configMapKeyRef: { name: "c", key: "a" } })),
  ),
  sandbox(
    "VariableSourceInvalid",
    "spec.services[0].containers[0].env[0].valueFrom.fork.name",
    "is not an entry of spec.services",
    sandboxWithEntry(env({ fork: { name: "b", expression: "host" } })),
    sandboxWith({
      services: [
        { ...cart, ...env({ fork: { name: "b", expression: "host" } }) },
        { name: "b", targetRef: { name: "b" } },
      ],
    }),
  ),
  sandbox(
    "VariableSourceInvalid",
    "spec.services[0].containers[0].env[0].valueFrom.fork.name",
    "is this entry itself",
    sandboxWithEntry(env({ fork: { name: "cart", expression: "host" } })),
    sandboxWithEntry(),
  ),
  sandbox(
    "VariableSourceInvalid",
    "spec.services[0].containers[0].env[0].valueFrom.fork.name",
    "has the mode Virtual",
    sandboxWith({
      services: [
        { ...cart, ...env({ fork: { name: "b", expression: "host" } }) },
        { name: "b", mode: "Virtual", targetRef: { name: "b" } },
      ],
    }),
    sandboxWith({
      services: [
        { ...cart, ...env({ fork: { name: "b", expression: "host" } }) },
        { name: "b", mode: "Local", targetRef: { name: "b" } },
      ],
    }),
  ),
  sandbox(
    "VariableSourceInvalid",
    "spec.services[0].containers[0].env[0].valueFrom.provision.name",
    "is not an element of spec.provision",
    sandboxWithEntry(env({ provision: { name: "db", key: "URL" } })),
    sandboxWithEntry(),
  ),
  sandbox(
    "VariableSourceInvalid",
    "spec.services[0].containers[0].env[0].valueFrom.provision.key",
    "URL is not an output of db",
    sandboxWith({
      services: [{ ...cart, ...env({ provision: { name: "db", key: "URL" } }) }],
      provision: [{ name: "db", create: { image: "i:1" } }],
    }),
    sandboxWith({
      services: [{ ...cart, ...env({ provision: { name: "db", key: "URL" } }) }],
      provision: [{ name: "db", create: { image: "i:1" }, outputs: ["URL"] }],
    }),
  ),
  sandbox("PatchInvalid", valueOf, "must be a list of operations for the type JSON", patched({ spec: {} }), good),
  sandbox("PatchInvalid", valueOf, "must be an object for the type Merge", patched([], "Merge"), patched({}, "Merge")),
  sandbox(
    "PatchInvalid",
    valueOf,
    "must be an object for the type Strategic",
    patched("x", "Strategic"),
    patched({}, "Strategic"),
  ),
  sandbox("PatchInvalid", `${valueOf}[0].op`, "must be one of add, remove", patched([{ op: "set", path: "/a" }]), good),
  sandbox("PatchInvalid", `${valueOf}[0].op`, "must be one of add, remove", patched([{ path: "/a" }]), good),
  sandbox("PatchInvalid", `${valueOf}[0].path`, "must be a JSON pointer", patched([{ op: "remove" }]), good),
  sandbox(
    "PatchInvalid",
    `${valueOf}[0].path`,
    "must be a JSON pointer",
    patched([{ op: "remove", path: "spec" }]),
    good,
  ),
  sandbox(
    "PatchInvalid",
    `${valueOf}[0].path`,
    "~ must be followed by",
    patched([{ op: "remove", path: "/a~2" }]),
    patched([{ op: "remove", path: "/a~1b" }]),
  ),
  sandbox(
    "PatchInvalid",
    `${valueOf}[0].value`,
    "the operation add needs it",
    patched([{ op: "add", path: "/a" }]),
    good,
  ),
  sandbox(
    "PatchInvalid",
    `${valueOf}[1]`,
    "must be an operation such as",
    patched([{ op: "remove", path: "/a" }, "x"]),
    good,
  ),
  sandbox(
    "PatchInvalid",
    `${valueOf}[0].from`,
    "must differ from path /spec/template/spec/containers/*/image only in list positions",
    patched([{ op: "copy", from: "/metadata/annotations/x", path: "/spec/template/spec/containers/0/image" }]),
    patched([{ op: "copy", from: "/spec/template/spec/containers/0", path: "/spec/template/spec/containers/-" }]),
  ),
  sandbox(
    "PatchInvalid",
    valueOf,
    "must have at most 256 operations",
    patched(many(257, () => ({ op: "remove", path: "/a" }))),
    patched(many(256, () => ({ op: "remove", path: "/a" }))),
  ),
  sandbox(
    "PatchInvalid",
    "spec.services[0].patches",
    "at most 65536 are allowed",
    patched({ a: "x".repeat(65_536) }, "Merge"),
    patched({ a: "x".repeat(65_528) }, "Merge"),
  ),
  sandbox(
    "EndpointInvalid",
    "spec.endpoints[0].target",
    "must have a port from 1 to 65535",
    sandboxWith({ endpoints: [{ name: "a", target: "http://a.b.svc:65536" }] }),
    sandboxWith({ endpoints: [{ name: "a", target: "http://a.b.svc:65535" }] }),
  ),
  sandbox(
    "EndpointInvalid",
    "spec.endpoints[0].host",
    "the operator has no preview domain",
    sandboxWith({ endpoints: [{ name: "a", target, host: "a.preview.example.com" }] }),
    sandboxWith({ endpoints: [{ name: "a", target }] }),
  ),
  sandbox(
    "EndpointInvalid",
    "spec.endpoints[0].host",
    "must be under the preview domain, such as web.preview.example.com",
    sandboxWith({ endpoints: [{ name: "a", target, host: "a.other.example.com" }] }),
    sandboxWith({ endpoints: [{ name: "a", target, host: "a.preview.example.com" }] }),
    { config: preview },
  ),
  sandbox(
    "EndpointInvalid",
    "spec.endpoints[0].host",
    "must be under the preview domain",
    sandboxWith({ endpoints: [{ name: "a", target, host: "preview.example.com" }] }),
    sandboxWith(),
    { config: preview },
  ),
  sandbox(
    "EndpointInvalid",
    "spec.endpoints[1].host",
    "is already the host of another endpoint",
    sandboxWith({ endpoints: ["a", "b"].map((name) => ({ name, target, host: "a.preview.example.com" })) }),
    sandboxWith(),
    { config: preview },
  ),
  sandbox(
    "HookImageInvalid",
    "spec.provision[0].delete.image",
    "must be an image reference",
    sandboxWith({ provision: [{ name: "a", create: { image: "i:1" }, delete: { image: "I" } }] }),
    sandboxWith({ provision: [{ name: "a", create: { image: "i:1" }, delete: { image: "i" } }] }),
  ),
];

const label = (key: string, value: string) => ({ label: { key, value } });
const header = (name: string) => ({ name, value: "a" });
const routed = (route: object) => routeGroupWith({ routes: [{ targetSandbox: "a", ...route }] });

const groupCases: readonly RuleCase[] = [
  group(
    "MatchInvalid",
    "spec.match.label.key",
    "must be a label key",
    routeGroupWith({ match: label("te*", "a") }),
    routeGroupWith({ match: label("team", "a*") }),
  ),
  group(
    "MatchInvalid",
    "spec.match.all[0].any[1].label.value",
    "has a [ without a ]",
    routeGroupWith({ match: { all: [{ any: [label("a", "b"), label("a", "[")] }] } }),
    routeGroupWith({ match: { all: [{ any: [label("a", "b"), label("a", "[a-c]")] }] } }),
  ),
  group(
    "MatchInvalid",
    "spec.match.selector.matchExpressions[0].operator",
    "",
    routeGroupWith({ match: { selector: { matchExpressions: [{ key: "a", operator: "Like" }] } } }),
    routeGroupWith({ match: { selector: { matchExpressions: [{ key: "a", operator: "Exists" }] } } }),
  ),
  group(
    "SelectorInvalid",
    "spec.selector.matchLabels[a]",
    "",
    routeGroupWith({ selector: { matchLabels: { a: "b c" } } }),
    routeGroupWith({ selector: { matchLabels: { a: "b" } } }),
  ),
  group(
    "DefaultKeyInvalid",
    "spec.defaultRoutingKey",
    "leave it empty for the key of the group",
    routeGroupWith({ defaultRoutingKey: "ab" }),
    routeGroupWith({ defaultRoutingKey: "production" }),
  ),
  group(
    "HeaderDuplicate",
    "spec.routes[0].headers[1].name",
    "is listed twice",
    routed({ headers: [header("X-A"), header("x-a")] }),
    routed({ headers: [header("X-A"), header("x-b")] }),
  ),
  group(
    "HeaderDuplicate",
    "spec.routes[0].additionalHeaders[x-a]",
    "is listed twice",
    routed({ additionalHeaders: { "X-A": "1", "x-a": "2" } }),
    routed({ additionalHeaders: { "X-A": "1" } }),
  ),
  group(
    "StickyHeaderUnused",
    "spec.routes[0].stickyHeader",
    "set it to Header or remove stickyHeader",
    routed({ stickyHeader: "x-user" }),
    routed({ stickyHeader: "x-user", stickyBy: "Header" }),
  ),
  group(
    "EndpointInvalid",
    "spec.endpoints[0].target",
    "must have a port",
    routeGroupWith({ endpoints: [{ name: "a", target: "http://a.b.svc:0" }] }),
    routeGroupWith({ endpoints: [{ name: "a", target: "http://a.b.svc:1" }] }),
  ),
  group(
    "DescriptionInvalid",
    "spec.description",
    "control characters",
    routeGroupWith({ description: "\u001b[31m" }),
    routeGroupWith({ description: "ä" }),
  ),
];

const key = Buffer.alloc(32, 7).toString("base64url");
const port = { name: "http", containerPort: 8080 };

const localCases: readonly RuleCase[] = [
  local(
    "PublicKeyInvalid",
    "spec.connection.publicKeys[1]",
    "must be the 32 bytes of an Ed25519 public key",
    localWorkloadWith({ connection: { publicKeys: [key, `${key.slice(0, -1)}d`] } }),
    localWorkloadWith({ connection: { publicKeys: [key] } }),
  ),
  local(
    "LocalHostInvalid",
    "spec.service.ports[0].localHost",
    "must be a host name or an IP address",
    localWorkloadWith({}, { ports: [{ ...port, localHost: "a b" }] }),
    localWorkloadWith({}, { ports: [{ ...port, localHost: "::1" }] }),
  ),
  local(
    "LocalHostInvalid",
    "spec.service.ports[0].localHost",
    "must be a host name",
    localWorkloadWith({}, { ports: [{ ...port, localHost: "http://localhost" }] }),
    localWorkloadWith({}, { ports: [{ ...port, localHost: "localhost" }] }),
  ),
  local(
    "OutboundInvalid",
    "spec.outbound.allow[1]",
    "must have the form",
    localWorkloadWith({ outbound: { allow: ["db", "db.shop.svc"] } }),
    localWorkloadWith({ outbound: { allow: ["db", "db.shop:5432", "*.other"] } }),
  ),
  local(
    "OutboundInvalid",
    "spec.outbound.allow[0]",
    "port from 1 to 65535",
    localWorkloadWith({ outbound: { allow: ["db:0"] } }),
    localWorkloadWith({ outbound: { allow: ["db:1"] } }),
  ),
  local(
    "OutboundInvalid",
    "spec.outbound.allow[0]",
    "has a [ without a ]",
    localWorkloadWith({ outbound: { allow: ["d["] } }),
    localWorkloadWith({ outbound: { allow: ["d[ab]"] } }),
  ),
];

const policyCases: readonly RuleCase[] = [
  policy("NamespaceForbidden", "metadata.namespace", "can never be used", policyWith(), policyWith(), {
    in: "kube-system",
  }),
  policy(
    "TargetRuleInvalid",
    "spec.allowedTargets[0].name",
    "must be a glob",
    policyWith({ allowedTargets: [{ name: "a[" }] }),
    policyWith({ allowedTargets: [{ name: "a*" }] }),
  ),
  policy(
    "TargetRuleInvalid",
    "spec.deniedTargets[0].selector.matchLabels[a b]",
    "",
    policyWith({ deniedTargets: [{ selector: { matchLabels: { "a b": "c" } } }] }),
    policyWith({ deniedTargets: [{ selector: { matchLabels: { a: "c" } } }] }),
  ),
  policy(
    "NamespaceRuleInvalid",
    "spec.allowedFromNamespaces[0].selector.matchExpressions[0].operator",
    "",
    policyWith({ allowedFromNamespaces: [{ selector: { matchExpressions: [{ key: "a", operator: "?" }] } }] }),
    policyWith({ allowedFromNamespaces: [{ name: "b" }] }),
  ),
  policy(
    "ImageGlobInvalid",
    "spec.allowedImages[0]",
    "must be a glob",
    policyWith({ allowedImages: ["[]"] }),
    policyWith({ allowedImages: ["*"] }),
  ),
  policy(
    "PatchPathInvalid",
    "spec.denyPatchPaths[0]",
    "must be a JSON pointer",
    policyWith({ denyPatchPaths: ["/a~b"] }),
    policyWith({ denyPatchPaths: ["/a~0b"] }),
  ),
  policy(
    "OutboundInvalid",
    "spec.outboundAllow[0]",
    "must have the form",
    policyWith({ outboundAllow: ["10.0.0.1"] }),
    policyWith({ outboundAllow: ["db"] }),
  ),
];

const tablePort = { port: 80, baselineTarget: "cart--base.shop.svc:80" };
const entry = (ports: number[]) => ({
  routingKey: "abc",
  sandbox: "a",
  workload: "b",
  source: "Sandbox" as const,
  ports: ports.map((each) => ({ port: each, targetService: "s", targetPort: 80 })),
});

const tableCases: readonly RuleCase[] = [
  table(
    "PortUnknown",
    "spec.entries[0].ports[1].port",
    "is not a port of spec.ports",
    routeTableWith({ ports: [tablePort], entries: [entry([80, 81])] }),
    routeTableWith({ ports: [tablePort], entries: [entry([80])] }),
  ),
  table(
    "TableTooLarge",
    "spec.entries",
    "at most 921600 are allowed",
    routeTableWith({ entries: many(1000, () => ({ ...entry([]), additionalHeaders: { a: "x".repeat(1000) } })) }),
    routeTableWith({ entries: many(800, () => ({ ...entry([]), additionalHeaders: { a: "x".repeat(1000) } })) }),
  ),
];

export const ruleCases = {
  Sandbox: { rules: sandboxRules, cases: sandboxCases },
  RouteGroup: { rules: routeGroupRules, cases: groupCases },
  LocalWorkload: { rules: localWorkloadRules, cases: localCases },
  SandboxPolicy: { rules: sandboxPolicyRules, cases: policyCases },
  RouteTable: { rules: routeTableRules, cases: tableCases },
} as const;
