// MutatingAdmissionPolicies: the objects that both servers store.

import type { Step } from "./server.ts";

/** Policies, each with one binding, and the requests sent while they are in force. Their names start with the namespace. */
export interface MutatingCase {
  readonly name: string;
  readonly policies: readonly MutatingPolicySpec[];
  readonly steps: readonly Step[];
  /** Objects created before the policies. */
  readonly before?: readonly Step[];
}

/** Returns a policy with the common parts filled in. */
export interface MutatingPolicySpec {
  readonly resources?: readonly string[];
  readonly mutations: readonly object[];
  readonly binding?: object;
  readonly spec?: Readonly<Record<string, unknown>>;
}

const core = "/api/v1/namespaces/{ns}";
const create = (name: string, rest: object = {}, metadata: object = {}): Step => ({
  method: "POST",
  path: `${core}/configmaps`,
  body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, ...rest },
});
const pod = (name: string, spec: object = {}): Step => ({
  method: "POST",
  path: `${core}/pods`,
  body: {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: [{ name: "a", image: "a" }], ...spec },
  },
});
const patch = (expression: string): object => ({ patchType: "JSONPatch", jsonPatch: { expression } });
const apply = (expression: string): object => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const data = (key: string, value: string): string => `JSONPatch{op: "add", path: "/data/${key}", value: ${value}}`;

