package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sort"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	sigsjson "sigs.k8s.io/json"
)

type strategicCase struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Original   string `json:"original"`
	Patch      string `json:"patch"`
	Error      string `json:"error,omitempty"`
	Panics     bool   `json:"panics,omitempty"`
	Result     string `json:"result,omitempty"`
}

func strategicSections() []section {
	chance := &source{state: 99}
	var cases []any
	for _, each := range strategicTexts {
		add(&cases, strategicOne(each.gvk, each.original, each.patch))
	}
	fill := &filler{source: chance, seen: map[reflect.Type]bool{}, spare: 5}
	for range 25 {
		for _, gvk := range strategicKinds {
			object := newObject(gvk)
			fill.fill(reflect.ValueOf(object).Elem(), 2)
			text, err := encodeWith(jsonCodec, object)
			if err != nil {
				fail(err)
			}
			if len(text) > 3000 {
				continue
			}
			var value map[string]any
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber()
			if err := decoder.Decode(&value); err != nil {
				fail(err)
			}
			maker := &patchMaker{chance: chance, mergeKeys: []string{"name", "mountPath", "containerPort", "port", "type", "uid", "ip", "topologyKey", "devicePath"}}
			add(&cases, strategicOne(gvk, string(bytes.TrimSpace(text)), string(encode(maker.forMap(value)))))
		}
	}
	return []section{{"patches", cases}}
}

func add(cases *[]any, each *strategicCase) {
	if each != nil {
		*cases = append(*cases, *each)
	}
}

// strategicOne returns nil if the library's result depends on Go's map iteration order.
func strategicOne(gvk schema.GroupVersionKind, original, patch string) *strategicCase {
	result := mergeOnce(gvk, original, patch)
	for range 12 {
		if mergeOnce(gvk, original, patch) != result {
			return nil
		}
	}
	return &result
}

func mergeOnce(gvk schema.GroupVersionKind, original, patch string) (result strategicCase) {
	result = strategicCase{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, Original: original, Patch: patch}
	defer func() {
		if recover() != nil {
			result.Panics = true
		}
	}()
	typed := newObject(gvk)
	if err := sigsjson.UnmarshalCaseSensitivePreserveInts([]byte(original), typed); err != nil {
		fail(err)
	}
	originalMap, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		fail(err)
	}
	result.Original = string(encode(originalMap))
	patchMap := map[string]any{}
	if err := sigsjson.UnmarshalCaseSensitivePreserveInts([]byte(patch), &patchMap); err != nil {
		result.Error = err.Error()
		return result
	}
	merged, err := strategicpatch.StrategicMergeMapPatch(originalMap, patchMap, newObject(gvk))
	if err != nil {
		result.Error = err.Error()
		return result
	}
	result.Result = string(encode(merged))
	return result
}

// A patchMaker generates patches that are related to their object.
type patchMaker struct {
	chance    *source
	mergeKeys []string
}

func (m *patchMaker) forMap(original map[string]any) map[string]any {
	patch := map[string]any{}
	keys := make([]string, 0, len(original))
	for key := range original {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		if !m.chance.chance(3) && key != "spec" {
			continue
		}
		switch typed := original[key].(type) {
		case map[string]any:
			patch[key] = m.forMap(typed)
		case []any:
			m.forList(patch, key, typed)
		default:
			patch[key] = pick[any](m.chance, nil, "changed", 5, true, typed)
		}
		if m.chance.chance(20) {
			patch[key] = pick[any](m.chance, nil, "text", 7, []any{}, map[string]any{}, []any{"x", 1}, []any{nil})
		}
	}
	switch m.chance.int(40) {
	case 0:
		patch["$patch"] = "replace"
	case 1:
		patch["$patch"] = "delete"
	case 2:
		patch["$patch"] = pick[any](m.chance, "merge", "frob", 5)
	case 3:
		retained := []any{}
		for _, key := range keys {
			if _, isIn := patch[key]; isIn || m.chance.chance(2) {
				retained = append(retained, key)
			}
		}
		patch["$retainKeys"] = retained
	case 4:
		patch["$retainKeys"] = pick[any](m.chance, "x", []any{"x"})
	}
	return patch
}

