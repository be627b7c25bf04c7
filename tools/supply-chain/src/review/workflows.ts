import { parse } from "yaml";
import { isRecord } from "../repository.ts";

type Job = Readonly<Record<string, unknown>>;

/** Returns the problems of a GitHub workflow: one sentence each. */
export function reviewWorkflow(text: string): readonly string[] {
  const workflow: unknown = parse(text);
  if (!isRecord(workflow)) return ["is not a workflow"];
  const jobs = isRecord(workflow["jobs"]) ? Object.entries(workflow["jobs"]) : [];
  return [
    ...triggerProblems(workflow),
    ...(isReadOnly(workflow["permissions"]) ? [] : ["permissions of the workflow must be only contents: read"]),
    ...jobs.flatMap(([name, job]) => (isRecord(job) ? jobProblems(job).map((problem) => `${name}: ${problem}`) : [])),
    ...pinProblems(text),
  ];
}

function triggerProblems(workflow: Job): readonly string[] {
  const on = workflow["on"];
  const triggers = isRecord(on) ? Object.keys(on) : [on].flat().map(String);
  // It runs code of a pull request with the secrets of the repository.
  return triggers.includes("pull_request_target") ? ["pull_request_target must not be used"] : [];
}

function isReadOnly(permissions: unknown): boolean {
  return isRecord(permissions) && JSON.stringify(permissions) === JSON.stringify({ contents: "read" });
}

function jobProblems(job: Job): readonly string[] {
  const steps = Array.isArray(job["steps"]) ? job["steps"].filter(isRecord) : [];
  const problems = typeof job["timeout-minutes"] === "number" ? [] : ["timeout-minutes is missing"];
  for (const { run } of steps) {
    if (typeof run !== "string") continue;
    // An expression is replaced before the shell sees the script, so its value can inject another command.
    if (run.includes("${{")) problems.push("pass expressions to a script by env, not by ${{ }}");
    for (const [command] of run.matchAll(/\bnpm (?:ci|install|i)\b[^\n]*/g)) {
      if (!command.includes("--ignore-scripts")) problems.push(`"${command}" must have --ignore-scripts`);
    }
  }
  return problems;
}

/** An action is pinned by its commit; the comment says which version that is. */
function pinProblems(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => /^\s*(?:- )?uses:/.test(line))
    .filter((line) => !/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))
    .map((line) => `"${line.trim()}" must name a commit, with its version in a comment`);
}
