/** Options of `homeostat cluster`. */
export const clusterOptions = {
  data: { type: "string" },
  "no-fsync": { type: "boolean" },
  port: { type: "string" },
  host: { type: "string" },
  "open-to-network": { type: "boolean" },
  kubeconfig: { type: "string" },
  "audit-log-path": { type: "string" },
  "api-only": { type: "boolean" },
  nodes: { type: "string" },
  verbose: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;
