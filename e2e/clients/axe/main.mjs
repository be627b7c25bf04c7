// Prints the script that a browser runs to check a page.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.stdout.write(readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8"));
