package main

import (
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"

	"e2e/clients/transcript"
)

func discover(_ context.Context, w *World) {
	version, err := w.Discovery.ServerVersion()
	transcript.Must(err)
	w.Line("version %s.%s", version.Major, version.Minor)
	groups, lists, err := w.Discovery.ServerGroupsAndResources()
	w.Error("groups and resources", err)
	// Discovery returns them in random order.
	slices.SortFunc(groups, func(a, b *metav1.APIGroup) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(lists, func(a, b *metav1.APIResourceList) int { return strings.Compare(a.GroupVersion, b.GroupVersion) })
	for _, group := range groups {
		w.Line("group %q preferred %s", group.Name, group.PreferredVersion.GroupVersion)
	}
	for _, list := range lists {
		for _, resource := range list.APIResources {
			verbs := append([]string{}, resource.Verbs...)
			sort.Strings(verbs)
			w.Line("%s %s %s namespaced=%t %s short=%s categories=%s", list.GroupVersion, resource.Name, resource.Kind, resource.Namespaced,
				strings.Join(verbs, ","), strings.Join(resource.ShortNames, ","), strings.Join(resource.Categories, ","))
		}
	}
	mapping, err := w.Mapper.RESTMapping(schema.GroupKind{Group: "apps", Kind: "Deployment"})
	transcript.Must(err)
	w.Line("Deployment is %s, %s", mapping.Resource, mapping.Scope.Name())
	kind, err := w.Mapper.KindFor(schema.GroupVersionResource{Resource: "svc"})
	w.Line("svc: %s %v", kind, err)
}

func configMaps(ctx context.Context, w *World) {
	api := w.Typed.CoreV1().ConfigMaps(w.Namespace)
	made, err := api.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "one", Labels: map[string]string{"app": "a"}},
		Data:       map[string]string{"text": "ä\n"}, BinaryData: map[string][]byte{"bytes": {0, 255}},
	}, metav1.CreateOptions{FieldManager: "typed"})
	transcript.Must(err)
	w.Object("created", made)
	_, err = api.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "gen-", Labels: map[string]string{"app": "a"}}}, metav1.CreateOptions{})
	transcript.Must(err)
	made.Data["more"] = "1"
	updated, err := api.Update(ctx, made, metav1.UpdateOptions{FieldManager: "typed"})
	transcript.Must(err)
	w.Object("updated", updated)
	_, err = api.Update(ctx, made, metav1.UpdateOptions{})
	w.Error("updated from an old copy", err)
	dry, err := api.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "dry"}}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	transcript.Must(err)
	w.Object("dry run", dry)
	_, err = api.Get(ctx, "dry", metav1.GetOptions{})
	w.Error("get of an object that does not exist", err)
	list, err := api.List(ctx, metav1.ListOptions{LabelSelector: "app in (a)"})
	transcript.Must(err)
	w.Object("listed", list)
	for start, page := "", 0; page < 5; page++ {
		list, err := api.List(ctx, metav1.ListOptions{Limit: 1, Continue: start})
		transcript.Must(err)
		remaining := int64(-1)
		if list.RemainingItemCount != nil {
			remaining = *list.RemainingItemCount
		}
		w.Line("page of %d, %d remain, continues %t", len(list.Items), remaining, list.Continue != "")
		if start = list.Continue; start == "" {
			break
		}
	}
	patched, err := api.Patch(ctx, "one", types.MergePatchType, []byte(`{"data":{"more":null,"merged":"1"}}`), metav1.PatchOptions{FieldManager: "patcher"})
	transcript.Must(err)
	w.Object("merge patch", patched)
	patched, err = api.Patch(ctx, "one", types.JSONPatchType, []byte(`[{"op":"test","path":"/data/merged","value":"1"},{"op":"move","from":"/data/merged","path":"/data/moved"}]`), metav1.PatchOptions{})
	transcript.Must(err)
	w.Object("json patch", patched)
	_, err = api.Patch(ctx, "one", types.JSONPatchType, []byte(`[{"op":"test","path":"/data/moved","value":"2"}]`), metav1.PatchOptions{})
	w.Error("json patch with a failing test", err)
	err = api.Delete(ctx, "one", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(types.UID("4fa3b0f0-0000-4000-8000-000000000000"))}})
	w.Error("delete with another uid", err)
	transcript.Must(api.Delete(ctx, "one", metav1.DeleteOptions{}))
	transcript.Must(api.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "app=a"}))
	list, err = api.List(ctx, metav1.ListOptions{LabelSelector: "app=a"})
	transcript.Must(err)
	w.Line("%d left", len(list.Items))
}

