import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  imageProblems,
  isPrintable,
  labelProblems,
  limitProblems,
  metadataProblems,
  namespaceNameProblems,
  objectNameProblems,
  quantityProblems,
  resourceProblems,
} from "./field-rules.ts";
import { formatProblem, type Problem } from "./problem.ts";

const lines = (problems: Iterable<Problem>): readonly string[] => [...problems].map(formatProblem);

describe("field rules", () => {
  const rows: readonly (readonly [string, Iterable<Problem>, readonly string[]])[] = [
    ["an image", imageProblems("spec.image", "redis:7"), []],
    [
      "an image with a space",
      imageProblems("spec.image", "a b"),
      [
        'spec.image: Invalid value: "a b": must be an image reference, such as registry.example.com/name:tag, of at most 255 characters',
      ],
    ],
    [
      "names",
      objectNameProblems("spec.secrets", ["a.b", "a_b"]),
      ['spec.secrets[1]: Invalid value: "a_b": must be a valid object name'],
    ],
    [
      "namespaces",
      namespaceNameProblems("spec.from", ["a", "a.b"]),
      ['spec.from[1]: Invalid value: "a.b": must be a valid namespace name'],
    ],
    ["no metadata", metadataProblems("spec.metadata"), []],
    [
      "metadata that is copied",
      metadataProblems(
        "spec.metadata",
        {
          labels: { "K8s.io/a": "b", "x.k8s.io/a": "b", "myk8s.io/a": "b", k8s: "c d" },
          annotations: { "a b": "any text", "k8s.io/a": "" },
        },
        { reservedDomains: ["k8s.io"] },
      ),
      [
        'spec.metadata.labels[K8s.io/a]: Invalid value: "K8s.io/a": must be a valid label key',
        'spec.metadata.labels[x.k8s.io/a]: Invalid value: "x.k8s.io/a": keys under k8s.io are reserved',
        'spec.metadata.labels[k8s]: Invalid value: "c d": must be a valid label value',
        'spec.metadata.annotations["a b"]: Invalid value: "a b": must be a valid annotation key',
        'spec.metadata.annotations[k8s.io/a]: Invalid value: "k8s.io/a": keys under k8s.io are reserved',
      ],
    ],
    [
      "labels",
      labelProblems("spec.labels", { "a b": "c", d: "e f" }),
      [
        'spec.labels["a b"]: Invalid value: "a b": must be a valid label key',
        'spec.labels[d]: Invalid value: "e f": must be a valid label value',
      ],
    ],
    ["a quantity", quantityProblems("spec.size", "1Gi", { min: "64Mi" }), []],
    [
      "a quantity below its minimum",
      quantityProblems("spec.size", "63Mi", { min: "64Mi" }),
      ['spec.size: Invalid value: "63Mi": must be at least 64Mi'],
    ],
    ...(["0", "-1", "1 GB", 1.5, "1".repeat(65)] as const).map(
      (value) =>
        [
          `the quantity ${value}`,
          quantityProblems("a", value),
          [`a: Invalid value: ${JSON.stringify(value)}: must be a positive quantity`],
        ] as const,
    ),
    [
      "a request above its limit",
      limitProblems({ limit: "a.limit", request: "a.request" }, { limit: "1", request: "1001m" }),
      ['a.request: Invalid value: "1001m": request must not exceed limit'],
    ],
    [
      "resources",
      resourceProblems("spec.resources", { cpu: { limit: 0 }, memory: undefined }),
      ["spec.resources.cpu.limit: Invalid value: 0: must be a positive quantity"],
    ],
  ];
  for (const [title, problems, expected] of rows) {
    it(`check ${title}`, () => {
      assert.deepEqual(lines(problems), expected);
    });
  }

  it("distinguish printable strings from others", () => {
    assert.ok(isPrintable("Ärzte & Söhne 日本"));
    for (const text of ["a\nb", "\u0007", "\u2028", "\ud800"]) assert.ok(!isPrintable(text), JSON.stringify(text));
  });
});
