package main

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/types"
)

// defineByReflection builds the definition of a struct for which no OpenAPI was generated.
func defineByReflection(t reflect.Type) definition {
	docs := map[string]string{}
	if documented, ok := reflect.Zero(t).Interface().(interface{ SwaggerDoc() map[string]string }); ok {
		docs = documented.SwaggerDoc()
	}
	properties := map[string]any{}
	required := []any{}
	addFields(t, docs, properties, &required)
	made := definition{"type": "object", "properties": properties}
	if docs[""] != "" {
		made["description"] = docs[""]
	}
	if len(required) > 0 {
		made["required"] = required
	}
	return made
}

func addFields(t reflect.Type, docs map[string]string, properties map[string]any, required *[]any) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, optional, inline := jsonField(field)
		if inline {
			addFields(elementOf(field.Type), docs, properties, required)
			continue
		}
		node := nodeOf(field.Type)
		if docs[name] != "" {
			node["description"] = docs[name]
		}
		properties[name] = node
		if !optional {
			*required = append(*required, name)
		}
	}
}

func nodeOf(t reflect.Type) map[string]any {
	if t == reflect.TypeFor[types.UID]() {
		return map[string]any{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nodeOf(t.Elem())
	case reflect.Struct:
		return map[string]any{"$ref": modelName(t)}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string", "format": "byte"}
		}
		return map[string]any{"type": "array", "items": nodeOf(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": nodeOf(t.Elem())}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer", "format": t.Kind().String()}
	case reflect.String:
		if values, ok := enumsByHand[t]; ok {
			return map[string]any{"type": "string", "enum": values}
		}
		return map[string]any{"type": "string"}
	}
	panic(fmt.Sprintf("no OpenAPI for the Go type %s", t))
}
