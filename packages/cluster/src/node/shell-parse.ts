import { imageBaseName } from "./image-name.ts";

// Parses the few forms of shell commands that the simulation executes. A script with any other construct is not
// executed at all: executing it partially would give wrong results.

/** One step of a script. */
export type ShellStep =
  | { readonly do: "sleep"; readonly ms: number }
  | { readonly do: "print"; readonly text: string; readonly file: string | undefined }
  | { readonly do: "exit"; readonly code: number }
  | { readonly do: "result"; readonly ok: boolean }
  | { readonly do: "touch" | "remove" | "read" | "exists"; readonly file: string }
  /** Sets the exit code on SIGTERM; undefined to ignore the signal. */
  | { readonly do: "trap"; readonly exitCode: number | undefined }
  | { readonly do: "loop"; readonly body: readonly ShellStep[] }
  /** Skips the next step if the result of the last one equals `ok`. */
  | { readonly do: "unless"; readonly ok: boolean };

const shells = new Set(["sh", "ash", "dash", "bash"]);
/** Images whose entrypoint executes its arguments. */
const shellImages = new Set(["busybox", "alpine", "debian", "ubuntu", "bash", "centos", "fedora"]);
const lengthMax = 10_000;
const depthMax = 8;

/** Parses the command of a container; undefined when it has an unsupported form. */
export function readCommand(
  {
    image,
    command,
    args,
  }: { readonly image: string; readonly command: readonly string[]; readonly args: readonly string[] },
  env: ReadonlyMap<string, string>,
): readonly ShellStep[] | undefined {
  if (command.length === 0 && !shellImages.has(imageBaseName(image))) return undefined;
  return readWords([...command, ...args], env);
}

/** Parses a command given as words, `["sh", "-c", "sleep 1"]`; undefined when it has an unsupported form. */
export function readWords(
  words: readonly string[],
  env: ReadonlyMap<string, string>,
): readonly ShellStep[] | undefined {
  const [program = "", ...rest] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (shells.has(name)) {
    const [flag = "", script] = rest;
    if (!/^-[eux]*c$/.test(flag) || script === undefined || script.length > lengthMax || rest.length > 2)
      return undefined;
    const tokens = tokenize(script, env);
    return tokens === undefined ? undefined : readTokens(tokens);
  }
  const step = readSimple([name, ...rest]);
  return step === undefined ? undefined : [step];
}

type Token = { readonly word: string } | { readonly sign: string };

