// Valid and invalid patches of every type.

/** A patch and the kind of its object. */
export interface PatchCase {
  readonly says: string;
  readonly kind: "ConfigMap" | "Deployment" | "Widget";
  readonly form: "json" | "merge" | "strategic" | "apply" | "text";
  readonly body: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

/** All patches; each is sent as a dry run. */
export const patches: readonly PatchCase[] = [
  { says: "an unknown patch type", kind: "ConfigMap", form: "text", body: "{}" },
  { says: "an unknown patch type", kind: "Widget", form: "text", body: "{}" },
  { says: "a strategic patch", kind: "Widget", form: "strategic", body: "{}" },

  { says: "an addition", kind: "ConfigMap", form: "json", body: '[{"op":"add","path":"/data/b","value":"2"}]' },
  {
    says: "replacement of a value that does not exist",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"replace","path":"/data/new","value":"2"}]',
  },
  {
    says: "removal of a value that does not exist",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"remove","path":"/data/none"}]',
  },
  { says: "a test that fails", kind: "ConfigMap", form: "json", body: '[{"op":"test","path":"/data/a","value":"9"}]' },
  {
    says: "a test of an equal value in another notation",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"test","path":"/data/a","value":"\\u0031"}]',
  },
  { says: "an unknown operation", kind: "ConfigMap", form: "json", body: '[{"op":"frob","path":"/data"}]' },
  {
    says: "a negative index",
    kind: "Deployment",
    form: "json",
    body: '[{"op":"replace","path":"/spec/template/spec/containers/-1/image","value":"new"}]',
  },
  { says: "an object instead of a list of operations", kind: "ConfigMap", form: "json", body: "{}" },
  {
    says: "an object instead of a list of operations, without validation",
    kind: "ConfigMap",
    form: "json",
    body: "{}",
    fieldValidation: "Ignore",
  },
  { says: "an operation that is a number", kind: "ConfigMap", form: "json", body: "[1]" },
  { says: "a truncated patch", kind: "ConfigMap", form: "json", body: '[{"op":' },
  {
    says: "an unknown key in an operation",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"add","path":"/data/b","value":"2","x":1}]',
  },
  {
    says: "an unknown key in an operation, with strict validation",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"add","path":"/data/b","value":"2","x":1}]',
    fieldValidation: "Strict",
  },
  {
    says: "too many operations",
    kind: "ConfigMap",
    form: "json",
    body: `[${Array.from({ length: 10_001 }, () => '{"op":"test","path":"/kind","value":"ConfigMap"}').join(",")}]`,
  },
  {
    says: "a value of a wrong type",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"add","path":"/data/b","value":2}]',
  },
  {
    says: "an unknown field with strict validation",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"add","path":"/foo","value":2}]',
    fieldValidation: "Strict",
  },

  { says: "a change", kind: "ConfigMap", form: "merge", body: '{"data":{"a":null,"c":"3"}}' },
  { says: "a change", kind: "Widget", form: "merge", body: '{"spec":{"n":null,"list":[{"x":null,"y":1}]}}' },
  { says: "a list", kind: "ConfigMap", form: "merge", body: "[]" },
  { says: "a list without validation", kind: "ConfigMap", form: "merge", body: "[]", fieldValidation: "Ignore" },
  { says: "null", kind: "ConfigMap", form: "merge", body: "null" },
  { says: "a truncated patch", kind: "ConfigMap", form: "merge", body: '{"data":' },
  {
    says: "a truncated patch without validation",
    kind: "ConfigMap",
    form: "merge",
    body: '{"data":',
    fieldValidation: "Ignore",
  },
  { says: "a duplicate key", kind: "ConfigMap", form: "merge", body: '{"data":{"b":"1","b":"2"}}' },
  {
    says: "a duplicate key with strict validation",
    kind: "ConfigMap",
    form: "merge",
    body: '{"data":{"b":"1","b":"2"}}',
    fieldValidation: "Strict",
  },
  { says: "an unknown field", kind: "ConfigMap", form: "merge", body: '{"foo":1,"data":{"b":"1"}}' },
  {
    says: "an unknown field with strict validation",
    kind: "Deployment",
    form: "merge",
    body: '{"spec":{"foo":1}}',
    fieldValidation: "Strict",
  },
  { says: "a value of a wrong type", kind: "Deployment", form: "merge", body: '{"spec":{"replicas":"x"}}' },

  {
    says: "a container by its name",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"template":{"spec":{"containers":[{"name":"a","image":"new"}]}}}}',
  },
  {
    says: "a container without a name",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"template":{"spec":{"containers":[{"image":"new"}]}}}}',
  },
  { says: "an unknown directive", kind: "Deployment", form: "strategic", body: '{"spec":{"$patch":"frob"}}' },
  {
    says: "$retainKeys that do not match the patch",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"strategy":{"$retainKeys":["type"],"rollingUpdate":{"maxSurge":1}}}}',
  },
  {
    says: "an order",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}}}}',
  },
  { says: "a list", kind: "Deployment", form: "strategic", body: "[]" },
  { says: "a truncated patch", kind: "Deployment", form: "strategic", body: '{"spec":' },
  { says: "an unknown field", kind: "Deployment", form: "strategic", body: '{"spec":{"foo":1,"bar":{"x":1}}}' },
  {
    says: "an unknown field with strict validation",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"foo":1,"bar":2},"a":1}',
    fieldValidation: "Strict",
  },
  {
    says: "a duplicate key with strict validation",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"paused":true,"paused":false}}',
    fieldValidation: "Strict",
  },
  { says: "a string for a number", kind: "Deployment", form: "strategic", body: '{"spec":{"replicas":"x"}}' },
  { says: "a number for a string", kind: "Deployment", form: "strategic", body: '{"metadata":{"labels":{"a":1}}}' },
  { says: "a fraction for an integer", kind: "Deployment", form: "strategic", body: '{"spec":{"replicas":1.5}}' },
  { says: "a list for an object", kind: "Deployment", form: "strategic", body: '{"spec":{"template":[]}}' },
  {
    says: "a string for a list",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"template":{"spec":{"containers":"x"}}}}',
  },
  {
    says: "an invalid quantity",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"template":{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"x y"}}}]}}}}',
  },

  { says: "a list", kind: "ConfigMap", form: "apply", body: "[]" },
  { says: "a text", kind: "ConfigMap", form: "apply", body: "just text" },
  {
    says: "a duplicate key with strict validation",
    kind: "ConfigMap",
    form: "apply",
    body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  b: one\n  b: two\n",
    fieldValidation: "Strict",
  },
  {
    says: "a duplicate key",
    kind: "ConfigMap",
    form: "apply",
    body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  b: one\n  b: two\n",
  },
];
