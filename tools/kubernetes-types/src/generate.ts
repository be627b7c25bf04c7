import { enumValues } from "@homeostat/schema/internal";
import type { Input, Node } from "./input.ts";
import { locationOf } from "./names.ts";
import { notice } from "./notice.ts";
import { schemaModules } from "./schema-module.ts";
import { strategicModule } from "./strategic-module.ts";
import { type Enum, typeModule } from "./type-module.ts";

/** Generates all files: text by path relative to `packages/kubernetes/src/generated`. */
export function generate(input: Input): Map<string, string> {
  const files = new Map<string, string>();
  const enums = collectEnums(input);
  for (const [module, definitions] of groupByModule(Object.keys(input.definitions))) {
    const text = typeModule({ input, module, definitions, enums: enums.get(module) ?? new Map<string, Enum>() });
    files.set(`${module}.ts`, text);
  }
  for (const [path, text] of schemaModules(input)) files.set(path, text);
  files.set("strategic-types.ts", strategicModule(input));
  files.set("release.ts", releaseModule(input.release));
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function groupByModule(definitions: readonly string[]): Map<string, string[]> {
  const modules = new Map<string, string[]>();
  for (const definition of definitions) {
    const { module } = locationOf(definition);
    modules.set(module, [...(modules.get(module) ?? []), definition]);
  }
  return modules;
}

/** Collects the enums used by fields, by module and name. */
function collectEnums(input: Input): Map<string, Map<string, Enum>> {
  const found = new Map<string, Map<string, Enum>>();
  const visit = (node: Node, description: string | undefined): void => {
    const type = node["x-enum-type"];
    if (type !== undefined && node.enum !== undefined) {
      const { module, name } = locationOf(type);
      const known = found.get(module) ?? new Map<string, Enum>();
      const before = known.get(name);
      if (before !== undefined && before.values.join() !== node.enum.join()) {
        throw new Error(`${type} has different values in different fields`);
      }
      // Not every field of the type describes its values: keep the longest description.
      const comments = enumValues(description);
      if (before === undefined || before.comments.size < comments.size)
        known.set(name, { values: node.enum, comments });
      found.set(module, known);
    }
    // The values of a list's or a map's elements are described at the list.
    for (const child of [node.items, node.additionalProperties]) {
      if (child !== undefined) visit(child, child.description ?? description);
    }
    for (const child of byName(node.properties ?? {})) visit(child, child.description);
  };
  for (const definition of byName(input.definitions)) visit(definition, undefined);
  return found;
}

function byName(nodes: { readonly [name: string]: Node }): Node[] {
  return Object.entries(nodes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, node]) => node);
}

function releaseModule(release: string): string {
  return `${notice(release)}/** The release of Kubernetes whose types these are. */\nexport const kubernetesRelease: string = "${release}";\n`;
}
