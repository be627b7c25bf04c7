/** Output of `homeostat --help`. */
export const help = `Usage: homeostat <command>

Commands:
  create     Create the project of an operator
  dev        Run an operator, and start it again after each change of its sources
  cluster    Start a Kubernetes cluster in this process: API server, controllers, simulated nodes
  dashboard  Show custom resources, their objects and what controllers do about them in a browser
  doctor     Check what is missing on this machine and on a cluster
  generate   Write TypeScript types from the CRDs of other projects
  rehearse   Show what an operator does with a changed object, without a real cluster
  assets     Print the directory with kube-apiserver and etcd for envtest
  completion Print the completion script of a shell
  version    Print the CLI version and the emulated Kubernetes version

Run "homeostat <command> --help" for details.
`;

/** Output of `homeostat cluster --help`. */
export const clusterHelp = `Usage: homeostat cluster [options] [-- command ...]

Starts a Kubernetes cluster that needs only Node.js, and prints how to connect to it. The cluster runs until it is interrupted
(Ctrl-C). With a command, it sets KUBECONFIG for the command, stops when the command exits, and exits with the same code;
with 127 if the command cannot be started.

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

/** Output of `homeostat dashboard --help`. */
export const dashboardHelp = `Usage: homeostat dashboard [options]

Serves a web page about the custom resources of a cluster on 127.0.0.1 and prints its link. The page reads and writes with the
rights of the kubeconfig's user. The link works once; the browser that opened it stays logged in until the program ends.

What controllers did about an object comes from the operators' pods, by port-forward. This requires permission to list pods and to create
pods/portforward in the namespaces of the operators.

Options:
  --kubeconfig FILE   kubeconfig of the cluster (default: as kubectl finds it)
  --context NAME      context of the kubeconfig (default: the current one)
  --port N            port to listen on (default: a free port)

Examples:
  homeostat dashboard
  homeostat dashboard --kubeconfig ~/.kube/config --context staging
`;

/** Output of `homeostat generate --help`. */
export const generateHelp = `Usage: homeostat generate types (--from-crd FILE ... | --from-cluster) [options]

Writes TypeScript modules from CustomResourceDefinitions, one for each group and version: DIR/cert-manager.io/v1.ts. A module has an
interface for each kind and a constant of the same name that clients, caches and controllers take. Kinds with defaults have a second
interface for objects to write.

With --definition it writes a module with defineResource for each kind instead, for projects that take the kind over. The CRD of the
definition has the same schema. A kind that defineResource cannot define is refused with all reasons.

Files with types are replaced if this command has written them. Definitions and other files are never replaced.

Options:
  --from-crd FILE     file with CRDs, folder of such files, or - for standard input; objects of other kinds are passed over; may be
                      repeated
  --from-cluster      read the CRDs of a cluster; requires permission to list customresourcedefinitions
  --kubeconfig FILE   kubeconfig of the cluster (default: as kubectl finds it)
  --context NAME      context of the kubeconfig (default: the current one)
  --group GROUP       only kinds of this group; may be repeated
  --kind KIND         only this kind; may be repeated
  --out DIR           folder for the modules (default: types)
  --definition        write definitions

Examples:
  homeostat generate types --from-crd cert-manager.crds.yaml --out src/types
  homeostat generate types --from-cluster --group monitoring.coreos.com
  homeostat generate types --from-crd crd.yaml --definition --out src/api
`;

/** Output of `homeostat rehearse --help`. */
export const rehearseHelp = `Usage: homeostat rehearse [options] [OLD] NEW

Runs the operator of a ChronikCluster on an embedded cluster in virtual time: brings up the cluster of the file OLD, applies the
file NEW, and prints what happens: refusals and warnings of the API server, changed objects, the order of restarts and the gates
that delayed them, scaling, volumes, and the duration. Without OLD it rehearses a creation. No real cluster is used. Equal input
gives equal output.

A file contains one ChronikCluster and the objects that it refers to: Secrets, ConfigMaps, StorageClasses, PriorityClasses. Missing
objects are replaced by placeholders, with a note. The file - is standard input.

