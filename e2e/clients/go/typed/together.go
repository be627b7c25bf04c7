package main

import (
	"context"
	"sort"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/ptr"

	"e2e/clients/transcript"
)

func apply(ctx context.Context, w *World) {
	api := w.Typed.AppsV1().Deployments(w.Namespace)
	labels := map[string]string{"app": "applied"}
	wish := appsapply.Deployment("applied", w.Namespace).WithLabels(labels).WithSpec(appsapply.DeploymentSpec().
		WithReplicas(0).WithPaused(true).
		WithSelector(metaapply.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(coreapply.PodTemplateSpec().WithLabels(labels).WithSpec(coreapply.PodSpec().
			WithContainers(coreapply.Container().WithName("a").WithImage("a:1"), coreapply.Container().WithName("b").WithImage("b:1").
				WithPorts(coreapply.ContainerPort().WithContainerPort(80))))))
	made, err := api.Apply(ctx, wish, metav1.ApplyOptions{FieldManager: "first"})
	transcript.Must(err)
	w.Object("applied", made.Spec.Template.Spec)
	entries := []metav1.ManagedFieldsEntry{}
	for _, entry := range made.ManagedFields {
		if entry.Manager == "first" {
			entries = append(entries, entry)
		}
	}
	w.Object("managed", entries)
	other := appsapply.Deployment("applied", w.Namespace).WithSpec(appsapply.DeploymentSpec().WithTemplate(coreapply.PodTemplateSpec().
		WithSpec(coreapply.PodSpec().WithContainers(coreapply.Container().WithName("a").WithImage("a:2")))))
	_, err = api.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "second"})
	w.Error("a conflict", err)
	forced, err := api.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "second", Force: true})
	transcript.Must(err)
	w.Line("image is %s", forced.Spec.Template.Spec.Containers[0].Image)
	extracted, err := appsapply.ExtractDeployment(forced, "second")
	transcript.Must(err)
	w.Object("extracted", extracted)
	transcript.Must(api.Delete(ctx, "applied", metav1.DeleteOptions{}))
}

func dynamics(ctx context.Context, w *World) {
	mapping, err := w.Mapper.RESTMapping(schema.GroupKind{Kind: "ConfigMap"})
	transcript.Must(err)
	api := w.Dynamic.Resource(mapping.Resource).Namespace(w.Namespace)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "dynamic"},
		"data": map[string]any{"a": "1"}, "surplus": true,
	}}
	made, err := api.Create(ctx, object, metav1.CreateOptions{FieldValidation: "Warn"})
	transcript.Must(err)
	w.Object("created", made)
	_, err = api.Create(ctx, object, metav1.CreateOptions{FieldValidation: "Strict"})
	w.Error("strict", err)
	patched, err := api.Patch(ctx, "dynamic", types.MergePatchType, []byte(`{"metadata":{"finalizers":["example.com/wait"]}}`), metav1.PatchOptions{})
	transcript.Must(err)
	w.Line("finalizers %v", patched.GetFinalizers())
	transcript.Must(api.Delete(ctx, "dynamic", metav1.DeleteOptions{}))
	left, err := api.Get(ctx, "dynamic", metav1.GetOptions{})
	transcript.Must(err)
	w.Line("being deleted %t", left.GetDeletionTimestamp() != nil)
	_, err = api.Patch(ctx, "dynamic", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	transcript.Must(err)
	_, err = api.Get(ctx, "dynamic", metav1.GetOptions{})
	w.Error("after the finalizer", err)
}

func informing(ctx context.Context, w *World) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	api := w.Typed.CoreV1().ConfigMaps(w.Namespace)
	labels := map[string]string{"watched": "yes"}
	make := func(name, value string) {
		_, err := api.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Data: map[string]string{"v": value}}, metav1.CreateOptions{})
		transcript.Must(err)
	}
	make("before-1", "1")
	make("before-2", "1")
	seen, informer := follow(ctx, w)
	first := []string{next(ctx, seen), next(ctx, seen)}
	sort.Strings(first)
	w.Line("%v", first)
	make("after", "1")
	w.Line("%s", next(ctx, seen))
	_, err := api.Patch(ctx, "after", types.MergePatchType, []byte(`{"data":{"v":"2"}}`), metav1.PatchOptions{})
	transcript.Must(err)
	w.Line("%s", next(ctx, seen))
	// An object that leaves the selector is reported as deleted.
	_, err = api.Patch(ctx, "after", types.MergePatchType, []byte(`{"metadata":{"labels":{"watched":null}}}`), metav1.PatchOptions{})
	transcript.Must(err)
	w.Line("%s", next(ctx, seen))
	_, err = api.Patch(ctx, "after", types.MergePatchType, []byte(`{"metadata":{"labels":{"watched":"again"}}}`), metav1.PatchOptions{})
	transcript.Must(err)
	w.Line("%s", next(ctx, seen))
	transcript.Must(api.Delete(ctx, "after", metav1.DeleteOptions{}))
	w.Line("%s", next(ctx, seen))
	w.Line("%d in the store", len(informer.GetStore().List()))
	transcript.Must(api.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "watched"}))
}

