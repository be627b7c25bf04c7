/** What `npm start -- --help` prints. */
export const help = `Usage: npm start -- [options]

Starts a Kubernetes that needs nothing but Node, runs the operators on it, makes a sample of what they are for, and shows what becomes
of it. It stays up until it is stopped (Ctrl-C), and then leaves nothing behind.

  --kubeconfig FILE   run the operators on this cluster instead, with the rights of its user
  --context NAME      the context of that kubeconfig
  --port N            where the API server listens that is started here (default: a free port)
  --namespace NAME    where samples are made (default: homeostat-samples)
  --no-samples        make none
  --once              stop when the samples have come to their ends; the exit code says whether they ended well
  --verbose           say what the operators log

Examples
  npm start
  npm start -- --port 6443 --no-samples
  npm start -- --kubeconfig ~/.kube/config
`;
