/** One step of a guide. */
export type Step =
  /** Writes a file. */
  | { readonly type: "file"; readonly name: string; readonly text: string }
  /** Runs commands. */
  | { readonly type: "commands"; readonly text: string; readonly isLeftRunning: boolean };

/** Returns the steps of a guide in order: shell blocks are commands, and code blocks copied from an example are files. */
export function stepsOf(page: string): Step[] {
  const blocks = page.matchAll(/(?:<!-- from: \S*\/(?<name>[^/\s]+) -->\s+)?```(?<language>\w+)\n(?<text>.*?)\n```/gs);
  const steps: Step[] = [];
  for (const { groups: { name = "", language = "", text = "" } = {} } of blocks) {
    if (language === "sh") steps.push({ type: "commands", text, isLeftRunning: text.includes("# leave it running") });
    else if (name !== "") steps.push({ type: "file", name, text });
  }
  return steps;
}