func follow(ctx context.Context, w *World) (chan string, cache.SharedIndexInformer) {
	factory := informers.NewSharedInformerFactoryWithOptions(w.Typed, 0, informers.WithNamespace(w.Namespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = "watched" }))
	informer := factory.Core().V1().ConfigMaps().Informer()
	seen := make(chan string, 100)
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, isInitial bool) {
			c := obj.(*corev1.ConfigMap)
			if isInitial {
				seen <- "initial " + c.Name + " " + c.Data["v"]
			} else {
				seen <- "added " + c.Name + " " + c.Data["v"]
			}
		},
		UpdateFunc: func(before, after any) {
			seen <- "updated " + before.(*corev1.ConfigMap).Data["v"] + " to " + after.(*corev1.ConfigMap).Data["v"]
		},
		DeleteFunc: func(obj any) { seen <- "deleted " + obj.(*corev1.ConfigMap).Name },
	})
	transcript.Must(err)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return seen, informer
}

func next(ctx context.Context, seen chan string) string {
	select {
	case text := <-seen:
		return text
	case <-ctx.Done():
		return "nothing"
	case <-time.After(10 * time.Second):
		return "nothing within 10 s"
	}
}

func events(ctx context.Context, w *World) {
	broadcaster := record.NewBroadcaster()
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcore.EventSinkImpl{Interface: w.Typed.CoreV1().Events("")})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "typed"})
	object, err := w.Typed.CoreV1().ConfigMaps(w.Namespace).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "told"}}, metav1.CreateOptions{})
	transcript.Must(err)
	list := func() *corev1.EventList {
		found, err := w.Typed.CoreV1().Events(w.Namespace).Search(scheme.Scheme, object)
		transcript.Must(err)
		return found
	}
	for range 3 {
		recorder.Event(object, corev1.EventTypeWarning, "Tried", "it did not work")
	}
	w.Line("counted %t", until(ctx, func() bool { found := list(); return len(found.Items) == 1 && found.Items[0].Count == 3 }))
	for _, event := range list().Items {
		event.Name = "?"
		event.ManagedFields = nil
		w.Object("event", event)
	}
}

func access(ctx context.Context, w *World) {
	_, err := w.Typed.RbacV1().Roles(w.Namespace).Create(ctx, &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list"}}},
	}, metav1.CreateOptions{})
	transcript.Must(err)
	_, err = w.Typed.RbacV1().RoleBindings(w.Namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: "reader"},
		Subjects:   []rbacv1.Subject{{Kind: "User", Name: "jane"}},
	}, metav1.CreateOptions{})
	transcript.Must(err)
	config := rest.CopyConfig(w.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "jane"}
	jane := kubernetes.NewForConfigOrDie(config)
	// The authorizer reads roles by a watch, so they take effect with a delay.
	until(ctx, func() bool {
		_, err := jane.CoreV1().ConfigMaps(w.Namespace).List(ctx, metav1.ListOptions{})
		return err == nil
	})
	for _, verb := range []string{"get", "delete"} {
		review, err := jane.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: w.Namespace, Verb: verb, Resource: "configmaps"}},
		}, metav1.CreateOptions{})
		transcript.Must(err)
		w.Object(verb, review.Status)
	}
	w.Error("delete as jane", jane.CoreV1().ConfigMaps(w.Namespace).Delete(ctx, "told", metav1.DeleteOptions{}))
	_, err = jane.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	w.Error("nodes as jane", err)
}