func (m *patchMaker) forList(patch map[string]any, key string, original []any) {
	list := []any{}
	order := []any{}
	for _, element := range original {
		typed, isMap := element.(map[string]any)
		if !isMap {
			if m.chance.chance(2) {
				list = append(list, element)
			}
			order = append(order, element)
			continue
		}
		named := m.keyOf(typed)
		if m.chance.chance(2) {
			change := m.forMap(typed)
			for name, value := range named {
				change[name] = value
			}
			if m.chance.chance(5) {
				change["$patch"] = "delete"
			}
			list = append(list, change)
		}
		if named != nil {
			order = append(order, named)
		}
	}
	if len(original) > 0 && m.chance.chance(3) {
		if _, isMap := original[0].(map[string]any); isMap {
			added := map[string]any{}
			for _, name := range m.mergeKeys {
				added[name] = "added"
			}
			list = append(list, added)
			order = append(order, added)
		} else {
			list = append(list, "added")
			order = append(order, "added")
		}
	}
	if m.chance.chance(12) {
		list = append(list, map[string]any{"$patch": "replace"})
	}
	if m.chance.chance(3) {
		if m.chance.chance(2) && len(order) > 1 {
			order[0], order[len(order)-1] = order[len(order)-1], order[0]
		}
		patch["$setElementOrder/"+key] = order
	}
	if m.chance.chance(6) {
		patch["$deleteFromPrimitiveList/"+key] = list
		return
	}
	if !m.chance.chance(5) {
		patch[key] = list
	}
}

func (m *patchMaker) keyOf(element map[string]any) map[string]any {
	for _, name := range m.mergeKeys {
		if value, ok := element[name]; ok {
			return map[string]any{name: value}
		}
	}
	return nil
}

var strategicKinds = []schema.GroupVersionKind{
	kind("", "v1", "Pod"), kind("", "v1", "Service"), kind("", "v1", "ServiceAccount"), kind("", "v1", "ConfigMap"), kind("", "v1", "Node"), kind("", "v1", "Namespace"),
	kind("apps", "v1", "Deployment"), kind("apps", "v1", "StatefulSet"), kind("apps", "v1", "DaemonSet"), kind("batch", "v1", "Job"), kind("batch", "v1", "CronJob"), kind("autoscaling", "v2", "HorizontalPodAutoscaler"),
	kind("policy", "v1", "PodDisruptionBudget"), kind("networking.k8s.io", "v1", "Ingress"), kind("rbac.authorization.k8s.io", "v1", "ClusterRole"), kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
	kind("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration"), kind("", "v1", "PersistentVolumeClaim"),
}

const podText = `{"metadata":{"name":"p","finalizers":["a","b","c"],"labels":{"x":"1","y":"2"},"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"o","uid":"u1"}]},"spec":{"containers":[{"name":"a","image":"i1","env":[{"name":"E","value":"1"},{"name":"F","value":"2"}],"ports":[{"containerPort":80,"name":"http"}],"args":["x","y"]},{"name":"b","image":"i2"},{"name":"c","image":"i3"}],"volumes":[{"name":"v","emptyDir":{}},{"name":"w","configMap":{"name":"cm"}}],"tolerations":[{"key":"k","operator":"Exists"}],"nodeSelector":{"s":"1"},"activeDeadlineSeconds":30}}`

const deploymentText = `{"metadata":{"name":"d"},"spec":{"replicas":2,"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}},"selector":{"matchLabels":{"a":"b"}},"template":{"spec":{"containers":[{"name":"a","image":"i1"},{"name":"b","image":"i2"}]}}}}`

