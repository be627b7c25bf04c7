// Valid and invalid LocalWorkloads.

import { many, type SchemaCase, type UpdateCase } from "./schema-case.ts";

const port = { name: "http", containerPort: 8080 };

/** Returns the spec of a LocalWorkload with some fields changed. */
export function localSpec(fields: object = {}, service: object = {}): object {
  return { sandboxRef: { name: "pr-42" }, service: { name: "orders", ports: [port], ...service }, ...fields };
}

const withPort = (fields: object): object => localSpec({}, { ports: [{ ...port, ...fields }] });
const withConnection = (connection: object): object => localSpec({ connection });
const key = "A".repeat(43);

const accepted: readonly Omit<SchemaCase, "kind">[] = [
  {
    title: "gets its defaults",
    spec: localSpec(),
    expect: {
      "spec.connection": { publicKeys: [], target: "", timeout: 300, mode: "Exclusive", reconnectGraceSeconds: 5 },
      "spec.onUnavailable": "Fail",
      "spec.outbound": { enabled: true },
      "spec.service.ports.0": { name: "http", containerPort: 8080, localHost: "127.0.0.1" },
    },
  },
  {
    title: "is the example of the documentation",
    name: "jane-orders",
    spec: localSpec(
      { connection: { timeout: 300, mode: "Exclusive" } },
      { ports: [{ name: "http", containerPort: 8080, localPort: 3000 }] },
    ),
  },
  { title: "has eight keys", spec: withConnection({ publicKeys: many(8, (index) => `${key.slice(1)}${index}`) }) },
  { title: "has a target machine", spec: withConnection({ target: "0123456789ab" }) },
  { title: "has a target of any text", spec: withConnection({ target: "developer-laptop" }) },
  { title: "has a target reference", spec: localSpec({}, { targetRef: { name: "orders" } }) },
  {
    title: "has two ports",
    spec: localSpec({}, { ports: [port, { name: "grpc", containerPort: 9090, appProtocol: "grpc" }] }),
  },
  { title: "may call services", spec: localSpec({ outbound: { allow: ["db", "*.shop:5432"] } }) },
];

const refused: readonly (readonly [title: string, spec: unknown, message: string])[] = [
  ["has no sandbox", { service: { name: "a", ports: [port] } }, "spec.sandboxRef"],
  ["has a sandbox of another namespace", localSpec({ sandboxRef: { name: "other/a" } }), "spec.sandboxRef.name"],
  ["has no service", { sandboxRef: { name: "a" } }, "spec.service"],
  ["has no service name", { sandboxRef: { name: "a" }, service: { ports: [port] } }, "spec.service.name"],
  ["has no ports", { sandboxRef: { name: "a" }, service: { name: "a" } }, "spec.service.ports"],
  ["has an empty list of ports", localSpec({}, { ports: [] }), "spec.service.ports"],
  [
    "has 17 ports",
    localSpec({}, { ports: many(17, (index) => ({ name: `p${index}`, containerPort: index + 1 })) }),
    "spec.service.ports",
  ],
  ["has a port without a name", localSpec({}, { ports: [{ containerPort: 1 }] }), "ports[0].name"],
  ["has a port twice", localSpec({}, { ports: [port, { ...port, containerPort: 1 }] }), "ports[1]"],
  [
    "has a container port twice",
    localSpec({}, { ports: [port, { ...port, name: "b" }] }),
    "each containerPort can be used by one port only",
  ],
  ["has a port without a container port", localSpec({}, { ports: [{ name: "a" }] }), "ports[0].containerPort"],
  ["has the container port 0", withPort({ containerPort: 0 }), "containerPort"],
  ["has the container port 65536", withPort({ containerPort: 65_536 }), "containerPort"],
  ["has the local port 0", withPort({ localPort: 0 }), "localPort"],
  ["has an unknown protocol", withPort({ appProtocol: "quic" }), "appProtocol"],
  ["has a short key", withConnection({ publicKeys: ["A".repeat(42)] }), "publicKeys[0]"],
  ["has a long key", withConnection({ publicKeys: ["A".repeat(44)] }), "publicKeys[0]"],
  ["has a key in standard base64", withConnection({ publicKeys: [`${"A".repeat(42)}+`] }), "publicKeys[0]"],
  ["has a key twice", withConnection({ publicKeys: [key, key] }), "publicKeys[1]"],
  ["has nine keys", withConnection({ publicKeys: many(9, (index) => `${key.slice(1)}${index}`) }), "publicKeys"],
  ["has no timeout", withConnection({ timeout: 0 }), "timeout"],
  ["has an unknown mode", withConnection({ mode: "Shared" }), "mode"],
  ["has a negative grace", withConnection({ reconnectGraceSeconds: -1 }), "reconnectGraceSeconds"],
  ["has a long grace", withConnection({ reconnectGraceSeconds: 61 }), "reconnectGraceSeconds"],
  ["holds requests", localSpec({ onUnavailable: "Hold" }), "spec.onUnavailable"],
  ["has an empty outbound pattern", localSpec({ outbound: { allow: [""] } }), "outbound.allow[0]"],
];

export const localWorkloadCases: readonly SchemaCase[] = [
  ...accepted.map((one) => ({ kind: "LocalWorkload" as const, ...one })),
  ...refused.map(([title, spec, message]) => ({ kind: "LocalWorkload" as const, title, spec, refused: message })),
];

export const localWorkloadUpdates: readonly UpdateCase[] = [
  {
    kind: "LocalWorkload",
    title: "adds a key",
    before: localSpec(),
    after: localSpec({ connection: { publicKeys: [key] } }),
  },
  {
    kind: "LocalWorkload",
    title: "changes its sandbox",
    before: localSpec(),
    after: localSpec({ sandboxRef: { name: "b" } }),
    refused: "sandboxRef.name cannot be changed",
  },
  {
    kind: "LocalWorkload",
    title: "changes its service",
    before: localSpec(),
    after: localSpec({}, { name: "b" }),
    refused: "service.name cannot be changed",
  },
];
