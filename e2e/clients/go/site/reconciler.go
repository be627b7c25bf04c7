package site

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Finalizer keeps a Site until its external resources are deleted.
const Finalizer = "example.com/site"

// Reconciler creates the ConfigMap of every Site.
type Reconciler struct {
	client.Client
	// OnFinalize is called for every deleted Site.
	OnFinalize func(name string)
}

// SetupWithManager registers the reconciler.
func (r *Reconciler) SetupWithManager(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).For(&Site{}).Owns(&corev1.ConfigMap{}).Complete(r)
}

// Reconcile writes the ConfigMap and the status of one Site.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var site Site
	if err := r.Get(ctx, request.NamespacedName, &site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !site.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(&site, Finalizer) {
			if r.OnFinalize != nil {
				r.OnFinalize(site.Name)
			}
			return ctrl.Result{}, client.IgnoreNotFound(r.Update(ctx, &site))
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(&site, Finalizer) {
		return ctrl.Result{}, r.Update(ctx, &site)
	}
	text := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: site.Name, Namespace: site.Namespace}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, text, func() error {
		text.Data = map[string]string{"text": site.Spec.Text}
		return controllerutil.SetControllerReference(&site, text, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	before := site.DeepCopyObject().(*Site)
	site.Status.ObservedGeneration = site.Generation
	apimeta.SetStatusCondition(&site.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Written", Message: "the text is written", ObservedGeneration: site.Generation,
	})
	return ctrl.Result{}, client.IgnoreNotFound(r.Status().Patch(ctx, &site, client.MergeFrom(before)))
}
