package main

import (
	"sort"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

var scheme = makeScheme()

func makeScheme() *runtime.Scheme {
	result := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientscheme.AddToScheme,
		apiextensionsv1.AddToScheme,
		apiregistrationv1.AddToScheme,
		metav1.AddMetaToScheme,
	} {
		if err := add(result); err != nil {
			fail(err)
		}
	}
	return result
}

// kinds lists every kind once, in order. Option kinds are registered in each group; they are listed only for v1 and meta.k8s.io.
func kinds() []schema.GroupVersionKind {
	var result []schema.GroupVersionKind
	for gvk, goType := range scheme.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal {
			continue
		}
		isMeta := strings.HasSuffix(goType.PkgPath(), "apimachinery/pkg/apis/meta/v1")
		if isMeta && gvk.GroupVersion().String() != "v1" && gvk.Group != "meta.k8s.io" {
			continue
		}
		result = append(result, gvk)
	}
	sort.Slice(result, func(i, j int) bool {
		a, b := result[i], result[j]
		if a.GroupVersion().String() != b.GroupVersion().String() {
			return a.GroupVersion().String() < b.GroupVersion().String()
		}
		return a.Kind < b.Kind
	})
	return result
}
