import { createHash } from "node:crypto";
import type { ProgramContext } from "@homeostat/cluster/app-model";

/** What a Redis is started with. */
export interface RedisSettings {
  readonly port: number;
  /** The SHA-256 hashes of the passwords of the default user; empty when it needs none. */
  readonly passwordHashes: readonly string[];
  /** The directives that were given, by name. */
  readonly directives: ReadonlyMap<string, string>;
}

const linesMax = 10_000;

/** Reads arguments, the configuration file and the file of users, as far as they can be found. */
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

/** The hash under which a password is known. */
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
