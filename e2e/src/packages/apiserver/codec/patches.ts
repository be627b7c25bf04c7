// Patches of every form, good and bad.

/** A patch and the object it is for. */
export interface PatchCase {
  readonly says: string;
  readonly kind: "ConfigMap" | "Deployment" | "Widget";
  readonly form: "json" | "merge" | "strategic" | "apply" | "text";
  readonly body: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

/** All patches; every one is a dry run. */
export const patches: readonly PatchCase[] = [
  { says: "a form that nobody knows", kind: "ConfigMap", form: "text", body: "{}" },
  { says: "a form that nobody knows", kind: "Widget", form: "text", body: "{}" },
  { says: "a strategic patch", kind: "Widget", form: "strategic", body: "{}" },

  { says: "an addition", kind: "ConfigMap", form: "json", body: '[{"op":"add","path":"/data/b","value":"2"}]' },
  {
    says: "a replacement of what is not there",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"replace","path":"/data/new","value":"2"}]',
  },
  {
    says: "a removal of what is not there",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"remove","path":"/data/none"}]',
  },
  { says: "a test that fails", kind: "ConfigMap", form: "json", body: '[{"op":"test","path":"/data/a","value":"9"}]' },
  {
    says: "a test of another text for the same",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"test","path":"/data/a","value":"\\u0031"}]',
  },
  { says: "an operation that nobody knows", kind: "ConfigMap", form: "json", body: '[{"op":"frob","path":"/data"}]' },
  {
    says: "an index from the end",
    kind: "Deployment",
    form: "json",
    body: '[{"op":"replace","path":"/spec/template/spec/containers/-1/image","value":"new"}]',
  },
  { says: "an object for a list of operations", kind: "ConfigMap", form: "json", body: "{}" },
  {
    says: "an object for a list of operations, ignored",
    kind: "ConfigMap",
    form: "json",
    body: "{}",
    fieldValidation: "Ignore",
  },
  { says: "an operation that is a number", kind: "ConfigMap", form: "json", body: "[1]" },
  { says: "half a patch", kind: "ConfigMap", form: "json", body: '[{"op":' },
  {
    says: "a key that operations do not have",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"add","path":"/data/b","value":"2","x":1}]',
  },
  {
    says: "a key that operations do not have, strictly",
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
    says: "a value of another type",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"add","path":"/data/b","value":2}]',
  },
  {
    says: "an unknown field, strictly",
    kind: "ConfigMap",
    form: "json",
    body: '[{"op":"add","path":"/foo","value":2}]',
    fieldValidation: "Strict",
  },

  { says: "a change", kind: "ConfigMap", form: "merge", body: '{"data":{"a":null,"c":"3"}}' },
  { says: "a change", kind: "Widget", form: "merge", body: '{"spec":{"n":null,"list":[{"x":null,"y":1}]}}' },
  { says: "a list", kind: "ConfigMap", form: "merge", body: "[]" },
  { says: "a list, ignored", kind: "ConfigMap", form: "merge", body: "[]", fieldValidation: "Ignore" },
  { says: "null", kind: "ConfigMap", form: "merge", body: "null" },
  { says: "half a patch", kind: "ConfigMap", form: "merge", body: '{"data":' },
  { says: "half a patch, ignored", kind: "ConfigMap", form: "merge", body: '{"data":', fieldValidation: "Ignore" },
  { says: "a key twice", kind: "ConfigMap", form: "merge", body: '{"data":{"b":"1","b":"2"}}' },
  {
    says: "a key twice, strictly",
    kind: "ConfigMap",
    form: "merge",
    body: '{"data":{"b":"1","b":"2"}}',
    fieldValidation: "Strict",
  },
  { says: "an unknown field", kind: "ConfigMap", form: "merge", body: '{"foo":1,"data":{"b":"1"}}' },
  {
    says: "an unknown field, strictly",
    kind: "Deployment",
    form: "merge",
    body: '{"spec":{"foo":1}}',
    fieldValidation: "Strict",
  },
  { says: "a value of another type", kind: "Deployment", form: "merge", body: '{"spec":{"replicas":"x"}}' },

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
  { says: "a directive that nobody knows", kind: "Deployment", form: "strategic", body: '{"spec":{"$patch":"frob"}}' },
  {
    says: "keys to retain that do not fit",
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
  { says: "half a patch", kind: "Deployment", form: "strategic", body: '{"spec":' },
  { says: "an unknown field", kind: "Deployment", form: "strategic", body: '{"spec":{"foo":1,"bar":{"x":1}}}' },
  {
    says: "an unknown field, strictly",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"foo":1,"bar":2},"a":1}',
    fieldValidation: "Strict",
  },
  {
    says: "a key twice, strictly",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"paused":true,"paused":false}}',
    fieldValidation: "Strict",
  },
  { says: "a text for a number", kind: "Deployment", form: "strategic", body: '{"spec":{"replicas":"x"}}' },
  { says: "a number for a text", kind: "Deployment", form: "strategic", body: '{"metadata":{"labels":{"a":1}}}' },
  { says: "a fraction for a number", kind: "Deployment", form: "strategic", body: '{"spec":{"replicas":1.5}}' },
  { says: "a list for an object", kind: "Deployment", form: "strategic", body: '{"spec":{"template":[]}}' },
  {
    says: "a text for a list",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"template":{"spec":{"containers":"x"}}}}',
  },
  {
    says: "a quantity that is none",
    kind: "Deployment",
    form: "strategic",
    body: '{"spec":{"template":{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"x y"}}}]}}}}',
  },

  { says: "a list", kind: "ConfigMap", form: "apply", body: "[]" },
  { says: "a text", kind: "ConfigMap", form: "apply", body: "just text" },
  {
    says: "a key twice, strictly",
    kind: "ConfigMap",
    form: "apply",
    body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  b: one\n  b: two\n",
    fieldValidation: "Strict",
  },
  {
    says: "a key twice",
    kind: "ConfigMap",
    form: "apply",
    body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  b: one\n  b: two\n",
  },
];
