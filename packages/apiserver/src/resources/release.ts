import { release } from "./generated/resources.ts";

/** The Kubernetes release of the built-in kinds: `v1.36.3`. */
export const builtInRelease: string = release;
