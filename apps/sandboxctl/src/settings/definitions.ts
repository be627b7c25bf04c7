import { type Command, defineCommand } from "../command/definition.ts";
import { settingNames, settingTexts } from "./setting-names.ts";

const list = settingNames.map((name) => `${name}: ${settingTexts[name]}`).join("; ");
const name = { name: "SETTING", choices: settingNames } as const;

export const settingsCommands: readonly Command[] = [
  defineCommand({
    words: "config set",
    summary: "Store a setting for all later commands",
    description: [`Stores a setting in the configuration file. An empty VALUE removes it. Settings: ${list}.`],
    arguments: [name, { name: "VALUE", isOptional: true }],
    flags: {},
    outputs: [],
    isOffline: true,
    examples: ["sandboxctl config set namespace shop", "sandboxctl config set namespace"],
    load: async () => (await import("./commands.ts")).setSetting,
  }),
  defineCommand({
    words: "config get",
    summary: "Print a setting",
    description: [`Prints one setting. Settings: ${list}.`],
    arguments: [name],
    flags: {},
    outputs: [],
    isOffline: true,
    exits: { 5: "the setting has no value" },
    examples: ["sandboxctl config get namespace"],
    load: async () => (await import("./commands.ts")).getSetting,
  }),
  defineCommand({
    words: "config view",
    summary: "Print all settings and the folders of this program",
    description: [
      "Prints the path of the configuration file, all settings, and the id of this machine if it has a key.",
    ],
    flags: {},
    outputs: ["table", "json"],
    isOffline: true,
    examples: ["sandboxctl config view"],
    load: async () => (await import("./commands.ts")).viewSettings,
  }),
];
