import { admissionReview, type Attack, hostileTexts, nested, repeated } from "./attack.ts";

const mebibyte = 1024 * 1024;

function conversion(objects: string, desired = "locust.io/v2"): string {
  const request = `{"uid":"1","desiredAPIVersion":"${desired}","objects":${objects}}`;
  return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":${request}}`;
}

const admission = (object: string, old?: string): string => admissionReview({ object, old, namespace: "a", name: "t" });

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
  readonly imagePullPolicy?: string;
}

function test({
  metadata = "",
  variables = "[]",
  command = "--host http://a",
  extraArgs = "[]",
  imagePullPolicy = "Always",
}: TestParts): string {
  const master = `{"command":"${command}","extraArgs":${extraArgs}}`;
  const worker = '{"command":"-f a.py","replicas":1}';
  const spec = `{"image":"x","imagePullPolicy":"${imagePullPolicy}","master":${master},"worker":${worker},"env":{"variables":${variables}}}`;
  return `{"apiVersion":"locust.io/v2","kind":"LocustTest","metadata":{"name":"t","namespace":"a"${metadata}},"spec":${spec}}`;
}

const variables = (count: number): string => repeated('{"name":"A","value":"b"}', count);
const annotations = (count: number): string =>
  `,"annotations":{${Array.from({ length: count }, (_, n) => `"k${n}":"v"`).join(",")}}`;

/** Reviews of LocustTests with as many objects, values, levels or bytes as the limits allow, or more. */
export const locustAttacks: readonly Attack[] = [
  {
    name: "1,000,000 small objects",
    webhook: "locust conversion",
    body: () => conversion(repeated('{"a":1}', 1_000_000)),
  },
  {
    name: "90,000 objects without a kind",
    webhook: "locust conversion",
    body: () => conversion(repeated('{"a":1}', 90_000)),
  },
  { name: "20,000 tests", webhook: "locust conversion", body: () => conversion(repeated(oldTest(), 20_000)) },
  {
    name: "8 MiB of nested lists",
    webhook: "locust conversion",
    body: () => conversion("[".repeat(8 * mebibyte)),
    isMalformed: true,
  },
  {
    name: "an object 100,000 levels deep",
    webhook: "locust conversion",
    body: () => conversion(`[${nested(100_000)}]`),
  },
  {
    name: "100 objects 490 levels deep",
    webhook: "locust conversion",
    body: () => conversion(repeated(nested(490), 100)),
  },
  {
    name: "a string of 8 MiB",
    webhook: "locust conversion",
    body: () => conversion(`["${"x".repeat(8 * mebibyte)}"]`),
  },
  {
    name: "an object of 1,000,000 values",
    webhook: "locust conversion",
    body: () => conversion(`[{"a":${repeated("0", 1_000_000)}}]`),
  },
  {
    name: "24,000 annotations",
    webhook: "locust conversion",
    body: () => conversion(`[${oldTest(annotations(24_000))}]`),
  },
  {
    name: "16,000 variables, to the old version",
    webhook: "locust conversion",
    body: () => conversion(`[${test({ variables: variables(16_000) })}]`, "locust.io/v1"),
  },
  {
    name: "escapes of 2.9 MB",
    webhook: "locust conversion",
    body: () => conversion(`[${test({ metadata: `,"x":"${String.raw`\u00e9`.repeat(480_000)}"` })}]`, "locust.io/v1"),
  },
  {
    name: "16,000 variables",
    webhook: "locust validating",
    body: () => admission(test({ variables: variables(16_000) })),
  },
  {
    name: "16,000 variables, changed",
    webhook: "locust validating",
    body: () => admission(test({ variables: variables(16_000) }), test({ variables: variables(16_001) })),
  },
  {
    name: "12,000 invalid variables",
    webhook: "locust validating",
    body: () => admission(test({ variables: repeated('{"name":"=","value":1}', 12_000) })),
  },
  {
    name: "24,000 annotations",
    webhook: "locust validating",
    body: () => admission(test({ metadata: annotations(24_000) })),
  },
  {
    name: "an object of 1,000,000 values",
    webhook: "locust validating",
    body: () => admission(test({ metadata: `,"x":${repeated("0", 1_000_000)}` })),
  },
  {
    name: "a command of 1,000,000 words",
    webhook: "locust validating",
    body: () => admission(test({ command: "-a b ".repeat(500_000) })),
  },
  {
    name: "a command of 52,000 words",
    webhook: "locust validating",
    body: () => admission(test({ command: "-a b ".repeat(26_000) })),
  },
  {
    name: "40,000 arguments",
    webhook: "locust validating",
    body: () => admission(test({ extraArgs: repeated('"--x"', 40_000) })),
  },
  ...hostileTexts.flatMap(({ name, json }): Attack[] => [
    {
      name: `an unsupported pull policy of 2.5 MB: ${name}`,
      webhook: "locust validating",
      body: () => admission(test({ imagePullPolicy: json() })),
    },
    {
      name: `an argument of 2.5 MB: ${name}`,
      webhook: "locust validating",
      body: () => admission(test({ extraArgs: `["${json()}"]` })),
    },
    {
      name: `a command of 2.5 MB: ${name}`,
      webhook: "locust validating",
      body: () => admission(test({ command: json() })),
    },
    {
      name: `a kept spec of 2.5 MB that is invalid: ${name}`,
      webhook: "locust conversion",
      body: () => conversion(`[${oldTest(`,"annotations":{"locust.io/v2-spec":"${json()}"}`)}]`),
    },
  ]),
];
