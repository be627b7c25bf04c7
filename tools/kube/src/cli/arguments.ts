import { parseArgs } from "node:util";
import { UsageError } from "@homeostat/core";
import { buildTargets, isBuildTarget } from "../builds/binaries.ts";
import type { Binary } from "../builds/binaries.ts";
import { fullImageName, parseWords } from "../images/archive.ts";
import { nodesMax } from "../records/layout.ts";
import { checkName } from "../cache/paths.ts";

/** Default name of a cluster. */
export const defaultName = "default";

/** A parsed command. */
export type Command =
  | { run: "help"; about: CommandName | undefined }
  | { run: "build"; binaries: readonly Binary[]; withPause: boolean }
  | { run: "up"; name: string; port: number | undefined; apiserverOnly: boolean; apiserverFlags: readonly string[] }
  | {
      run: "node";
      name: string;
      port: number | undefined;
      nodes: number;
      install: boolean;
      apiserverFlags: readonly string[];
    }
  | { run: "image"; name: string; image: ImageChoice; install: boolean }
  | { run: "down"; names: "all" | readonly [string]; keep: boolean }
  | { run: "env"; name: string; nameGiven: boolean }
  | { run: "status"; name: string }
  | { run: "list" };

/** An image to import into a node. */
export type ImageChoice =
  | { what: "pause" }
  | { what: "base" }
  | {
      what: "dir";
      name: string;
      folder: string;
      entrypoint: readonly string[];
      cmd: readonly string[];
      user: string;
      env: readonly string[];
    };

/** Names of the commands. */
export type CommandName = Exclude<Command["run"], "help">;

interface Shape {
  readonly flags: readonly FlagName[];
  /** Maximum number of positional arguments. */
  readonly words: number;
}

const flags = {
  name: "string",
  port: "string",
  nodes: "string",
  only: "string",
  "apiserver-flag": "string",
  user: "string",
  env: "string",
  install: "boolean",
  keep: "boolean",
  all: "boolean",
} as const;

type FlagName = keyof typeof flags;

const shapes: { readonly [name in CommandName]: Shape } = {
  build: { flags: [], words: 1 },
  up: { flags: ["name", "port", "only", "apiserver-flag"], words: 0 },
  node: { flags: ["name", "port", "nodes", "install", "apiserver-flag"], words: 0 },
  image: { flags: ["name", "install", "user", "env"], words: 5 },
  down: { flags: ["name", "all", "keep"], words: 0 },
  env: { flags: ["name"], words: 0 },
  status: { flags: ["name"], words: 0 },
  list: { flags: [], words: 0 },
};

function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(shapes, word);
}

/** Parses a command line. Throws {@link UsageError} with the mistake and a suggestion. */
export function parseCommand(argv: readonly string[]): Command {
  const [first, ...rest] = argv;
  if (first === undefined) throw new UsageError(`Missing command. Use ${Object.keys(shapes).join(", ")} or --help.`);
  if (first === "help" || first === "--help" || first === "-h") {
    const [about] = rest;
    return { run: "help", about: about !== undefined && isCommandName(about) ? about : undefined };
  }
  if (!isCommandName(first)) {
    throw new UsageError(`Unknown command ${JSON.stringify(first)}.${suggest(first, Object.keys(shapes))}`);
  }
  const { words, given, wantsHelp } = splitFlags(first, rest);
  if (wantsHelp) return { run: "help", about: first };
  if (words.length > shapes[first].words) {
    throw new UsageError(
      `${first} takes no argument ${JSON.stringify(words[shapes[first].words])}. See: npm run kube -- ${first} --help`,
    );
  }
  return understand(first, words, given);
}

function understand(command: CommandName, words: readonly string[], given: Given): Command {
  const name = checkName(given.texts("name").at(-1) ?? defaultName);
  const common = { name, port: parsePort(given.texts("port").at(-1)), apiserverFlags: given.texts("apiserver-flag") };
  switch (command) {
    case "build": {
      const target = words[0] ?? "all";
      if (!isBuildTarget(target)) {
        throw new UsageError(
          `Unknown build target ${JSON.stringify(target)}.${suggest(target, Object.keys(buildTargets))}`,
        );
      }
      return { run: "build", binaries: buildTargets[target], withPause: target === "node" || target === "all" };
    }
    case "up": {
      const only = given.texts("only").at(-1);
      if (only !== undefined && only !== "apiserver") throw new UsageError("--only takes one value: apiserver.");
      return { run: "up", ...common, apiserverOnly: only === "apiserver" };
    }
    case "node":
      return { run: "node", ...common, nodes: parseNodes(given.texts("nodes").at(-1)), install: given.has("install") };
    case "image":
      return {
        run: "image",
        name,
        image: parseImage(words, { user: given.texts("user").at(-1), env: given.texts("env") }),
        install: given.has("install"),
      };
    case "down": {
      if (given.has("all") && given.texts("name").length > 0) {
        throw new UsageError("--all and --name cannot be used together.");
      }
      return { run: "down", names: given.has("all") ? "all" : [name], keep: given.has("keep") };
    }
    case "env":
      return { run: "env", name, nameGiven: given.texts("name").length > 0 };
    case "status":
      return { run: "status", name };
    case "list":
      return { run: "list" };
  }
}

