// Requests that are valid HTTP with hostile content.

import { deflateSync, gzipSync } from "node:zlib";
import type { Shape } from "./framing.ts";

const group = "bad-input.example.com";
const maps = "/api/v1/namespaces/default/configmaps";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const things = `/apis/${group}/v1/namespaces/default/things`;
const megabyte = 1024 * 1024;

interface Request {
  readonly method?: string;
  readonly type?: string;
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
  readonly isChunked?: boolean;
}

/** Returns a complete request that closes the connection. */
function request(
  name: string,
  target: string,
  { method = "GET", type, headers = [], body, isChunked }: Request = {},
): Shape {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const length = isChunked === true ? "Transfer-Encoding: chunked" : `Content-Length: ${bytes?.length ?? 0}`;
  const head = [
    `${method} ${target} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Connection: close",
    "User-Agent: bad-input",
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...(bytes === undefined ? [] : [length]),
    ...headers,
  ];
  const sent = bytes === undefined ? [] : isChunked === true ? inChunks(bytes) : [bytes];
  return { name, pieces: [Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), ...sent])] };
}

function inChunks(bytes: Buffer): Buffer[] {
  return [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n0\r\n\r\n")];
}

const json = "application/json";
const yaml = "application/yaml";
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const pointer = "application/json-patch+json";
const apply = "application/apply-patch+yaml";

function create(name: string, body: string | Uint8Array, rest: Omit<Request, "body" | "method"> = {}): Shape {
  return request(name, `${maps}?dryRun=All`, { method: "POST", type: json, body, ...rest });
}

function map(rest: string): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad-input"${rest}}`;
}

function patch(name: string, type: string, body: string, query = "dryRun=All"): Shape {
  return request(name, `${maps}/patched?${query}`, { method: "PATCH", type, body });
}

function thing(name: string, rest: string): Shape {
  const body = `{"apiVersion":"${group}/v1","kind":"Thing","metadata":{"name":"bad-input"}${rest}}`;
  return request(name, `${things}?dryRun=All`, { method: "POST", type: json, body });
}

function definition(name: string, property: string): Shape {
  return request(name, `${definitions}?dryRun=All`, {
    method: "POST",
    type: json,
    body: definitionOf("others", property),
  });
}

function definitionOf(plural: string, property: string): string {
  const kind = plural === "things" ? "Thing" : "Other";
  const schema = `{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{${property}}}}}`;
  const version = `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${schema}}}`;
  const names = `{"plural":"${plural}","singular":"${kind.toLowerCase()}","kind":"${kind}","listKind":"${kind}List"}`;
  return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"${plural}.${group}"},"spec":{"group":"${group}","scope":"Namespaced","names":${names},"versions":[${version}]}}`;
}

/** Objects that the requests need: a CRD and an object to patch. The patterns of the schema are hostile themselves. */
export const preparations: readonly Shape[] = [
  request("the kind", definitions, {
    method: "POST",
    type: json,
    body: definitionOf("things", '"slow":{"type":"string","pattern":"^(a+)+$"}'),
  }),
  request("the object", maps, {
    method: "POST",
    type: json,
    body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"patched","labels":{"a":"b"}},"data":{"k":"v"}}',
  }),
];

const deepJson = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
const deepList = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
const deepYaml = `a: ${"{a: ".repeat(20_000)}1${"}".repeat(20_000)}`;
const deepProtobuf = nestedProtobuf(5_000);
/** A YAML bomb: each alias expands to nine of the previous one, a billion words in a few lines. */
const yamlBomb = `a0: &a0 [x]\n${Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array.from({ length: 9 }, () => `*a${n}`).join(",")}]`).join("\n")}\nkind: ConfigMap\napiVersion: v1\n`;

function nestedProtobuf(depth: number): Buffer {
  let bytes = Buffer.alloc(0);
  for (let n = 0; n < depth && bytes.length < 100_000; n += 1)
    bytes = Buffer.concat([Buffer.from([0x0a]), varint(bytes.length), bytes]);
  const type = Buffer.from("\x0a\x02v1\x12\x09ConfigMap", "latin1");
  return Buffer.concat([
    Buffer.from("k8s\0", "latin1"),
    Buffer.from([0x0a]),
    varint(type.length),
    type,
    Buffer.from([0x12]),
    varint(bytes.length),
    bytes,
  ]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left >>>= 7) bytes.push((left & 127) | 128);
  return Buffer.from([...bytes, left]);
}

