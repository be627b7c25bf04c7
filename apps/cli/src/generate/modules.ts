import { UsageError } from "@homeostat/core";
import {
  definitionModule,
  type ForeignCrd,
  type ForeignKind,
  formatProblem,
  readCrd,
  typesModule,
} from "@homeostat/schema";
import type { GenerateTypesArguments } from "./arguments.ts";
import type { CrdManifest } from "./read-manifests.ts";

/** A module to write. */
export interface Module {
  /** Path below the folder for modules: `cert-manager.io/v1.ts`. */
  readonly path: string;
  readonly source: string;
  /** Kinds in the module. */
  readonly kinds: readonly string[];
}

/** Returns the modules of the selected CRDs. Throws a {@link UsageError} that lists all problems. */
export function modulesOf(
  manifests: readonly CrdManifest[],
  { groups, kinds, form }: Pick<GenerateTypesArguments, "groups" | "kinds" | "form">,
): readonly Module[] {
  const problems: string[] = [];
  const crds = parse(manifests, problems).filter(
    ({ group, names }) =>
      (groups.length === 0 || groups.includes(group)) && (kinds.length === 0 || kinds.includes(names.kind)),
  );
  problems.push(...unmatched(crds, { groups, kinds }));
  if (manifests.length === 0) problems.push("There is no CustomResourceDefinition in the input.");
  const modules = form === "types" ? typeModules(crds) : crds.flatMap((crd) => definition(crd, problems));
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  return modules;
}

function parse(manifests: readonly CrdManifest[], problems: string[]): readonly ForeignCrd[] {
  const byName = new Map<string, ForeignCrd>();
  for (const { place, manifest } of manifests) {
    const read = readCrd(manifest);
    if ("problems" in read) {
      problems.push(...read.problems.map((problem) => `${place}: ${formatProblem(problem)}`));
      continue;
    }
    const name = `${read.crd.names.plural}.${read.crd.group}`;
    if (byName.has(name)) problems.push(`${place}: the CRD ${name} is in the input twice.`);
    byName.set(name, read.crd);
  }
  return [...byName.values()];
}

/** Returns a message for each selected group and kind that no CRD has. */
function unmatched(
  crds: readonly ForeignCrd[],
  { groups, kinds }: Pick<GenerateTypesArguments, "groups" | "kinds">,
): readonly string[] {
  return [
    ...groups
      .filter((group) => !crds.some((crd) => crd.group === group))
      .map((group) => `--group ${group}: no CRD of the input has this group.`),
    ...kinds
      .filter((kind) => !crds.some(({ names }) => names.kind === kind))
      .map((kind) => `--kind ${kind}: no CRD of the input has this kind.`),
  ];
}

function typeModules(crds: readonly ForeignCrd[]): readonly Module[] {
  const byPath = new Map<string, ForeignKind[]>();
  for (const crd of crds) {
    for (const version of crd.versions.filter(({ served }) => served)) {
      const path = `${crd.group}/${version.name}.ts`;
      byPath.set(path, [...(byPath.get(path) ?? []), { crd, version }]);
    }
  }
  return [...byPath].map(([path, found]) => {
    const sorted = found.toSorted((one, other) => (one.crd.names.kind < other.crd.names.kind ? -1 : 1));
    return { path, source: typesModule(sorted), kinds: sorted.map(({ crd }) => crd.names.kind) };
  });
}

function definition(crd: ForeignCrd, problems: string[]): readonly Module[] {
  const written = definitionModule(crd);
  if ("source" in written) {
    const path = `${crd.group}/${crd.names.kind.toLowerCase()}.ts`;
    return [{ path, source: written.source, kinds: [crd.names.kind] }];
  }
  problems.push(
    ...written.problems.map(
      (problem) =>
        `${crd.names.plural}.${crd.group} cannot be defined with defineResource: ${formatProblem(problem)}. Use it without --definition.`,
    ),
  );
  return [];
}
