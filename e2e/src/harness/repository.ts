import { join } from "node:path";

/** Root folder of this repository. */
export const repository: string = join(import.meta.dirname, "../../..");
