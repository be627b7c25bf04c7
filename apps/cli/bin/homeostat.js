#!/usr/bin/env node
// Small enough to need no build of its own, so that it can say what to do when the rest was not built.

import { existsSync } from "node:fs";
import module from "node:module";

if (existsSync(new URL(import.meta.resolve("#main")))) {
  // Node 22 and newer keep what they compiled: the next start is quicker.
  module.enableCompileCache?.();
  await import("#main");
} else {
  process.stderr.write("homeostat is not built yet: run `npm run build` in its repository first.\n");
  process.exitCode = 1;
}
