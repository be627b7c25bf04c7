import { readdirSync, readFileSync } from "node:fs";
import { readYaml } from "@homeostat/apiserver";
import type { Tenant } from "./api/tenant.ts";

const folder = new URL("../samples/", import.meta.url);

/** The names of all samples. */
export const samples: readonly string[] = readdirSync(folder).map((file) => file.replace(/\.yaml$/, ""));

/** The text of a sample. */
export function sampleText(name: string): string {
  return readFileSync(new URL(`${name}.yaml`, folder), "utf8");
}

/** A sample as it is sent to an API server. */
export function sample(name: string): Tenant {
  const { value } = readYaml(sampleText(name));
  return value as Tenant;
}
