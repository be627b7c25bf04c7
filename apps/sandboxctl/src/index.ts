// The command line as a part of another program: `npm start` shows its output.

export type { CommandContext } from "./command/cluster.ts";
export { run } from "./run.ts";