Options:
  --pod-ready TIME      time from the start of a container until it responds (default: 20s)
  --pod-stop TIME       time that a container needs to stop (default: 5s)
  --drain TIME          time that the drain of an ingest node takes (default: 30s)
  --never-ready WHICH   containers that never become ready: a component (controller, ingest, search) or an image, with or without
                        its tag; applies to containers that start after NEW is applied; may be repeated
  --never-drains        drains do not complete after NEW is applied
  --for TIME            virtual time after which the rehearsal ends (default: 2h)
  --at TIME             time of day at which the rehearsal starts, for maintenance windows and certificates
                        (default: 2026-01-01T00:00:00Z)
  --nodes N             number of simulated nodes (default: 3)
  --set NAME=VALUE      a flag of the operator, such as cluster-domain=example.org; may be repeated
  -o, --output FORMAT   text or json (default: text)

Exit code: 0 if the change finishes, 1 if it is refused, blocked or failed, 2 for an invalid command line or file.

Examples:
  homeostat rehearse old.yaml new.yaml
  homeostat rehearse new.yaml
  kubectl get chronikcluster prod -o yaml | homeostat rehearse - new.yaml
  homeostat rehearse old.yaml new.yaml --never-ready registry.example.com/chronik/ingest:v1.5.0
  homeostat rehearse old.yaml new.yaml --output json | jq .verdict
`;

/** Output of `homeostat dev --help`. */
export const devHelp = `Usage: homeostat dev [options] [PROGRAM] [-- flags of the operator]

Runs an operator against an embedded cluster, or an existing one. Applies its CRDs and webhook configurations, serves its webhooks from this
machine, and shows its logs and the dashboard. After each change of the sources it compiles the program and starts it again; the objects
of the cluster stay.

PROGRAM is the file that calls runOperator: src/main.ts by default. TypeScript is compiled with the compiler of the project.

Options:
  --apply FILE             apply these manifests once the operator is ready; may be repeated
  --build COMMAND          compile with this command, such as "npm run build" (default: tsc, if the program is TypeScript)
  --watch DIR              watch this folder; may be repeated (default: the folder of the program)
  --namespace NAME         namespace of the operator, created if it does not exist; its webhooks are not called for objects in it
                           (default: homeostat-dev)
  --data DIR               keep the state of the embedded cluster in this directory (default: in memory)
  --kubeconfig FILE        use this cluster instead of an embedded one
  --context NAME           context of the kubeconfig
  --webhook-host ADDRESS   address at which the API server of that cluster reaches this machine; without it no webhooks are installed
  --dashboard-port N       port of the dashboard (default: a free port)

Examples:
  homeostat dev
  homeostat dev src/main.ts --apply samples/site.yaml
  homeostat dev -- --log-level debug
  homeostat dev --kubeconfig ~/.kube/config --context kind-dev --webhook-host 172.18.0.1
`;

/** Output of `homeostat doctor --help`. */
export const doctorHelp = `Usage: homeostat doctor [options]

Checks what people who write or run operators need: programs on this machine, and the version, clock, identity, kinds and permissions on
the cluster of the kubeconfig. Changes nothing.

Each line begins with ok, note (only some tasks need it) or problem.

Options:
  --kubeconfig FILE   kubeconfig of the cluster (default: as kubectl finds it)
  --context NAME      context of the kubeconfig (default: the current one)
  --machine-only      check no cluster

Exit code: 0 if there is no problem, 1 if there is one, 2 for an invalid command line.

Examples:
  homeostat doctor
  homeostat doctor --kubeconfig ~/.kube/config --context staging
`;

/** Output of `homeostat completion --help`. */
export const completionHelp = `Usage: homeostat completion bash|zsh|fish

Prints a script that completes commands, options and paths. Load it in the configuration of the shell.

Examples:
  source <(homeostat completion bash)
  source <(homeostat completion zsh)
  homeostat completion fish | source
`;

/** Output of `homeostat assets --help`. */
export const assetsHelp = `Usage: homeostat assets

Prints the directory that holds the embedded API server under the binary names that test harnesses look for: kube-apiserver, etcd,
kubectl. A test suite that uses envtest runs on it without changes:

  KUBEBUILDER_ASSETS=$(homeostat assets) go test ./...
`;
