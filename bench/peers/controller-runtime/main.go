// The benchmark program of controller-runtime: a cache, or a complete controller, for Widgets.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/go-logr/logr/funcr"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

func main() {
	// --kubeconfig is registered by controller-runtime.
	work := flag.String("work", "cache", "cache, reconcile or children")
	namespace := flag.String("namespace", "", "only this namespace; all when empty")
	workers := flag.Int("workers", 1, "how many objects are reconciled at once")
	objects := flag.String("objects", "typed", "typed, stripped (typed, without managedFields) or unstructured")
	flag.Parse()

	ctrl.SetLogger(funcr.New(func(prefix, args string) { fmt.Fprintln(os.Stderr, prefix, args) }, funcr.Options{}))
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		obey()
		cancel()
		os.Exit(0)
	}()
	if err := run(ctx, *work, *namespace, *workers, *objects); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, work, namespace string, workers int, objects string) error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	if err := widgetScheme.AddToScheme(scheme); err != nil {
		return err
	}
	access, err := config.GetConfig()
	if err != nil {
		return err
	}
	var kind shape = typed{}
	if objects == "unstructured" {
		kind = untyped{}
	}
	caching := cache.Options{Scheme: scheme}
	if namespace != "" {
		caching.DefaultNamespaces = map[string]cache.Config{namespace: {}}
	}
	if objects == "stripped" {
		caching.DefaultTransform = cache.TransformStripManagedFields()
	}

	if work == "cache" {
		widgets, err := cache.New(access, caching)
		if err != nil {
			return err
		}
		if _, err := widgets.GetInformer(ctx, kind.newWidget()); err != nil {
			return err
		}
		go announce(ctx, widgets, kind)
		return widgets.Start(ctx)
	}

	manager, err := ctrl.NewManager(access, ctrl.Options{
		Scheme:  scheme,
		Cache:   caching,
		Metrics: server.Options{BindAddress: "0"},
		Client:  client.Options{Cache: &client.CacheOptions{Unstructured: true}},
	})
	if err != nil {
		return err
	}
	builder := ctrl.NewControllerManagedBy(manager).
		For(kind.newWidget()).
		Named("widget").
		WithOptions(controller.Options{MaxConcurrentReconciles: workers})
	if work == "children" {
		builder = builder.Owns(kind.newChild())
	}
	if err := builder.Complete(&reconciler{Client: manager.GetClient(), shape: kind, hasChildren: work == "children"}); err != nil {
		return err
	}
	go announce(ctx, manager.GetCache(), kind)
	return manager.Start(ctx)
}

// announce reports when the cache is synced, and the number of objects in it.
func announce(ctx context.Context, objects cache.Cache, kind shape) {
	informer, err := objects.GetInformer(ctx, kind.newWidget())
	if err != nil || !objects.WaitForCacheSync(ctx) {
		return
	}
	at, count := now(), 0
	switch known := informer.(type) {
	case toolscache.SharedIndexInformer:
		count = len(known.GetIndexer().ListKeys())
	default:
		// With selected namespaces the cache hides its informers; it is empty or small in that case.
		list := kind.newList()
		if objects.List(ctx, list) == nil {
			count = meta.LenList(list)
		}
	}
	emit(event{Event: "synced", At: at, Objects: &count})
}
