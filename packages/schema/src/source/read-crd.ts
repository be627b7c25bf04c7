import { isList, isRecord, type Scope } from "@homeostat/core";
import { invalid, notSupported, type Problem, required } from "../problem/problem.ts";
import type { PrinterColumn } from "../resource/columns.ts";
import { completeNames, type Names } from "../resource/names.ts";
import { readSchema } from "../structural/read-schema.ts";
import type { Schema } from "../structural/schema.ts";
import { schemaOf } from "../structural/schema-of.ts";

/** A CustomResourceDefinition of another project, with the parts that source code is written from. */
export interface ForeignCrd {
  readonly group: string;
  readonly names: Names;
  readonly scope: Scope;
  readonly versions: readonly ForeignVersion[];
}

/** A version of a {@link ForeignCrd}. */
export interface ForeignVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
  readonly schema: Schema;
  readonly hasStatus: boolean;
  /** The scale subresource as in the manifest; undefined without one. */
  readonly scale: ForeignScale | undefined;
  readonly selectableFields: readonly string[];
  readonly columns: readonly PrinterColumn[];
}

/** The paths of a scale subresource. */
export interface ForeignScale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** The result of {@link readCrd}: the definition, or all problems. */
export type ReadCrd = { readonly crd: ForeignCrd } | { readonly problems: readonly Problem[] };

/** Parses a CustomResourceDefinition (`apiextensions.k8s.io/v1`) of any origin. */
export function readCrd(manifest: unknown): ReadCrd {
  const reader = new CrdReader();
  const crd = reader.read(manifest);
  return reader.problems.length > 0 ? { problems: reader.problems } : { crd };
}

class CrdReader {
  readonly problems: Problem[] = [];

  read(manifest: unknown): ForeignCrd {
    const root = this.#record(manifest, "");
    const { apiVersion, kind } = root;
    if (apiVersion !== "apiextensions.k8s.io/v1")
      this.problems.push(notSupported("apiVersion", apiVersion, ["apiextensions.k8s.io/v1"]));
    if (kind !== "CustomResourceDefinition")
      this.problems.push(notSupported("kind", kind, ["CustomResourceDefinition"]));
    const spec = this.#record(root["spec"], "spec");
    const names = this.#record(spec["names"], "spec.names");
    const scope = spec["scope"] === "Cluster" ? "Cluster" : "Namespaced";
    if (spec["scope"] !== scope)
      this.problems.push(notSupported("spec.scope", spec["scope"], ["Cluster", "Namespaced"]));
    const versions = this.#list(spec["versions"], "spec.versions");
    if (versions.length === 0) this.problems.push(required("spec.versions"));
    return {
      group: this.#text(spec["group"], "spec.group"),
      names: completeNames({
        kind: this.#text(names["kind"], "spec.names.kind"),
        plural: this.#text(names["plural"], "spec.names.plural"),
        ...optionalText(names, "singular"),
        ...optionalText(names, "listKind"),
        shortNames: texts(names["shortNames"]),
        categories: texts(names["categories"]),
      }),
      scope,
      versions: versions.map((version, index) => this.#version(version, `spec.versions[${index}]`)),
    };
  }

  #version(value: unknown, path: string): ForeignVersion {
    const version = this.#record(value, path);
    const subresources = isRecord(version["subresources"]) ? version["subresources"] : {};
    const schemaPath = `${path}.schema.openAPIV3Schema`;
    const schema = isRecord(version["schema"]) ? version["schema"]["openAPIV3Schema"] : undefined;
    const { node, problems } = readSchema(schema, schemaPath);
    this.problems.push(...problems);
    return {
      name: this.#text(version["name"], `${path}.name`),
      served: version["served"] === true,
      storage: version["storage"] === true,
      deprecated: version["deprecated"] === true,
      deprecationWarning: typeof version["deprecationWarning"] === "string" ? version["deprecationWarning"] : undefined,
      schema: problems.length > 0 ? {} : schemaOf(node),
      hasStatus: isRecord(subresources["status"]),
      scale: scaleOf(subresources["scale"]),
      selectableFields: this.#list(version["selectableFields"], `${path}.selectableFields`).flatMap((field) =>
        isRecord(field) && typeof field["jsonPath"] === "string" ? [field["jsonPath"]] : [],
      ),
      columns: this.#list(version["additionalPrinterColumns"], `${path}.additionalPrinterColumns`).map(
        (column, index) => this.#column(column, `${path}.additionalPrinterColumns[${index}]`),
      ),
    };
  }

  #column(value: unknown, path: string): PrinterColumn {
    const column = this.#record(value, path);
    const { priority } = column;
    return {
      name: this.#text(column["name"], `${path}.name`),
      type: this.#text(column["type"], `${path}.type`),
      ...optionalText(column, "format"),
      ...optionalText(column, "description"),
      ...(typeof priority === "number" && priority !== 0 && { priority }),
      jsonPath: this.#text(column["jsonPath"], `${path}.jsonPath`),
    };
  }

  #record(value: unknown, path: string): Readonly<Record<string, unknown>> {
    if (isRecord(value)) return value;
    this.problems.push(value === undefined ? required(path) : invalid(path, {}, "must be an object"));
    return {};
  }

  #list(value: unknown, path: string): readonly unknown[] {
    if (value === undefined || value === null) return [];
    if (isList(value)) return value;
    this.problems.push(invalid(path, {}, "must be a list"));
    return [];
  }

  #text(value: unknown, path: string): string {
    if (typeof value === "string" && value !== "") return value;
    this.problems.push(value === undefined ? required(path) : invalid(path, { value }, "must be a string"));
    return "";
  }
}

function scaleOf(value: unknown): ForeignScale | undefined {
  if (!isRecord(value)) return undefined;
  const { specReplicasPath, statusReplicasPath } = value;
  if (typeof specReplicasPath !== "string" || typeof statusReplicasPath !== "string") return undefined;
  return { specReplicasPath, statusReplicasPath, ...optionalText(value, "labelSelectorPath") };
}

/** Returns an object with one field, or without it if its value is not text. */
function optionalText<K extends string>(
  record: Readonly<Record<string, unknown>>,
  key: K,
): { readonly [key in K]?: string } {
  const value = record[key];
  const fields: { [key in K]?: string } = {};
  if (typeof value === "string" && value !== "") fields[key] = value;
  return fields;
}

function texts(value: unknown): readonly string[] {
  return isList(value) ? value.filter((text) => typeof text === "string") : [];
}
