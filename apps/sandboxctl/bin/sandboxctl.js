#!/usr/bin/env node
// Plain JavaScript that needs no build, so that it can print instructions when the rest was not built.

import { existsSync } from "node:fs";
import module from "node:module";

if (existsSync(new URL(import.meta.resolve("#main")))) {
  // Node 22 and newer cache compiled code on disk, which makes the next start faster.
  module.enableCompileCache?.();
  await import("#main");
} else {
  process.stderr.write("sandboxctl is not built. Run `npm run build` in the root of the repository.\n");
  process.exitCode = 1;
}