interface Given {
  texts(flag: FlagName): readonly string[];
  has(flag: FlagName): boolean;
}

function splitFlags(
  command: CommandName,
  rest: readonly string[],
): { words: string[]; given: Given; wantsHelp: boolean } {
  const options = Object.fromEntries(
    Object.entries({ ...flags, help: "boolean" } as const).map(([flag, type]) => [
      flag,
      { type, multiple: type === "string", ...(flag === "help" ? { short: "h" } : {}) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...rest], options, strict: false, allowPositionals: true, tokens: true });
  const words: string[] = [];
  const found = new Map<string, string[]>();
  let wantsHelp = false;
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    if (token.name === "help") {
      wantsHelp = true;
      continue;
    }
    const allowed: readonly string[] = shapes[command].flags;
    if (!allowed.includes(token.name)) {
      const known = allowed.map((flag) => `--${flag}`);
      throw new UsageError(`Unknown flag ${token.rawName} of ${command}.${suggest(token.rawName, known)}`);
    }
    const takesValue = Object.hasOwn(flags, token.name) && options[token.name]?.type === "string";
    if (takesValue && (token.value === undefined || token.value === "")) {
      throw new UsageError(`${token.rawName} needs a value.`);
    }
    if (!takesValue && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value.`);
    found.set(token.name, [...(found.get(token.name) ?? []), ...(token.value === undefined ? [] : [token.value])]);
  }
  const given = { texts: (flag: FlagName) => found.get(flag) ?? [], has: (flag: FlagName) => found.has(flag) };
  return { words, given, wantsHelp };
}

function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new UsageError(`Invalid --port ${text}: must be a number from 1 to 65535.`);
}

function parseNodes(text = "1"): number {
  const nodes = /^\d$/.test(text) ? Number(text) : 0;
  if (nodes >= 1 && nodes <= nodesMax) return nodes;
  throw new UsageError(`Invalid --nodes ${text}: must be a number from 1 to ${nodesMax}.`);
}

function parseImage(
  [what, name, folder, entrypoint, cmd]: readonly string[],
  { user = "", env }: { readonly user: string | undefined; readonly env: readonly string[] },
): ImageChoice {
  if (!/^(?:\d{1,10}(?::\d{1,10})?)?$/.test(user)) {
    throw new UsageError(`Invalid --user ${user}: must be UID or UID:GID, as numbers.`);
  }
  for (const variable of env) {
    if (!/^[A-Za-z_]\w*=/.test(variable)) throw new UsageError(`Invalid --env ${variable}: must be NAME=VALUE.`);
  }
  if (what === "pause" || what === "base") {
    if (name !== undefined)
      throw new UsageError(`image ${what} takes no further arguments, but got ${JSON.stringify(name)}.`);
    return { what };
  }
  if (what !== "dir") {
    const problem = what === undefined ? "image needs a kind" : `Unknown image ${JSON.stringify(what)}`;
    throw new UsageError(`${problem}: pause, base, or dir NAME ROOTFS ENTRYPOINT-JSON [CMD-JSON].`);
  }
  if (name === undefined || folder === undefined || entrypoint === undefined) {
    throw new UsageError(
      `image dir needs NAME ROOTFS ENTRYPOINT-JSON, such as: image dir docker.io/me/op:1 ./rootfs '["/op"]'`,
    );
  }
  return {
    what,
    name: fullImageName(name),
    folder,
    entrypoint: parseWords("ENTRYPOINT-JSON", entrypoint),
    cmd: cmd === undefined ? [] : parseWords("CMD-JSON", cmd),
    user,
    env,
  };
}

/** Returns the known word most similar to a mistyped one, as a sentence; the list of known words if none is similar. */
export function suggest(typed: string, known: readonly string[]): string {
  const near = known
    .map((word) => ({ word, distance: editDistance(typed.slice(0, 40), word) }))
    .filter(({ word, distance }) => distance <= Math.max(1, Math.floor(word.length / 3)))
    .sort((a, b) => a.distance - b.distance)[0];
  if (near !== undefined) return ` Did you mean ${near.word}?`;
  return known.length === 0 ? "" : ` Known: ${known.join(", ")}.`;
}

/** Returns the edit distance of two words, where swapping two neighbours counts as one edit. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Infinity;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change, swap));
    }
  }
  return at(a.length, b.length);
}