func podOf(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "pods"}},
		Spec: corev1.PodSpec{
			// No scheduler handles it, so only this program changes the pod.
			SchedulerName:                "nobody",
			AutomountServiceAccountToken: ptr.To(false),
			Containers: []corev1.Container{{
				Name: "main", Image: "example.com/app:1", Env: []corev1.EnvVar{{Name: "A", Value: "b"}},
				Ports:          []corev1.ContainerPort{{ContainerPort: 80}},
				ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/"}}},
			}},
		},
	}
}

func pods(ctx context.Context, w *World) {
	api := w.Typed.CoreV1().Pods(w.Namespace)
	wrong := podOf("web")
	_, err := api.Create(ctx, wrong, metav1.CreateOptions{})
	w.Error("a probe without port", err)
	pod := podOf("web")
	pod.Spec.Containers[0].ReadinessProbe.HTTPGet.Port.IntVal = 80
	made, err := api.Create(ctx, pod, metav1.CreateOptions{})
	transcript.Must(err)
	w.Object("created", made)
	patched, err := api.Patch(ctx, "web", types.StrategicMergePatchType, []byte(`{"metadata":{"annotations":{"a":"b"}},"spec":{"containers":[{"name":"main","image":"example.com/app:2"}]}}`), metav1.PatchOptions{})
	transcript.Must(err)
	w.Object("strategic merge", patched)
	patched.Spec.Containers[0].Image = "example.com/app:3"
	patched.Spec.Containers[0].Env = nil
	_, err = api.Update(ctx, patched, metav1.UpdateOptions{})
	w.Error("update of an immutable field", err)
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		pod, err := api.Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		pod.Status.Phase = corev1.PodRunning
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
		pod.Spec.Containers[0].Image = "ignored:1"
		pod, err = api.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
		if err == nil {
			w.Object("status", pod)
		}
		return err
	})
	transcript.Must(err)
	list, err := api.List(ctx, metav1.ListOptions{FieldSelector: "status.phase=Running,metadata.name=web"})
	transcript.Must(err)
	w.Line("%d running", len(list.Items))
	_, err = api.List(ctx, metav1.ListOptions{FieldSelector: "spec.color=red"})
	w.Error("an unsupported field selector", err)
	transcript.Must(api.Delete(ctx, "web", metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0))}))
	_, err = api.Get(ctx, "web", metav1.GetOptions{})
	w.Error("get after delete", err)
}

func deployments(ctx context.Context, w *World) {
	api := w.Typed.AppsV1().Deployments(w.Namespace)
	labels := map[string]string{"app": "none"}
	_, err := api.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(int32(0)), Paused: true, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podOf("x").Spec},
		},
	}, metav1.CreateOptions{})
	w.Error("a deployment with a wrong probe", err)
	spec := podOf("x").Spec
	spec.Containers[0].ReadinessProbe = nil
	made, err := api.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(int32(0)), Paused: true, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: spec},
		},
	}, metav1.CreateOptions{})
	transcript.Must(err)
	w.Object("created", made.Spec)
	scale, err := api.GetScale(ctx, "web", metav1.GetOptions{})
	transcript.Must(err)
	w.Object("scale", scale)
	scale.Spec.Replicas = 2
	scale.ResourceVersion = ""
	scale, err = api.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{})
	transcript.Must(err)
	w.Line("scaled to %d", scale.Spec.Replicas)
	transcript.Must(api.Delete(ctx, "web", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationOrphan)}))
	gone := until(ctx, func() bool { _, err := api.Get(ctx, "web", metav1.GetOptions{}); return err != nil })
	w.Line("gone %t", gone)
}

func leases(ctx context.Context, w *World) {
	api := w.Typed.CoordinationV1().Leases(w.Namespace)
	at := metav1.NewMicroTime(time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC))
	made, err := api.Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "one"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To("me"), LeaseDurationSeconds: ptr.To(int32(15)), RenewTime: &at, AcquireTime: &at},
	}, metav1.CreateOptions{})
	transcript.Must(err)
	w.Line("renewed %d µs", made.Spec.RenewTime.UnixMicro())
	made.Spec.LeaseDurationSeconds = ptr.To(int32(0))
	_, err = api.Update(ctx, made, metav1.UpdateOptions{})
	w.Error("a lease without a duration", err)
	transcript.Must(api.Delete(ctx, "one", metav1.DeleteOptions{}))
}

func until(ctx context.Context, isTrue func() bool) bool {
	for range 200 {
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
