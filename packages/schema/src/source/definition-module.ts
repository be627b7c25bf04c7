import { forbidden, invalid, type Problem } from "../problem/problem.ts";
import type { PrinterColumn } from "../resource/columns.ts";
import { checkGroup, checkNames, completeNames, type Names } from "../resource/names.ts";
import type { Schema } from "../structural/schema.ts";
import { fieldCode, fieldsCode } from "./field-code.ts";
import type { ForeignCrd, ForeignVersion } from "./read-crd.ts";
import { TypeWriter } from "./type-writer.ts";
import { indent, key, quote } from "./typescript.ts";

/** The result of {@link definitionModule}: the source, or the reasons why `defineResource` cannot define the kind. */
export type DefinitionModule = { readonly source: string } | { readonly problems: readonly Problem[] };

/**
 * Returns the source of a module with the `defineResource` of a CRD, to take the kind over. The CRD that the definition writes has the same schema,
 * with three changes that make no difference to an API server:
 *
 * - A list without a list type is atomic explicitly.
 * - A field with a default is not listed as required.
 * - `spec` and `status` have a description.
 */
export function definitionModule(crd: ForeignCrd): DefinitionModule {
  const problems = [...checkGroup(crd.group), ...checkNames(crd.names), ...crd.versions.flatMap(checkVersion)];
  if (problems.length > 0) return { problems };
  const types = new TypeWriter([crd.names.kind, "KubeObject"]);
  const [only] = crd.versions;
  const versions =
    crd.versions.length === 1 && only !== undefined
      ? `version: ${quote(only.name)},\n${versionCode(only, { kind: crd.names.kind, types })}`
      : `versions: {\n${crd.versions
          .map((version) => {
            const kind = `${crd.names.kind}${version.name.charAt(0).toUpperCase()}${version.name.slice(1)}`;
            const storage = version.storage ? "storage: true,\n" : "";
            const served = version.served ? "" : "served: false,\n";
            return `${key(version.name)}: {\n${storage}${served}${versionCode(version, { kind, types })}},\n`;
          })
          .join("")}},\n`;
  const names = namesCode(crd.names);
  const scope = crd.scope === "Cluster" ? 'scope: "Cluster",\n' : "";
  const imports = types.usesKubeObject ? "defineResource, type KubeObject, s" : "defineResource, s";
  return {
    source: [
      `// Written by \`homeostat generate types --definition\` from the CRD ${crd.names.plural}.${crd.group}. Edit it: it is the definition from now on.\n`,
      `import { ${imports} } from "homeostat";\n`,
      indent(
        `export const ${crd.names.kind} = defineResource({\ngroup: ${quote(crd.group)},\n${names}${scope}${versions}});\n`,
      ),
      ...(types.text === "" ? [] : [types.text]),
    ].join("\n"),
  };
}

const rootFields: readonly string[] = ["apiVersion", "kind", "metadata", "spec", "status"];
const rootKeywords: readonly string[] = ["description", "type", "properties", "required", "x-kubernetes-validations"];

function checkVersion(
  { name, schema, hasStatus, served }: ForeignVersion,
  index: number,
  all: readonly unknown[],
): Problem[] {
  const path = `spec.versions[${index}]`;
  const properties = schema.properties ?? {};
  const others = Object.keys(properties).filter((field) => !rootFields.includes(field));
  const keywords = Object.keys(schema).filter((keyword) => !rootKeywords.includes(keyword));
  const metadata = Object.keys(properties["metadata"]?.properties ?? {}).filter((field) => field !== "name");
  return [
    ...(all.length === 1 && !served
      ? [invalid(`${path}.served`, { value: false }, "must be true for the only version")]
      : []),
    ...others.map((field) =>
      forbidden(
        `${path}.schema.openAPIV3Schema.properties[${field}]`,
        `${name} has the field ${field} beside spec and status`,
      ),
    ),
    ...keywords.map((keyword) =>
      forbidden(`${path}.schema.openAPIV3Schema.${keyword}`, "cannot be set for the whole object"),
    ),
    ...metadata.map((field) =>
      forbidden(
        `${path}.schema.openAPIV3Schema.properties[metadata].properties[${field}]`,
        "only metadata.name can be restricted",
      ),
    ),
    ...(hasStatus === (properties["status"] !== undefined)
      ? []
      : [
          invalid(
            `${path}.subresources`,
            {},
            hasStatus ? "has the status subresource without a status" : "has a status without the status subresource",
          ),
        ]),
  ];
}

