// All commands. This module and those that it imports are loaded at every start: they contain definitions only, and handlers are loaded on demand.

import { adminCommands } from "./admin/definitions.ts";
import type { Registry } from "./command/find-command.ts";
import { completionCommands } from "./completion/definitions.ts";
import { diagnosticsCommands } from "./diagnostics/definitions.ts";
import { explainCommands } from "./explain/definitions.ts";
import { localCommands } from "./local/definitions.ts";
import { policyCommands } from "./policy/definitions.ts";
import { previewCommands } from "./preview/definitions.ts";
import { routeGroupCommands } from "./routegroup/definitions.ts";
import { sandboxCommands } from "./sandbox/definitions.ts";
import { settingsCommands } from "./settings/definitions.ts";
import { versionCommands } from "./version/definitions.ts";

export const registry: Registry = {
  groups: [
    { word: "sandbox", aliases: ["sb"], summary: "Create, change, inspect and delete sandboxes" },
    { word: "routegroup", aliases: ["rg", "route"], summary: "Join sandboxes under one routing key" },
    { word: "route", summary: "Explain routes; also accepts the commands of routegroup" },
    { word: "local", summary: "Let processes on this machine take the place of services of the cluster" },
    { word: "preview", summary: "Open preview addresses, share links to them, list and revoke them" },
    { word: "policy", summary: "Check manifests before they are applied" },
    { word: "admin", summary: "Inspect, restore and uninstall sandbox environments, for administrators" },
    { word: "config", summary: "Store defaults of commands on this machine" },
  ],
  commands: [
    ...sandboxCommands,
    ...routeGroupCommands,
    ...localCommands,
    ...explainCommands,
    ...previewCommands,
    ...policyCommands,
    ...adminCommands,
    ...settingsCommands,
    ...diagnosticsCommands,
    ...completionCommands,
    ...versionCommands,
  ],
};
