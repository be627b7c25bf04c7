// RabbitMQ cluster-operator as its own main function starts it: all namespaces, one worker, leader election, caches restricted by label.
//
// Differences, because of which this is a program of its own:
//   - Commands in pods succeed at once. The benchmark has no containers, and the operator would retry forever.
//   - The client sends requests without a rate limit, like the operator it is compared with.
//   - SIGUSR1 returns free memory to the system.
package main

import (
	"flag"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	rabbitmq "github.com/rabbitmq/cluster-operator/v2/api/v1beta1"
	"github.com/rabbitmq/cluster-operator/v2/controllers"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	kubernetesscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// podCommands is a PodExecutor whose commands succeed without output.
type podCommands struct{}

func (podCommands) Exec(*kubernetes.Clientset, *rest.Config, string, string, string, ...string) (string, string, error) {
	return "", "", nil
}

func main() {
	// The flag --kubeconfig is defined by controller-runtime.
	metrics := flag.String("metrics-bind-address", "127.0.0.1:0", "address of the metrics")
	namespace := flag.String("namespace", "default", "namespace of the lease")
	flag.Parse()
	logger := zap.New()
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
	freeMemoryOnSignal()

	scheme := runtime.NewScheme()
	must(rabbitmq.AddToScheme(scheme))
	must(kubernetesscheme.AddToScheme(scheme))
	config := ctrl.GetConfigOrDie()
	config.QPS = -1
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                  scheme,
		Metrics:                 server.Options{BindAddress: *metrics},
		LeaderElection:          true,
		LeaderElectionNamespace: *namespace,
		LeaderElectionID:        "rabbitmq-cluster-operator-leader-election",
		Cache:                   cache.Options{ByObject: cachedObjects()},
	})
	must(err)
	must((&controllers.RabbitmqClusterReconciler{
		Client:                  manager.GetClient(),
		APIReader:               manager.GetAPIReader(),
		Scheme:                  manager.GetScheme(),
		Recorder:                manager.GetEventRecorderFor("rabbitmqcluster-controller"),
		Namespace:               *namespace,
		ClusterConfig:           config,
		Clientset:               kubernetes.NewForConfigOrDie(config),
		PodExecutor:             podCommands{},
		DefaultRabbitmqImage:    "rabbitmq:4.1.1-management",
		DefaultUserUpdaterImage: "rabbitmqoperator/default-user-credential-updater:1.0.2",
	}).SetupWithManager(manager))
	must(manager.Start(ctrl.SetupSignalHandler()))
}

// cachedObjects restricts caches to objects of RabbitMQ clusters.
func cachedObjects() map[client.Object]cache.ByObject {
	ours := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{"app.kubernetes.io/part-of": "rabbitmq"})}
	return map[client.Object]cache.ByObject{
		&rabbitmq.RabbitmqCluster{}: {},
		&appsv1.StatefulSet{}:       ours,
		&corev1.Service{}:           ours,
		&corev1.ConfigMap{}:         ours,
		&corev1.Secret{}:            ours,
		&corev1.ServiceAccount{}:    ours,
		&corev1.Endpoints{}:         ours,
		&rbacv1.Role{}:              ours,
		&rbacv1.RoleBinding{}:       ours,
	}
}

func freeMemoryOnSignal() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		for range signals {
			debug.FreeOSMemory()
		}
	}()
}

func must(err error) {
	if err != nil {
		ctrl.Log.Error(err, "Operator failed")
		os.Exit(1)
	}
}
