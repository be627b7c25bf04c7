import { dnsLabelProblems, formatGroupResource, isEqual, type ResourceType } from "@homeostat/core";
import type { Resource } from "@homeostat/schema";
import type { OperatorProblem } from "../errors.ts";
import { targetOf } from "../flags/aliases.ts";
import { flagName, isFlagName, variableName } from "../flags/names.ts";
import { runFlags } from "../flags/run-flags.ts";
import { ports } from "../installation/names.ts";
import type { Operator, OperatorParts } from "./operator.ts";

/** Leaves room for suffixes such as `-webhook-certificates` within the 63 characters of a DNS label. */
const nameLengthMax = 40;
const semanticVersion = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

type Kind = Pick<ResourceType, "group" | "plural">;

/** Returns all problems of an operator with its default settings. `uses` are the kinds that are installed separately. */
export function operatorProblems(operator: Operator, uses: readonly Kind[]): readonly OperatorProblem[] {
  const parts = operator.parts();
  return [
    ...nameProblems(operator),
    ...flagProblems(operator),
    ...aliasProblems(operator),
    ...resourceProblems(operator),
    ...kindProblems(operator, { parts, uses }),
    ...partProblems(parts),
    ...installationProblems(operator),
    ...settingAccessProblems(operator),
  ];
}

function* nameProblems({ name, version, image }: Operator): Generator<OperatorProblem> {
  for (const message of dnsLabelProblems(name)) yield { path: "name", message };
  if (name.length > nameLengthMax) {
    yield {
      path: "name",
      message: `has ${name.length} characters; at most ${nameLengthMax} are allowed, to leave room for suffixes.`,
    };
  }
  if (!semanticVersion.test(version)) {
    yield { path: "version", message: `is ${JSON.stringify(version)}; use a semantic version such as 1.4.0.` };
  }
  if (!/^\S+$/.test(image)) yield { path: "image", message: `is ${JSON.stringify(image)}; remove the whitespace.` };
}

function* flagProblems({ flags }: Operator): Generator<OperatorProblem> {
  const variables = new Set(Object.entries(runFlags).map(([name, flag]) => variableName(name, flag)));
  for (const [name, flag] of Object.entries(flags)) {
    const path = `flags.${name}`;
    if (!isFlagName(name)) yield { path, message: "is not a valid flag name; use camel case, as in maxUsers." };
    if (Object.hasOwn(runFlags, name))
      yield { path, message: "is a flag that every operator has; choose another name." };
    const variable = variableName(name, flag);
    if (variable === undefined) continue;
    if (variables.has(variable) && !Object.hasOwn(runFlags, name)) {
      yield {
        path,
        message: `reads the environment variable ${variable}, which another flag reads; set env to another name.`,
      };
    }
    variables.add(variable);
  }
}

function* aliasProblems({ flags, flagAliases }: Operator): Generator<OperatorProblem> {
  const words = new Set([...Object.keys(runFlags), ...Object.keys(flags)].map(flagName));
  for (const [word, alias] of Object.entries(flagAliases)) {
    const path = `flagAliases.${word}`;
    const target = targetOf(alias);
    if (!/^[a-z][a-z0-9-]+$/.test(word))
      yield { path, message: "is not a valid flag name; use the form enable-webhooks." };
    if (words.has(word)) yield { path, message: "is already a flag of this operator; remove the alias." };
    if (target !== undefined && !words.has(target)) {
      yield { path, message: `refers to ${target}, which is not a flag; use the form webhook-cert-dir.` };
    }
  }
}

function* resourceProblems({ resources, conversions }: Operator): Generator<OperatorProblem> {
  yield* duplicates("resources", resources.map(formatGroupResource));
  yield* duplicates(
    "conversions",
    conversions.map(({ resource }) => formatGroupResource(resource)),
  );
  for (const [index, { resource }] of conversions.entries()) {
    if (!hasKind(resources, resource)) {
      const kind = formatGroupResource(resource);
      yield {
        path: `conversions[${index}]`,
        message: `is for ${kind}, which is not in resources; add it there.`,
      };
    }
  }
  for (const [index, resource] of resources.entries()) {
    const isConverted = conversions.some((conversion) => isSameKind(conversion.resource, resource));
    const others = isConverted ? [] : differingVersions(resource);
    if (others.length > 0) {
      yield {
        path: `resources[${index}]`,
        message: `${formatGroupResource(resource)} stores ${resource.version} and serves ${others.join(", ")} with another schema, but has no conversion; add one with defineConversion, or stop serving the version.`,
      };
    }
  }
}

