// The flags that people who come from the operator in Go have in their manifests, in the words of this one. Those that have
// the same name here are not among them.

/** A command line that this program understands, and what there is to say about the one it was made from. */
export interface RunArguments {
  readonly argv: readonly string[];
  /** What was asked for and is not done, a sentence each. */
  readonly warnings: readonly string[];
  /** What keeps the program from starting, a sentence each. */
  readonly problems: readonly string[];
}

/** What is known about a flag of the older kind. */
interface OldFlag {
  /** Whether it stands alone. */
  readonly isSwitch?: boolean;
  /** The flag that means the same here. */
  readonly now?: string;
  /** Why it has no effect, where somebody asks for one. */
  readonly ignored?: string;
}

const oldFlags: ReadonlyMap<string, OldFlag> = new Map<string, OldFlag>([
  ["enable-webhooks", { isSwitch: true, now: "webhooks" }],
  ["webhook-self-signed", { isSwitch: true }],
  ["webhook-cert-path", { now: "webhook-cert-dir" }],
  ["metrics-cert-path", { now: "metrics-cert-dir" }],
  ["enable-http2", { isSwitch: true, ignored: "metrics and webhooks are served over HTTP/1.1 alone" }],
]);

/** One flag of a command line. */
interface Word {
  readonly name: string;
  /** Undefined for a switch that stands alone. */
  readonly value: string | undefined;
  /** As it was written. */
  readonly words: readonly string[];
}

/**
 * Turns a command line for the operator in Go into one for this program. What is new here passes as it is.
 *
 * Other commands than running, such as `manifests`, pass untouched.
 *
 * @example
 * runArguments(["--enable-webhooks=false", "--leader-elect"]).argv; // ["--webhooks=false", "--leader-elect"]
 */
export function runArguments(argv: readonly string[]): RunArguments {
  const [first] = argv;
  if (first !== undefined && !first.startsWith("-") && first !== "run") return { argv, warnings: [], problems: [] };
  const result: string[] = [];
  const warnings = new Set<string>();
  const problems: string[] = [];
  const values = new Map<string, string>();
  for (const { name, value, words } of flagsIn(argv)) {
    const old = oldFlags.get(name);
    if (old === undefined) {
      result.push(...words);
      continue;
    }
    if (value === undefined && old.isSwitch !== true) {
      problems.push(`--${name} wants a value.`);
      continue;
    }
    const text = value ?? "true";
    values.set(name, text);
    if (old.now !== undefined && text !== "") result.push(`--${old.now}=${text}`);
    if (old.ignored !== undefined && isAsked(old, text)) warnings.add(`--${name} has no effect: ${old.ignored}.`);
  }
  const isServing = !isFalse(values.get("enable-webhooks") ?? "false");
  const isSelfSigned = !isFalse(values.get("webhook-self-signed") ?? "true");
  if (isServing && !isSelfSigned && (values.get("webhook-cert-path") ?? "") === "") {
    problems.push("--webhook-cert-path is missing: webhooks are on, and --webhook-self-signed is off.");
  }
  return { argv: result, warnings: [...warnings], problems };
}

function isAsked({ isSwitch }: OldFlag, text: string): boolean {
  return isSwitch === true ? !isFalse(text) : text !== "";
}

function isFalse(text: string): boolean {
  return ["0", "f", "false"].includes(text.toLowerCase());
}

/** The flags of a command line, with their values where these are words of their own. One dash is as good as two. */
function flagsIn(argv: readonly string[]): Word[] {
  const found: Word[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? "";
    const [, name = "", , value] = /^--?([a-z][a-z0-9-]+)(=([\s\S]*))?$/.exec(word) ?? [];
    const old = oldFlags.get(name);
    if (old === undefined || old.isSwitch === true || value !== undefined) {
      found.push({ name, value, words: [name !== "" && !word.startsWith("--") ? `-${word}` : word] });
      continue;
    }
    const next = argv[index + 1];
    const hasValue = next !== undefined && !next.startsWith("-");
    found.push({ name, value: hasValue ? next : undefined, words: [word] });
    if (hasValue) index += 1;
  }
  return found;
}
