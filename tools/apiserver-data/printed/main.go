// Generates the table of the server's internal types that some messages print: their fields in order, and the field in v1 for each.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
)

type field struct {
	name, json, typ string
	embedded        bool
}

func load(file string) map[string][]field {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		panic(err)
	}
	types := map[string][]field{}
	for _, decl := range parsed.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			ts, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			st, ok := ts.Type.(*ast.StructType)
			if !ok {
				alias[ts.Name.Name] = text(ts.Type)
				continue
			}
			list := []field{}
			for _, f := range st.Fields.List {
				tag := ""
				if f.Tag != nil {
					tag = reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
				}
				jsonName := strings.Split(tag, ",")[0]
				t := text(f.Type)
				if len(f.Names) == 0 {
					name := t[strings.LastIndexAny(t, ".*")+1:]
					list = append(list, field{name, jsonName, t, true})
				}
				for _, n := range f.Names {
					list = append(list, field{n.Name, jsonName, t, false})
				}
			}
			types[ts.Name.Name] = list
		}
	}
	return types
}

var alias = map[string]string{}

func text(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return "*" + text(t.X)
	case *ast.ArrayType:
		return "[]" + text(t.Elt)
	case *ast.MapType:
		return "map:" + text(t.Value)
	case *ast.SelectorExpr:
		return text(t.X) + "." + t.Sel.Name
	}
	return fmt.Sprintf("?%T", e)
}

func resolve(t string) string {
	switch {
	case strings.HasPrefix(t, "*"):
		return "*" + resolve(t[1:])
	case strings.HasPrefix(t, "[]"):
		return "[]" + resolve(t[2:])
	case strings.HasPrefix(t, "map:"):
		return "map:" + resolve(t[4:])
	}
	t = strings.TrimPrefix(t, "api.")
	t = strings.TrimPrefix(t, "core.")
	if a, ok := alias[t]; ok {
		return resolve(a)
	}
	return t
}

func base(t string) string { return strings.TrimLeft(strings.ReplaceAll(t, "map:", ""), "*[]") }

func main() {
	internal := map[string][]field{}
	v1 := map[string][]field{}
	for _, group := range []string{"core", "policy", "batch"} {
		add(internal, load(filepath.Join(os.Args[1], "pkg/apis", group, "types.go")))
	}
	own := alias
	alias = map[string]string{}
	for _, group := range []string{"core", "policy", "batch"} {
		add(v1, load(filepath.Join(os.Args[2], group, "v1", "types.go")))
	}
	alias = own
	out := map[string][][]string{}
	todo := []string{"PodSpec", "PersistentVolumeClaimSpec", "PodDisruptionBudgetSpec", "PodFailurePolicy", "SuccessPolicy"}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if _, done := out[name]; done {
			continue
		}
		rows := [][]string{}
		for _, f := range flat(internal, name) {
			jsonName := ""
			for _, g := range flat(v1, name) {
				if g.name == f.name {
					jsonName = g.json
				}
			}
			// Fields that API versions have next to the security context are inside it in the internal type.
			if jsonName == "" && name == "PodSecurityContext" {
				for _, g := range flat(v1, "PodSpec") {
					if g.name == f.name {
						jsonName = "../" + g.json
					}
				}
			}
			if jsonName == "" {
				panic("no field in v1 corresponds to " + name + "." + f.name)
			}
			t := resolve(f.typ)
			rows = append(rows, []string{f.name, jsonName, t})
			if _, ok := internal[base(t)]; ok {
				todo = append(todo, base(t))
			}
		}
		out[name] = rows
	}
	names := []string{}
	for name := range out {
		names = append(names, name)
	}
	sort.Strings(names)
	lines := []string{}
	for _, name := range names {
		b, _ := json.Marshal(out[name])
		lines = append(lines, fmt.Sprintf("%q:%s", name, b))
	}
	fmt.Println("// Made by tools/apiserver-data/printed from the Go types of Kubernetes 1.36.3. Do not edit.")
	fmt.Println()
	fmt.Println("/** The types that messages show, as JSON text: of each the fields in order, with their names in Go and in v1, and their types. */")
	fmt.Printf("export const printedTypesText: string =\n  '{%s}';\n", strings.Join(lines, ","))
}

// The first type of a name wins: core comes first.
func add(to, from map[string][]field) {
	for name, list := range from {
		if _, known := to[name]; !known {
			to[name] = list
		}
	}
}

func flat(types map[string][]field, name string) []field {
	list := []field{}
	for _, f := range types[name] {
		if f.embedded {
			list = append(list, flat(types, base(resolve(f.typ)))...)
		} else {
			list = append(list, f)
		}
	}
	return list
}