/** Reports custom resources that controllers or webhooks are for and that are neither in `resources` nor in `uses`: most likely a forgotten entry. */
function* kindProblems(
  { resources }: Operator,
  { parts, uses }: { parts: OperatorParts; uses: readonly Kind[] },
): Generator<OperatorProblem> {
  // Types with a schema are custom resources; those without one are built-in kinds.
  const isInstalled = (type: ResourceType): boolean => !("schema" in type) || hasKind([...resources, ...uses], type);
  const advice = "which is not installed; add it to resources, or to uses if it is installed separately.";
  for (const [index, { resource }] of parts.webhooks.entries()) {
    if (!isInstalled(resource)) {
      yield { path: `webhooks[${index}]`, message: `is for ${formatGroupResource(resource)}, ${advice}` };
    }
  }
  for (const [index, { definition }] of parts.controllers.entries()) {
    if (!isInstalled(definition.for)) {
      yield { path: `controllers[${index}]`, message: `is for ${formatGroupResource(definition.for)}, ${advice}` };
    }
  }
}

function* partProblems({ controllers, webhooks, access, ownAccess }: OperatorParts): Generator<OperatorProblem> {
  for (const [index, { name }] of controllers.entries()) {
    const problems = dnsLabelProblems(name);
    if (problems.length > 0) yield { path: `controllers[${index}].name`, message: problems.join("; ") };
  }
  yield* duplicates(
    "controllers",
    controllers.map(({ name }) => name),
  );
  yield* duplicates(
    "webhooks",
    webhooks.map(({ path }) => path),
  );
  for (const [list, rules] of [["access", access] as const, ["ownAccess", ownAccess] as const]) {
    for (const [index, { verbs }] of rules.entries()) {
      const path = `${list}[${index}]`;
      if (verbs.length === 0) yield { path, message: "has no verbs; list the verbs that are used." };
      if (verbs.includes("*")) yield { path, message: "has the wildcard verb; list the verbs that are used." };
    }
  }
}

function* installationProblems({ installation, companions, extras }: Operator): Generator<OperatorProblem> {
  const { servicePorts = [], metricsPort = ports.metrics } = installation;
  const taken = new Map<number, string>([
    [ports.health, "health"],
    [metricsPort, "metrics"],
    [ports.webhook, "webhooks"],
  ]);
  yield* duplicates(
    "installation.servicePorts",
    servicePorts.map(({ name }) => name),
  );
  for (const [index, { name, port, endPort }] of servicePorts.entries()) {
    const path = `installation.servicePorts[${index}]`;
    // The rules of Kubernetes for names of container ports. Chart values have the same name, and template paths allow no dash.
    if (!/^(?=.*[a-z])[a-z0-9]{1,15}$/.test(name)) {
      yield { path, message: `is named ${JSON.stringify(name)}; use at most 15 lowercase letters and digits.` };
    }
    const other = taken.get(port);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) yield { path, message: `has the port ${port}.` };
    else if (other !== undefined) yield { path, message: `has port ${port}, which is that of ${other}.` };
    if (endPort !== undefined && !(Number.isInteger(endPort) && endPort >= port && endPort <= 65_535)) {
      yield { path, message: `ends with the port ${endPort}; use one from ${port} to 65535.` };
    }
    taken.set(port, name);
  }
  yield* duplicates(
    "companions",
    companions.map(({ asCompanion }) => asCompanion.name),
  );
  for (const [index, { asCompanion }] of companions.entries()) {
    const extra = Object.keys(extras).find((name) => flagName(name) === asCompanion.name);
    if (extra !== undefined)
      yield { path: `companions[${index}]`, message: `has the name of the extra ${extra}; rename one of them.` };
  }
}

function* settingAccessProblems({ flags, settingAccess }: Operator): Generator<OperatorProblem> {
  for (const [index, { setting }] of settingAccess.entries()) {
    const type = Object.hasOwn(flags, setting) ? flags[setting]?.type : undefined;
    if (type !== "text" && type !== "list") {
      const message = `refers to ${setting}, which is not a flag with a text or a list.`;
      yield { path: `settingAccess[${index}]`, message };
    }
  }
}

function* duplicates(path: string, names: readonly string[]): Generator<OperatorProblem> {
  for (const [index, name] of names.entries()) {
    const first = names.indexOf(name);
    if (first < index) {
      yield { path: `${path}[${index}]`, message: `is ${name}, which duplicates ${path}[${first}]; remove one.` };
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