const sizes: readonly Shape[] = [
  create("a body of just over 3 MiB", `${map("}")},"data":{"a":"${"x".repeat(3 * megabyte)}"}}`),
  create("a chunked body of just over 3 MiB", `${map("}")},"data":{"a":"${"x".repeat(3 * megabyte)}"}}`, {
    isChunked: true,
  }),
  create("a body of 2 MiB", `${map("}")},"data":{"a":"${"x".repeat(2 * megabyte)}"}}`),
  create("spaces of 2.9 MiB", " ".repeat(2_900_000)),
  create("a number of 100,000 digits", map(`},"data":{"a":${"9".repeat(100_000)}}`)),
  create(
    "a name of 100,000 letters",
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${"a".repeat(100_000)}"}}`,
  ),
  patch(
    "a patch of 20,000 operations",
    pointer,
    `[${'{"op":"test","path":"/data/k","value":"v"},'.repeat(20_000).slice(0, -1)}]`,
  ),
  patch("a patch that doubles itself", pointer, doubling(24)),
  request("a gzip bomb", `${maps}?dryRun=All`, {
    method: "POST",
    type: json,
    headers: ["Content-Encoding: gzip"],
    body: gzipSync(Buffer.alloc(64 * megabyte)),
  }),
  request("a deflate bomb", `${maps}?dryRun=All`, {
    method: "POST",
    type: json,
    headers: ["Content-Encoding: deflate"],
    body: deflateSync(Buffer.alloc(64 * megabyte)),
  }),
];

/** Returns operations of which each doubles the result of the previous one. */
function doubling(times: number): string {
  const first = `{"op":"add","path":"/data/a0","value":"${"x".repeat(1000)}"}`;
  const copies = Array.from({ length: times }, (_, n) => `{"op":"copy","from":"/data","path":"/data/b${n}"}`);
  return `[${[first, ...copies].join(",")}]`;
}

const depths: readonly Shape[] = [
  create("an object 20,000 deep", deepJson),
  create("a list 100,000 deep", deepList),
  create("a list that is never closed", "[".repeat(100_000)),
  create("labels 20,000 deep", map(`,"labels":${deepJson}}`)),
  create("YAML 20,000 deep", deepYaml, { type: yaml }),
  create("YAML aliases that expand to a billion words", yamlBomb, { type: yaml }),
  create("protobuf 5,000 deep", deepProtobuf, { type: "application/vnd.kubernetes.protobuf" }),
  create("truncated protobuf", deepProtobuf.subarray(0, 40), { type: "application/vnd.kubernetes.protobuf" }),
  create("CBOR", Buffer.from("d9d9f7a0", "hex"), { type: "application/cbor" }),
  patch("a merge patch 20,000 deep", merge, deepJson),
  patch("a strategic patch 20,000 deep", strategic, deepJson),
  patch("a JSON patch 20,000 deep", pointer, `[{"op":"add","path":"/data/x","value":${deepJson}}]`),
  patch("an apply 20,000 deep", apply, deepYaml, "dryRun=All&fieldManager=x"),
  thing("a custom resource 20,000 deep", `,"spec":{"deep":${deepJson}}`),
];

const keys: readonly Shape[] = [
  create("a duplicate key", map('},"data":{"a":"1","a":"2"}'), {}),
  request("a duplicate key with strict validation", `${maps}?dryRun=All&fieldValidation=Strict`, {
    method: "POST",
    type: json,
    body: map('},"data":{"a":"1","a":"2"}}').slice(0, -1),
  }),
  create("__proto__ as a label", map(',"labels":{"__proto__":"x"}}')),
  create("__proto__ as labels", map(',"labels":{"__proto__":{"polluted":"yes"}}}')),
  create("a label named constructor", map(',"labels":{"constructor":"x"}}')),
  create("__proto__ as an annotation", map(',"annotations":{"__proto__":"x"}}')),
  create(
    "__proto__ at the top",
    '{"__proto__":{"polluted":true},"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad-input"}}',
  ),
  create("__proto__ as data", map('},"data":{"__proto__":"x","constructor":"y","toString":"z"}')),
  create(
    "a kind named like a property of every JavaScript object",
    '{"apiVersion":"v1","kind":"constructor","metadata":{"name":"bad-input"}}',
  ),
  create("a kind named __proto__", '{"apiVersion":"v1","kind":"__proto__","metadata":{"name":"bad-input"}}'),
  create(
    "YAML with __proto__",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad-input}\n__proto__: {polluted: true}\n",
    {
      type: yaml,
    },
  ),
  thing("__proto__ in a spec", ',"spec":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  thing("__proto__ at the top of a custom resource", ',"__proto__":{"polluted":true}'),
  patch("a merge patch of __proto__", merge, '{"__proto__":{"polluted":true}}'),
  patch("a merge patch of __proto__ in data", merge, '{"data":{"__proto__":"x"}}'),
  patch("a merge patch of constructor", merge, '{"constructor":{"prototype":{"polluted":true}}}'),
  patch(
    "a strategic patch of __proto__",
    strategic,
    '{"__proto__":{"polluted":true},"metadata":{"__proto__":{"polluted":true}}}',
  ),
  patch("a strategic patch with an unknown directive", strategic, '{"$patch":"explode"}'),
  patch("a JSON patch to __proto__", pointer, '[{"op":"add","path":"/__proto__/polluted","value":true}]'),
  patch(
    "a JSON patch to the prototype of the constructor",
    pointer,
    '[{"op":"add","path":"/constructor/prototype/polluted","value":true}]',
  ),
  patch("a JSON patch from __proto__", pointer, '[{"op":"copy","from":"/__proto__","path":"/data/x"}]'),
  patch("a JSON patch to data's __proto__", pointer, '[{"op":"add","path":"/data/__proto__","value":"x"}]'),
  patch("a JSON patch to an invalid path", pointer, '[{"op":"add","path":"data/x","value":"x"}]'),
  patch("a JSON patch without an operation", pointer, '[{"path":"/data/x"}]'),
  patch("a JSON patch that is not a list", pointer, '{"op":"add"}'),
  patch(
    "an apply of __proto__",
    apply,
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: patched}\n__proto__: {polluted: true}\n",
    "dryRun=All&fieldManager=x",
  ),
  patch("a patch of an unknown type", "application/x-patch", "{}"),
  request("a namespace named __proto__", "/api/v1/namespaces/__proto__/configmaps"),
  request("a resource named constructor", "/api/v1/namespaces/default/constructor"),
  request("a group named __proto__", "/apis/__proto__/v1/toString"),
  request(
    "query parameters named like properties of every JavaScript object",
    `${maps}?__proto__=1&constructor=2&limit=1&hasOwnProperty=x`,
  ),
];

