import { createRequire } from "node:module";
import type * as Yaml from "yaml";

const load = createRequire(import.meta.url);

/**
 * Returns the YAML library and loads it on first use: it is large, and most clients send JSON.
 *
 * Requests are decoded synchronously, so it cannot be an `import()`. Bundlers do not see this `require`; therefore
 * `tools/dev/src/bundle.ts` replaces this module with the library itself in the bundle that users load.
 */
export function yamlLibrary(): typeof Yaml {
  return load("yaml");
}
