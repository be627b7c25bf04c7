// Command operator runs an operator built with controller-runtime and prints the states of its objects.
package main

import (
	"context"
	"os"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"e2e/clients/site"
	"e2e/clients/transcript"
)

const namespace = "operator"

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	ctrl.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	transcript.Must(err)
	config.QPS = -1
	types := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensionsv1.AddToScheme, site.AddToScheme} {
		transcript.Must(add(types))
	}
	t := transcript.New()
	api, err := client.New(config, client.Options{Scheme: types})
	transcript.Must(err)
	transcript.Must(api.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}))

	t.Section("definition")
	definition := site.Definition()
	transcript.Must(api.Create(ctx, definition))
	until(ctx, func() bool {
		transcript.Must(api.Get(ctx, client.ObjectKeyFromObject(definition), definition))
		for _, condition := range definition.Status.Conditions {
			if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
				return true
			}
		}
		return false
	})
	t.Object("status", definition.Status)

	finalized := make(chan string, 10)
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	lease, renew, retry := 3*time.Second, 2*time.Second, 300*time.Millisecond
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: types, Metrics: server.Options{BindAddress: "0"},
		LeaderElection: true, LeaderElectionID: "site", LeaderElectionNamespace: namespace, LeaderElectionReleaseOnCancel: true,
		LeaseDuration: &lease, RenewDeadline: &renew, RetryPeriod: &retry,
	})
	transcript.Must(err)
	reconciler := &site.Reconciler{Client: manager.GetClient(), OnFinalize: func(name string) { finalized <- name }}
	transcript.Must(reconciler.SetupWithManager(manager))
	go func() { done <- manager.Start(running) }()
	<-manager.Elected()

	t.Section("a site")
	home := &site.Site{ObjectMeta: metav1.ObjectMeta{Name: "home", Namespace: namespace}, Spec: site.Spec{Text: "hello"}}
	transcript.Must(api.Create(ctx, home))
	t.Line("ready %t", untilReady(ctx, api, home))
	t.Line("pages %d, finalizers %v", home.Spec.Pages, home.Finalizers)
	t.Object("status", home.Status)
	text := &corev1.ConfigMap{}
	transcript.Must(api.Get(ctx, client.ObjectKeyFromObject(home), text))
	t.Object("data", text.Data)
	t.Object("owners", text.OwnerReferences)

	t.Section("a change")
	home.Spec.Text = "goodbye"
	transcript.Must(api.Update(ctx, home))
	t.Line("ready %t at generation %d", untilReady(ctx, api, home), home.Generation)
	transcript.Must(api.Delete(ctx, text))
	t.Line("text is restored %t", until(ctx, func() bool {
		return api.Get(ctx, client.ObjectKeyFromObject(home), text) == nil && text.DeletionTimestamp.IsZero()
	}))
	t.Object("data", text.Data)

	t.Section("refusals")
	t.Error("no text", api.Create(ctx, &site.Site{ObjectMeta: metav1.ObjectMeta{Name: "long", Namespace: namespace}, Spec: site.Spec{Pages: 11}}))
	t.Error("no pages", api.Create(ctx, &site.Site{ObjectMeta: metav1.ObjectMeta{Name: "short", Namespace: namespace}, Spec: site.Spec{Pages: -1}}))
	stale := home.DeepCopyObject().(*site.Site)
	stale.ResourceVersion = "1"
	t.Error("stale", api.Update(ctx, stale))

	t.Section("many")
	for _, name := range []string{"a", "b", "c"} {
		transcript.Must(api.Create(ctx, &site.Site{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Spec: site.Spec{Text: name}}))
	}
	t.Line("texts of all sites %t", until(ctx, func() bool {
		var texts corev1.ConfigMapList
		transcript.Must(manager.GetClient().List(ctx, &texts, client.InNamespace(namespace)))
		owned := 0
		for _, each := range texts.Items {
			if metav1.GetControllerOf(&each) != nil {
				owned++
			}
		}
		return owned == 4
	}))
	transcript.Must(api.DeleteAllOf(ctx, &site.Site{}, client.InNamespace(namespace), client.MatchingFields{"metadata.name": "a"}))
	t.Line("finalized %s", next(finalized, "a"))

	t.Section("deletion of a site")
	transcript.Must(api.Delete(ctx, home))
	t.Line("finalized %s", next(finalized, "home"))
	t.Line("gone %t", until(ctx, func() bool { return apierrors.IsNotFound(api.Get(ctx, client.ObjectKeyFromObject(home), home)) }))
	t.Line("its text is deleted %t", until(ctx, func() bool {
		return apierrors.IsNotFound(api.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "home"}, text))
	}))

	t.Section("deletion of the CRD")
	transcript.Must(api.Delete(ctx, definition))
	t.Line("gone %t", until(ctx, func() bool {
		return apierrors.IsNotFound(api.Get(ctx, client.ObjectKeyFromObject(definition), definition))
	}))
	stop()
	t.Error("manager", <-done)
	t.Line("== done")
}

func untilReady(ctx context.Context, api client.Client, object *site.Site) bool {
	return until(ctx, func() bool {
		transcript.Must(api.Get(ctx, client.ObjectKeyFromObject(object), object))
		return object.Status.ObservedGeneration == object.Generation && apimeta.IsStatusConditionTrue(object.Status.Conditions, "Ready")
	})
}

// next waits for a name. A reconcile with a stale cache finalizes an object again, so earlier names may repeat.
func next(names <-chan string, want string) string {
	for name := range names {
		if name == want {
			return name
		}
	}
	return ""
}

func until(ctx context.Context, isTrue func() bool) bool {
	for range 400 {
		if isTrue() {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
	return false
}
