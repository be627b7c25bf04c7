import { quoteText } from "@homeostat/core";
import type { Test } from "../api/locust-test.ts";
import { splitCommand } from "../build/command-line.ts";
import { variableOf } from "../api/effective-arguments.ts";
import { webBasePathProblem } from "../api/web-base-path.ts";
import type { TestProblem } from "./problem.ts";

const flag = "--web-base-path";
const variable = variableOf(flag);

interface BasePath {
  readonly path: string;
  readonly text: string;
}

/** WebBasePathInvalid: rejects a base path that would redirect requests to another path or host. */
export function* webBasePathRule({ spec }: Test): Iterable<TestProblem> {
  for (const { path, text } of givenPaths(spec)) {
    const problem = webBasePathProblem(text);
    if (problem === undefined) continue;
    const message = `the base path ${quoteText(text)} ${problem}, as in /team-a/locust`;
    yield { rule: "WebBasePathInvalid", path, message };
  }
}

/** Returns every base path of the master, wherever a test can set one. Locust uses only the last; all are checked. */
function givenPaths({ master, webUI, env, observability }: Test["spec"]): BasePath[] {
  const { extraArgs = [] } = master;
  const variables = env?.variables ?? [];
  const extra = observability?.openTelemetry?.extraEnvVars ?? {};
  return [
    ...(webUI?.basePath === undefined ? [] : [{ path: "spec.webUI.basePath", text: webUI.basePath }]),
    ...flagValues(splitCommand(master.command)).map(({ text }) => ({ path: "spec.master.command", text })),
    ...flagValues(extraArgs).map(({ text, index }) => ({ path: `spec.master.extraArgs[${index}]`, text })),
    ...variables.flatMap(({ name, value = "" }, index) =>
      name === variable ? [{ path: `spec.env.variables[${index}].value`, text: value }] : [],
    ),
    ...(Object.hasOwn(extra, variable)
      ? [{ path: `spec.observability.openTelemetry.extraEnvVars.${variable}`, text: extra[variable] ?? "" }]
      : []),
  ].filter(({ text }) => !isExpanded(text));
}

function flagValues(words: readonly string[]): { readonly text: string; readonly index: number }[] {
  return words.flatMap((word, index) => {
    if (word.startsWith(`${flag}=`)) return [{ text: word.slice(flag.length + 1), index }];
    const next = words[index + 1];
    return word === flag && next !== undefined ? [{ text: next, index: index + 1 }] : [];
  });
}

/** Reports whether the kubelet replaces a part of the text. The operator does not know the result and never uses it. */
function isExpanded(text: string): boolean {
  return text.includes("$(");
}