/** The cases. The last policy denies everything. */
export const mutatingCases: readonly MutatingCase[] = [
  {
    name: "JSON patches",
    policies: [
      {
        mutations: [
          patch(
            '[JSONPatch{op: "test", path: "/data", value: {"a": "1"}}, JSONPatch{op: "replace", path: "/data/a", value: "two"}]',
          ),
          patch(
            'has(object.metadata.labels) ? [] : [JSONPatch{op: "add", path: "/metadata/labels", value: {"by": object.metadata.name}}]',
          ),
          patch(
            '[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("example.com/a_b"), value: "x"}]',
          ),
        ],
      },
    ],
    steps: [
      create("test-fits", { data: { a: "1" } }),
      create("test-does-not", { data: { a: "3" } }),
      create("labelled", { data: { a: "1" } }, { labels: { mine: "yes" } }),
      { method: "PATCH", path: `${core}/configmaps/labelled`, body: { data: { a: "9" } } },
      {
        method: "PUT",
        path: `${core}/configmaps/labelled`,
        body: { data: { a: "1" }, metadata: { name: "labelled" } },
      },
      { ...create("unseen", { data: { a: "1" } }), path: `${core}/configmaps?dryRun=All` },
      { method: "DELETE", path: `${core}/configmaps/labelled` },
    ],
  },
  {
    name: "all operations",
    policies: [
      {
        mutations: [
          patch(
            '[JSONPatch{op: "copy", from: "/data/a", path: "/data/b"}, JSONPatch{op: "move", from: "/data/c", path: "/data/d"}, JSONPatch{op: "remove", path: "/data/e"}]',
          ),
        ],
      },
    ],
    steps: [create("whole", { data: { a: "1", c: "2", e: "3" } }), create("lacking", { data: { a: "1" } })],
  },
  {
    name: "configurations",
    policies: [
      {
        resources: ["pods"],
        mutations: [
          apply(
            'Object{metadata: Object.metadata{annotations: {"x": "y"}}, spec: Object.spec{containers: [Object.spec.containers{name: "a", env: [Object.spec.containers.env{name: "E", value: object.metadata.name}]}], terminationGracePeriodSeconds: 5}}',
          ),
          apply(
            'Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "mesh", image: "mesh", restartPolicy: "Always"}]}}',
          ),
        ],
      },
    ],
    steps: [pod("plain"), pod("more", { initContainers: [{ name: "first", image: "first" }] })],
  },
  {
    name: "values of other types",
    policies: [
      {
        resources: ["pods"],
        mutations: [
          patch(
            '[JSONPatch{op: "add", path: "/spec/tolerations", value: [{"key": "k", "operator": "Exists"}]}, JSONPatch{op: "add", path: "/spec/hostNetwork", value: false}, JSONPatch{op: "add", path: "/spec/activeDeadlineSeconds", value: 4 * 5}, JSONPatch{op: "add", path: "/spec/securityContext", value: Object.spec.securityContext{runAsUser: 7}}]',
          ),
        ],
      },
    ],
    steps: [pod("tolerant")],
  },
  {
    name: "variables, conditions and parameters",
    before: [create("parameters", { data: { word: "hello" } })],
    policies: [
      {
        spec: {
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          variables: [
            { name: "word", expression: "params.data.word" },
            { name: "twice", expression: "variables.word + variables.word" },
          ],
          matchConditions: [{ name: "wanted", expression: "object.metadata.name.startsWith('wanted')" }],
        },
        binding: { paramRef: { name: "parameters", parameterNotFoundAction: "Deny" } },
        mutations: [apply('Object{data: {"said": variables.twice}}')],
      },
    ],
    steps: [create("wanted"), create("other")],
  },
  {
    name: "reinvocation of policies",
    policies: [
      {
        spec: { reinvocationPolicy: "IfNeeded" },
        mutations: [apply('Object{data: {"seen": has(object.data) && "late" in object.data ? "late" : "nothing"}}')],
      },
      { mutations: [apply('Object{data: {"late": "yes"}}')] },
    ],
    steps: [create("again")],
  },
  {
    name: "errors",
    policies: [
      {
        spec: {
          matchConditions: [
            { name: "fails", expression: "object.metadata.name != 'condition' || object.nothing == 1" },
          ],
          variables: [{ name: "bad", expression: "object.nothing" }],
        },
        mutations: [
          patch(
            'object.metadata.name == "key" ? [JSONPatch{op: "add", path: "/data/x", value: object.nothing}] : []' +
              '.map(x, JSONPatch{op: "test", path: x})',
          ),
          patch('object.metadata.name == "missing" ? [JSONPatch{op: "remove", path: "/nothing"}] : []'),
          patch(
            'object.metadata.name == "variable" ? [JSONPatch{op: "add", path: "/data", value: variables.bad}] : []',
          ),
          patch('object.metadata.name == "unknown" ? [JSONPatch{op: "add", path: "/nothing", value: "x"}] : []'),
          patch('object.metadata.name == "type" ? [JSONPatch{op: "add", path: "/data", value: 3}] : []'),
          patch('object.metadata.name == "operation" ? [JSONPatch{op: "invent", path: "/data", value: 3}] : []'),
        ],
      },
    ],
    steps: ["key", "missing", "variable", "unknown", "type", "operation", "condition", "fine"].map((name) =>
      create(name),
    ),
  },
  {
    name: "apply configurations that do not match the schema",
    policies: [
      {
        mutations: [
          apply('object.metadata.name == "unknown" ? Object{nothing: 1} : Object{}'),
          apply('object.metadata.name == "type" ? Object{data: 3} : Object{}'),
          apply('object.metadata.name == "names" ? Object{metadata: Object.data{}} : Object{}'),
          apply('object.metadata.name == "value" ? Object{data: {"a": 1}} : Object{}'),
        ],
      },
      {
        resources: ["services"],
        mutations: [apply('Object{spec: Object.spec{selector: Object.spec.selector{a: "b"}}}')],
      },
    ],
    steps: [
      ...["unknown", "type", "names", "value", "fine"].map((name) => create(name)),
      {
        method: "POST",
        path: `${core}/services`,
        body: {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "s" },
          spec: { clusterIP: "None", ports: [{ port: 1 }] },
        },
      },
    ],
  },
  {
    name: "failure policy Ignore",
    policies: [
      {
        spec: { failurePolicy: "Ignore" },
        mutations: [patch('[JSONPatch{op: "remove", path: "/nothing"}]'), apply('Object{data: {"second": "done"}}')],
      },
    ],
    steps: [create("ignored")],
  },
  {
    name: "parameters that do not exist",
    policies: [
      {
        spec: { paramKind: { apiVersion: "v1", kind: "ConfigMap" } },
        binding: { paramRef: { name: "absent", parameterNotFoundAction: "Deny" } },
        mutations: [apply('Object{data: {"never": "x"}}')],
      },
    ],
    steps: [create("denied")],
  },
  {
    name: "subresources and other kinds",
    policies: [
      {
        resources: ["deployments", "deployments/scale", "deployments/status"],
        mutations: [
          apply(
            'Object{metadata: Object.metadata{labels: {"seen": has(request.subResource) ? request.subResource : "whole"}}}',
          ),
        ],
      },
    ],
    steps: [
      {
        method: "POST",
        path: "/apis/apps/v1/namespaces/{ns}/deployments",
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
      {
        method: "PATCH",
        path: "/apis/apps/v1/namespaces/{ns}/deployments/d/status",
        body: { status: { replicas: 1 } },
      },
    ],
  },
  {
    name: "everything denied",
    policies: [{ mutations: [patch(`[${data("x/y/z", "'1'")}]`)] }],
    steps: [create("refused", { data: { a: "b" } })],
  },
];
