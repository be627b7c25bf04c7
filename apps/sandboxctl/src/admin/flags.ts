// Options of the commands for administrators.

export const restoreFlags = {
  all: { kind: "switch", help: "restore all Services of all namespaces" },
  hold: {
    kind: "duration",
    value: "TIME",
    default: "10m",
    help: "time for which the operator does not take the Services over again",
  },
} as const;

export const uninstallFlags = {
  yes: { kind: "switch", help: "delete the objects; without this option the command only prints what it would delete" },
  "wait-timeout": { kind: "duration", value: "TIME", default: "5m", help: "longest time to wait for deletions" },
} as const;
