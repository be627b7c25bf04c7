// Options that several commands have.

export const filenameFlag = {
  filename: { kind: "texts", short: "f", value: "FILE", suggests: "file", help: "manifest, - for standard input" },
} as const;

export const applyFlags = {
  set: { kind: "texts", value: "NAME=VALUE", help: "value of the variable @{NAME} of the manifest" },
  wait: { kind: "switch", default: true, help: "do not wait until the objects are ready" },
  "wait-timeout": { kind: "duration", value: "TIME", default: "3m", help: "longest time to wait" },
  "dry-run": {
    kind: "optional",
    choices: ["client", "server"],
    bare: "client",
    help: "client prints the objects; server sends them to the API server for validation and shows what would be created, denied and routed; neither stores anything",
  },
  diff: { kind: "switch", help: "print how the stored objects would change, and store nothing" },
} as const;

export const deleteFlags = {
  wait: { kind: "switch", default: true, help: "do not wait until the object is gone" },
  "wait-timeout": { kind: "duration", value: "TIME", default: "5m", help: "longest time to wait" },
} as const;

export const listFlags = {
  "all-namespaces": { kind: "switch", short: "A", help: "list objects of all namespaces" },
  selector: {
    kind: "text",
    short: "l",
    value: "SELECTOR",
    help: "labels that the objects must have, such as team=web",
  },
} as const;

export const dryRunChoices = ["client", "server"] as const;