function tokenize(script: string, env: ReadonlyMap<string, string>): readonly Token[] | undefined {
  const tokens: Token[] = [];
  const pattern = /[ \t]+|(\r?\n|;|&&|\|\||>)|((?:'[^']*'|"[^"]*"|[^\s;&|<>'"`()])+)|([\s\S])/gy;
  for (const [, sign, word, other] of script.matchAll(pattern)) {
    if (other !== undefined) return undefined;
    if (sign !== undefined) tokens.push({ sign: sign.endsWith("\n") ? ";" : sign });
    if (word === undefined) continue;
    const plain = unquote(word, env);
    if (plain === undefined) return undefined;
    tokens.push({ word: plain });
  }
  return tokens;
}

function unquote(word: string, env: ReadonlyMap<string, string>): string | undefined {
  let plain = "";
  for (const [, single, double, bare = ""] of word.matchAll(/'([^']*)'|"([^"]*)"|([^'"]+)/g)) {
    if (single !== undefined) {
      plain += single;
      continue;
    }
    const text = double ?? bare;
    if (/[`\\]|\$\(|[*?](?=$)/.test(text)) return undefined;
    plain += text.replaceAll(
      /\$(?:(\w+)|\{(\w+)\})/g,
      (_whole, one: string | undefined, two: string | undefined) => env.get(one ?? two ?? "") ?? "",
    );
  }
  return plain;
}

function readTokens(tokens: readonly Token[], depth = 0): readonly ShellStep[] | undefined {
  const steps: ShellStep[] = [];
  let position = 0;
  while (position < tokens.length) {
    const token = tokens[position];
    if (token !== undefined && "sign" in token) {
      if (token.sign === ">") return undefined;
      if (token.sign !== ";") steps.push({ do: "unless", ok: token.sign === "||" });
      position += 1;
      continue;
    }
    const loop = loopAt(tokens, position);
    if (loop !== undefined) {
      const body = depth < depthMax ? readTokens(tokens.slice(loop.start, loop.end), depth + 1) : undefined;
      if (body === undefined) return undefined;
      steps.push({ do: "loop", body });
      position = loop.end + 1;
      continue;
    }
    const words: string[] = [];
    let file: string | undefined;
    for (; position < tokens.length; position += 1) {
      const next = tokens[position];
      if (next === undefined) break;
      if ("word" in next) words.push(next.word);
      else if (next.sign === ">") {
        const target = tokens[position + 1];
        if (target === undefined || !("word" in target)) return undefined;
        file = target.word;
        position += 1;
      } else break;
    }
    const step = readSimple(words, file);
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return steps;
}

/** Returns the body of a `while true; do …; done` that begins at this position. */
function loopAt(tokens: readonly Token[], position: number): { start: number; end: number } | undefined {
  const word = (at: number): string => {
    const token = tokens[at];
    return token !== undefined && "word" in token ? token.word : "";
  };
  const isEndless = word(position) === "while" && (word(position + 1) === "true" || word(position + 1) === ":");
  const next = tokens[position + 2];
  if (!isEndless || next === undefined || !("sign" in next) || next.sign !== ";" || word(position + 3) !== "do")
    return undefined;
  let depth = 1;
  for (let at = position + 4; at < tokens.length; at += 1) {
    if (word(at) === "do") depth += 1;
    else if (word(at) === "done") depth -= 1;
    if (depth === 0) return { start: position + 4, end: at };
  }
  return undefined;
}

function readSimple(words: readonly string[], file?: string): ShellStep | undefined {
  const [name = "", ...rest] = words;
  if (name === "exec" && rest.length > 0) return readSimple(rest, file);
  if (file !== undefined && name !== "echo") return undefined;
  const [first = "", second = "", third] = rest;
  switch (name) {
    case "true":
    case ":":
      return { do: "result", ok: true };
    case "false":
      return { do: "result", ok: false };
    case "exit":
      return /^\d{1,3}$/.test(first === "" ? "0" : first) ? { do: "exit", code: Number(first) % 256 } : undefined;
    case "sleep":
      return readSleep(rest);
    case "echo":
      return { do: "print", text: `${rest.join(" ")}\n`, file };
    case "touch":
      return rest.length === 1 ? { do: "touch", file: first } : undefined;
    case "cat":
      return rest.length === 1 ? { do: "read", file: first } : undefined;
    case "rm": {
      const target = first === "-f" ? second : first;
      return rest.length === (first === "-f" ? 2 : 1) ? { do: "remove", file: target } : undefined;
    }
    case "test":
      return /^-[fe]$/.test(first) && rest.length === 2 ? { do: "exists", file: second } : undefined;
    case "[":
      return /^-[fe]$/.test(first) && third === "]" ? { do: "exists", file: second } : undefined;
    case "tail":
      return rest.join(" ") === "-f /dev/null" ? { do: "sleep", ms: Infinity } : undefined;
    case "trap":
      return readTrap(rest);
    default:
      return undefined;
  }
}

function readSleep(words: readonly string[]): ShellStep | undefined {
  if (words.length !== 1) return undefined;
  const [, digits, unit = "s"] = /^(\d+(?:\.\d+)?|infinity|inf)([smhd]?)$/.exec(words[0] ?? "") ?? [];
  if (digits === undefined) return undefined;
  const factors: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
  return { do: "sleep", ms: digits.startsWith("inf") ? Infinity : Number(digits) * (factors[unit] ?? 1_000) };
}

function readTrap(words: readonly string[]): ShellStep | undefined {
  const [action = "", ...signals] = words;
  if (signals.length === 0 || !signals.every((signal) => /^(?:SIG)?(?:TERM|INT|QUIT|EXIT)$/.test(signal)))
    return undefined;
  if (!signals.some((signal) => signal.endsWith("TERM"))) return { do: "result", ok: true };
  if (action === "") return { do: "trap", exitCode: undefined };
  const code = /^exit(?: (\d{1,3}))?$/.exec(action);
  return code === null ? undefined : { do: "trap", exitCode: Number(code[1] ?? 0) % 256 };
}