const patterns: readonly Shape[] = [
  thing("a string that needs exponential backtracking", `,"spec":{"slow":"${"a".repeat(50_000)}!"}`),
  definition("an invalid pattern", '"a":{"type":"string","pattern":"("}'),
  definition(
    "a pattern with a lookbehind",
    '"a":{"type":"string","pattern":"(a)\\\\\\\\1"}'.replaceAll("\\\\\\\\", "\\\\"),
  ),
  definition("a pattern with a lookahead", '"a":{"type":"string","pattern":"(?=a)b"}'),
  definition("a pattern with too many repetitions", '"a":{"type":"string","pattern":"(a{1000}){1000}"}'),
  definition(
    "a pattern that is nested too deep",
    `"a":{"type":"string","pattern":"${"(".repeat(2000)}a${")*".repeat(2000)}"}`,
  ),
  definition(
    "a default that violates a hostile pattern",
    `"a":{"type":"string","pattern":"^(a|a)*$","default":"${"a".repeat(5000)}b"}`,
  ),
  definition("an invalid rule", '"a":{"type":"string","x-kubernetes-validations":[{"rule":"self.("}]}'),
  definition(
    "a rule with an invalid pattern",
    '"a":{"type":"string","x-kubernetes-validations":[{"rule":"self.matches(\'(\')"}]}',
  ),
  definition(
    "a rule over the cost limit",
    '"a":{"type":"array","items":{"type":"string"},"x-kubernetes-validations":[{"rule":"self.all(x, self.all(y, self.all(z, x == y && y == z)))"}]}',
  ),
  definition(
    "a rule that is nested too deep",
    `"a":{"type":"string","x-kubernetes-validations":[{"rule":"${"(".repeat(3000)}true${")".repeat(3000)}"}]}`,
  ),
];

const queries: readonly Shape[] = [
  request("a label selector of 900 KB", `${maps}?labelSelector=${"a,".repeat(450_000)}b`),
  request("a label selector of one name of 900 KB", `${maps}?labelSelector=${"a".repeat(900_000)}`),
  request("a set of 900 KB", `${maps}?labelSelector=a%20in%20(${"b,".repeat(440_000)}c)`),
  request("a field selector of 900 KB", `${maps}?fieldSelector=${"metadata.name=a,".repeat(56_000)}metadata.name=b`),
  request("an unsupported field selector", `${maps}?fieldSelector=__proto__=a`),
  request("a selector with unclosed parentheses", `${maps}?labelSelector=${"(".repeat(10_000)}`),
  request("800 parameters", `${maps}?${Array.from({ length: 800 }, (_, n) => `p${n}=${n}`).join("&")}&limit=1`),
  request("800 times the same parameter", `${maps}?${"limit=1&".repeat(800)}limit=2`),
  request("a limit over 64 bits", `${maps}?limit=99999999999999999999999`),
  request("a negative limit", `${maps}?limit=-5`),
  request("an invalid limit", `${maps}?limit=1e3`),
  request("an invalid continue token", `${maps}?limit=1&continue=%00%ff`),
  request("a continue token of 500 KB", `${maps}?limit=1&continue=${"A".repeat(500_000)}`),
  request("an invalid resourceVersion", `${maps}?resourceVersion=-1`),
  request("a resourceVersion over 64 bits", `${maps}?resourceVersion=99999999999999999999`),
  request("a semicolon in a query", `${maps}?limit=1;limit=2`),
  request("invalid percent-encoding in a query", `${maps}?labelSelector=%zz`),
  request("a watch with an invalid timeout", `${maps}?watch=1&timeoutSeconds=x`),
];

/** All requests of this file. */
export const contents: readonly Shape[] = [...sizes, ...depths, ...keys, ...patterns, ...queries];
