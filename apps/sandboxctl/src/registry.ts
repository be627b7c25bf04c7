// All commands. This module and those that it imports are loaded at every start: they contain definitions only, and handlers are loaded on demand.

import type { Registry } from "./command/find-command.ts";
import { explainCommands } from "./explain/definitions.ts";
import { policyCommands } from "./policy/definitions.ts";
import { previewCommands } from "./preview/definitions.ts";

export const registry: Registry = {
  groups: [
    { word: "route", summary: "Explain routes" },
    { word: "preview", summary: "Open preview addresses, share links to them, list and revoke them" },
    { word: "policy", summary: "Check manifests before they are applied" },
  ],
  commands: [...explainCommands, ...previewCommands, ...policyCommands],
};
