/** Returns the header of every generated file. */
export function notice(release: string): string {
  return [
    `// Generated from Kubernetes ${release} by tools/kubernetes-types. Do not edit: run \`npm run generate:kubernetes\`.`,
    "// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.",
    "// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).",
    "",
    "",
  ].join("\n");
}
