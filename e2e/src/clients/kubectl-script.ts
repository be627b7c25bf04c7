// The kubectl commands that run on both clusters, in order.

/** A command and its standard input. The output of a command is not compared when it does not come from the API. */
export interface Step {
  readonly words: string;
  readonly input?: string;
}

const manifest = (image: string, replicas: number): string =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", labels: { app: "web" } },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image }] } },
    },
  });

const settings = (value: string): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { value } });

/** Is missing from OpenAPI v3, so kubectl reads its schema from the protobuf form of OpenAPI v2. */
const list = JSON.stringify({
  apiVersion: "v1",
  kind: "List",
  items: ["first", "second"].map((name) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } })),
});

const unknownKind = JSON.stringify({
  apiVersion: "absent.example.com/v1",
  kind: "Absent",
  metadata: { name: "a" },
});

const machine = JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "made-up" } });

const lonely = JSON.stringify({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "lonely" },
  spec: { nodeName: "made-up", containers: [{ name: "main", image: "example.com/web:1" }] },
});

/** The script. Pods stay Pending, because no kubelet runs for the only node. */
export const steps: readonly Step[] = [
  { words: "version -o json --client=false" },
  { words: "api-versions" },
  { words: "api-resources" },
  { words: "api-resources --namespaced=true --verbs=create,patch --api-group=apps -o wide" },
  { words: "cluster-info" },
  { words: "auth whoami" },
  { words: "auth can-i create pods" },
  { words: "auth can-i delete nodes --as=jane" },
  { words: "explain deployment.spec.strategy" },
  { words: "explain pods.spec.containers.ports --recursive" },
  { words: "create configmap made --from-literal=a=1 --from-literal=b=2" },
  { words: "create configmap made --from-literal=a=1" },
  { words: "create secret generic hidden --from-literal=password=x" },
  { words: "create serviceaccount robot" },
  { words: "create role reader --verb=get,list --resource=pods,deployments.apps" },
  { words: "create rolebinding reader --role=reader --serviceaccount=script:robot" },
  { words: "create service clusterip front --tcp=80:8080" },
  { words: "create quota small --hard=configmaps=20" },
  { words: "create job work --image=example.com/work:1 -- true" },
  { words: "create poddisruptionbudget web --selector=app=web --min-available=1" },
  { words: "apply -f -", input: settings("1") },
  { words: "diff -f -", input: settings("2") },
  { words: "apply -f -", input: list },
  { words: "apply -f -", input: unknownKind },
  { words: "apply --validate=ignore -f -", input: unknownKind },
  { words: "apply -f -", input: settings("2") },
  { words: "apply -f -", input: settings("2") },
  { words: "apply --server-side -f -", input: settings("3") },
  { words: "apply --server-side --force-conflicts -f -", input: settings("3") },
  { words: "apply --dry-run=server -f -", input: settings("4") },
  { words: "apply -f -", input: settings("5").replace('"data"', '"daata"') },
  { words: "apply -f -", input: manifest("example.com/web:1", 2) },
  { words: "wait --for=jsonpath={.status.observedGeneration}=1 deployment/web --timeout=30s" },
  { words: "wait --for=jsonpath={.status.unavailableReplicas}=2 deployment/web --timeout=30s" },
  { words: "get deployment web" },
  { words: "get deployment,service,job,pdb,quota -o wide" },
  { words: "get configmaps,secrets,serviceaccounts,roles,rolebindings" },
  { words: "get configmap made -o yaml" },
  { words: "get pods -l app=web -o jsonpath={.items[*].status.phase}" },
  { words: "get all -o name" },
  { words: "label configmap made colour=red" },
  { words: "label configmap made colour=blue" },
  { words: "label configmap made colour=blue --overwrite" },
  { words: "annotate configmap made note=hello" },
  { words: "get configmaps -l colour=blue --show-labels" },
  { words: `patch configmap made -p {"data":{"c":"3"}}` },
  { words: `patch configmap made --type=merge -p {"data":{"a":null}}` },
  { words: `patch configmap made --type=json -p [{"op":"remove","path":"/data/b"}]` },
  { words: `patch configmap made --type=json -p [{"op":"remove","path":"/data/none"}]` },
  { words: "get configmap made -o jsonpath={.data}" },
  { words: "set image deployment/web web=example.com/web:2" },
  { words: "rollout pause deployment/web" },
  { words: "rollout pause deployment/web" },
  { words: "rollout resume deployment/web" },
  { words: "wait --for=jsonpath={.status.observedGeneration}=4 deployment/web --timeout=30s" },
  { words: "rollout history deployment/web" },
  { words: "rollout history deployment/web --revision=1" },
  { words: "rollout undo deployment/web" },
  { words: "rollout status deployment/web --timeout=1s" },
  { words: "scale deployment/web --replicas=1" },
  { words: "scale deployment/web --replicas=1 --current-replicas=7" },
  // The controller writes the status again after each ReplicaSet; only the last one is the same everywhere.
  { words: "wait --for=jsonpath={.status.observedGeneration}=6 deployment/web --timeout=30s" },
  { words: "wait --for=jsonpath={.status.replicas}=2 deployment/web --timeout=30s" },
  { words: "wait --for=jsonpath={.status.updatedReplicas}=1 deployment/web --timeout=30s" },
  { words: "describe deployment web --show-events=false" },
  { words: "describe pdb web --show-events=false" },
  { words: "describe serviceaccount robot" },
  { words: "describe role reader" },
  { words: "describe configmap made" },
  { words: "describe secret hidden" },
  { words: "describe quota small" },
  { words: "describe service front" },
  { words: "create -f -", input: machine },
  { words: "create -f -", input: lonely },
  { words: "cordon made-up" },
  { words: "cordon made-up" },
  { words: "get node made-up -o jsonpath={.spec.unschedulable}" },
  { words: "drain made-up" },
  { words: "drain made-up --force --disable-eviction --grace-period=0" },
  { words: "get pod lonely" },
  { words: "uncordon made-up" },
  { words: "delete node made-up" },
  { words: "top pods" },
  { words: "get nothing" },
  { words: "get pod none" },
  { words: "delete pod none" },
  { words: "delete deployment web --cascade=orphan" },
  { words: "get replicasets -l app=web -o jsonpath={.items[*].metadata.ownerReferences}" },
  { words: "delete replicasets -l app=web --cascade=foreground" },
  { words: "delete job work --cascade=background" },
  { words: "delete configmap made settings" },
  { words: "get configmaps -o name" },
];
