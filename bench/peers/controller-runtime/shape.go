package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const widgetLabel = "bench.homeostat.dev/widget"

// shape is the representation of objects: Go types or unstructured maps.
type shape interface {
	newWidget() client.Object
	newList() client.ObjectList
	newChild() client.Object
	sequence(widget client.Object) int64
	isReady(widget client.Object) bool
	setReady(widget client.Object) error
	fill(child client.Object, widget string) error
}

type typed struct{}

func (typed) newWidget() client.Object   { return &Widget{} }
func (typed) newList() client.ObjectList { return &WidgetList{} }
func (typed) newChild() client.Object    { return &corev1.ConfigMap{} }

func (typed) sequence(object client.Object) int64 { return object.(*Widget).Spec.Sequence }

func (typed) isReady(object client.Object) bool {
	widget := object.(*Widget)
	return widget.Status.Phase == "Ready" && widget.Status.ObservedGeneration == widget.Generation
}

func (typed) setReady(object client.Object) error {
	widget := object.(*Widget)
	widget.Status = WidgetStatus{Phase: "Ready", ObservedGeneration: widget.Generation, Children: children}
	return nil
}

func (typed) fill(object client.Object, widget string) error {
	object.(*corev1.ConfigMap).Data = map[string]string{"widget": widget}
	return nil
}

type untyped struct{}

func (untyped) newWidget() client.Object {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(widgetKind)
	return object
}

func (untyped) newList() client.ObjectList {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(groupVersion.WithKind("WidgetList"))
	return list
}

func (untyped) newChild() client.Object {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	return object
}

func (untyped) sequence(object client.Object) int64 {
	sequence, _, _ := unstructured.NestedInt64(object.(*unstructured.Unstructured).Object, "spec", "sequence")
	return sequence
}

func (untyped) isReady(object client.Object) bool {
	content := object.(*unstructured.Unstructured).Object
	phase, _, _ := unstructured.NestedString(content, "status", "phase")
	observed, _, _ := unstructured.NestedInt64(content, "status", "observedGeneration")
	return phase == "Ready" && observed == object.GetGeneration()
}

func (untyped) setReady(object client.Object) error {
	status := map[string]any{"phase": "Ready", "observedGeneration": object.GetGeneration(), "children": int64(children)}
	return unstructured.SetNestedMap(object.(*unstructured.Unstructured).Object, status, "status")
}

func (untyped) fill(object client.Object, widget string) error {
	return unstructured.SetNestedField(object.(*unstructured.Unstructured).Object, widget, "data", "widget")
}
