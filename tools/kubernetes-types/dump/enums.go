package main

import (
	"reflect"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/kube-openapi/pkg/util"
)

// enumType is the key under which a node with an enum carries the OpenAPI-like name of its Go type.
const enumType = "x-enum-type"

// The generated OpenAPI contains enum values, but not those of admission, so they are listed here.
var enumsByHand = map[reflect.Type][]any{
	reflect.TypeFor[admissionv1.Operation](): {
		admissionv1.Connect, admissionv1.Create, admissionv1.Delete, admissionv1.Update,
	},
	reflect.TypeFor[admissionv1.PatchType](): {admissionv1.PatchTypeJSONPatch},
}

// nameEnum adds the name of the Go type to an enum node or to its elements. OpenAPI contains only the values.
func nameEnum(node map[string]any, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		nameEnum(node, t.Elem())
	case reflect.Slice:
		if items, ok := node["items"].(map[string]any); ok {
			nameEnum(items, t.Elem())
		}
	case reflect.Map:
		if values, ok := node["additionalProperties"].(map[string]any); ok {
			nameEnum(values, t.Elem())
		}
	case reflect.String:
		if node["enum"] != nil && t.PkgPath() != "" {
			node[enumType] = util.ToRESTFriendlyName(t.PkgPath() + "." + t.Name())
		}
	}
}
