// Generates the table of Go types in a pod template, for the hash in the names of a Deployment's ReplicaSets.
package main

import (
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Types that are not printed field by field from JSON.
var special = map[reflect.Type]bool{
	reflect.TypeOf(metav1.Time{}):        true,
	reflect.TypeOf(metav1.FieldsV1{}):    true,
	reflect.TypeOf(resource.Quantity{}):  true,
	reflect.TypeOf(intstr.IntOrString{}): true,
}

var structs = map[string]reflect.Type{}
var lines = map[string]string{}

func main() {
	visit(reflect.TypeOf(v1.PodTemplateSpec{}))
	names := make([]string, 0, len(lines))
	for name := range lines {
		names = append(names, name)
	}
	sort.Strings(names)
	out := os.Stdout
	fmt.Fprintf(out, "// Made by tools/workload-types from k8s.io/api %s. Do not edit.\n\n", apiVersion())
	fmt.Fprintln(out, "/** The fields of each Go type in order: name in Go, name in JSON (none when inlined), type. */")
	fmt.Fprintln(out, "export const goTypes: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {")
	for _, name := range names {
		fmt.Fprintf(out, "  %q: [\n%s  ],\n", name, lines[name])
	}
	fmt.Fprintln(out, "};")
}

func visit(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		visit(t.Elem())
	case reflect.Map:
		visit(t.Elem())
	case reflect.Struct:
		if special[t] {
			return
		}
		if other, ok := structs[t.String()]; ok {
			if other != t {
				panic("two types are called " + t.String())
			}
			return
		}
		structs[t.String()] = t
		var text strings.Builder
		for i := range t.NumField() {
			field := t.Field(i)
			json, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			fmt.Fprintf(&text, "    [%q, %q, %q],\n", field.Name, json, expression(field.Type))
			visit(field.Type)
		}
		lines[t.String()] = text.String()
	}
}

// Returns the type as Go prints it, followed by a colon and the underlying kind for a named type that is not a struct.
func expression(t reflect.Type) string {
	base := t
	for base.Kind() == reflect.Pointer {
		base = base.Elem()
	}
	if base.PkgPath() == "" || base.Kind() == reflect.Struct {
		if base.Kind() == reflect.Slice || base.Kind() == reflect.Map {
			element := base.Elem()
			if element.PkgPath() != "" && element.Kind() != reflect.Struct {
				return t.String() + ":" + strings.Repeat("*", strings.Count(t.String(), "*")) + prefix(base) + element.Kind().String()
			}
		}
		return t.String()
	}
	pointers := t.String()[:strings.LastIndex(t.String(), "*")+1]
	if base.Kind() == reflect.Map {
		return t.String() + ":" + pointers + "map[string]" + base.Elem().String()
	}
	if base.Kind() == reflect.Slice {
		return t.String() + ":" + pointers + "[]" + base.Elem().String()
	}
	return t.String() + ":" + pointers + base.Kind().String()
}

func prefix(t reflect.Type) string {
	if t.Kind() == reflect.Slice {
		return "[]"
	}
	return "map[string]"
}

func apiVersion() string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == "k8s.io/api" {
			return dependency.Version
		}
	}
	return "of an unknown version"
}
