import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The root folder of the repository. */
export const root: string = fileURLToPath(new URL("../../..", import.meta.url));

/** Reads a file of the repository by its path from the root. */
export function readText(path: string): string {
  return readFileSync(new URL(path, new URL("../../../", import.meta.url)), "utf8");
}

/** Reads a JSON file of the repository that must contain an object. */
export function readRecord(path: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(readText(path));
  if (!isRecord(value)) throw new Error(`${path} does not contain a JSON object`);
  return value;
}

/** Reports whether a value is an object with string keys. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
