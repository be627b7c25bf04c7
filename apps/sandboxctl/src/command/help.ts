/** Output of `sandboxctl --help`. */
export const help = `Usage: sandboxctl <command>

Commands:
  policy check    Show what would be created, denied and routed for the objects of a file, without applying it
  preview         Open preview addresses, share links to them, list and revoke them
  route explain   Show where a request goes, and why (short form: explain)

Run "sandboxctl <command> --help" for details.

Exit code: 0 done, 1 error, 2 invalid command line or file, 3 refused or not allowed, 4 timed out, 5 not found.
`;

const connectionOptions = `  -n, --namespace NAME  namespace of objects that name none (default: that of the kubeconfig, else default)
      --kubeconfig FILE kubeconfig to use (default: as kubectl)
      --context NAME    context of the kubeconfig (default: the current one)
      --timeout TIME    time limit of the command (default: 30s)
  -o, --output FORMAT   text or json (default: text)`;

/** Output of `sandboxctl policy check --help`. */
export const policyCheckHelp: string = `Usage: sandboxctl policy check -f FILE [options]

Checks Sandboxes, RouteGroups, LocalWorkloads and SandboxPolicies of a file as the API server would: schema, rules, policies, quotas and
your permissions. Prints the reasons of a denial, and for accepted objects what the operator would create and which requests would take
another way. Reads from the cluster and writes nothing.

Other objects of the file, such as Namespaces, Deployments and Services, count as if they were applied before. The file - is standard
input.

Options:
  -f, --filename FILE   file to check; may be repeated
${connectionOptions}

Exit code: 0 if all objects are allowed, 3 if one is denied, 2 for an invalid command line or file, 1 for any other error.

Examples:
  sandboxctl policy check -f sandbox.yaml
  sandboxctl policy check -f policy.yaml -f sandbox.yaml -n shop
  helm template preview | sandboxctl policy check -f - -o json
`;

/** Output of `sandboxctl route explain --help`. */
export const explainHelp: string = `Usage: sandboxctl route explain --service [NAMESPACE/]NAME [options]

Shows how the route table of a Service decides about a request: the source of the routing key, the routes that were considered, and the
outcome. Uses the decision function of the proxies.

Options:
      --service NAME    Service of the baseline, with or without its namespace
      --port N          port of the Service (default: its only port)
      --key KEY         routing key, sent as the header x-routing-key
      --method METHOD   method of the request (default: GET)
      --path PATH       path of the request (default: /)
      --header NAME:VALUE
                        header of the request; may be repeated
      --server URL      query address of the route server, such as http://127.0.0.1:7778. It knows which targets are ready. (default: read
                        the RouteTable with the kubeconfig; all targets count as ready)
${connectionOptions}

Exit code: 0 if the request was explained, 5 if the Service has no route table, 2 for an invalid command line, 1 for any other error.

Examples:
  sandboxctl route explain --service shop/cart --key k3v9q2m7x1c4d
  sandboxctl explain --service cart -n shop --header "baggage: routing-key=k3v9q2m7x1c4d" --path /api/cart
`;

/** Output of `sandboxctl preview --help`. */
export const previewHelp: string = `Usage: sandboxctl preview open NAME [ENDPOINT] [options]
       sandboxctl preview link NAME ENDPOINT [--expires TIME] [options]
       sandboxctl preview links [options]
       sandboxctl preview revoke ID [options]

open prints the address of an endpoint of a Sandbox, with a token for you. link creates an address of its own that you can pass on; everyone who has it
can use it until it expires or is revoked. links lists both, and revoke ends one of them within seconds.

A token is a PreviewLink object: you need permission to create it, and to get the Sandbox. The token is encrypted for this command.

Options:
      --routegroup      NAME is a RouteGroup
      --expires TIME    lifetime of the link, such as 30m, 8h or 7d, at most 28d (default: 8h)
${connectionOptions}

Exit code: 0 done, 3 not allowed, 4 timed out, 5 if the object or endpoint does not exist, 2 for an invalid command line, 1 for any other error.

Examples:
  sandboxctl preview open pr-42 -n shop
  sandboxctl preview link pr-42 web --expires 2d -n shop
  curl -H "x-preview-token: $(sandboxctl preview open pr-42 -o json | jq -r '.header[]')" https://web--KEY.preview.example.com/
`;
