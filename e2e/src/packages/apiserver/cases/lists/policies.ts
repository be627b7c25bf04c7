// Admission policies, their bindings and match conditions of webhooks: validation on write.

import { type Case, del, get, patch, post, put } from "../case.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
const constraints = { resourceRules: [rule] };
const object = (kind: string, spec: object, name = "{ns}"): object => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind,
  metadata: { name },
  spec,
});

/** Returns a case with a policy that is rejected. */
const validating = (name: string, spec: object): Case => ({
  name: `a policy with ${name}`,
  steps: [
    post(
      `${group}/validatingadmissionpolicies?dryRun=All`,
      object("ValidatingAdmissionPolicy", {
        matchConstraints: constraints,
        validations: [{ expression: "true" }],
        ...spec,
      }),
    ),
  ],
});
const mutating = (name: string, spec: object): Case => ({
  name: `a mutating policy with ${name}`,
  steps: [
    post(
      `${group}/mutatingadmissionpolicies?dryRun=All`,
      object("MutatingAdmissionPolicy", {
        matchConstraints: constraints,
        reinvocationPolicy: "Never",
        mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
        ...spec,
      }),
    ),
  ],
});
const binding = (name: string, spec: object): Case => ({
  name: `a binding with ${name}`,
  steps: [
    post(
      `${group}/validatingadmissionpolicybindings?dryRun=All`,
      object("ValidatingAdmissionPolicyBinding", { policyName: "p", validationActions: ["Deny"], ...spec }),
    ),
    post(
      `${group}/mutatingadmissionpolicybindings?dryRun=All`,
      object("MutatingAdmissionPolicyBinding", { policyName: "p", ...spec }),
    ),
  ],
});
const validation = (fields: object): object => ({ validations: [fields] });
const mutation = (fields: object): object => ({ mutations: [fields] });
const hook = (matchConditions: readonly object[]): Case => ({
  name: `a webhook with match conditions ${JSON.stringify(matchConditions)}`,
  steps: [
    post(`${group}/validatingwebhookconfigurations?dryRun=All`, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "{ns}" },
      webhooks: [
        {
          name: "w.example.com",
          clientConfig: { url: "https://127.0.0.1:1/" },
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          rules: [rule],
          matchConditions,
        },
      ],
    }),
  ],
});

