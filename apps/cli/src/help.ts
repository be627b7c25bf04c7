/** Output of `homeostat --help`. */
export const help = `Usage: homeostat <command>

Commands:
  cluster   Start a Kubernetes cluster in this process: API server, controllers, simulated nodes
  assets    Print the directory with kube-apiserver and etcd for envtest
  version   Print the CLI version and the emulated Kubernetes version

Run "homeostat <command> --help" for details.
`;

/** Output of `homeostat cluster --help`. */
export const clusterHelp = `Usage: homeostat cluster [options] [-- command ...]

Starts a Kubernetes cluster that needs only Node.js, and prints how to connect to it. The cluster runs until it is interrupted
(Ctrl-C). With a command, it sets KUBECONFIG for the command, stops when the command exits, and exits with the same code.

Options:
  --kubeconfig FILE   path of the kubeconfig to write, removed on exit (default: a file in a temporary directory)
  --data DIR          store the state in this directory and load it on start (default: in memory)
  --no-fsync          do not fsync writes: faster, but a crash of the machine may lose the latest ones; requires --data
  --port N            port to listen on (default: a free port)
  --host ADDRESS      address to listen on (default: 127.0.0.1)
  --open-to-network   allow a --host that other machines can reach
  --api-only          start only the API server: no controllers, no nodes
  --nodes N           number of simulated nodes (default: 1)
  --audit-log-path FILE
                      append an audit event for each request to this file, "-" for standard output (default: none)
  --verbose           print the logs of controllers and nodes

Examples:
  homeostat cluster
  homeostat cluster --data ./state --port 6443 --kubeconfig ./kubeconfig
  homeostat cluster -- kubectl get nodes
`;

/** Output of `homeostat assets --help`. */
export const assetsHelp = `Usage: homeostat assets

Prints the directory that holds the embedded API server under the binary names that test harnesses look for: kube-apiserver, etcd,
kubectl. A test suite that uses envtest runs on it without changes:

  KUBEBUILDER_ASSETS=$(homeostat assets) go test ./...
`;
