/** A request that tries to keep the event loop of a webhook busy. */
export interface Attack {
  readonly name: string;
  readonly webhook: "admission" | "conversion";
  /** Builds the body when it is needed: some have 8 MiB. */
  readonly body: () => string;
}

const mebibyte = 1024 * 1024;

function repeated(element: string, count: number): string {
  return `[${`${element},`.repeat(count - 1)}${element}]`;
}

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
}

function conversion(objects: string, desired = "locust.io/v2"): string {
  const request = `{"uid":"1","desiredAPIVersion":"${desired}","objects":${objects}}`;
  return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":${request}}`;
}

function admission(object: string, old?: string): string {
  const objects = old === undefined ? `"object":${object}` : `"object":${object},"oldObject":${old}`;
  const operation = old === undefined ? "CREATE" : "UPDATE";
  const request = `{"uid":"1","operation":"${operation}","namespace":"a","name":"t","userInfo":{"username":"u"},${objects}}`;
  return `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":${request}}`;
}

/** A test of the old version, with more fields in its metadata. */
function oldTest(metadata = ""): string {
  const spec = '{"image":"x","masterCommandSeed":"--host http://a","workerCommandSeed":"-f a.py","workerReplicas":1}';
  return `{"apiVersion":"locust.io/v1","kind":"LocustTest","metadata":{"name":"t","namespace":"a"${metadata}},"spec":${spec}}`;
}

interface TestParts {
  readonly metadata?: string;
  readonly variables?: string;
  readonly command?: string;
  readonly extraArgs?: string;
}

function test({ metadata = "", variables = "[]", command = "--host http://a", extraArgs = "[]" }: TestParts): string {
  const master = `{"command":"${command}","extraArgs":${extraArgs}}`;
  const worker = '{"command":"-f a.py","replicas":1}';
  const spec = `{"image":"x","master":${master},"worker":${worker},"env":{"variables":${variables}}}`;
  return `{"apiVersion":"locust.io/v2","kind":"LocustTest","metadata":{"name":"t","namespace":"a"${metadata}},"spec":${spec}}`;
}

const variables = (count: number): string => repeated('{"name":"A","value":"b"}', count);
const annotations = (count: number): string =>
  `,"annotations":{${Array.from({ length: count }, (_, n) => `"k${n}":"v"`).join(",")}}`;

/** Bodies with as many objects, values, levels or bytes as the limits allow, or more. */
export const attacks: readonly Attack[] = [
  { name: "1,000,000 small objects", webhook: "conversion", body: () => conversion(repeated('{"a":1}', 1_000_000)) },
  { name: "90,000 objects without a kind", webhook: "conversion", body: () => conversion(repeated('{"a":1}', 90_000)) },
  { name: "20,000 tests", webhook: "conversion", body: () => conversion(repeated(oldTest(), 20_000)) },
  { name: "8 MiB of nested lists", webhook: "conversion", body: () => conversion("[".repeat(8 * mebibyte)) },
  { name: "an object 100,000 levels deep", webhook: "conversion", body: () => conversion(`[${nested(100_000)}]`) },
  { name: "100 objects 490 levels deep", webhook: "conversion", body: () => conversion(repeated(nested(490), 100)) },
  {
    name: "a string of 8 MiB",
    webhook: "conversion",
    body: () => conversion(`["${"x".repeat(8 * mebibyte)}"]`),
  },
  {
    name: "an object of 1,000,000 values",
    webhook: "conversion",
    body: () => conversion(`[{"a":${repeated("0", 1_000_000)}}]`),
  },
  {
    name: "24,000 annotations",
    webhook: "conversion",
    body: () => conversion(`[${oldTest(annotations(24_000))}]`),
  },
  {
    name: "16,000 variables, to the old version",
    webhook: "conversion",
    body: () => conversion(`[${test({ variables: variables(16_000) })}]`, "locust.io/v1"),
  },
  {
    name: "escapes of 2.9 MB",
    webhook: "conversion",
    body: () => conversion(`[${test({ metadata: `,"x":"${String.raw`\u00e9`.repeat(480_000)}"` })}]`, "locust.io/v1"),
  },
  { name: "16,000 variables", webhook: "admission", body: () => admission(test({ variables: variables(16_000) })) },
  {
    name: "16,000 variables, changed",
    webhook: "admission",
    body: () => admission(test({ variables: variables(16_000) }), test({ variables: variables(16_001) })),
  },
  {
    name: "12,000 invalid variables",
    webhook: "admission",
    body: () => admission(test({ variables: repeated('{"name":"=","value":1}', 12_000) })),
  },
  {
    name: "24,000 annotations",
    webhook: "admission",
    body: () => admission(test({ metadata: annotations(24_000) })),
  },
  {
    name: "an object of 1,000,000 values",
    webhook: "admission",
    body: () => admission(test({ metadata: `,"x":${repeated("0", 1_000_000)}` })),
  },
  {
    name: "a command of 1,000,000 words",
    webhook: "admission",
    body: () => admission(test({ command: "-a b ".repeat(500_000) })),
  },
  {
    name: "a command of 52,000 words",
    webhook: "admission",
    body: () => admission(test({ command: "-a b ".repeat(26_000) })),
  },
  {
    name: "40,000 arguments",
    webhook: "admission",
    body: () => admission(test({ extraArgs: repeated('"--x"', 40_000) })),
  },
];
