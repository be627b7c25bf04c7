/** Something that a guide tells its reader to do. */
export type Step =
  /** Write a file. */
  | { readonly type: "file"; readonly name: string; readonly text: string }
  /** Run some commands. */
  | { readonly type: "commands"; readonly text: string; readonly isLeftRunning: boolean };

/** What a guide tells its reader to do, in order: shell blocks are run, and blocks cut from an example are its files. */
export function stepsOf(page: string): Step[] {
  const blocks = page.matchAll(/(?:<!-- from: \S*\/(?<name>[^/\s]+) -->\s+)?```(?<language>\w+)\n(?<text>.*?)\n```/gs);
  const steps: Step[] = [];
  for (const { groups: { name = "", language = "", text = "" } = {} } of blocks) {
    if (language === "sh") steps.push({ type: "commands", text, isLeftRunning: text.includes("# leave it running") });
    else if (name !== "") steps.push({ type: "file", name, text });
  }
  return steps;
}
