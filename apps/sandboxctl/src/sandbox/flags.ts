// Options of the commands of sandboxes.

export const createFlags = {
  service: {
    kind: "texts",
    value: "NAME[/CONTAINER]=IMAGE",
    suggests: "service",
    help: "Deployment, container and image of a fork",
  },
  ttl: { kind: "text", value: "TIME", help: "lifetime, such as 4h or 2d (default: 1d)" },
  label: { kind: "texts", value: "KEY=VALUE", help: "label of all objects, for RouteGroups" },
  key: { kind: "text", value: "KEY", help: "routing key (default: generated)" },
  wait: { kind: "switch", default: true, help: "do not wait until the sandbox is ready" },
  "wait-timeout": { kind: "duration", value: "TIME", default: "3m", help: "longest time to wait" },
} as const;

export const sandboxListFlags = {
  mine: { kind: "switch", help: "list only sandboxes that you have created" },
  expiring: { kind: "duration", value: "TIME", help: "list only sandboxes that expire within this time" },
} as const;

export const forceFlag = {
  force: {
    kind: "switch",
    help: "remove the sandbox even if some of its objects remain; the operator then no longer deletes them",
  },
} as const;

export const updateFlags = {
  image: { kind: "texts", value: "ENTRY[/CONTAINER]=IMAGE", help: "image of an entry" },
  env: { kind: "texts", value: "ENTRY[/CONTAINER]/NAME=VALUE", help: "variable of an entry; NAME- removes it" },
  wait: { kind: "switch", default: true, help: "do not wait until the sandbox is ready" },
  "wait-timeout": { kind: "duration", value: "TIME", default: "3m", help: "longest time to wait" },
} as const;

export const envFlags = {
  export: { kind: "switch", help: "print commands for a shell, with quotes" },
  container: { kind: "text", value: "NAME", help: "container of the workload (default: the first)" },
} as const;

export const filesFlags = {
  directory: { kind: "text", short: "d", value: "DIR", suggests: "folder", help: "folder to write to (required)" },
  container: { kind: "text", value: "NAME", help: "container of the workload (default: the first)" },
} as const;

export const logsFlags = {
  follow: { kind: "switch", short: "f", help: "print new lines until interrupted" },
  container: { kind: "text", value: "NAME", help: "container of the pods (default: all)" },
  tail: { kind: "integer", value: "N", min: 0, max: 1_000_000, help: "print only the last lines of each container" },
  since: { kind: "duration", value: "TIME", help: "print only lines that are not older than this" },
} as const;
