// Checks of this machine: the programs that the guides and the generated projects use.

import type { Finding } from "./finding.ts";

/** Result of a program that was asked for its version. */
export type ProgramAnswer =
  | { readonly version: string }
  /** The program is installed, but does not work. */
  | { readonly problem: string }
  | "missing";

/** Runs a program and returns its answer. */
export type AskProgram = (name: string, words: readonly string[]) => Promise<ProgramAnswer>;

/** A program, or several of which one is enough. */
interface Tool {
  /** Names with the words that print the version, in the order of preference. */
  readonly names: readonly (readonly [name: string, ...words: string[]])[];
  /** The tasks that need it, as a clause. */
  readonly use: string;
  readonly install: string;
  /** True if operators cannot be developed without it. */
  readonly isRequired?: boolean;
}

const tools: readonly Tool[] = [
  {
    names: [["npm", "--version"]],
    use: "it installs the packages of a project",
    install: "It is part of Node.js: install Node.js again.",
    isRequired: true,
  },
  {
    names: [["git", "--version"]],
    use: "projects of operators are built from a repository in CI",
    install: "Install the package git of your system.",
  },
  {
    names: [["kubectl", "version", "--client"]],
    use: "the guides read and change objects with it",
    install: "See https://kubernetes.io/docs/tasks/tools/.",
  },
  {
    names: [
      ["docker", "--version"],
      ["podman", "--version"],
      ["buildah", "--version"],
    ],
    use: "one of them builds the image of an operator",
    install: "See https://docs.docker.com/engine/install/ or https://podman.io/docs/installation.",
  },
  {
    names: [["helm", "version", "--short"]],
    use: "it installs the charts of operators; kubectl installs their manifests without it",
    install: "See https://helm.sh/docs/intro/install/.",
  },
];

/** Oldest version of Node.js that is supported. */
const oldestNode = [20, 19] as const;

/** Checks the version of Node.js and the programs. */
export async function checkMachine({
  nodeVersion,
  ask,
}: {
  readonly nodeVersion: string;
  readonly ask: AskProgram;
}): Promise<Finding[]> {
  return [nodeFinding(nodeVersion), ...(await Promise.all(tools.map((tool) => toolFinding(tool, ask))))];
}

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  const isSupported = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  return isSupported
    ? { state: "ok", text: `Node.js ${version}` }
    : {
        state: "problem",
        text: `Node.js ${version} is too old: Homeostat needs ${oldestNode.join(".")} or newer. See https://nodejs.org/en/download.`,
      };
}

async function toolFinding({ names, use, install, isRequired = false }: Tool, ask: AskProgram): Promise<Finding> {
  const answers = await Promise.all(names.map(async ([name, ...words]) => ({ name, answer: await ask(name, words) })));
  const broken: string[] = [];
  for (const { name, answer } of answers) {
    if (answer === "missing") continue;
    if ("version" in answer) return { state: "ok", text: `${name} ${answer.version}` };
    broken.push(`${name} does not work (${answer.problem})`);
  }
  const all = names.map(([name]) => name);
  const missing = all.length === 1 ? `${all.join("")} is not installed` : `None of ${all.join(", ")} is installed`;
  const reason = broken.length > 0 ? broken.join("; ") : missing;
  return { state: isRequired ? "problem" : "note", text: `${reason}: ${use}. ${install}` };
}

/** Returns the version in the output of a program: the first word with digits and dots. */
export function versionIn(output: string): string {
  return /v?\d+(?:\.\d+)+\S*/.exec(output)?.[0].replace(/[,;:)]+$/, "") ?? output.trim().split("\n")[0] ?? "";
}
