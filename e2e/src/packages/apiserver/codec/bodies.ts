// Bodies of create requests that something is wrong with, or nearly so.

/** A body and where it is sent. */
export interface BodyCase {
  readonly says: string;
  readonly kind: "ConfigMap" | "Pod" | "Deployment" | "Secret" | "Widget";
  readonly body: string | Uint8Array;
  readonly contentType?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

const nothing = new Uint8Array();

/** All bodies. Those that are accepted are sent as a dry run. */
export const bodies: readonly BodyCase[] = [
  { says: "nothing at all", kind: "ConfigMap", body: nothing },
  { says: "half an object", kind: "ConfigMap", body: '{"data":{"a":' },
  {
    says: "a long half of an object",
    kind: "ConfigMap",
    body: '{"metadata":{"name":"a-rather-long-name"},"data":{"a":',
  },
  { says: "a comma too many", kind: "ConfigMap", body: '{"data":{"a":"b",}}' },
  { says: "something after the object", kind: "ConfigMap", body: '{"kind":"ConfigMap"} x' },
  { says: "a list", kind: "ConfigMap", body: "[]" },
  { says: "a number", kind: "ConfigMap", body: "1" },
  { says: "a kind that is a number", kind: "ConfigMap", body: '{"kind":1,"apiVersion":"v1"}' },
  { says: "an apiVersion with two slashes", kind: "ConfigMap", body: '{"kind":"ConfigMap","apiVersion":"a/b/c"}' },
  { says: "a kind that nobody knows", kind: "ConfigMap", body: '{"kind":"Thing","apiVersion":"v1"}' },
  { says: "a group that nobody knows", kind: "ConfigMap", body: '{"kind":"Thing","apiVersion":"example.com/v1"}' },
  { says: "another kind", kind: "ConfigMap", body: '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"x"}}' },
  { says: "a kind of another group", kind: "Pod", body: '{"kind":"Deployment","apiVersion":"apps/v1"}' },
  { says: "a text for a map", kind: "ConfigMap", body: '{"metadata":{"name":"x"},"data":"text"}' },
  { says: "a number for a text", kind: "ConfigMap", body: '{"metadata":{"name":"x"},"data":{"a":1}}' },
  { says: "a text for a number", kind: "Deployment", body: '{"metadata":{"name":"x"},"spec":{"replicas":"3"}}' },
  { says: "a fraction for a number", kind: "Deployment", body: '{"metadata":{"name":"x"},"spec":{"replicas":1.5}}' },
  {
    says: "a number beyond 32 bits",
    kind: "Deployment",
    body: '{"metadata":{"name":"x"},"spec":{"replicas":2147483648}}',
  },
  { says: "a list for an object", kind: "Pod", body: '{"metadata":{"name":"x"},"spec":[]}' },
  {
    says: "a quantity that is none",
    kind: "Pod",
    body: '{"metadata":{"name":"x"},"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"a lot"}}}]}}',
  },
  { says: "a time that is none", kind: "ConfigMap", body: '{"metadata":{"name":"x","creationTimestamp":"yesterday"}}' },
  { says: "a Secret that is no base64", kind: "Secret", body: '{"metadata":{"name":"x"},"data":{"a":"!"}}' },
  {
    says: "invalid UTF-8",
    kind: "ConfigMap",
    body: Buffer.from('{"metadata":{"name":"x"},"data":{"a":"\xff\xe2\x82"}}', "latin1"),
    fieldValidation: "Strict",
  },
  { says: "a byte order mark", kind: "ConfigMap", body: "\ufeff{}" },
  {
    says: "unknown fields, strictly",
    kind: "Deployment",
    body: '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x","foo":1},"spec":{"replicas":1,"bar":{"x":1}},"baz":1}',
    fieldValidation: "Strict",
  },
  {
    says: "a field twice, strictly",
    kind: "ConfigMap",
    body: '{"metadata":{"name":"x","name":"y"},"data":{"a":"1","a":"2"},"data":{}}',
    fieldValidation: "Strict",
  },
  {
    says: "unknown and repeated fields",
    kind: "ConfigMap",
    body: '{"metadata":{"name":"x","nam":"y"},"data":{"a":"1","a":"2"},"Data":{},"__proto__":1}',
  },
  {
    says: "unknown and repeated fields, ignored",
    kind: "ConfigMap",
    body: '{"metadata":{"name":"x","nam":"y"},"data":{"a":"1","a":"2"}}',
    fieldValidation: "Ignore",
  },
  { says: "text", kind: "ConfigMap", body: "x", contentType: "text/plain" },
  { says: "an unknown type", kind: "ConfigMap", body: "{}", contentType: "application/cbor" },
  { says: "a Content-Type that is none", kind: "ConfigMap", body: "{}", contentType: "json" },
  {
    says: "JSON that is called protobuf",
    kind: "ConfigMap",
    body: "{}",
    contentType: "application/vnd.kubernetes.protobuf",
  },
  { says: "no protobuf at all", kind: "ConfigMap", body: nothing, contentType: "application/vnd.kubernetes.protobuf" },
  {
    says: "protobuf without a body",
    kind: "ConfigMap",
    body: "k8s\0",
    contentType: "application/vnd.kubernetes.protobuf",
  },
  {
    says: "half of a protobuf",
    kind: "ConfigMap",
    body: Buffer.from("6b38730012ff", "hex"),
    contentType: "application/vnd.kubernetes.protobuf",
  },
  {
    says: "protobuf with a field of another type",
    kind: "ConfigMap",
    body: Buffer.from("6b3873000a0f0a0276311209436f6e6669674d617012020801", "hex"),
    contentType: "application/vnd.kubernetes.protobuf",
  },
  {
    says: "a YAML object",
    kind: "ConfigMap",
    body: "metadata:\n  name: x\ndata:\n  a: b\n  0755: c\n",
    contentType: "application/yaml",
  },
  {
    says: "a YAML object with a key twice",
    kind: "ConfigMap",
    body: "metadata:\n  name: x\ndata:\n  a: b\n  a: c\nfoo: 1\n",
    contentType: "application/yaml",
    fieldValidation: "Strict",
  },
  {
    says: "a custom resource without a kind",
    kind: "Widget",
    body: '{"apiVersion":"codec.example/v1","metadata":{"name":"x"}}',
  },
  { says: "a custom resource without a version", kind: "Widget", body: '{"kind":"Widget","metadata":{"name":"x"}}' },
  {
    says: "a custom resource of another version",
    kind: "Widget",
    body: '{"kind":"Widget","apiVersion":"codec.example/v2"}',
  },
  { says: "half a custom resource", kind: "Widget", body: '{"kind":"Widget",' },
  {
    says: "a custom resource with a key twice",
    kind: "Widget",
    body: '{"kind":"Widget","apiVersion":"codec.example/v1","metadata":{"name":"x"},"spec":{"n":1,"n":2}}',
    fieldValidation: "Strict",
  },
  {
    says: "a custom resource with a large number",
    kind: "Widget",
    body: '{"kind":"Widget","apiVersion":"codec.example/v1","metadata":{"name":"x"},"spec":{"n":9007199254740993}}',
  },
  { says: "a deep custom resource", kind: "Widget", body: `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}` },
  { says: "too much", kind: "ConfigMap", body: `{"data":{"a":"${"x".repeat(3 * 1024 * 1024)}"}}` },
];

/** Bodies of delete requests for a Deployment that is not there. */
export const deleteBodies: readonly { readonly body: string; readonly contentType?: string }[] = [
  { body: '{"apiVersion":"apps/v1","kind":"DeleteOptions"}' },
  { body: '{"apiVersion":"example.com/v1","kind":"DeleteOptions","foo":1}' },
  { body: '{"apiVersion":"v1","kind":"Pod"}' },
  { body: '{"gracePeriodSeconds":"x"}' },
  { body: '{"preconditions":[]}' },
  { body: "[]" },
  { body: "x" },
  { body: "x", contentType: "text/plain" },
  { body: "gracePeriodSeconds: 0\n", contentType: "application/yaml" },
  { body: "{}", contentType: "application/vnd.kubernetes.protobuf" },
];
