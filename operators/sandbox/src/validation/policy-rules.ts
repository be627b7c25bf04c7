// Rules for SandboxPolicies and RouteTables.

import { type DeepReadonly, ParseError, parsePointer, utf8Length } from "@homeostat/core";
import { invalidField, type Problem } from "@homeostat/schema";
import { globProblem } from "../api/glob.ts";
import { apiVersion, forbiddenNamespaces } from "../api/identity.ts";
import { type CachedRouteTable, RouteTable, tableBytesMax } from "../api/route-table.ts";
import { type CachedSandboxPolicy, SandboxPolicy, type TargetRule } from "../api/sandbox-policy.ts";
import { parseServicePattern } from "../api/service-pattern.ts";
import type { ObjectProblem } from "./problem.ts";
import { selectorProblems } from "./route-group-rules.ts";
import { type Rule, rule, type RuleContext, validateObject } from "./rule.ts";

/** All rules for SandboxPolicies beyond the schema, in the order in which problems are reported. */
export const sandboxPolicyRules: readonly Rule<CachedSandboxPolicy>[] = [
  rule("NamespaceForbidden", function* (_, { namespace }) {
    if (!forbiddenNamespaces.includes(namespace)) return;
    yield invalidField(
      "metadata.namespace",
      namespace,
      "can never be used for sandboxes, so a policy in it has no effect; create the policy in the namespace of a baseline",
    );
  }),
  rule("TargetRuleInvalid", function* ({ spec }) {
    yield* targetProblems("spec.allowedTargets", spec.allowedTargets);
    yield* targetProblems("spec.deniedTargets", spec.deniedTargets);
  }),
  rule("NamespaceRuleInvalid", function* ({ spec: { allowedFromNamespaces = [] } }) {
    for (const [index, { selector }] of allowedFromNamespaces.entries()) {
      yield* selectorProblems(`spec.allowedFromNamespaces[${index}].selector`, selector);
    }
  }),
  rule("ImageGlobInvalid", ({ spec }) => globProblems("spec.allowedImages", spec.allowedImages)),
  rule("PatchPathInvalid", function* ({ spec }) {
    yield* pointerProblems("spec.allowPatchPaths", spec.allowPatchPaths);
    yield* pointerProblems("spec.denyPatchPaths", spec.denyPatchPaths);
  }),
  rule("OutboundInvalid", function* ({ spec: { outboundAllow = [] } }) {
    for (const [index, text] of outboundAllow.entries()) {
      const pattern = parseServicePattern(text);
      if ("problem" in pattern) yield invalidField(`spec.outboundAllow[${index}]`, text, pattern.problem);
    }
  }),
];

function* targetProblems(path: string, rules: readonly DeepReadonly<TargetRule>[] = []): Iterable<Problem> {
  for (const [index, { name, selector }] of rules.entries()) {
    if (name !== undefined) yield* globProblemsAt(`${path}[${index}].name`, name);
    yield* selectorProblems(`${path}[${index}].selector`, selector);
  }
}

function* globProblems(path: string, globs: readonly string[] = []): Iterable<Problem> {
  for (const [index, glob] of globs.entries()) yield* globProblemsAt(`${path}[${index}]`, glob);
}

function* globProblemsAt(path: string, glob: string): Iterable<Problem> {
  const problem = globProblem(glob);
  if (problem !== undefined) yield invalidField(path, glob, `must be a glob, such as cart-*: it ${problem}`);
}

function* pointerProblems(path: string, pointers: readonly string[] = []): Iterable<Problem> {
  for (const [index, pointer] of pointers.entries()) {
    try {
      parsePointer(pointer);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      yield invalidField(
        `${path}[${index}]`,
        pointer,
        `must be a JSON pointer such as /spec/template/spec/nodeSelector: ${error.problem}`,
      );
    }
  }
}

/** All rules for RouteTables beyond the schema. */
export const routeTableRules: readonly Rule<CachedRouteTable>[] = [
  rule("TableTooLarge", function* ({ spec }) {
    const bytes = utf8Length(JSON.stringify(spec));
    if (bytes <= tableBytesMax) return;
    yield invalidField(
      "spec.entries",
      spec.entries.length,
      `make the table ${bytes} bytes large; at most ${tableBytesMax} are allowed. Remove routes of the Service`,
    );
  }),
  rule("PortUnknown", function* ({ spec: { ports, entries } }) {
    const known = new Set(ports.map(({ port }) => port));
    for (const [index, entry] of entries.entries()) {
      for (const [at, { port }] of entry.ports.entries()) {
        if (known.has(port)) continue;
        yield invalidField(`spec.entries[${index}].ports[${at}].port`, port, "is not a port of spec.ports");
      }
    }
  }),
];

const policyValidation = {
  resource: SandboxPolicy,
  rules: sandboxPolicyRules,
  complete: ({ metadata, spec }: CachedSandboxPolicy): CachedSandboxPolicy =>
    SandboxPolicy.default({ apiVersion, kind: "SandboxPolicy", metadata: { name: metadata.name ?? "" }, spec }),
};

const tableValidation = {
  resource: RouteTable,
  rules: routeTableRules,
  complete: ({ metadata, spec }: CachedRouteTable): CachedRouteTable =>
    RouteTable.default({ apiVersion, kind: "RouteTable", metadata: { name: metadata.name ?? "" }, spec }),
};

/** Returns all problems of a SandboxPolicy. */
export function sandboxPolicyProblems(policy: CachedSandboxPolicy, context: RuleContext): readonly ObjectProblem[] {
  return validateObject(policy, policyValidation, context);
}

/** Returns all problems of a RouteTable. */
export function routeTableProblems(table: CachedRouteTable, context: RuleContext): readonly ObjectProblem[] {
  return validateObject(table, tableValidation, context);
}
