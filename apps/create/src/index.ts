// The command line `homeostat create` runs the same program as `npm create homeostat`.

export { type CreateContext, createCommand } from "./create-command.ts";
export { createOptions } from "./arguments.ts";