export const policyCases: readonly Case[] = [
  validating("nothing", { matchConstraints: undefined, validations: undefined }),
  validating("no rules", { matchConstraints: {} }),
  validating("all defaults", {}),
  validating("invalid enum values", {
    failurePolicy: "Sometimes",
    matchConstraints: { ...constraints, matchPolicy: "Maybe", objectSelector: { matchLabels: { "a b": "c d" } } },
  }),
  validating("invalid rules", {
    matchConstraints: {
      resourceRules: [
        { ...rule, operations: ["*", "CREATE"], resourceNames: ["a/b", "c", "c"] },
        { ...rule, operations: ["LOOK"], apiGroups: ["*", "apps"], resources: ["*/*", "pods"], scope: "Here" },
      ],
      excludeResourceRules: [{ operations: [], apiGroups: [], apiVersions: [], resources: [] }],
    },
  }),
  ...["v1", "apps/v1", "a/b/c", "A_/v1", "apps/", "apps/1", ""].map((apiVersion) =>
    validating(`parameters of ${JSON.stringify(apiVersion)}`, { paramKind: { apiVersion, kind: "ConfigMap" } }),
  ),
  validating("parameters without a kind", { paramKind: { apiVersion: "v1" } }),
  validating("parameters of an invalid kind", { paramKind: { apiVersion: "v1", kind: "Config_Map" } }),
  ...[
    "object.spec.replicas <= 5",
    "object.",
    "objekt.spec == 1",
    "1",
    "object.spec",
    "params.x == 1",
    "variables.x == 1",
    "authorizer.group('apps').resource('deployments').check('create').allowed()",
    "request.nothing == ''",
    "request.userInfo.username == 1",
    "namespaceObject.metadata.labels['a'] == 'b'",
    "object.x.matches('[')",
    "ip('1.2.3.4').isLoopback()",
    "'a' + 1 == 'b'",
    "[1, 'a'].size() > 0",
    " ",
    "object.a == 1 &&\n  object.b ==",
    "Object{} == Object{}",
    "isURL(object.x",
    "has(object)",
    "object.all(x, y)",
    "x",
  ].map((expression) => validating(`the expression ${JSON.stringify(expression)}`, validation({ expression }))),
  ...[
    { expression: "true", message: " " },
    { expression: "true", message: "two\nlines" },
    { expression: "true", messageExpression: " " },
    { expression: "true", messageExpression: "1" },
    { expression: "true", messageExpression: "authorizer" },
    { expression: "true", messageExpression: "object.metadata.name" },
    { expression: "true", messageExpression: "'a' +" },
    { expression: "true", reason: "Unwanted" },
    { expression: "true", reason: "Unauthorized" },
    { message: "only" },
  ].map((fields) => validating(`the check ${JSON.stringify(fields)}`, validation(fields))),
  validating("parameters in expressions", {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    matchConditions: [{ name: "c", expression: "params.data.a == 'b'" }],
    validations: [{ expression: "params.x == 1", messageExpression: "params.y + 'z'" }],
  }),
  validating("variables", {
    variables: [
      { name: "a", expression: "object.spec.replicas > 1" },
      { name: "b", expression: "variables.a ? 'x' : 'y'" },
    ],
    validations: [{ expression: "variables.a && variables.b == 'x'", messageExpression: "variables.b" }],
    auditAnnotations: [{ key: "seen", valueExpression: "variables.b" }],
  }),
  validating("invalid variables", {
    variables: [
      { name: "", expression: "1" },
      { name: "in", expression: "1" },
      { name: "a-b", expression: "1" },
      { name: "c", expression: " " },
      { name: "d", expression: "variables.e" },
      { name: "f", expression: "1 +" },
    ],
    validations: [{ expression: "variables.f" }, { expression: "variables.nothing == 1" }],
  }),
  validating("invalid audit annotations", {
    validations: undefined,
    auditAnnotations: [
      { key: "", valueExpression: "'a'" },
      { key: "bad key", valueExpression: "1" },
      { key: "same", valueExpression: "null" },
      { key: "same", valueExpression: " " },
      { key: "broken", valueExpression: "'a' +" },
    ],
  }),
  validating("invalid match conditions", {
    matchConditions: [
      { name: "", expression: "true" },
      { name: "bad name", expression: "1" },
      { name: "same", expression: " " },
      { name: "same", expression: "variables.x" },
    ],
  }),
  validating("too many conditions", {
    matchConditions: Array.from({ length: 65 }, (_, index) => ({ name: `c${index}`, expression: "true" })),
  }),
  mutating("all defaults", {}),
  mutating("nothing", { matchConstraints: undefined, mutations: undefined, reinvocationPolicy: undefined }),
  mutating("invalid enum values", {
    reinvocationPolicy: "Often",
    failurePolicy: "Never",
    matchConstraints: { resourceRules: [{ ...rule, operations: ["DELETE", "CREATE"] }] },
  }),
  ...[
    {},
    { patchType: "Merge" },
    { patchType: "JSONPatch" },
    { patchType: "ApplyConfiguration" },
    { patchType: "JSONPatch", applyConfiguration: { expression: "Object{}" } },
    {
      patchType: "ApplyConfiguration",
      jsonPatch: { expression: "[JSONPatch{}]" },
      applyConfiguration: { expression: "Object{}" },
    },
    { patchType: "JSONPatch", jsonPatch: {} },
    { patchType: "ApplyConfiguration", applyConfiguration: { expression: "  " } },
  ].map((fields) => mutating(`the mutation ${JSON.stringify(fields)}`, mutation(fields))),
  ...[
    "[JSONPatch{op: 'add', path: '/a', value: 1}]",
    "[JSONPatch{op: 1}]",
    "[]",
    "JSONPatch{}",
    "[JSONPatch{op: 'add'}].map(x, x)",
    "[1]",
    "[JSONPatch{op: 'add', path: '/' + jsonpatch.escapeKey('a/b'), value: Object.spec{a: 1}}]",
    "jsonpatch.escapeKey(1)",
  ].map((expression) =>
    mutating(`the patch ${expression}`, mutation({ patchType: "JSONPatch", jsonPatch: { expression } })),
  ),
  ...[
    "Object{spec: Object.spec{replicas: 1}}",
    "Object{spec: 1}.spec",
    "Objekt{}",
    "object",
    "Object.spec{}",
    "{'a': 1}",
    "Object{spec: Object.spec{",
    "true ? Object{} : Object{a: variables.x}",
  ].map((expression) =>
    mutating(
      `the configuration ${expression}`,
      mutation({ patchType: "ApplyConfiguration", applyConfiguration: { expression } }),
    ),
  ),
  binding("all defaults", {}),
  binding("nothing", { policyName: undefined, validationActions: undefined }),
  binding("an invalid name", { policyName: "Not_A_Name" }),
  binding("invalid actions", { validationActions: ["Deny", "Warn", "Deny", "Shout"] }),
  binding("parameters by name and selector", {
    paramRef: { name: "a/b", selector: { matchLabels: { a: "b" } }, parameterNotFoundAction: "Deny" },
  }),
  binding("parameters by neither", { paramRef: {} }),
  binding("an invalid selector", {
    paramRef: {
      selector: { matchExpressions: [{ key: "a", operator: "Near", values: ["b"] }] },
      parameterNotFoundAction: "Perhaps",
    },
  }),
  binding("resources", {
    matchResources: { resourceRules: [{ ...rule, operations: ["DELETE"] }], matchPolicy: "Exact" },
  }),
  hook([{ name: "a", expression: "object." }]),
  hook([{ name: "a", expression: "1" }]),
  hook([
    { name: "a", expression: "params.x == 1" },
    { name: "a b", expression: "true" },
  ]),
  {
    name: "a policy from creation to deletion",
    steps: [
      post(
        `${group}/validatingadmissionpolicies`,
        object("ValidatingAdmissionPolicy", {
          matchConstraints: { resourceRules: [{ ...rule, resourceNames: ["{ns}-absent"] }] },
          validations: [{ expression: "object.x == 1" }],
        }),
      ),
      put(
        `${group}/validatingadmissionpolicies/{ns}`,
        object("ValidatingAdmissionPolicy", {
          matchConstraints: constraints,
          validations: [{ expression: "broken." }],
        }),
      ),
      patch("merge", `${group}/validatingadmissionpolicies/{ns}`, { spec: { failurePolicy: "Ignore" } }),
      patch("merge", `${group}/validatingadmissionpolicies/{ns}/status`, {
        status: { observedGeneration: 2, typeChecking: { expressionWarnings: [{ fieldRef: "", warning: "" }] } },
      }),
      patch("merge", `${group}/validatingadmissionpolicies/{ns}/status`, {
        status: {
          observedGeneration: 2,
          typeChecking: { expressionWarnings: [{ fieldRef: "spec.validations[0].expression", warning: "w" }] },
        },
      }),
      get(`${group}/validatingadmissionpolicies/{ns}`),
      del(`${group}/validatingadmissionpolicies/{ns}`),
    ],
  },
];
