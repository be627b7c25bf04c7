import { fileURLToPath } from "node:url";
import { isRecord } from "@homeostat/core";
import { operatorNames, repository } from "../repository.ts";

/** The reference page of the fields of an operator's kind. */
export interface FieldReference {
  /** Path below the root of the repository: `docs/reference/tenant.md`. */
  readonly page: string;
  /** Renders the page from the definition of the kind. */
  readonly render: () => string;
}

/** Loads the field references of all operators: the export `fieldReference` of the compiled module `docs/field-reference` of each. */
export async function fieldReferences(): Promise<readonly FieldReference[]> {
  const references = await Promise.all(
    operatorNames().map(async (name) => {
      const module = fileURLToPath(new URL(`operators/${name}/dist/docs/field-reference.js`, repository));
      const loaded: unknown = await import(module);
      const exported: unknown = isRecord(loaded) ? loaded["fieldReference"] : undefined;
      const pages: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
      if (!pages.every(isFieldReference)) throw new Error(`${module} does not export a fieldReference`);
      return pages;
    }),
  );
  return references.flat();
}

function isFieldReference(value: unknown): value is FieldReference {
  return isRecord(value) && typeof value["page"] === "string" && typeof value["render"] === "function";
}
