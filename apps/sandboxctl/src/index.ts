// The command line as a part of another program: `npm start` shows its output.

export type { CommandContext } from "./command/context.ts";
export { run } from "./run.ts";
