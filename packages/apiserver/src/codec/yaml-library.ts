import { createRequire } from "node:module";
import type * as Yaml from "yaml";

const load = createRequire(import.meta.url);

/**
 * Returns the YAML library, loading it with the first call: it is large, and most clients send JSON.
 *
 * Requests are decoded without waiting, so it cannot be an `import()`. No bundler sees this `require`. Therefore
 * `tools/dev/src/bundle.ts` puts the library itself into the bundle that users load, in place of this module.
 */
export function yamlLibrary(): typeof Yaml {
  return load("yaml");
}