func evictions(ctx context.Context, w *World) {
	api := w.Typed.CoreV1().Pods(w.Namespace)
	pod := podOf("evicted")
	pod.Spec.Containers[0].ReadinessProbe = nil
	_, err := api.Create(ctx, pod, metav1.CreateOptions{})
	transcript.Must(err)
	_, err = w.Typed.PolicyV1().PodDisruptionBudgets(w.Namespace).Create(ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "all"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: ptr.To(intstr.FromInt32(1)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "pods"}}},
	}, metav1.CreateOptions{})
	transcript.Must(err)
	running, err := api.Get(ctx, "evicted", metav1.GetOptions{})
	transcript.Must(err)
	running.Status.Phase = corev1.PodRunning
	running.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	_, err = api.UpdateStatus(ctx, running, metav1.UpdateOptions{})
	transcript.Must(err)
	budgets := w.Typed.PolicyV1().PodDisruptionBudgets(w.Namespace)
	w.Line("counted %t", until(ctx, func() bool {
		budget, err := budgets.Get(ctx, "all", metav1.GetOptions{})
		return err == nil && budget.Status.ObservedGeneration == budget.Generation && budget.Status.CurrentHealthy == 1
	}))
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "evicted", Namespace: w.Namespace}}
	w.Error("evicted with a budget", w.Typed.PolicyV1().Evictions(w.Namespace).Evict(ctx, eviction))
	transcript.Must(budgets.Delete(ctx, "all", metav1.DeleteOptions{}))
	w.Error("evicted without", w.Typed.PolicyV1().Evictions(w.Namespace).Evict(ctx, eviction))
	// A pod without a node is deleted immediately.
	_, err = api.Get(ctx, "evicted", metav1.GetOptions{})
	w.Error("after the eviction", err)
}

func election(ctx context.Context, w *World) {
	var mu sync.Mutex
	order := []string{}
	leads := make(chan string, 2)
	start := func(name string) (context.CancelFunc, chan struct{}) {
		own, cancel := context.WithCancel(ctx)
		done := make(chan struct{})
		lock, err := resourcelock.NewFromKubeconfig("leases", w.Namespace, "leader", resourcelock.ResourceLockConfig{Identity: name}, w.Config, 2*time.Second)
		transcript.Must(err)
		go func() {
			defer close(done)
			leaderelection.RunOrDie(own, leaderelection.LeaderElectionConfig{
				Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond, ReleaseOnCancel: true,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { mu.Lock(); order = append(order, name+" leads"); mu.Unlock(); leads <- name },
					OnStoppedLeading: func() { mu.Lock(); order = append(order, name+" stops"); mu.Unlock() },
				},
			})
		}()
		return cancel, done
	}
	stopA, doneA := start("a")
	<-leads
	stopB, doneB := start("b")
	time.Sleep(500 * time.Millisecond)
	stopA()
	<-doneA
	<-leads
	lease, err := w.Typed.CoordinationV1().Leases(w.Namespace).Get(ctx, "leader", metav1.GetOptions{})
	transcript.Must(err)
	w.Line("held by %s, transitions %d", *lease.Spec.HolderIdentity, *lease.Spec.LeaseTransitions)
	stopB()
	<-doneB
	w.Line("%v", order)
}

func refusals(ctx context.Context, w *World) {
	_, err := w.Typed.CoreV1().ConfigMaps("nowhere").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	w.Error("a namespace that does not exist", err)
	_, err = w.Typed.CoreV1().ConfigMaps(w.Namespace).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "A_"}}, metav1.CreateOptions{})
	w.Error("an invalid name", err)
	_, err = w.Typed.CoreV1().Services(w.Namespace).Create(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "none"}}, metav1.CreateOptions{})
	w.Error("a service without ports", err)
	_, err = w.Typed.CoreV1().ConfigMaps(w.Namespace).List(ctx, metav1.ListOptions{Continue: "rubbish"})
	w.Error("an invalid continue token", err)
	_, err = w.Typed.CoreV1().ConfigMaps(w.Namespace).Watch(ctx, metav1.ListOptions{ResourceVersion: "x"})
	w.Error("an invalid resource version", err)
	_, err = w.Dynamic.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "things"}).List(ctx, metav1.ListOptions{})
	w.Error("a kind that does not exist", err)
	_, err = w.Typed.CoreV1().Pods(w.Namespace).Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "empty"}}, metav1.CreateOptions{})
	w.Error("a pod without containers", err)
	transcript.Must(w.Typed.CoreV1().Namespaces().Delete(ctx, w.Namespace, metav1.DeleteOptions{}))
	w.Line("namespace deleted %t", until(ctx, func() bool {
		_, err := w.Typed.CoreV1().Namespaces().Get(ctx, w.Namespace, metav1.GetOptions{})
		return err != nil
	}))
}
