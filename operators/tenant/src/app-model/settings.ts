import { createHash } from "node:crypto";
import type { ProgramContext } from "@homeostat/cluster/app-model";

/** Settings of a simulated Redis. */
export interface RedisSettings {
  readonly port: number;
  /** SHA-256 hashes of the passwords of the default user; empty if it has no password. */
  readonly passwordHashes: readonly string[];
  /** Configured directives by name. */
  readonly directives: ReadonlyMap<string, string>;
}

const linesMax = 10_000;

/** Reads the arguments, the configuration file and the ACL file of a container. Missing files are ignored. */
export function redisSettings({ container, files }: Pick<ProgramContext, "container" | "files">): RedisSettings {
  const words = [...container.command, ...container.args].filter((word) => !/(?:^|\/)redis-server$/.test(word));
  const directives = new Map<string, string>();
  const [first] = words;
  if (first !== undefined && !first.startsWith("-")) readLines(files.get(first) ?? "", directives);
  for (let index = 0; index < words.length; index += 1) {
    const name = /^--([a-z][a-z-]*)$/.exec(words[index] ?? "")?.[1];
    const value = words[index + 1];
    if (name !== undefined && value !== undefined) directives.set(name, value);
  }
  const users = files.get(directives.get("aclfile") ?? "");
  const password = directives.get("requirepass");
  const port = /^\d{1,5}$/.exec(directives.get("port") ?? "")?.[0];
  return {
    port: port === undefined ? 6379 : Number(port),
    passwordHashes:
      users === undefined
        ? password === undefined || password === ""
          ? []
          : [hashOf(password)]
        : defaultUserHashes(users),
    directives,
  };
}

/** Returns the hash of a password as in an ACL file. */
export function hashOf(password: string): string {
  return createHash("sha256").update(password).digest("hex");
}

function readLines(text: string, directives: Map<string, string>): void {
  for (const line of text.split("\n", linesMax)) {
    const [, name, value = ""] = /^\s*([a-zA-Z][\w-]*)\s+(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined) directives.set(name.toLowerCase(), value.replaceAll(/^["']|["']$/g, ""));
  }
}

function defaultUserHashes(users: string): readonly string[] {
  const line = users.split("\n", linesMax).find((one) => /^\s*user\s+default\s/.test(one)) ?? "";
  const words = line.trim().split(/\s+/);
  if (words.includes("nopass")) return [];
  return words.flatMap((word) =>
    word.startsWith("#") ? [word.slice(1)] : word.startsWith(">") ? [hashOf(word.slice(1))] : [],
  );
}
