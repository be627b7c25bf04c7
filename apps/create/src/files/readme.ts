import { fileNameOf, type Project } from "../project.ts";
import type { ProjectFile } from "./files.ts";

/** Returns the README of a project, which explains each file in a line. */
export function readme({ name, kind }: Project, files: readonly ProjectFile[]): string {
  const rows = files.map(({ path, purpose }) => `| \`${path}\` | ${purpose} |`);
  return `# ${name}

A Kubernetes operator for the kind ${kind}, made with Homeostat.

\`\`\`sh
npm install
npm run dev           # run it on an embedded cluster with the sample; starts again when you save a file
npm test              # compile, and test on an embedded cluster
npm run manifests     # print the manifests that install the operator
npm run chart         # write the Helm chart to charts/${name}
\`\`\`

## Run it on any cluster

\`npm run dev\` starts an embedded cluster and prints how to use it with kubectl, and a link to the dashboard. To do its steps yourself, start
an embedded cluster in one terminal, or set \`KUBECONFIG\` to any other cluster:

\`\`\`sh
npx homeostat cluster --kubeconfig ./kubeconfig
\`\`\`

Install the CRD and start the operator in another one:

\`\`\`sh
export KUBECONFIG=$PWD/kubeconfig
npm run --silent manifests -- --only crds | kubectl apply -f -
npm start -- --namespace default --log-format text
\`\`\`

Then create an object: \`kubectl apply -f samples/${fileNameOf(kind)}.yaml\`.

## Files

| file | purpose |
| ---- | ------- |
${rows.join("\n")}
`;
}
