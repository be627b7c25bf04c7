import { UsageError } from "@homeostat/core";
import type { CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { Flags } from "../command/flags.ts";
import type { CommandInput } from "../command/input.ts";
import { fieldLines } from "../output/describe.ts";
import { readMachineId } from "./machine-id.ts";
import { type SettingName, settingNames } from "./setting-names.ts";
import { readSettings, settingsFile, writeSettings } from "./settings.ts";

/** Stores or removes a setting. */
export async function setSetting(input: CommandInput<Flags>, { machine, print }: CommandContext): Promise<number> {
  const name = settingOf(input.argument("SETTING"));
  const value = input.optionalArgument("VALUE");
  if (value !== undefined && (value.length > 512 || /[\p{Cc}]/u.test(value)))
    throw new UsageError(`VALUE of ${name} is too long or contains control characters.`);
  const { [name]: _former, ...others } = await readSettings(machine.configFolder);
  await writeSettings(machine.configFolder, value === undefined ? others : { ...others, [name]: value });
  print(value === undefined ? `${name} removed` : `${name} set to ${value}`);
  return exitCodes.done;
}

/** Prints a setting. */
export async function getSetting(input: CommandInput<Flags>, { machine, print }: CommandContext): Promise<number> {
  const name = settingOf(input.argument("SETTING"));
  const value = (await readSettings(machine.configFolder))[name];
  if (value === undefined)
    throw new CommandError(`${name} is not set. Set it with sandboxctl config set ${name} VALUE`, exitCodes.notFound);
  print(value);
  return exitCodes.done;
}

/** Prints all settings. */
export async function viewSettings(input: CommandInput<Flags>, { machine, print }: CommandContext): Promise<number> {
  const settings = await readSettings(machine.configFolder);
  const machineId = await readMachineId(machine.configFolder);
  const file = settingsFile(machine.configFolder);
  if (input.output === "json") {
    print(JSON.stringify({ file, state: machine.stateFolder, machineId, settings }, undefined, 2));
    return exitCodes.done;
  }
  const lines = fieldLines({
    file,
    state: machine.stateFolder,
    "machine id": machineId ?? "none yet; the first tunnel creates it",
    ...settings,
  });
  for (const line of lines) print(line);
  return exitCodes.done;
}

function settingOf(text: string): SettingName {
  const name = settingNames.find((each) => each === text);
  if (name === undefined) throw new UsageError(`SETTING must be one of ${settingNames.join(", ")}.`);
  return name;
}
