package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const children = 3

type reconciler struct {
	client.Client
	shape       shape
	hasChildren bool
}

// Reconcile reports changes, or creates the children of a Widget and updates its status.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	reconciles.Add(1)
	widget := r.shape.newWidget()
	if err := r.Get(ctx, request.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !r.hasChildren {
		if sequence := r.shape.sequence(widget); sequence > 0 {
			emit(event{Event: "reconciled", At: now(), Name: request.Name, Sequence: sequence})
		}
		return ctrl.Result{}, nil
	}
	for i := range children {
		if err := r.ensureChild(ctx, widget, fmt.Sprintf("%s-%d", request.Name, i)); err != nil {
			return ctrl.Result{}, err
		}
	}
	if r.shape.isReady(widget) {
		return ctrl.Result{}, nil
	}
	if err := r.shape.setReady(widget); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Status().Update(ctx, widget); err != nil {
		return ctrl.Result{}, err
	}
	emit(event{Event: "ready", At: now(), Name: request.Name})
	return ctrl.Result{}, nil
}

func (r *reconciler) ensureChild(ctx context.Context, widget client.Object, name string) error {
	child := r.shape.newChild()
	err := r.Get(ctx, client.ObjectKey{Namespace: widget.GetNamespace(), Name: name}, child)
	if !apierrors.IsNotFound(err) {
		return err
	}
	child.SetNamespace(widget.GetNamespace())
	child.SetName(name)
	child.SetLabels(map[string]string{widgetLabel: widget.GetName()})
	if err := r.shape.fill(child, widget.GetName()); err != nil {
		return err
	}
	if err := controllerutil.SetControllerReference(widget, child, r.Scheme()); err != nil {
		return err
	}
	err = r.Create(ctx, child)
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
