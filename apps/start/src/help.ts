/** Output of `npm start -- --help`. */
export const help = `Usage: npm start -- [options]

Starts an embedded Kubernetes cluster that needs only Node.js, runs the operators on it, creates a sample custom resource for each, and
shows their progress. It runs until it is interrupted (Ctrl-C) and then removes everything it created.

On an existing cluster (--kubeconfig), the Chronik operator and its sample are skipped: no images of Chronik are published.

Options:
  --kubeconfig FILE   run the operators on this cluster instead, with the permissions of its user
  --context NAME      context of that kubeconfig
  --port N            port of the embedded API server (default: a free port)
  --dashboard-port N  port of the dashboard (default: a free port)
  --namespace NAME    namespace of the samples (default: homeostat-samples)
  --no-samples        do not create samples
  --once              exit when all samples have finished; the exit code is 1 if one failed
  --verbose           print the logs of the operators
  --version           print the version

Examples:
  npm start
  npm start -- --port 6443 --no-samples
  npm start -- --kubeconfig ~/.kube/config
`;
