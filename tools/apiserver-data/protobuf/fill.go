package main

import (
	"fmt"
	"reflect"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const depthMax = 12

// A filler fills Go values: all fields of a struct when its type is seen for the first time, only a few later, so that
// every field is covered and the objects stay small.
type filler struct {
	source *source
	seen   map[reflect.Type]bool
	// spare is the inverse probability of setting an optional field once its type was seen.
	spare int
}

func (f *filler) fill(value reflect.Value, depth int) {
	if f.special(value, depth) {
		return
	}
	switch value.Kind() {
	case reflect.String:
		value.SetString(f.text())
	case reflect.Bool:
		value.SetBool(f.source.chance(2))
	case reflect.Int32:
		value.SetInt(int64(pick(f.source, 0, 1, 2, 30, 8080, -1, 2147483647, -2147483648)))
	case reflect.Int64:
		value.SetInt(pick(f.source, int64(0), 1, 30, -1, 9007199254740993, 9223372036854775807, -9223372036854775808))
	case reflect.Float64:
		value.SetFloat(pick(f.source, 0, 1, -2.5, 0.1, 1e21, 1e-7, 3e100))
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		f.fill(value.Elem(), depth)
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		for range 1 + f.source.int(2) {
			key := reflect.New(value.Type().Key()).Elem()
			key.SetString(f.text())
			element := reflect.New(value.Type().Elem()).Elem()
			f.fill(element, depth+1)
			value.SetMapIndex(key, element)
		}
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			value.SetBytes([]byte(pick(f.source, "bytes", "a", "\x00\xff\xfe")))
			return
		}
		count := 1 + f.source.int(2)
		value.Set(reflect.MakeSlice(value.Type(), count, count))
		for i := range count {
			f.fill(value.Index(i), depth+1)
		}
	case reflect.Struct:
		f.fillStruct(value, depth)
	case reflect.Interface:
		value.Set(reflect.ValueOf(f.text()))
	default:
		fail(fmt.Errorf("cannot fill %s", value.Type()))
	}
}

func (f *filler) fillStruct(value reflect.Value, depth int) {
	isNew := !f.seen[value.Type()]
	f.seen[value.Type()] = true
	for i := range value.NumField() {
		field := value.Type().Field(i)
		if !field.IsExported() || field.Type == reflect.TypeFor[metav1.TypeMeta]() || field.Tag.Get("json") == "-" {
			continue
		}
		switch field.Type.Kind() {
		case reflect.Pointer, reflect.Map, reflect.Slice:
			if depth > depthMax || (!isNew && !f.source.chance(f.spare)) {
				continue
			}
		case reflect.Struct:
			if depth > depthMax && !f.source.chance(f.spare) {
				continue
			}
		}
		f.fill(value.Field(i), depth+1)
	}
}

// special fills types with their own JSON encoding.
func (f *filler) special(value reflect.Value, depth int) bool {
	if !value.CanAddr() {
		return false
	}
	switch typed := value.Addr().Interface().(type) {
	case *metav1.Time:
		*typed = metav1.NewTime(time.Unix(pick(f.source, int64(0), 1, 1700000000, -1, 4102444800), 0).UTC())
	case *metav1.MicroTime:
		*typed = metav1.NewMicroTime(time.Unix(pick(f.source, int64(1), 1700000000, 4102444800), int64(f.source.int(1000000))*1000).UTC())
	case *resource.Quantity:
		*typed = resource.MustParse(pick(f.source, "0", "1", "100m", "1Gi", "1.5", "1e3", "12345678901234567890", "-1k", "500Mi", "0.1", "1000m"))
	case *intstr.IntOrString:
		*typed = pick(f.source, intstr.FromInt32(0), intstr.FromInt32(8080), intstr.FromString("http"), intstr.FromString("25%"), intstr.FromString(""))
	case *runtime.RawExtension:
		typed.Raw = []byte(pick(f.source, `{"apiVersion":"example.com/v1","kind":"Thing","n":9007199254740993}`, `{}`, `{"a":[1,null,"x"]}`))
	case *metav1.FieldsV1:
		typed.Raw = []byte(pick(f.source, `{"f:spec":{"f:replicas":{}}}`, `{}`))
	case *apiextensionsv1.JSON:
		typed.Raw = []byte(pick(f.source, `1`, `"text"`, `{"a":true}`, `[1,2]`))
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		typed.Allows = f.source.chance(2)
		if f.source.chance(2) && depth < 8 {
			typed.Allows = true
			typed.Schema = &apiextensionsv1.JSONSchemaProps{}
			f.fill(reflect.ValueOf(typed.Schema).Elem(), depth+4)
		}
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		one := apiextensionsv1.JSONSchemaProps{Type: "string"}
		if f.source.chance(2) {
			typed.Schema = &one
		} else {
			typed.JSONSchemas = []apiextensionsv1.JSONSchemaProps{one, {}}
		}
	case *apiextensionsv1.JSONSchemaPropsOrStringArray:
		if f.source.chance(2) {
			typed.Schema = &apiextensionsv1.JSONSchemaProps{Type: "string"}
		} else {
			typed.Property = []string{"a", "b"}
		}
	case *apiextensionsv1.JSONSchemaProps:
		if depth > 8 {
			typed.Type = "object"
			return true
		}
		return false
	default:
		return false
	}
	return true
}

func (f *filler) text() string {
	return pick(f.source, "a", "b", "web", "example.com/role", "Always", "", "ümlaut 世界 🎉", "x<y>&z", "line\nbreak\t\"quoted\"", "10.0.0.1", "__proto__", "constructor")
}
