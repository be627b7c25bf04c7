// ValidatingAdmissionPolicies: the denials and warnings of both servers.

import type { Step } from "./server.ts";

/** A policy, its bindings, and the requests sent while they are in force. All are named like the namespace. */
export interface PolicyCase {
  readonly name: string;
  readonly policy: { readonly matchConstraints: object } & Readonly<Record<string, unknown>>;
  readonly bindings: readonly {
    readonly validationActions: readonly string[];
    readonly paramRef?: object;
    readonly matchResources?: object;
  }[];
  readonly steps: readonly Step[];
  /** Objects created before the policy. */
  readonly before?: readonly Step[];
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
  path: `${core}/configmaps`,
  body: configMap(name, rest, metadata),
});
const rules = (...resources: readonly string[]): object => ({
  resourceRules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources }],
});
const deny = { validationActions: ["Deny"] };

/** The cases. The last policy denies everything. */
export const policyCases: readonly PolicyCase[] = [
  {
    name: "messages and reasons",
    policy: {
      matchConstraints: rules("configmaps"),
      validations: [
        { expression: "object.metadata.name != 'plain'" },
        { expression: "object.metadata.name != 'rejected'", message: "  a message  " },
        {
          expression: "object.metadata.name != 'made'",
          messageExpression: "'no ' + object.metadata.name",
          message: "other",
        },
        {
          expression: "object.metadata.name != 'lines'",
          messageExpression: "'no\\n' + object.metadata.name",
          message: "other",
        },
        { expression: "object.metadata.name != 'forbidden'", reason: "Forbidden" },
        { expression: "object.metadata.name != 'large'", reason: "RequestEntityTooLarge" },
      ],
    },
    bindings: [deny],
    steps: [
      create("fine"),
      create("plain"),
      create("rejected"),
      create("made"),
      create("lines"),
      create("forbidden"),
      create("large"),
      {
        method: "POST",
        path: `${core}/configmaps`,
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-up-" } },
      },
    ],
  },
  {
    name: "warnings, and audit annotations only",
    policy: {
      matchConstraints: rules("configmaps"),
      validations: [{ expression: "has(object.data)", message: "has no data" }],
    },
    bindings: [{ validationActions: ["Warn", "Audit"] }],
    steps: [create("a"), create("b", { data: { a: "b" } })],
  },
  {
    name: "errors",
    policy: { matchConstraints: rules("configmaps"), validations: [{ expression: "object.data.key == 'x'" }] },
    bindings: [deny],
    steps: [create("a"), create("b", { data: { key: "x" } }), create("c", { data: { key: "y" } })],
  },
  {
    name: "failure policy Ignore",
    policy: {
      failurePolicy: "Ignore",
      matchConstraints: rules("configmaps"),
      validations: [{ expression: "object.data.key == 'x'" }],
    },
    bindings: [deny],
    steps: [create("a"), create("c", { data: { key: "y" } })],
  },
  {
    name: "variables",
    policy: {
      matchConstraints: rules("configmaps"),
      variables: [
        { name: "data", expression: "has(object.data) ? object.data : {}" },
        { name: "count", expression: "size(variables.data)" },
        { name: "broken", expression: "object.data.nothing" },
      ],
      validations: [
        { expression: "variables.count < 2", messageExpression: "'has ' + string(variables.count)" },
        { expression: "object.metadata.name != 'broken' || variables.broken == 'x'" },
      ],
    },
    bindings: [deny],
    steps: [create("a"), create("b", { data: { a: "1", b: "2" } }), create("broken")],
  },
  {
    name: "conditions",
    policy: {
      matchConstraints: rules("configmaps"),
      matchConditions: [
        { name: "named", expression: "object.metadata.name.startsWith('checked')" },
        { name: "data", expression: "object.data.check == 'yes'" },
      ],
      validations: [{ expression: "false", message: "checked" }],
    },
    bindings: [deny],
    steps: [
      create("other"),
      create("checked", { data: { check: "yes" } }),
      create("checked-too", { data: { check: "no" } }),
      create("checked-not"),
    ],
  },
  {
    name: "variables of expressions",
    policy: {
      matchConstraints: rules("configmaps"),
      validations: [
        { expression: "request.operation in ['CREATE', 'UPDATE', 'DELETE']" },
        { expression: "request.namespace == namespaceObject.metadata.name" },
        { expression: "namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == request.namespace" },
        { expression: "request.operation != 'UPDATE' || oldObject.data.a == object.data.a", message: "a is fixed" },
        { expression: "request.operation != 'DELETE' || object == null" },
        {
          expression:
            "authorizer.group('').resource('configmaps').namespace(request.namespace).check('delete').allowed()",
        },
        { expression: "authorizer.requestResource.check('create').allowed()" },
        { expression: "authorizer.path('/healthz').check('get').allowed()" },
        {
          expression:
            "!authorizer.serviceAccount('default', 'nobody').group('').resource('secrets').check('get').allowed()",
        },
        { expression: "request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps'" },
        { expression: "request.userInfo.groups.exists(g, g == 'system:masters')" },
        { expression: "request.dryRun == false" },
      ],
    },
    bindings: [deny],
    steps: [
      create("a", { data: { a: "1" } }),
      { method: "PATCH", path: `${core}/configmaps/a`, body: { data: { a: "2" } } },
      { method: "PATCH", path: `${core}/configmaps/a`, body: { data: { b: "2" } } },
      { method: "DELETE", path: `${core}/configmaps/a` },
    ],
  },
  {
    name: "parameters",
    before: [
      {
        method: "POST",
        path: `${core}/secrets`,
        body: {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: "limit", labels: { limit: "yes" } },
          stringData: { max: "3" },
        },
      },
    ],
    policy: {
      paramKind: { apiVersion: "v1", kind: "Secret" },
      matchConstraints: rules("configmaps"),
      validations: [
        {
          expression: "size(object.metadata.name) <= size(params.data.max)",
          messageExpression: "'longer than ' + params.metadata.name",
        },
      ],
    },
    bindings: [{ ...deny, paramRef: { name: "limit", parameterNotFoundAction: "Deny" } }],
    steps: [create("abcd"), create("abcde")],
  },
  {
    name: "parameters that do not exist",
    policy: {
      paramKind: { apiVersion: "v1", kind: "Secret" },
      matchConstraints: rules("configmaps"),
      validations: [{ expression: "params.data.max == 'x'" }],
    },
    bindings: [{ ...deny, paramRef: { name: "none", parameterNotFoundAction: "Deny" } }],
    steps: [create("a")],
  },
  {
    name: "optional parameters",
    policy: {
      paramKind: { apiVersion: "v1", kind: "Secret" },
      matchConstraints: rules("configmaps"),
      validations: [{ expression: "params.data.max == 'x'" }],
    },
    bindings: [{ ...deny, paramRef: { selector: { matchLabels: { no: "such" } }, parameterNotFoundAction: "Allow" } }],
    steps: [create("a")],
  },
  {
    name: "an unknown kind of parameters",
    policy: {
      paramKind: { apiVersion: "nowhere.example/v1", kind: "Nothing" },
      matchConstraints: rules("configmaps"),
      validations: [{ expression: "true" }],
    },
    bindings: [{ ...deny, paramRef: { name: "x", parameterNotFoundAction: "Deny" } }],
    steps: [create("a")],
  },
  {
    name: "rules with exclusions",
    policy: {
      matchConstraints: {
        ...rules("configmaps", "secrets"),
        excludeResourceRules: [
          {
            operations: ["*"],
            apiGroups: [""],
            apiVersions: ["v1"],
            resources: ["configmaps"],
            resourceNames: ["spared"],
          },
        ],
        objectSelector: { matchExpressions: [{ key: "spared", operator: "DoesNotExist" }] },
      },
      validations: [{ expression: "false", message: "no" }],
    },
    bindings: [{ ...deny, matchResources: rules("configmaps") }],
    steps: [
      create("a"),
      create("spared"),
      create("labelled", {}, { labels: { spared: "yes" } }),
      { method: "POST", path: `${core}/secrets`, body: { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } } },
    ],
  },
  {
    name: "everything denied",
    policy: { matchConstraints: rules("configmaps"), validations: [{ expression: "false" }] },
    bindings: [deny],
    steps: [create("a")],
  },
];
