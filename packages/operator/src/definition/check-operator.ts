import { dnsLabelProblems, formatGroupResource, isEqual, type ResourceType } from "@homeostat/core";
import type { Resource } from "@homeostat/schema";
import type { OperatorProblem } from "../errors.ts";
import { targetOf } from "../flags/aliases.ts";
import { flagName, isFlagName, variableName } from "../flags/names.ts";
import { runFlags } from "../run/run-flags.ts";
import type { Operator, OperatorParts } from "./operator.ts";

/** Leaves room for what is added to it, as in `…-webhook-certificates`, within the 63 characters of a DNS label. */
const nameLengthMax = 40;
const release = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

type Kind = Pick<ResourceType, "group" | "plural">;

/** Everything that is wrong with an operator, with its default settings. */
export function operatorProblems(operator: Operator, uses: readonly Kind[]): readonly OperatorProblem[] {
  const parts = operator.parts();
  return [
    ...nameProblems(operator),
    ...flagProblems(operator),
    ...aliasProblems(operator),
    ...resourceProblems(operator),
    ...kindProblems(operator, { parts, uses }),
    ...partProblems(parts),
  ];
}

function* nameProblems({ name, version, image }: Operator): Generator<OperatorProblem> {
  for (const message of dnsLabelProblems(name)) yield { path: "name", message };
  if (name.length > nameLengthMax) {
    yield { path: "name", message: `has ${name.length} characters; at most ${nameLengthMax} leave room for endings.` };
  }
  if (!release.test(version)) {
    yield { path: "version", message: `is ${JSON.stringify(version)}; write three numbers, as in 1.4.0.` };
  }
  if (!/^\S+$/.test(image))
    yield { path: "image", message: `is ${JSON.stringify(image)}; write a name without spaces.` };
}

function* flagProblems({ flags }: Operator): Generator<OperatorProblem> {
  const variables = new Set(Object.entries(runFlags).map(([name, flag]) => variableName(name, flag)));
  for (const [name, flag] of Object.entries(flags)) {
    const path = `flags.${name}`;
    if (!isFlagName(name)) yield { path, message: "is no name for a flag; write it as in maxUsers." };
    if (Object.hasOwn(runFlags, name))
      yield { path, message: "is a flag that every operator has; name it differently." };
    const variable = variableName(name, flag);
    if (variable === undefined) continue;
    if (variables.has(variable) && !Object.hasOwn(runFlags, name)) {
      yield { path, message: `reads the environment variable ${variable}, which another flag reads; give it another.` };
    }
    variables.add(variable);
  }
}

function* aliasProblems({ flags, flagAliases }: Operator): Generator<OperatorProblem> {
  const words = new Set([...Object.keys(runFlags), ...Object.keys(flags)].map(flagName));
  for (const [word, alias] of Object.entries(flagAliases)) {
    const path = `flagAliases.${word}`;
    const target = targetOf(alias);
    if (!/^[a-z][a-z0-9-]+$/.test(word)) yield { path, message: "is no flag; write it as in enable-webhooks." };
    if (words.has(word)) yield { path, message: "is a flag of this operator already; leave it out." };
    if (target !== undefined && !words.has(target)) {
      yield { path, message: `stands for ${target}, which is no flag; write it as in webhook-cert-dir.` };
    }
  }
}

function* resourceProblems({ resources, conversions }: Operator): Generator<OperatorProblem> {
  yield* doubles("resources", resources.map(formatGroupResource));
  yield* doubles(
    "conversions",
    conversions.map(({ resource }) => formatGroupResource(resource)),
  );
  for (const [index, { resource }] of conversions.entries()) {
    if (!hasKind(resources, resource)) {
      const kind = formatGroupResource(resource);
      yield {
        path: `conversions[${index}]`,
        message: `is for ${kind}, which is not among the resources; add it there.`,
      };
    }
  }
  for (const [index, resource] of resources.entries()) {
    const isConverted = conversions.some((conversion) => isSameKind(conversion.resource, resource));
    const others = isConverted ? [] : differingVersions(resource);
    if (others.length > 0) {
      yield {
        path: `resources[${index}]`,
        message: `${formatGroupResource(resource)} stores ${resource.version} and serves ${others.join(", ")} with another schema, but has no conversion; add one with defineConversion, or do not serve the version.`,
      };
    }
  }
}

/** A kind of the program's own that nobody installs is most likely a line that was forgotten. */
function* kindProblems(
  { resources }: Operator,
  { parts, uses }: { parts: OperatorParts; uses: readonly Kind[] },
): Generator<OperatorProblem> {
  const isThere = (type: ResourceType): boolean => !("schema" in type) || hasKind([...resources, ...uses], type);
  const advice = "which is not there; add it to resources, or to uses where somebody else installs it.";
  for (const [index, { resource }] of parts.webhooks.entries()) {
    if (!isThere(resource)) {
      yield { path: `webhooks[${index}]`, message: `is for ${formatGroupResource(resource)}, ${advice}` };
    }
  }
  for (const [index, { definition }] of parts.controllers.entries()) {
    if (!isThere(definition.for)) {
      yield { path: `controllers[${index}]`, message: `is for ${formatGroupResource(definition.for)}, ${advice}` };
    }
  }
}

function* partProblems({ controllers, webhooks, access }: OperatorParts): Generator<OperatorProblem> {
  for (const [index, { name }] of controllers.entries()) {
    const problems = dnsLabelProblems(name);
    if (problems.length > 0) yield { path: `controllers[${index}].name`, message: problems.join("; ") };
  }
  yield* doubles(
    "controllers",
    controllers.map(({ name }) => name),
  );
  yield* doubles(
    "webhooks",
    webhooks.map(({ path }) => path),
  );
  for (const [index, { verbs }] of access.entries()) {
    if (verbs.length === 0) yield { path: `access[${index}]`, message: "has no verbs; name those that are used." };
    if (verbs.includes("*")) yield { path: `access[${index}]`, message: "has every verb; name those that are used." };
  }
}

function* doubles(path: string, names: readonly string[]): Generator<OperatorProblem> {
  for (const [index, name] of names.entries()) {
    const first = names.indexOf(name);
    if (first < index) {
      yield { path: `${path}[${index}]`, message: `is ${name}, as is ${path}[${first}]; each may be there once.` };
    }
  }
}

function differingVersions(resource: Resource): string[] {
  return Object.values(resource.versions)
    .filter(({ served, schema }) => served && !isEqual(schema, resource.schema))
    .map(({ version }) => version);
}

function hasKind(kinds: readonly Kind[], kind: Kind): boolean {
  return kinds.some((other) => isSameKind(other, kind));
}

function isSameKind(a: Kind, b: Kind): boolean {
  return a.group === b.group && a.plural === b.plural;
}
