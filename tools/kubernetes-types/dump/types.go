package main

import (
	"reflect"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clientauthenticationv1 "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kube-openapi/pkg/util"
)

// kinds holds the Go type of every kind.
type kinds map[schema.GroupVersionKind]reflect.Type

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1."

// extraRoots are kinds that appear in requests or responses but have no resource in discovery.
var extraRoots = []string{
	"io.k8s.api.admission.v1.AdmissionReview",
	"io.k8s.api.apidiscovery.v2.APIGroupDiscoveryList",
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ConversionReview",
	"io.k8s.client-go.pkg.apis.clientauthentication.v1.ExecCredential",
	"io.k8s.apimachinery.pkg.version.Info",
	meta + "APIGroupList", meta + "APIResourceList", meta + "APIVersions", meta + "Condition",
	meta + "CreateOptions", meta + "DeleteOptions", meta + "Duration", meta + "GetOptions", meta + "LabelSelector",
	meta + "ListOptions", meta + "PartialObjectMetadataList", meta + "PatchOptions", meta + "Status",
	meta + "Table", meta + "TableOptions", meta + "UpdateOptions", meta + "WatchEvent",
}

// newScheme registers the kinds of the built-in groups. Options and other types that belong to every group have no kind.
func newScheme() kinds {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, admissionv1.AddToScheme, apidiscoveryv2.AddToScheme, apiextensionsv1.AddToScheme,
		apiregistrationv1.AddToScheme, clientauthenticationv1.AddToScheme, metav1.AddMetaToScheme,
	} {
		utilruntime.Must(add(scheme))
	}
	found := kinds{}
	for gvk, t := range scheme.AllKnownTypes() {
		ofEveryGroup := t.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" && gvk.Group != metav1.GroupName
		if ofEveryGroup || gvk.Version == runtime.APIVersionInternal {
			continue
		}
		found[gvk] = t
	}
	for _, unversioned := range []any{
		metav1.APIGroup{}, metav1.APIGroupList{}, metav1.APIResourceList{}, metav1.APIVersions{}, metav1.Status{},
	} {
		t := reflect.TypeOf(unversioned)
		found[schema.GroupVersionKind{Version: "v1", Kind: t.Name()}] = t
	}
	return found
}

// modelName returns the name of a Go type in OpenAPI documents.
func modelName(t reflect.Type) string {
	if named, ok := reflect.Zero(t).Interface().(interface{ OpenAPIModelName() string }); ok {
		return named.OpenAPIModelName()
	}
	return util.ToRESTFriendlyName(t.PkgPath() + "." + t.Name())
}

// structsOf returns all named structs reachable from the kinds, by OpenAPI name.
func structsOf(scheme kinds) map[string]reflect.Type {
	found := map[string]reflect.Type{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		t = elementOf(t)
		if t.Kind() != reflect.Struct || found[modelName(t)] != nil {
			return
		}
		if t.Name() != "" {
			found[modelName(t)] = t
		}
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				walk(t.Field(i).Type)
			}
		}
	}
	for _, t := range scheme {
		walk(t)
	}
	return found
}

// elementOf strips pointers, lists and maps from a type.
func elementOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t
}

// jsonField reads a field's JSON name and whether an empty value is omitted; inline fields have no name.
func jsonField(field reflect.StructField) (name string, optional, inline bool) {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	optional = strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
	return name, optional, name == "" && (field.Anonymous || strings.Contains(options, "inline"))
}
