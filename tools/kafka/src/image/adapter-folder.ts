import { fileURLToPath } from "node:url";

/** Compiled modules of the adapter and of the protocol. They need nothing but Node. */
export const adapterFolder: string = fileURLToPath(new URL("../", import.meta.url));
