// Valid and invalid patches of every type.

/** A patch and the kind of its object. */
export interface PatchCase {
  readonly title: string;
  readonly kind: "ConfigMap" | "Deployment" | "Widget";
  readonly form: "json" | "merge" | "strategic" | "apply" | "text";
  readonly body: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

/** All patches; each is sent as a dry run. */
export const patches: readonly PatchCase[] = [
  { title: "an unknown patch type", kind: "ConfigMap", form: "text", body: "{}" },
  { title: "an unknown patch type", kind: "Widget", form: "text", body: "{}" },
  { title: "a strategic patch", kind: "Widget", form: "strategic", body: "{}" },

  { title: "an addition", kind: "ConfigMap", form: "json", body: '[{"op":"add","path":"/data/b","value":"2"}]' },
  {
    title: "replacement of a value that does not exist",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"replace","path":"/data/new","value":"2"}]',
  },
  {
    title: "removal of a value that does not exist",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"remove","path":"/data/none"}]',
  },
  { title: "a test that fails", kind: "ConfigMap", form: "json", body: '[{"op":"test","path":"/data/a","value":"9"}]' },
  {
    title: "a test of an equal value in another notation",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"test","path":"/data/a","value":"\\u0031"}]',
  },
  { title: "an unknown operation", kind: "ConfigMap", form: "json", body: '[{"op":"frob","path":"/data"}]' },
  {
    title: "a negative index",
    kind: "Deployment",
    form: "json",
    body: '[{"op":"replace","path":"/spec/template/spec/containers/-1/image","value":"new"}]',
  },
  { title: "an object instead of a list of operations", kind: "ConfigMap", form: "json", body: "{}" },
  {
    title: "an object instead of a list of operations, without validation",
    kind: "ConfigMap",
    form: "json",
    body: "{}",
    fieldValidation: "Ignore",
  },
  { title: "an operation that is a number", kind: "ConfigMap", form: "json", body: "[1]" },
  { title: "a truncated patch", kind: "ConfigMap", form: "json", body: '[{"op":' },
  {
    title: "an unknown key in an operation",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"add","path":"/data/b","value":"2","x":1}]',
  },
  {
    title: "an unknown key in an operation, with strict validation",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"add","path":"/data/b","value":"2","x":1}]',
    fieldValidation: "Strict",
  },
  {
    title: "too many operations",
    kind: "ConfigMap",
    form: "json",
    body: `[${Array.from({ length: 10_001 }, () => '{"op":"test","path":"/kind","value":"ConfigMap"}').join(",")}]`,
  },
  {
    title: "a value of a wrong type",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"add","path":"/data/b","value":2}]',
  },
  {
    title: "an unknown field with strict validation",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"add","path":"/foo","value":2}]',
    fieldValidation: "Strict",
  },

  { title: "a change", kind: "ConfigMap", form: "merge", body: '{"data":{"a":null,"c":"3"}}' },
  { title: "a change", kind: "Widget", form: "merge", body: '{"spec":{"n":null,"list":[{"x":null,"y":1}]}}' },
  { title: "a list", kind: "ConfigMap", form: "merge", body: "[]" },
  { title: "a list without validation", kind: "ConfigMap", form: "merge", body: "[]", fieldValidation: "Ignore" },
  { title: "null", kind: "ConfigMap", form: "merge", body: "null" },
  { title: "a truncated patch", kind: "ConfigMap", form: "merge", body: '{"data":' },
  {
    title: "a truncated patch without validation",
    kind: "ConfigMap",
    form: "merge",
    body: '{"data":',
    fieldValidation: "Ignore",
  },
  { title: "a duplicate key", kind: "ConfigMap", form: "merge", body: '{"data":{"b":"1","b":"2"}}' },
  {
    title: "a duplicate key with strict validation",
    kind: "ConfigMap",
    form: "merge",
    body: '{"data":{"b":"1","b":"2"}}',
    fieldValidation: "Strict",
  },
  { title: "an unknown field", kind: "ConfigMap", form: "merge", body: '{"foo":1,"data":{"b":"1"}}' },
  {
    title: "an unknown field with strict validation",
    kind: "Deployment",
    form: "merge",
    body: '{"spec":{"foo":1}}',
    fieldValidation: "Strict",
  },
  { title: "a value of a wrong type", kind: "Deployment", form: "merge", body: '{"spec":{"replicas":"x"}}' },

  {
    title: "a container by its name",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"template":{"spec":{"containers":[{"name":"a","image":"new"}]}}}}',
  },
  {
    title: "a container without a name",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"template":{"spec":{"containers":[{"image":"new"}]}}}}',
  },
  { title: "an unknown directive", kind: "Deployment", form: "strategic", body: '{"spec":{"$patch":"frob"}}' },
  {
    title: "$retainKeys that do not match the patch",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"strategy":{"$retainKeys":["type"],"rollingUpdate":{"maxSurge":1}}}}',
  },
  {
    title: "an order",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}}}}',
  },
  { title: "a list", kind: "Deployment", form: "strategic", body: "[]" },
  { title: "a truncated patch", kind: "Deployment", form: "strategic", body: '{"spec":' },
  { title: "an unknown field", kind: "Deployment", form: "strategic", body: '{"spec":{"foo":1,"bar":{"x":1}}}' },
  {
    title: "an unknown field with strict validation",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"foo":1,"bar":2},"a":1}',
    fieldValidation: "Strict",
  },
  {
    title: "a duplicate key with strict validation",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"paused":true,"paused":false}}',
    fieldValidation: "Strict",
  },
  { title: "a string for a number", kind: "Deployment", form: "strategic", body: '{"spec":{"replicas":"x"}}' },
  { title: "a number for a string", kind: "Deployment", form: "strategic", body: '{"metadata":{"labels":{"a":1}}}' },
  { title: "a fraction for an integer", kind: "Deployment", form: "strategic", body: '{"spec":{"replicas":1.5}}' },
  { title: "a list for an object", kind: "Deployment", form: "strategic", body: '{"spec":{"template":[]}}' },
  {
    title: "a string for a list",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"template":{"spec":{"containers":"x"}}}}',
  },
  {
    title: "an invalid quantity",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"template":{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"x y"}}}]}}}}',
  },

  { title: "a list", kind: "ConfigMap", form: "apply", body: "[]" },
  { title: "a text", kind: "ConfigMap", form: "apply", body: "just text" },
  {
    title: "a duplicate key with strict validation",
    kind: "ConfigMap",
    form: "apply",
    body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  b: one\n  b: two\n",
    fieldValidation: "Strict",
  },
  {
    title: "a duplicate key",
    kind: "ConfigMap",
    form: "apply",
    body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  b: one\n  b: two\n",
  },
];
