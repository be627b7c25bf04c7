import { admissionReview, type Attack, hostileTexts, nested, repeated } from "./attack.ts";

interface TenantParts {
  readonly name?: string;
  /** More fields of the metadata. */
  readonly metadata?: string;
  /** Fields of the spec. */
  readonly spec?: string;
}

function tenant({ name = "acme", metadata = "", spec = "" }: TenantParts): string {
  return `{"apiVersion":"neurallog.io/v1","kind":"Tenant","metadata":{"name":"${name}"${metadata}},"spec":{${spec}}}`;
}

const review = (object: string, old?: string): string => admissionReview({ object, old, namespace: "", name: "acme" });
const entries = (count: number, value = '"v"'): string =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":${value}`).join(",")}}`;
const variables = (count: number, value = '"b"'): string =>
  `[${Array.from({ length: count }, (_, n) => `{"name":"A${n}","value":${value}}`).join(",")}]`;

/** Returns attacks with the same object, created and updated, on the validating webhook, and created on the mutating webhook. */
function attacksOf(name: string, object: () => string): Attack[] {
  return [
    { name, webhook: "tenant validating", body: () => review(object()) },
    { name: `${name}, updated`, webhook: "tenant validating", body: () => review(object(), object()) },
    { name, webhook: "tenant mutating", body: () => review(object()) },
  ];
}

const specs: readonly (readonly [name: string, spec: () => string])[] = [
  ["24,000 namespace labels", () => `"namespaceMetadata":{"labels":${entries(24_000)}}`],
  ["24,000 node selectors with wrong types", () => `"nodeSelector":${entries(24_000, "1")}`],
  ["16,000 variables", () => `"server":{"env":${variables(16_000)}}`],
  ["16,000 variables with one name", () => `"server":{"env":${repeated('{"name":"A","value":"b"}', 16_000)}}`],
  ["12,000 variables with wrong types", () => `"server":{"env":${variables(12_000, "1")}}`],
  ["100 variables of 25 KB", () => `"server":{"env":${variables(100, `"${"b".repeat(25_000)}"`)}}`],
  ["16,000 admins", () => `"access":{"admins":${repeated('{"kind":"User","name":"system:x"}', 16_000)}}`],
  ["24,000 Redis directives", () => `"redis":{"config":${entries(24_000)}}`],
  [
    "5,000 ingress rules",
    () => `"networkPolicy":{"ingressRules":${repeated('{"from":{"a":"b"},"cidrs":["10.0.0.0/8"]}', 5_000)}}`,
  ],
  ["24,000 CIDRs", () => `"networkPolicy":{"dns":{"cidrs":${repeated('"10.0.0.0/33"', 24_000)}}}`],
  ["24,000 quotas", () => `"quota":{"counts":${entries(24_000, '"1"')}}`],
  ["40,000 unknown fields", () => entries(40_000).slice(1, -1)],
  ["an unknown field 490 levels deep", () => `"x":${nested(490)}`],
  ["an affinity 490 levels deep", () => `"server":{"affinity":${nested(490)}}`],
];

/** Reviews of Tenants with as many entries, levels or bytes as the limits allow, or more. */
export const tenantAttacks: readonly Attack[] = [
  ...specs.flatMap(([name, spec]) => attacksOf(name, () => tenant({ spec: spec() }))),
  ...attacksOf("24,000 annotations", () => tenant({ metadata: `,"annotations":${entries(24_000)}` })),
  ...attacksOf("8,000 controllers", () => {
    const owner = '{"apiVersion":"v1","kind":"A","name":"a","uid":"1","controller":true}';
    return tenant({ metadata: `,"ownerReferences":${repeated(owner, 8_000)}` });
  }),
  ...hostileTexts.flatMap(({ name, json }) => [
    ...attacksOf(`a log level of 2.5 MB: ${name}`, () => tenant({ spec: `"server":{"logLevel":"${json()}"}` })),
    ...attacksOf(`a description of 2.5 MB: ${name}`, () => tenant({ spec: `"description":"${json()}"` })),
    ...attacksOf(`a quantity of 2.5 MB: ${name}`, () => tenant({ spec: `"redis":{"storage":"${json()}"}` })),
    ...attacksOf(`a name of 2.5 MB: ${name}`, () => tenant({ name: json() })),
    ...attacksOf(`an operator of a toleration of 2.5 MB: ${name}`, () =>
      tenant({ spec: `"server":{"tolerations":[{"key":"a","operator":"${json()}"}]}` }),
    ),
    ...attacksOf(`a label key of 2.5 MB: ${name}`, () =>
      tenant({ spec: `"namespaceMetadata":{"labels":{"${json()}":1}}` }),
    ),
    ...attacksOf(`a timestamp of 2.5 MB: ${name}`, () => tenant({ metadata: `,"creationTimestamp":"${json()}"` })),
    ...attacksOf(`a field manager of 2.5 MB: ${name}`, () =>
      tenant({ metadata: `,"managedFields":[{"manager":"${json()}","operation":"Update"}]` }),
    ),
  ]),
];
