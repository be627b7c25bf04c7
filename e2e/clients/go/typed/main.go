// Command typed uses typed client-go clients as operators do, and prints what it observes.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"

	"e2e/clients/transcript"
)

// World contains the clients that all parts of the program use.
type World struct {
	*transcript.Transcript
	Config    *rest.Config
	Typed     *kubernetes.Clientset
	Dynamic   *dynamic.DynamicClient
	Discovery discovery.CachedDiscoveryInterface
	Mapper    *restmapper.DeferredDiscoveryRESTMapper
	Namespace string
}

// HandleWarningHeaderWithContext writes warnings of the server to the transcript.
func (w *World) HandleWarningHeaderWithContext(_ context.Context, code int, _ string, text string) {
	w.Line("warning %d: %s", code, text)
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	transcript.Must(err)
	config.QPS = -1
	w := &World{Transcript: transcript.New(), Config: config, Namespace: "typed"}
	config.WarningHandlerWithContext = w
	w.Typed = kubernetes.NewForConfigOrDie(config)
	w.Dynamic = dynamic.NewForConfigOrDie(config)
	w.Discovery = memory.NewMemCacheClient(w.Typed.Discovery())
	w.Mapper = restmapper.NewDeferredDiscoveryRESTMapper(w.Discovery)

	_, err = w.Typed.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, metav1.CreateOptions{})
	transcript.Must(err)
	// Pods are rejected until the namespace has its default service account.
	until(ctx, func() bool {
		_, err := w.Typed.CoreV1().ServiceAccounts(w.Namespace).Get(ctx, "default", metav1.GetOptions{})
		return err == nil
	})
	for _, part := range []struct {
		name string
		run  func(context.Context, *World)
	}{
		{"discovery", discover},
		{"config maps", configMaps},
		{"pods", pods},
		{"deployments", deployments},
		{"leases", leases},
		{"server-side apply", apply},
		{"dynamic", dynamics},
		{"informers", informing},
		{"events", events},
		{"access", access},
		{"eviction", evictions},
		{"leader election", election},
		{"errors", refusals},
	} {
		w.Section(part.name)
		part.run(ctx, w)
	}
	fmt.Println("== done")
}