function namesCode(names: Names): string {
  const derived = completeNames({ kind: names.kind });
  const differing = (["plural", "singular", "listKind"] as const).filter((name) => names[name] !== derived[name]);
  return [
    `kind: ${quote(names.kind)},\n`,
    ...differing.map((name) => `${name}: ${quote(names[name])},\n`),
    ...(["shortNames", "categories"] as const)
      .filter((name) => names[name].length > 0)
      .map((name) => `${name}: ${JSON.stringify(names[name])},\n`),
  ].join("");
}

function versionCode(
  version: ForeignVersion,
  { kind, types }: { readonly kind: string; readonly types: TypeWriter },
): string {
  const { schema } = version;
  const { spec, status, metadata } = schema.properties ?? {};
  const name = metadata?.properties?.["name"];
  const rules = schema["x-kubernetes-validations"] ?? [];
  const { scale } = version;
  return [
    ...(schema.description === undefined ? [] : [`description: ${quote(schema.description)},\n`]),
    ...(version.deprecated ? ["deprecated: true,\n"] : []),
    ...(version.deprecationWarning === undefined
      ? []
      : [`deprecationWarning: ${quote(version.deprecationWarning)},\n`]),
    ...(name === undefined ? [] : [`name: ${fieldCode(name, { name: `${kind}Name`, types })},\n`]),
    ...(spec === undefined ? [] : [`spec: ${partCode(schema, spec, { part: "spec", kind, types })},\n`]),
    ...(status === undefined ? [] : [`status: ${partCode(schema, status, { part: "status", kind, types })},\n`]),
    ...(rules.length === 0 ? [] : [`rules: ${JSON.stringify(rules)},\n`]),
    ...(version.columns.length === 0 ? [] : [`columns: [\n${version.columns.map(columnCode).join("")}],\n`]),
    ...(scale === undefined ? [] : [`scale: ${JSON.stringify(scale)},\n`]),
    ...(version.selectableFields.length === 0
      ? []
      : [`selectableFields: ${JSON.stringify(version.selectableFields)},\n`]),
  ].join("");
}

/** Returns the code of `spec` or `status`: plain fields if `defineResource` gives them the same presence, otherwise a field. */
function partCode(
  root: Schema,
  schema: Schema,
  { part, kind, types }: { readonly part: "spec" | "status"; readonly kind: string; readonly types: TypeWriter },
): string {
  const options = { name: `${kind}${part.charAt(0).toUpperCase()}${part.slice(1)}`, types };
  const isRequired = root.required?.includes(part) === true;
  const plain: readonly string[] = ["type", "properties", "required"];
  const names = Object.keys(schema.properties ?? {});
  const isPlain =
    schema.type === "object" &&
    Object.keys(schema).every((keyword) => plain.includes(keyword)) &&
    (schema.required ?? []).every((name) => names.includes(name));
  if (isPlain && isRequired === (part === "spec") && names.length > 0) return fieldsCode(schema, options);
  const code = fieldCode(schema, options);
  if (schema.default !== undefined) return `${code}.default(${JSON.stringify(schema.default)})`;
  return isRequired ? code : `${code}.optional()`;
}

function columnCode({ name, type, jsonPath, format, description, priority }: PrinterColumn): string {
  const fields = {
    name,
    type,
    jsonPath,
    ...(format !== undefined && { format }),
    ...(description !== undefined && { description }),
    ...(priority !== undefined && { priority }),
  };
  return `${JSON.stringify(fields)},\n`;
}
