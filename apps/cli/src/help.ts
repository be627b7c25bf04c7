/** What `homeostat --help` prints. */
export const help = `Usage: homeostat <command>

  cluster   a Kubernetes in this process: API server, controllers, a simulated node
  assets    the folder with kube-apiserver and etcd for envtest
  version   of this program, and of the Kubernetes that it is like

homeostat <command> --help tells more.
`;

/** What `homeostat cluster --help` prints. */
export const clusterHelp = `Usage: homeostat cluster [options] [-- command ...]

Starts a Kubernetes that needs nothing but Node, and prints how to reach it. It runs until it is stopped (Ctrl-C); with a command, until
the command ends, whose exit code it then has. The command finds the cluster by KUBECONFIG.

  --kubeconfig FILE   where to write the kubeconfig (default: a folder that goes with the process)
  --data DIR          keep the state in a folder, and begin with what is there (default: memory)
  --no-fsync          do not wait for the disk: faster, and safe unless the machine itself fails
  --port N            where to listen (default: a free port)
  --host ADDRESS      the address to listen on (default: 127.0.0.1)
  --open-to-network   needed for an address that other machines can reach
  --api-only          the API server alone: no controllers, no node
  --nodes N           how many simulated nodes (default: 1)
  --verbose           say what the controllers and nodes do

Examples
  homeostat cluster
  homeostat cluster --data ./state --port 6443 --kubeconfig ./kubeconfig
  homeostat cluster -- kubectl get nodes
`;

/** What `homeostat assets --help` prints. */
export const assetsHelp = `Usage: homeostat assets

Prints the folder that holds the embedded API server under the names that test harnesses look for: kube-apiserver, etcd, kubectl. A suite
that uses envtest runs on it as it is:

  KUBEBUILDER_ASSETS=$(homeostat assets) go test ./...
`;
