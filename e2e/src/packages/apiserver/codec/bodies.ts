// Bodies of create requests that are invalid, or nearly so.

/** A body and the kind it is sent to. */
export interface BodyCase {
  readonly title: string;
  readonly kind: "ConfigMap" | "Pod" | "Deployment" | "Secret" | "Widget";
  readonly body: string | Uint8Array;
  readonly contentType?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

const nothing = new Uint8Array();

/** All bodies. Valid ones are sent as a dry run. */
export const bodies: readonly BodyCase[] = [
  { title: "an empty body", kind: "ConfigMap", body: nothing },
  { title: "a truncated object", kind: "ConfigMap", body: '{"data":{"a":' },
  {
    title: "a long truncated object",
    kind: "ConfigMap",
    body: '{"metadata":{"name":"a-rather-long-name"},"data":{"a":',
  },
  { title: "a trailing comma", kind: "ConfigMap", body: '{"data":{"a":"b",}}' },
  { title: "trailing text", kind: "ConfigMap", body: '{"kind":"ConfigMap"} x' },
  { title: "a list", kind: "ConfigMap", body: "[]" },
  { title: "a number", kind: "ConfigMap", body: "1" },
  { title: "a kind that is a number", kind: "ConfigMap", body: '{"kind":1,"apiVersion":"v1"}' },
  { title: "an apiVersion with two slashes", kind: "ConfigMap", body: '{"kind":"ConfigMap","apiVersion":"a/b/c"}' },
  { title: "an unknown kind", kind: "ConfigMap", body: '{"kind":"Thing","apiVersion":"v1"}' },
  { title: "an unknown group", kind: "ConfigMap", body: '{"kind":"Thing","apiVersion":"example.com/v1"}' },
  { title: "another kind", kind: "ConfigMap", body: '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"x"}}' },
  { title: "a kind of another group", kind: "Pod", body: '{"kind":"Deployment","apiVersion":"apps/v1"}' },
  { title: "a string for a map", kind: "ConfigMap", body: '{"metadata":{"name":"x"},"data":"text"}' },
  { title: "a number for a string", kind: "ConfigMap", body: '{"metadata":{"name":"x"},"data":{"a":1}}' },
  { title: "a string for a number", kind: "Deployment", body: '{"metadata":{"name":"x"},"spec":{"replicas":"3"}}' },
  { title: "a fraction for an integer", kind: "Deployment", body: '{"metadata":{"name":"x"},"spec":{"replicas":1.5}}' },
  {
    title: "a number beyond 32 bits",
    kind: "Deployment",
    body: '{"metadata":{"name":"x"},"spec":{"replicas":2147483648}}',
  },
  { title: "a list for an object", kind: "Pod", body: '{"metadata":{"name":"x"},"spec":[]}' },
  {
    title: "an invalid quantity",
    kind: "Pod",
    body: '{"metadata":{"name":"x"},"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"a lot"}}}]}}',
  },
  { title: "an invalid time", kind: "ConfigMap", body: '{"metadata":{"name":"x","creationTimestamp":"yesterday"}}' },
  { title: "a Secret with invalid base64", kind: "Secret", body: '{"metadata":{"name":"x"},"data":{"a":"!"}}' },
  {
    title: "invalid UTF-8",
    kind: "ConfigMap",
    body: Buffer.from('{"metadata":{"name":"x"},"data":{"a":"\xff\xe2\x82"}}', "latin1"),
    fieldValidation: "Strict",
  },
  { title: "a byte order mark", kind: "ConfigMap", body: "\ufeff{}" },
  {
    title: "unknown fields with strict validation",
    kind: "Deployment",
    body: '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x","foo":1},"spec":{"replicas":1,"bar":{"x":1}},"baz":1}',
    fieldValidation: "Strict",
  },
  {
    title: "a duplicate field with strict validation",
    kind: "ConfigMap",
    body: '{"metadata":{"name":"x","name":"y"},"data":{"a":"1","a":"2"},"data":{}}',
    fieldValidation: "Strict",
  },
  {
    title: "unknown and duplicate fields",
    kind: "ConfigMap",
    body: '{"metadata":{"name":"x","nam":"y"},"data":{"a":"1","a":"2"},"Data":{},"__proto__":1}',
  },
  {
    title: "unknown and duplicate fields without validation",
    kind: "ConfigMap",
    body: '{"metadata":{"name":"x","nam":"y"},"data":{"a":"1","a":"2"}}',
    fieldValidation: "Ignore",
  },
  { title: "text", kind: "ConfigMap", body: "x", contentType: "text/plain" },
  { title: "an unknown media type", kind: "ConfigMap", body: "{}", contentType: "application/cbor" },
  { title: "an invalid Content-Type", kind: "ConfigMap", body: "{}", contentType: "json" },
  {
    title: "JSON with the Content-Type of protobuf",
    kind: "ConfigMap",
    body: "{}",
    contentType: "application/vnd.kubernetes.protobuf",
  },
  {
    title: "an empty protobuf body",
    kind: "ConfigMap",
    body: nothing,
    contentType: "application/vnd.kubernetes.protobuf",
  },
  {
    title: "a protobuf prefix only",
    kind: "ConfigMap",
    body: "k8s\0",
    contentType: "application/vnd.kubernetes.protobuf",
  },
  {
    title: "truncated protobuf",
    kind: "ConfigMap",
    body: Buffer.from("6b38730012ff", "hex"),
    contentType: "application/vnd.kubernetes.protobuf",
  },
  {
    title: "protobuf with a field of another type",
    kind: "ConfigMap",
    body: Buffer.from("6b3873000a0f0a0276311209436f6e6669674d617012020801", "hex"),
    contentType: "application/vnd.kubernetes.protobuf",
  },
  {
    title: "a YAML object",
    kind: "ConfigMap",
    body: "metadata:\n  name: x\ndata:\n  a: b\n  0755: c\n",
    contentType: "application/yaml",
  },
  {
    title: "a YAML object with a duplicate key",
    kind: "ConfigMap",
    body: "metadata:\n  name: x\ndata:\n  a: b\n  a: c\nfoo: 1\n",
    contentType: "application/yaml",
    fieldValidation: "Strict",
  },
  {
    title: "a custom resource without a kind",
    kind: "Widget",
    body: '{"apiVersion":"codec.example/v1","metadata":{"name":"x"}}',
  },
  { title: "a custom resource without a version", kind: "Widget", body: '{"kind":"Widget","metadata":{"name":"x"}}' },
  {
    title: "a custom resource of another version",
    kind: "Widget",
    body: '{"kind":"Widget","apiVersion":"codec.example/v2"}',
  },
  { title: "a truncated custom resource", kind: "Widget", body: '{"kind":"Widget",' },
  {
    title: "a custom resource with a duplicate key",
    kind: "Widget",
    body: '{"kind":"Widget","apiVersion":"codec.example/v1","metadata":{"name":"x"},"spec":{"n":1,"n":2}}',
    fieldValidation: "Strict",
  },
  {
    title: "a custom resource with a large number",
    kind: "Widget",
    body: '{"kind":"Widget","apiVersion":"codec.example/v1","metadata":{"name":"x"},"spec":{"n":9007199254740993}}',
  },
  { title: "a deeply nested custom resource", kind: "Widget", body: `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}` },
  { title: "too much", kind: "ConfigMap", body: `{"data":{"a":"${"x".repeat(3 * 1024 * 1024)}"}}` },
];

/** Bodies of delete requests for a Deployment that does not exist. */
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
