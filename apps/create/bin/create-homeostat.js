#!/usr/bin/env node
// The command `npm create homeostat`.

await import("#main");
