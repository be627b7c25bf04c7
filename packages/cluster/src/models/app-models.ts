import type { AppModel } from "../node/program.ts";

/** The programs that a simulated node can run. */
export const appModels: readonly AppModel[] = [];
