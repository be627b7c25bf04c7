#!/usr/bin/env node
// Small enough to need no build of its own, so that it can say what to do when the rest was not built.

import { existsSync } from "node:fs";

if (existsSync(new URL("../dist/main.js", import.meta.url))) await import("../dist/main.js");
else {
  process.stderr.write("homeostat is not built yet: run `npm run build` in its repository first.\n");
  process.exitCode = 1;
}
