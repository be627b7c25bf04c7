package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

// definition is an OpenAPI schema as plain JSON; references are bare definition names.
type definition = map[string]any

// collectDefinitions returns every definition that the resources, their lists and subresources, and the additional
// kinds of extraRoots reference, by OpenAPI name.
func collectDefinitions(resources []resource) (map[string]definition, error) {
	scheme := newScheme()
	generated := openapi.GetOpenAPIDefinitions(func(path string) spec.Ref { return spec.MustCreateRef(path) })
	types := structsOf(scheme)

	roots, kinds, err := rootsOf(scheme, resources)
	if err != nil {
		return nil, err
	}
	found := map[string]definition{}
	for queue := roots; len(queue) > 0; {
		name := queue[0]
		queue = queue[1:]
		if found[name] != nil {
			continue
		}
		made, err := define(name, generated, types)
		if err != nil {
			return nil, err
		}
		if gvk, isKind := kinds[name]; isKind {
			made["kind"] = map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind}
		}
		found[name] = made
		queue = append(queue, referencesOf(made)...)
	}
	return found, nil
}

// define reads one definition from the generated OpenAPI, or from the Go struct where there is none, and names enums.
func define(name string, generated map[string]common.OpenAPIDefinition, types map[string]reflect.Type) (definition, error) {
	made := definition{}
	if known, ok := generated[name]; ok {
		text, err := json.Marshal(known.Schema)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := json.Unmarshal(text, &made); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	} else if t, ok := types[name]; ok {
		made = defineByReflection(t)
	} else {
		return nil, fmt.Errorf("%s is not defined", name)
	}
	if t, ok := types[name]; ok {
		refine(made, t)
	}
	return made, nil
}

// refine adds information from the Go field to each property, and removes defaults implied by openapi-gen.
func refine(made definition, t reflect.Type) {
	properties, _ := made["properties"].(map[string]any)
	for i := range t.NumField() {
		field := t.Field(i)
		name, optional, inline := jsonField(field)
		if inline && elementOf(field.Type).Kind() == reflect.Struct {
			refine(made, elementOf(field.Type))
		} else if node, ok := properties[name].(map[string]any); ok {
			nameEnum(node, field.Type)
			dropImpliedDefaults(node, optional || field.Type.Kind() == reflect.Pointer)
		}
	}
}

// dropImpliedDefaults removes the zero values that openapi-gen adds to every field that Go always encodes, and to elements.
// The remaining defaults come from +default markers in the Go source; `{}` is kept too, to mark a struct embedded by value.
func dropImpliedDefaults(node map[string]any, mayBeAbsent bool) {
	if value := node["default"]; !mayBeAbsent && (value == "" || value == false || value == float64(0)) {
		delete(node, "default")
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if element, ok := node[key].(map[string]any); ok {
			delete(element, "default")
			dropImpliedDefaults(element, true)
		}
	}
}

// rootsOf returns the definitions to start from, and the kind of each registered definition.
func rootsOf(scheme kinds, resources []resource) ([]string, map[string]schema.GroupVersionKind, error) {
	names := map[string]schema.GroupVersionKind{}
	for gvk, t := range scheme {
		name := modelName(t)
		if other, twice := names[name]; twice && other != gvk {
			return nil, nil, fmt.Errorf("%s is both %s and %s", name, other, gvk)
		}
		names[name] = gvk
	}
	var roots []string
	add := func(gvk schema.GroupVersionKind) error {
		t, known := scheme[gvk]
		if !known {
			return fmt.Errorf("no Go type for %s", gvk)
		}
		roots = append(roots, modelName(t))
		return nil
	}
	for _, r := range resources {
		gvk := schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}
		if err := add(gvk); err != nil {
			return nil, nil, err
		}
		if contains(r.Verbs, "list") {
			if err := add(gvk.GroupVersion().WithKind(r.Kind + "List")); err != nil {
				return nil, nil, err
			}
		}
		for _, s := range r.Subresources {
			if err := add(schema.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind}); err != nil {
				return nil, nil, err
			}
		}
	}
	return append(roots, extraRoots...), names, nil
}

// referencesOf collects the names of all $ref values inside a node.
func referencesOf(node any) []string {
	var names []string
	switch value := node.(type) {
	case map[string]any:
		if ref, ok := value["$ref"].(string); ok {
			names = append(names, ref)
		}
		for _, child := range value {
			names = append(names, referencesOf(child)...)
		}
	case []any:
		for _, child := range value {
			names = append(names, referencesOf(child)...)
		}
	}
	return names
}

func contains(list []string, wanted string) bool {
	return strings.Contains("\x00"+strings.Join(list, "\x00")+"\x00", "\x00"+wanted+"\x00")
}
