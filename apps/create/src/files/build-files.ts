import { fileNameOf, type Project } from "../project.ts";
import type { ProjectFile } from "./files.ts";

/** Returns the files that build, test and package a project. */
export function buildFiles(project: Project): readonly ProjectFile[] {
  return [
    { path: "package.json", purpose: "dependencies and the commands of `npm run`", text: manifest(project) },
    { path: "tsconfig.json", purpose: "compiles `src` to `dist`, with source maps for stack traces", text: tsconfig },
    { path: "Dockerfile", purpose: "the image of the operator, which runs without root", text: dockerfile },
    { path: ".dockerignore", purpose: "files that are not sent to Docker", text: "node_modules\ndist\n.git\n" },
    { path: ".gitignore", purpose: "files that are not committed", text: "node_modules/\ndist/\nkubeconfig\n" },
    {
      path: ".github/workflows/ci.yml",
      purpose: "tests every change, and writes the chart and the manifests",
      text: workflow,
    },
  ];
}

function manifest({ name, kind, version }: Project): string {
  const homeostat = `^${version}`;
  const content = {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: {
      build: "tsc",
      dev: `homeostat dev --apply samples/${fileNameOf(kind)}.yaml`,
      test: "tsc && node --enable-source-maps --test dist/*.test.js",
      start: "tsc && node --enable-source-maps dist/main.js",
      manifests: "tsc && node dist/main.js manifests",
      chart: `tsc && node dist/main.js chart charts/${name}`,
    },
    dependencies: { "@homeostat/kubernetes": homeostat, homeostat },
    devDependencies: { "@homeostat/cluster": homeostat, "@types/node": "^20.19.0", typescript: "^7.0.2" },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

const tsconfig = `{
  "compilerOptions": {
    "target": "es2023",
    "module": "nodenext",
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "types": ["node"],
    "rootDir": "src",
    "outDir": "dist",
    "sourceMap": true
  },
  "include": ["src"]
}
`;

const dockerfile = `FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package*.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY src ./src
RUN npx tsc && npm prune --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER 65532:65532
ENTRYPOINT ["node", "--enable-source-maps", "/app/dist/main.js"]
`;

const workflow = `name: ci

on:
  push:
    branches: [main]
  pull_request:

permissions:
  contents: read

jobs:
  test:
    runs-on: ubuntu-24.04
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0
        with:
          node-version: 24
      - run: npm ci --ignore-scripts
      - run: npm test
      - run: npm run chart
      - run: npm run --silent manifests
`;
