import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isRecord } from "@homeostat/core";

/** The root folder of the repository. */
export const repository: URL = new URL("../../../../", import.meta.url);

/** The reference page of the fields of an operator's kind. */
export interface FieldReference {
  /** Path below the root of the repository: `docs/reference/tenant.md`. */
  readonly page: string;
  /** Renders the page from the definition of the kind. */
  readonly render: () => string;
}

/** The names of all operators, which are the folders in `operators/`. */
export function operatorNames(): readonly string[] {
  const folder = new URL("operators/", repository);
  return readdirSync(folder).filter((name) => existsSync(new URL(`${name}/package.json`, folder)));
}

/** Loads the field reference of each operator: what its compiled module `docs/field-reference` exports as `fieldReference`. */
export async function fieldReferences(): Promise<readonly FieldReference[]> {
  return Promise.all(
    operatorNames().map(async (name) => {
      const module = fileURLToPath(new URL(`operators/${name}/dist/docs/field-reference.js`, repository));
      const loaded: unknown = await import(module);
      const exported: unknown = isRecord(loaded) ? loaded["fieldReference"] : undefined;
      if (!isFieldReference(exported)) throw new Error(`${module} does not export a fieldReference`);
      return exported;
    }),
  );
}

function isFieldReference(value: unknown): value is FieldReference {
  return isRecord(value) && typeof value["page"] === "string" && typeof value["render"] === "function";
}

/** Reads a file of the repository. */
export function readRepositoryFile(path: string): string {
  return readFileSync(new URL(path, repository), "utf8");
}
