#!/usr/bin/env node
// The command line is a package of its own: see docs/decisions/0021-published-packages.md.

await import("@homeostat/cli/program");