var strategicTexts = []struct {
	gvk             schema.GroupVersionKind
	original, patch string
}{
	{kind("", "v1", "Pod"), podText, `{}`},
	{kind("", "v1", "Pod"), podText, `[]`},
	{kind("", "v1", "Pod"), podText, `null`},
	{kind("", "v1", "Pod"), podText, `{"a":`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"containers":[{"name":"b","image":"new"},{"name":"z","image":"i9"}]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"containers":[{"image":"new"}]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"containers":[{"$patch":"delete","name":"b"}]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"containers":[{"$patch":"delete"}]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"containers":[{"$patch":"replace"},{"name":"only"}]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"containers":[{"$patch":"merge","name":"a"}]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"containers":[{"$patch":"frob","name":"a"}]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"},{"name":"b"}]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"new"},{"name":"a"}],"containers":[{"name":"new","image":"n"}]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"$setElementOrder/containers":[{"name":"c"}],"containers":[{"name":"new","image":"n"}]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"$setElementOrder/containers":"x"}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"$setElementOrder":[]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"containers":[{"name":"a","env":[{"name":"E","value":null},{"$patch":"delete","name":"F"},{"name":"G","value":"3"}],"args":["z"]}]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"web"},{"containerPort":81}]}]}}`},
	{kind("", "v1", "Pod"), podText, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["b","zz"],"finalizers":["d"]}}`},
	{kind("", "v1", "Pod"), podText, `{"metadata":{"finalizers":["c","d","a"]}}`},
	{kind("", "v1", "Pod"), podText, `{"metadata":{"$setElementOrder/finalizers":["c","d","a"],"finalizers":["d"]}}`},
	{kind("", "v1", "Pod"), podText, `{"metadata":{"$deleteFromPrimitiveList/finalizers":"b"}}`},
	{kind("", "v1", "Pod"), podText, `{"metadata":{"$deleteFromPrimitiveList":["b"]}}`},
	{kind("", "v1", "Pod"), podText, `{"metadata":{"$deleteFromPrimitiveList/nothing":["b"]}}`},
	{kind("", "v1", "Pod"), podText, `{"metadata":{"labels":{"x":null,"z":"3"},"annotations":{"new":"1","gone":null}}}`},
	{kind("", "v1", "Pod"), podText, `{"metadata":{"labels":{"$patch":"replace","z":"3"}}}`},
	{kind("", "v1", "Pod"), podText, `{"metadata":{"labels":{"$patch":"delete"}}}`},
	{kind("", "v1", "Pod"), podText, `{"metadata":{"annotations":{"$patch":"delete"}}}`},
	{kind("", "v1", "Pod"), podText, `{"metadata":{"labels":null}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"volumes":[{"name":"v","emptyDir":null,"configMap":{"name":"x"},"$retainKeys":["name","configMap"]}]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"volumes":[{"name":"v","hostPath":{"path":"/"},"$retainKeys":["name"]}]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"tolerations":[{"key":"other"}],"nodeSelector":{"t":"2"}}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"nodeSelector":"text","activeDeadlineSeconds":{"a":1}}}`},
	{kind("", "v1", "Pod"), podText, `{"$patch":"replace","metadata":{"name":"q"}}`},
	{kind("", "v1", "Pod"), podText, `{"$patch":"delete"}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"unknownField":{"a":1},"containers":[{"name":"a","unknownList":[{"b":1}]}]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"containers":[1,"x"]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"containers":[[1]]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"containers":[]}}`},
	{kind("", "v1", "Pod"), podText, `{"spec":{"containers":[{"name":"n1","env":null},{"name":"n2","args":null,"env":[{"name":"x","value":null}]}]}}`},
	{kind("", "v1", "Pod"), podText, `{"metadata":{"ownerReferences":[{"uid":"u1","name":"renamed"},{"uid":"u2","name":"second"}]}}`},
	{kind("apps", "v1", "Deployment"), deploymentText, `{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}`},
	{kind("apps", "v1", "Deployment"), deploymentText, `{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}`},
	{kind("apps", "v1", "Deployment"), deploymentText, `{"spec":{"strategy":{"$retainKeys":"type"}}}`},
	{kind("apps", "v1", "Deployment"), deploymentText, `{"spec":{"selector":{"matchLabels":{"c":"d"}},"replicas":9007199254740993}}`},
	{kind("apps", "v1", "Deployment"), deploymentText, `{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{"name":"a","image":"x"}]}}}}`},
}
