import { once, type Scope } from "@homeostat/core";
import { beforeCrd, toCrd } from "./to-crd.ts";
import { invalid, type Problem, required } from "../problem/problem.ts";
import type { ConditionsDefinition } from "./conditions.ts";
import { DefinitionError } from "../problem/definition-error.ts";
import type { Part, SeveralVersions, SingleVersion, VersionDefinitions } from "./definition.ts";
import { checkGroup, checkNames, checkVersionName, completeNames, type Names } from "./names.ts";
import type { Resource, ResourceVersion } from "./resource.ts";
import type { ReadType, ReadTypeOf, WriteType, WriteTypeOf } from "./types.ts";
import { prepareVersion } from "./version.ts";

/**
 * Defines a custom resource. TypeScript types, schema, defaults, validation and CRD manifest are derived from the definition.
 *
 * Throws a `DefinitionError` that lists all problems if the API server would reject the definition: invalid names, paths to
 * missing fields, defaults that do not validate, rules that do not compile or exceed the cost limit. With `schemaChecks: "deferred"`,
 * problems of schema and rules are thrown later.
 *
 * @example
 * const Tenant = defineResource({
 *   group: "shop.example.com", version: "v1", kind: "Tenant", scope: "Cluster",
 *   spec: { plan: s.enum("free", "team").default("free"), replicas: s.int().min(0).max(9).default(1) },
 *   conditions: { Ready: ["RolloutComplete", "WaitingForPods"] },
 * });
 * type Tenant = ObjectOf<typeof Tenant>;
 */
export function defineResource<
  const G extends string,
  const K extends string,
  const V extends string = never,
  S extends Part = never,
  T extends Part = never,
  const C extends ConditionsDefinition = never,
  const Vs extends VersionDefinitions = never,
  Sc extends Scope = "Namespaced",
>(
  definition: SingleVersion<G, K, V, S, T, C, Sc> | SeveralVersions<G, K, Vs, Sc>,
): [V] extends [never] ? ResourceOfSeveral<G, K, Vs, Sc> : ResourceOfOne<G, K, V, S, T, C, Sc>;
export function defineResource(definition: AnyDefinition): Resource {
  const { group, scope = "Namespaced", schemaChecks = "atOnce" } = definition;
  const names = completeNames(definition);
  const definitions = versionsOf(definition);
  const isSingle = definition.versions === undefined;

  const subject = `resource ${names.kind}`;
  const requireSound = (): void => {
    const problems = schemaProblems();
    if (problems.length > 0) throw new DefinitionError(subject, problems);
  };
  const identity = { group, kind: names.kind, plural: names.plural, scope };
  const prepared = Object.entries(definitions).map(([name, version]) =>
    prepareVersion(name, version, identity, requireSound),
  );
  const located = (version: string, problems: readonly Problem[]): readonly Problem[] =>
    isSingle ? problems : problems.map((problem) => withPrefix(`versions.${version}`, problem));
  const schemaProblems = once(() => prepared.flatMap((one) => located(one.name, one.schemaProblems())));
  const problems = [
    ...checkIdentity(group, names, definitions, isSingle),
    ...prepared.flatMap((one) => located(one.name, one.problems)),
    ...(schemaChecks === "deferred" ? [] : schemaProblems()),
  ];
  const versions: Record<string, ResourceVersion> = {};
  for (const { name, version } of prepared) if (version !== undefined) versions[name] = version;
  const stored = Object.values(versions).find((version) => version.storage);
  if (problems.length > 0 || stored === undefined) throw new DefinitionError(subject, problems);

  const resource: Resource = { ...stored, names, scope, versions, crd: (options) => toCrd(resource, options) };
  beforeCrd(resource, requireSound);
  return resource;
}

type AnyDefinition =
  | SingleVersion<string, string, string, Part, Part, ConditionsDefinition, Scope>
  | SeveralVersions<string, string, VersionDefinitions, Scope>;

/** Type of a resource that is defined with one version. */
export type ResourceOfOne<
  G extends string,
  K extends string,
  V extends string,
  S extends Part,
  T extends Part,
  C extends ConditionsDefinition,
  Sc extends Scope,
> = Resource<
  ReadType<`${G}/${V}`, K, S, T, C>,
  WriteType<`${G}/${V}`, K, S, T, C>,
  { [N in V]: ResourceVersion<ReadType<`${G}/${V}`, K, S, T, C>, WriteType<`${G}/${V}`, K, S, T, C>, Sc> },
  Sc
>;

/** Type of a resource that is defined with several versions. */
export type ResourceOfSeveral<
  G extends string,
  K extends string,
  Vs extends VersionDefinitions,
  Sc extends Scope,
> = Resource<
  ReadTypeOf<`${G}/${StoredName<Vs>}`, K, Vs[StoredName<Vs>]>,
  WriteTypeOf<`${G}/${StoredName<Vs>}`, K, Vs[StoredName<Vs>]>,
  {
    -readonly [N in keyof Vs & string]: ResourceVersion<
      ReadTypeOf<`${G}/${N}`, K, Vs[N]>,
      WriteTypeOf<`${G}/${N}`, K, Vs[N]>,
      Sc
    >;
  },
  Sc
>;

type StoredName<Vs> = { [N in keyof Vs & string]: Vs[N] extends { readonly storage: true } ? N : never }[keyof Vs &
  string];

function versionsOf(definition: AnyDefinition): VersionDefinitions {
  const { kind, version, versions } = definition;
  // `kind` is of type never below, where the types exclude both, so the text is built here.
  const subject = `resource ${kind}`;
  if (versions !== undefined) return versions;
  // The types require one of both, so only JavaScript callers get here.
  if (version === undefined) {
    throw new DefinitionError(subject, [
      required("version", "set version, such as v1, or define several versions under versions"),
    ]);
  }
  return { [version]: { ...definition, storage: true } };
}

function checkIdentity(group: string, names: Names, versions: VersionDefinitions, isSingle: boolean): Problem[] {
  const entries = Object.entries(versions);
  const stored = entries.filter(([, version]) => version.storage === true).map(([name]) => name);
  return [
    ...checkGroup(group),
    ...checkNames(names),
    ...entries.flatMap(([name]) => checkVersionName(isSingle ? "version" : "versions", name)),
    ...(stored.length === 1
      ? []
      : [invalid("versions", { value: stored.join(", ") }, "exactly one version must have storage: true")]),
    ...(entries.some(([, version]) => version.served !== false)
      ? []
      : [invalid("versions", {}, "at least one version must be served")]),
  ];
}

function withPrefix(prefix: string, problem: Problem): Problem {
  return { ...problem, path: problem.path === "" ? prefix : `${prefix}.${problem.path}` };
}
