import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import { builtInByResource } from "./built-in-kinds.ts";
import { kindWarnings } from "./warnings.ts";

function warningsFor(group: string, plural: string, object: JsonRecord, old?: JsonRecord): readonly string[] {
  const kind = builtInByResource(group, "v1", plural);
  assert.ok(kind);
  return kindWarnings(kind, object, old);
}

function pod(spec: JsonRecord, name = "a"): JsonRecord {
  return { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }], ...spec } };
}

const port = (containerPort: number, rest: JsonRecord = {}): JsonRecord => ({
  containerPort,
  protocol: "TCP",
  ...rest,
});

describe("kindWarnings", () => {
  const table: readonly (readonly [string, JsonRecord, readonly string[]])[] = [
    ["returns nothing for a plain pod", pod({}), []],
    [
      "warns about the same port in two containers",
      pod({
        containers: [
          { name: "a", ports: [port(80)] },
          { name: "b", ports: [port(80), port(81)] },
        ],
      }),
      ["spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]"],
    ],
    [
      "warns about the same port with and without a hostPort",
      pod({ containers: [{ name: "a", ports: [port(80, { hostPort: 8080 }), port(80)] }] }),
      ["spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]"],
    ],
    [
      "warns about the same hostPort on all addresses and on one address",
      pod({
        containers: [{ name: "a", ports: [port(80, { hostPort: 1, hostIP: "1.1.1.1" }), port(80, { hostPort: 1 })] }],
      }),
      ["spec.containers[0].ports[1]: dangerously ambiguous port definition with spec.containers[0].ports[0]"],
    ],
    [
      "warns about two ports with the same name",
      pod({
        containers: [
          { name: "a", ports: [port(80, { name: "x" })] },
          { name: "b", ports: [port(81, { name: "x" })] },
        ],
      }),
      [
        'spec.containers[1].ports[0]: duplicate port name "x" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
      ],
    ],
    [
      "warns about a variable that hides another one, unless it refers to it",
      pod({
        containers: [
          {
            name: "a",
            env: [
              { name: "X", value: "1" },
              { name: "X", value: "$(X)2" },
              { name: "X", value: "3" },
            ],
          },
        ],
      }),
      ['spec.containers[0].env[2]: hides previous definition of "X", which may be dropped when using apply'],
    ],
    [
      "warns about fractions of bytes",
      pod({ containers: [{ name: "a", resources: { limits: { memory: "1500m", cpu: "100m" } } }] }),
      ['spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer'],
    ],
    [
      "warns about duplicate image pull secrets",
      pod({ imagePullSecrets: [{ name: "s" }, { name: "s" }] }),
      ['spec.imagePullSecrets[1].name: duplicate name "s"'],
    ],
    [
      "warns about a topology spread constraint that matches no pod",
      pod({ topologySpreadConstraints: [{ topologyKey: "zone" }] }),
      ["spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod"],
    ],
  ];
  for (const [name, object, warnings] of table) {
    it(name, () => {
      assert.deepEqual(warningsFor("", "pods", object), warnings);
    });
  }

  it("reports the path of a pod template, and only when the template changes", () => {
    const containers = [
      { name: "a", ports: [port(80)] },
      { name: "b", ports: [port(80)] },
    ];
    const deployment = { metadata: { name: "d" }, spec: { template: { spec: { containers } } } };

    assert.deepEqual(warningsFor("apps", "deployments", deployment), [
      "spec.template.spec.containers[1].ports[0]: duplicate port definition with spec.template.spec.containers[0].ports[0]",
    ]);
    assert.deepEqual(warningsFor("apps", "deployments", deployment, deployment), []);
  });

  it("warns about fields of a Service that have no effect", () => {
    const spec = { type: "ClusterIP", clusterIP: "None", sessionAffinity: "ClientIP", externalIPs: ["1.1.1.1"] };

    assert.deepEqual(warningsFor("", "services", { spec }), [
      "spec.externalIPs is ignored for headless services",
      "spec.SessionAffinity is ignored for headless services",
    ]);
  });

  it("warns about names that are not DNS labels and become part of pod names", () => {
    const [warning = ""] = warningsFor("apps", "deployments", { metadata: { name: "a.b" }, spec: {} });

    assert.match(
      warning,
      /^metadata\.name: this is used in Pod names and hostnames, .* a DNS label is recommended: \[/,
    );
  });
});
