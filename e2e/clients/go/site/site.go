// Package site contains a custom resource and its operator: a Site has a ConfigMap with its text.
package site

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Version is the group and version of Site.
var Version = schema.GroupVersion{Group: "example.com", Version: "v1"}

// Spec is the desired state.
type Spec struct {
	Text  string `json:"text"`
	Pages int32  `json:"pages,omitempty"`
}

// Status is the observed state.
type Status struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// Site is a text that is stored in a ConfigMap.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec   `json:"spec"`
	Status            Status `json:"status,omitempty"`
}

// List is a list of Sites.
type List struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Site `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (s *Site) DeepCopyObject() runtime.Object {
	out := *s
	out.ObjectMeta = *s.ObjectMeta.DeepCopy()
	out.Status.Conditions = append([]metav1.Condition(nil), s.Status.Conditions...)
	return &out
}

// DeepCopyObject implements runtime.Object.
func (l *List) DeepCopyObject() runtime.Object {
	out := *l
	out.ListMeta = *l.ListMeta.DeepCopy()
	out.Items = nil
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*Site))
	}
	return &out
}

// AddToScheme registers both types.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypeWithName(Version.WithKind("Site"), &Site{})
	scheme.AddKnownTypeWithName(Version.WithKind("SiteList"), &List{})
	metav1.AddToGroupVersion(scheme, Version)
	return nil
}

// Definition is the CustomResourceDefinition of Site.
func Definition() *apiextensionsv1.CustomResourceDefinition {
	one := 1.0
	keys := "map"
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "sites.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: Version.Group,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "sites", Singular: "site", Kind: "Site", ListKind: "SiteList"},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: Version.Version, Served: true, Storage: true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", Required: []string{"spec"},
					Properties: map[string]apiextensionsv1.JSONSchemaProps{
						"spec": {
							Type: "object", Required: []string{"text"},
							Properties: map[string]apiextensionsv1.JSONSchemaProps{
								"text":  {Type: "string"},
								"pages": {Type: "integer", Format: "int32", Minimum: &one, Default: &apiextensionsv1.JSON{Raw: []byte("1")}},
							},
							XValidations: apiextensionsv1.ValidationRules{{Rule: "self.pages <= 10 || self.text != ''", Message: "a long site needs text"}},
						},
						"status": {
							Type: "object",
							Properties: map[string]apiextensionsv1.JSONSchemaProps{
								"observedGeneration": {Type: "integer", Format: "int64"},
								"conditions": {
									Type: "array", XListType: &keys, XListMapKeys: []string{"type"},
									Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{
										Type: "object", Required: []string{"type", "status", "lastTransitionTime", "reason", "message"},
										Properties: map[string]apiextensionsv1.JSONSchemaProps{
											"type": {Type: "string"}, "status": {Type: "string"}, "reason": {Type: "string"}, "message": {Type: "string"},
											"lastTransitionTime": {Type: "string", Format: "date-time"}, "observedGeneration": {Type: "integer", Format: "int64"},
										},
									}},
								},
							},
						},
					},
				}},
			}},
		},
	}
}
