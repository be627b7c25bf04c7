package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
)

const (
	flagOmitEmpty = 1
	flagOmitZero  = 2
	flagInline    = 4
)

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

type protobufMarshaler interface{ Marshal() ([]byte, error) }

// A typeTable assigns each Go type a number, in order of first use.
type typeTable struct {
	numbers map[reflect.Type]int
	rows    [][]any
}

// number adds a type and the types of its fields to the table.
func (t *typeTable) number(goType reflect.Type) int {
	if known, ok := t.numbers[goType]; ok {
		return known
	}
	at := len(t.rows)
	t.numbers[goType] = at
	t.rows = append(t.rows, nil)
	t.rows[at] = t.row(goType)
	return at
}

// row describes a type: its category, its name in Go's error messages, and further data of the category.
func (t *typeTable) row(goType reflect.Type) []any {
	name := goType.String()
	pointer := reflect.PointerTo(goType)
	if goType.Kind() != reflect.Pointer && pointer.Implements(unmarshaler) {
		return []any{"special", name}
	}
	switch goType.Kind() {
	case reflect.String:
		return []any{"string", name}
	case reflect.Bool:
		return []any{"bool", name}
	case reflect.Int32:
		return []any{"int32", name}
	case reflect.Int64:
		return []any{"int64", name}
	case reflect.Float64:
		return []any{"float64", name}
	case reflect.Interface:
		return []any{"any", name}
	case reflect.Pointer:
		return []any{"pointer", name, t.number(goType.Elem())}
	case reflect.Map:
		if goType.Key().Kind() != reflect.String {
			fail(fmt.Errorf("%s: map keys are not strings", name))
		}
		return []any{"map", name, t.number(goType.Elem())}
	case reflect.Slice:
		if goType.Elem().Kind() == reflect.Uint8 {
			return []any{"bytes", name}
		}
		if goType.Name() != "" && pointer.Implements(reflect.TypeFor[protobufMarshaler]()) {
			return []any{"wrapped", name, t.number(goType.Elem())}
		}
		return []any{"list", name, t.number(goType.Elem())}
	case reflect.Struct:
		return []any{"struct", name, t.fields(goType)}
	}
	fail(fmt.Errorf("%s: unsupported kind of type: %s", name, goType.Kind()))
	return nil
}

func (t *typeTable) fields(goType reflect.Type) [][]any {
	rows := [][]any{}
	for i := range goType.NumField() {
		field := goType.Field(i)
		if !field.IsExported() {
			continue
		}
		tag, hasTag := field.Tag.Lookup("json")
		parts := strings.Split(tag, ",")
		if parts[0] == "-" {
			continue
		}
		flags := 0
		for _, option := range parts[1:] {
			switch option {
			case "omitempty":
				flags |= flagOmitEmpty
			case "omitzero":
				flags |= flagOmitZero
			case "inline":
			default:
				fail(fmt.Errorf("%s.%s: json option %s", goType, field.Name, option))
			}
		}
		name := parts[0]
		if name == "" {
			name = field.Name
			if field.Anonymous && field.Type.Kind() == reflect.Struct {
				flags |= flagInline
			} else if field.Anonymous || !hasTag {
				fmt.Fprintf(os.Stderr, "note: %s.%s has no name in JSON\n", goType, field.Name)
			}
		}
		row := []any{name, t.number(field.Type), protoNumber(goType, field), flags}
		strategy, key := field.Tag.Get("patchStrategy"), field.Tag.Get("patchMergeKey")
		if strategy != "" || key != "" {
			row = append(row, strategy)
		}
		if key != "" {
			row = append(row, key)
		}
		rows = append(rows, row)
	}
	return rows
}

// protoNumber returns the protobuf field number, or 0 if the field is not encoded.
func protoNumber(goType reflect.Type, field reflect.StructField) int {
	tag, ok := field.Tag.Lookup("protobuf")
	if !ok || tag == "-" {
		return 0
	}
	parts := strings.Split(tag, ",")
	number, err := strconv.Atoi(parts[1])
	if err != nil {
		fail(fmt.Errorf("%s.%s: %s", goType, field.Name, tag))
	}
	switch parts[0] {
	case "bytes", "varint", "fixed64":
	default:
		fail(fmt.Errorf("%s.%s: wire type %s", goType, field.Name, parts[0]))
	}
	for _, option := range parts[2:] {
		if option == "packed" {
			fail(fmt.Errorf("%s.%s: packed", goType, field.Name))
		}
	}
	return number
}

// renderTable writes the table as a TypeScript module with one JSON string: parsing JSON is faster than evaluating code.
func renderTable() []byte {
	table := &typeTable{numbers: map[reflect.Type]int{}}
	byVersion := map[string]map[string]int{}
	for _, gvk := range kinds() {
		version := gvk.GroupVersion().String()
		if byVersion[version] == nil {
			byVersion[version] = map[string]int{}
		}
		byVersion[version][gvk.Kind] = table.number(scheme.AllKnownTypes()[gvk])
	}
	for _, row := range table.rows {
		if row[0] == "special" {
			fmt.Printf("special: %s\n", row[1])
		}
	}
	var out bytes.Buffer
	out.WriteString("// Made by tools/apiserver-data/protobuf from the Go types of Kubernetes 1.36.3. Do not edit.\n\n")
	out.WriteString("/** The types of Kubernetes' API as JSON text; see `type-table.ts` for how to read it. */\n")
	out.WriteString("export const typeTableText: string =\n  ")
	text := encode(map[string]any{"kinds": byVersion, "types": table.rows})
	out.Write(encode(string(text)))
	out.WriteString(";\n")
	fmt.Printf("table: %d kinds, %d types, %d bytes\n", len(kinds()), len(table.rows), out.Len())
	return out.Bytes()
}
