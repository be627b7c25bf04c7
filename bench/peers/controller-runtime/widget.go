package main

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

var groupVersion = schema.GroupVersion{Group: "bench.homeostat.dev", Version: "v1"}
var widgetKind = groupVersion.WithKind("Widget")

// Widget is the custom resource of the benchmark as Go types, with the deep copy functions that controller-gen would generate.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WidgetSpec   `json:"spec,omitempty"`
	Status WidgetStatus `json:"status,omitempty"`
}

type WidgetSpec struct {
	Sequence    int64             `json:"sequence"`
	Replicas    int32             `json:"replicas"`
	Description string            `json:"description,omitempty"`
	Selector    map[string]string `json:"selector,omitempty"`
	Containers  []Container       `json:"containers,omitempty"`
}

type Container struct {
	Name      string    `json:"name"`
	Image     string    `json:"image"`
	Command   []string  `json:"command,omitempty"`
	Env       []EnvVar  `json:"env,omitempty"`
	Resources Resources `json:"resources,omitempty"`
}

type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

type Resources struct {
	Requests map[string]string `json:"requests,omitempty"`
	Limits   map[string]string `json:"limits,omitempty"`
}

type WidgetStatus struct {
	Phase              string `json:"phase,omitempty"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
	Children           int32  `json:"children,omitempty"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

func (w *Widget) DeepCopyInto(out *Widget) {
	*out = *w
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Selector = maps.Clone(w.Spec.Selector)
	out.Spec.Containers = slices.Clone(w.Spec.Containers)
	for i := range out.Spec.Containers {
		container := &out.Spec.Containers[i]
		container.Command = slices.Clone(container.Command)
		container.Env = slices.Clone(container.Env)
		container.Resources.Requests = maps.Clone(container.Resources.Requests)
		container.Resources.Limits = maps.Clone(container.Resources.Limits)
	}
}

func (w *Widget) DeepCopyObject() runtime.Object {
	out := new(Widget)
	w.DeepCopyInto(out)
	return out
}

func (l *WidgetList) DeepCopyObject() runtime.Object {
	out := new(WidgetList)
	*out = *l
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = make([]Widget, len(l.Items))
	for i := range l.Items {
		l.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

var widgetScheme = (&scheme.Builder{GroupVersion: groupVersion}).Register(&Widget{}, &WidgetList{})
