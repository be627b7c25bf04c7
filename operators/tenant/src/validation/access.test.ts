import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatProblems } from "@homeostat/schema";
import type { AccessSubject } from "../api/tenant.ts";
import { accessProblems } from "./access.ts";

const lists = ["admins", "editors", "viewers"] as const;

const problems = (subject: AccessSubject, list: (typeof lists)[number] = "admins"): string =>
  formatProblems([...accessProblems({ [list]: [subject] }, { operatorNamespace: "neurallog-system" })]);

const reserved: readonly string[] = [
  "system:masters",
  "system:anonymous",
  "system:authenticated",
  "system:unauthenticated",
  "system:admin",
  "system:nodes",
  "system:node:worker-1",
  "system:kube-controller-manager",
  "system:serviceaccount:kube-system:generic-garbage-collector",
  "system:serviceaccount:shop:ci",
  "system:serviceaccounts",
  "system:",
  // Names that look the same, or become the same when an authenticator trims or folds them.
  "System:masters",
  "SYSTEM:MASTERS",
  " system:masters",
  "system :masters",
  "\u200Bsystem:masters",
  "sys\u00ADtem:masters",
  "system\u2060:masters",
  "system\uFE0F:masters",
  "system\uFF1Amasters",
  "\uFF53\uFF59\uFF53\uFF54\uFF45\uFF4D:masters",
];

describe("accessProblems", () => {
  for (const name of reserved) {
    it(`refuses ${JSON.stringify(name)} as user, group and service account, in every list`, () => {
      for (const list of lists) {
        for (const kind of ["User", "Group"] as const) {
          const text = problems({ kind, name }, list);
          assert.match(text, /: Invalid value: .*names that start with system: are reserved for Kubernetes/, kind);
          assert.ok(text.startsWith(`spec.access.${list}[0].name: `), text);
        }
        assert.notEqual(problems({ kind: "ServiceAccount", name, namespace: "shop" }, list), "");
      }
    });
  }

  it("points from the user name of a service account to the kind", () => {
    assert.match(problems({ kind: "User", name: "system:serviceaccount:shop:ci" }), /use the kind ServiceAccount/);
  });

  it("refuses service accounts of Kubernetes and of the operator, by name and by group", () => {
    for (const [namespace, whose] of [
      ["kube-system", "Kubernetes"],
      ["kube-public", "Kubernetes"],
      ["neurallog-system", "the operator"],
    ] as const) {
      const text = `service accounts of ${whose} cannot be granted access`;
      assert.ok(problems({ kind: "ServiceAccount", name: "x", namespace }).includes(text), namespace);
      assert.ok(problems({ kind: "Group", name: `system:serviceaccounts:${namespace}` }).includes(text), namespace);
    }
  });

  it("refuses the group of the service accounts of a namespace that cannot exist", () => {
    for (const rest of ["", "Shop", "a b", "shop:ci", "\u200Bshop"]) {
      const text = problems({ kind: "Group", name: `system:serviceaccounts:${rest}` });
      assert.match(text, /must end with the name of a namespace/, rest);
    }
  });

  it("refuses empty, padded and invisible names", () => {
    for (const kind of ["User", "Group"] as const) {
      assert.match(problems({ kind, name: "" }), /name: Required value: set the name of the subject/);
      for (const name of [" ", "jane ", "\tjane", "ja\u200Bne", "jane\u202E", "\u2028"]) {
        assert.match(
          problems({ kind, name }),
          /must not (?:start or end with a space|contain control characters)/,
          name,
        );
      }
    }
  });

  it("accepts users, groups and service accounts of other namespaces", () => {
    const subjects: readonly AccessSubject[] = [
      { kind: "User", name: "jane@example.com" },
      { kind: "User", name: "oidc:Jane Doe" },
      { kind: "User", name: "https://issuer.example.com#jane" },
      { kind: "User", name: "ecosystem:jane" },
      { kind: "Group", name: "Équipe-Été" },
      { kind: "Group", name: "system" },
      { kind: "Group", name: "system:serviceaccounts:ci" },
      { kind: "ServiceAccount", name: "ci.builder", namespace: "shop" },
    ];
    for (const subject of subjects) assert.equal(problems(subject), "", subject.name);
  });
});
