import type { WantedRedis } from "./resolved-tenant.ts";

/** Where Redis finds its users, and what replicas introduce themselves with. */
export const authFolder = "/etc/redis-auth";

type Directive = readonly [key: string, ...values: string[]];

/** The configuration file of Redis. What the user says replaces what it repeats, and the rest of it comes last. */
export function redisConf({ mode, security, settings }: WantedRedis): string {
  const { databases, tcpKeepalive, maxmemoryMegabytes, maxmemoryPolicy, persistence, fsync, config } = settings;
  const hasPassword = security !== undefined;
  const directives: Directive[] = [
    ["port", "6379"],
    ["bind", "* -::*"],
    // Redis 7 in protected mode turns remote clients away while its default user has no password.
    ["protected-mode", hasPassword ? "yes" : "no"],
    ["daemonize", "no"],
    ["dir", "/data"],
    ["logfile", '""'],
    ["loglevel", "notice"],
    ["databases", String(databases)],
    ["tcp-keepalive", String(tcpKeepalive)],
    ["maxmemory", `${maxmemoryMegabytes}mb`],
    ["maxmemory-policy", maxmemoryPolicy],
    ["appendonly", persistence === "rdb" ? "no" : "yes"],
    ["appendfsync", fsync],
    ["save", ...(persistence === "aof" ? ['""'] : settings.savePoints)],
    ...(hasPassword ? [["aclfile", `${authFolder}/users.acl`] as const] : []),
    ...(hasPassword && mode === "replication" ? [["include", `${authFolder}/replica.conf`] as const] : []),
  ];
  const own = new Set(directives.map(([key]) => key));
  const more = Object.keys(config)
    .filter((key) => !own.has(key))
    .toSorted();
  return [
    ...directives.map(([key, ...values]): Directive =>
      Object.hasOwn(config, key) ? [key, said(config[key])] : [key, ...values],
    ),
    ...more.map((key): Directive => [key, said(config[key])]),
  ]
    .flatMap(([key, ...values]) => values.map((value) => `${key} ${value}\n`))
    .join("");
}

/** A directive without a value would keep Redis from starting. */
function said(value: string | undefined): string {
  return value === undefined || value.trim() === "" ? '""' : value;
}
