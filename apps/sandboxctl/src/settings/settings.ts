// The configuration file of a user: `config.json` in the configuration folder.

import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord, ownValue, UsageError } from "@homeostat/core";
import { type SettingName, settingNames, type Settings } from "./setting-names.ts";

/** Returns the path of the configuration file. */
export function settingsFile(folder: string): string {
  return join(folder, "config.json");
}

/** Reads the settings; none if the file does not exist. Throws a {@link UsageError} if it is not valid. */
export async function readSettings(folder: string): Promise<Settings> {
  const file = settingsFile(folder);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return {};
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not valid JSON; correct or remove it.`, { cause: error });
  }
  if (!isRecord(value)) throw new UsageError(`${file} must contain a JSON object; correct or remove it.`);
  const settings: Partial<Record<SettingName, string>> = {};
  for (const name of settingNames) {
    const setting = ownValue(value, name);
    if (setting === undefined) continue;
    if (typeof setting !== "string") throw new UsageError(`${file}: ${name} must be a text; correct it.`);
    settings[name] = setting;
  }
  return settings;
}

/** Writes the settings, readable by the user only. A crash leaves the previous file intact. */
export async function writeSettings(folder: string, settings: Settings): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = settingsFile(folder);
  const draft = `${file}.new`;
  await writeFile(draft, `${JSON.stringify(settings, undefined, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}
