// Rules for entries of `spec.services` of a Sandbox.

import { compilePattern } from "@homeostat/cel";
import { type DeepReadonly, ParseError } from "@homeostat/core";
import {
  imageProblems,
  invalidField,
  keyReferenceProblems,
  limitProblems,
  type Problem,
  requiredField,
} from "@homeostat/schema";
import type { CachedSandbox, ContainerChange, EnvChange, SandboxSpec, ServiceEntry } from "../api/sandbox.ts";
import { patchProblems } from "./patch-rules.ts";
import { rule, type Rule } from "./rule.ts";

type Entry = DeepReadonly<ServiceEntry>;
type Spec = DeepReadonly<SandboxSpec>;

/** Returns a rule that checks one entry at a time. */
function entryRule(
  name: string,
  check: (entry: Entry, path: string, spec: Spec) => Iterable<Problem>,
): Rule<CachedSandbox> {
  return rule(name, function* ({ spec }) {
    for (const [index, entry] of spec.services.entries()) yield* check(entry, `spec.services[${index}]`, spec);
  });
}

export const entryRules: readonly Rule<CachedSandbox>[] = [
  rule("TargetDuplicate", function* ({ spec }, { namespace }) {
    const first = new Map<string, number>();
    for (const [index, { targetRef }] of spec.services.entries()) {
      const key = [targetRef.kind, targetRef.namespace ?? namespace, targetRef.name].join("/");
      const other = first.get(key);
      if (other === undefined) first.set(key, index);
      else {
        const detail = `spec.services[${other}] has the same target ${key}; merge the two entries`;
        yield invalidField(`spec.services[${index}].targetRef`, targetRef.name, detail);
      }
    }
  }),
  entryRule("PatternInvalid", function* ({ preserveLabels }, path) {
    for (const [index, pattern] of preserveLabels.entries()) {
      const problem = patternProblem(pattern);
      if (problem !== undefined) yield invalidField(`${path}.preserveLabels[${index}]`, pattern, problem);
    }
  }),
  entryRule("ImageInvalid", function* ({ containers = [] }, path) {
    for (const [index, { image }] of containers.entries()) {
      yield* imageProblems(`${path}.containers[${index}].image`, image);
    }
  }),
  entryRule("ResourcesInvalid", function* ({ containers = [] }, path) {
    for (const [index, { resources }] of containers.entries()) {
      yield* resourceProblems(`${path}.containers[${index}].resources`, resources);
    }
  }),
  entryRule("VariableSourceInvalid", function* ({ name, containers = [] }, path, spec) {
    for (const [index, { env = [] }] of containers.entries()) {
      for (const [at, variable] of env.entries()) {
        const place = `${path}.containers[${index}].env[${at}].valueFrom`;
        yield* sourceProblems(place, variable.valueFrom, { name, spec });
      }
    }
  }),
  entryRule("PatchInvalid", ({ patches = [] }, path) => patchProblems(`${path}.patches`, patches)),
];

/** Returns the problem of an RE2 pattern. */
function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return `must be a regular expression in RE2 syntax: ${error.problem}`;
  }
}

function* resourceProblems(
  path: string,
  { limits = {}, requests = {} }: NonNullable<DeepReadonly<ContainerChange>["resources"]> = {},
): Iterable<Problem> {
  for (const name of new Set([...Object.keys(limits), ...Object.keys(requests)])) {
    const paths = { limit: `${path}.limits[${name}]`, request: `${path}.requests[${name}]` };
    yield* limitProblems(paths, { limit: limits[name], request: requests[name] });
  }
}

function* sourceProblems(
  path: string,
  source: DeepReadonly<EnvChange>["valueFrom"],
  { name: entry, spec }: { readonly name: string; readonly spec: Spec },
): Iterable<Problem> {
  const { secretKeyRef, configMapKeyRef, fork, provision } = source ?? {};
  for (const [field, reference] of Object.entries({ secretKeyRef, configMapKeyRef })) {
    if (reference === undefined) continue;
    yield* keyReferenceProblems(`${path}.${field}`, { name: reference.name ?? "", key: reference.key });
  }
  if (fork !== undefined) {
    const target = spec.services.find(({ name }) => name === fork.name);
    if (fork.name === entry) {
      yield invalidField(`${path}.fork.name`, fork.name, "is this entry itself; name another entry of spec.services");
    } else if (target === undefined) {
      yield invalidField(
        `${path}.fork.name`,
        fork.name,
        "is not an entry of spec.services; add it or correct the name",
      );
    } else if (target.mode === "Virtual") {
      yield invalidField(
        `${path}.fork.name`,
        fork.name,
        "has the mode Virtual and no address; name an entry with another mode",
      );
    }
  }
  if (provision === undefined) return;
  const hook = spec.provision.find(({ name }) => name === provision.name);
  if (hook === undefined) {
    yield invalidField(
      `${path}.provision.name`,
      provision.name,
      "is not an element of spec.provision; add it or correct the name",
    );
  } else if (!hook.outputs.includes(provision.key)) {
    yield requiredField(
      `${path}.provision.key`,
      `${provision.key} is not an output of ${provision.name}; add it to the outputs of that hook`,
    );
  }
}
