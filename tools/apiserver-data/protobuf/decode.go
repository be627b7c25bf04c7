package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sort"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type decodeCase struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	In         string `json:"in"`
	// Error is the decoding error.
	Error string `json:"error,omitempty"`
	// Strict lists additional errors of strict decoding.
	Strict []string `json:"strict,omitempty"`
	// JSON is the decoded object as Go encodes it.
	JSON string `json:"json,omitempty"`
}

// decodeSections introduces small errors into objects of well-known kinds and records how Kubernetes decodes them.
func decodeSections() []section {
	chance := &source{state: 7}
	fill := &filler{source: chance, seen: map[reflect.Type]bool{}, spare: 4}
	var cases []any
	for round := range 14 {
		for _, gvk := range decodeKinds {
			object := newObject(gvk)
			fill.fill(reflect.ValueOf(object).Elem(), 3)
			text, err := encodeWith(jsonCodec, object)
			if err != nil {
				fail(err)
			}
			if len(text) > 4000 {
				continue
			}
			var value any
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber()
			if err := decoder.Decode(&value); err != nil {
				fail(err)
			}
			breaker := &breaker{chance: chance, oneIn: 4 + 8*(round%6)}
			cases = append(cases, decodeOne(gvk, breaker.print(value, true)))
		}
	}
	for _, each := range decodeTexts {
		cases = append(cases, decodeOne(each.gvk, each.text))
	}
	return []section{{"objects", cases}}
}

func decodeOne(gvk schema.GroupVersionKind, text string) decodeCase {
	result := decodeCase{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, In: text}
	into, err := scheme.New(gvk)
	if err != nil {
		fail(err)
	}
	object, _, err := strictCodec.Decode([]byte(text), &gvk, into)
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		for _, each := range strict.Errors() {
			result.Strict = append(result.Strict, each.Error())
		}
	} else if err != nil {
		result.Error = err.Error()
		return result
	}
	out, err := encodeWith(jsonCodec, object)
	if err != nil {
		// Skip objects that cannot be encoded again.
		result.JSON = ""
		return result
	}
	result.JSON = string(bytes.TrimSpace(out))
	return result
}

// A breaker encodes a value as JSON with errors: unknown and duplicate keys, keys in a different case, values of
// another type, numbers in other notations.
type breaker struct {
	chance *source
	oneIn  int
}

func (b *breaker) print(value any, isRoot bool) string {
	if !isRoot && b.chance.chance(b.oneIn) {
		return pick(b.chance, "null", "1", "1.0", "1e2", "-0", "2147483648", "9007199254740993", "9223372036854775808", "1e400",
			`"text"`, `""`, "true", "false", "{}", "[]", `["x"]`, `{"a":"b"}`, `[{"name":"n"}]`, `"100m"`, `"2024-01-01T00:00:00Z"`, `"\ud800x"`, "[null]", `{"k":null}`)
	}
	switch typed := value.(type) {
	case map[string]any:
		keys := make([]string, 0, len(typed))
		for key := range typed {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		var out bytes.Buffer
		out.WriteByte('{')
		count := 0
		member := func(key, text string) {
			if count > 0 {
				out.WriteByte(',')
			}
			count++
			out.WriteString(string(encode(key)) + ":" + text)
		}
		for _, key := range keys {
			if isRoot && (key == "kind" || key == "apiVersion") {
				member(key, string(encode(typed[key])))
				continue
			}
			text := b.print(typed[key], false)
			member(key, text)
			switch b.chance.int(b.oneIn * 3) {
			case 0:
				member(key, b.print(typed[key], false))
			case 1:
				member(key+"X", text)
			case 2:
				member(swapCase(key), text)
			}
		}
		out.WriteByte('}')
		return out.String()
	case []any:
		var out bytes.Buffer
		out.WriteByte('[')
		for i, each := range typed {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(b.print(each, false))
		}
		out.WriteByte(']')
		return out.String()
	}
	return string(encode(value))
}

func swapCase(text string) string {
	out := []byte(text)
	if len(out) > 0 {
		out[0] ^= 0x20
	}
	if !json.Valid([]byte(strconv.Quote(string(out)))) {
		return text + "Y"
	}
	return string(out)
}

func kind(group, version, name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: name}
}

var decodeKinds = []schema.GroupVersionKind{
	kind("", "v1", "Pod"), kind("", "v1", "Service"), kind("", "v1", "ConfigMap"), kind("", "v1", "Secret"), kind("", "v1", "Namespace"),
	kind("", "v1", "Node"), kind("", "v1", "PersistentVolumeClaim"), kind("", "v1", "PersistentVolume"), kind("", "v1", "Event"),
	kind("", "v1", "ServiceAccount"), kind("", "v1", "ResourceQuota"), kind("", "v1", "LimitRange"), kind("", "v1", "Endpoints"),
	kind("apps", "v1", "Deployment"), kind("apps", "v1", "StatefulSet"), kind("apps", "v1", "DaemonSet"), kind("apps", "v1", "ReplicaSet"),
	kind("batch", "v1", "Job"), kind("batch", "v1", "CronJob"), kind("autoscaling", "v2", "HorizontalPodAutoscaler"), kind("autoscaling", "v1", "Scale"),
	kind("policy", "v1", "PodDisruptionBudget"), kind("policy", "v1", "Eviction"), kind("networking.k8s.io", "v1", "Ingress"),
	kind("networking.k8s.io", "v1", "NetworkPolicy"), kind("rbac.authorization.k8s.io", "v1", "Role"), kind("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding"),
	kind("coordination.k8s.io", "v1", "Lease"), kind("discovery.k8s.io", "v1", "EndpointSlice"), kind("events.k8s.io", "v1", "Event"),
	kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), kind("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration"),
	kind("authentication.k8s.io", "v1", "TokenRequest"), kind("authorization.k8s.io", "v1", "SubjectAccessReview"), kind("", "v1", "DeleteOptions"),
	kind("storage.k8s.io", "v1", "StorageClass"), kind("", "v1", "Status"),
}

var decodeTexts = []struct {
	gvk  schema.GroupVersionKind
	text string
}{
	{kind("", "v1", "Pod"), ``},
	{kind("", "v1", "Pod"), `{`},
	{kind("", "v1", "Pod"), `[]`},
	{kind("", "v1", "Pod"), `null`},
	{kind("", "v1", "Pod"), `"x"`},
	{kind("", "v1", "Pod"), `1`},
	{kind("", "v1", "Pod"), `{}`},
	{kind("", "v1", "Pod"), `{"kind":1}`},
	{kind("", "v1", "Pod"), `{"apiVersion":"a/b/c","kind":"Pod"}`},
	{kind("", "v1", "Pod"), `{"apiVersion":"apps/v1","kind":"Deployment"}`},
	{kind("", "v1", "Pod"), `{"apiVersion":"v1","kind":"Service","spec":{}}`},
	{kind("", "v1", "Pod"), `{"apiVersion":"example.com/v1","kind":"Thing"}`},
	{kind("", "v1", "Pod"), `{"apiVersion":"apps/v1"}`},
	{kind("", "v1", "Pod"), `{"Kind":"Service","ApiVersion":"v1"}`},
	{kind("", "v1", "Pod"), `{"kind":"Pod","metadata":{"labels":{"a":1}}}`},
	{kind("", "v1", "Pod"), `{"metadata":{"labels":{"a":"1","a":"2","__proto__":"x"}}}`},
	{kind("", "v1", "Pod"), `{"metadata":{"creationTimestamp":"yesterday"}}`},
	{kind("", "v1", "Pod"), `{"metadata":{"creationTimestamp":5}}`},
	{kind("", "v1", "Pod"), `{"metadata":{"creationTimestamp":"2024-02-30T00:00:00Z"}}`},
	{kind("", "v1", "Pod"), `{"metadata":{"creationTimestamp":"2024-02-03T04:05:06.789+02:00"}}`},
	{kind("", "v1", "Pod"), `{"spec":{"containers":[{"name":"a","ports":[{"containerPort":"80"}]}]}}`},
	{kind("", "v1", "Pod"), `{"spec":{"containers":[{"name":"a","ports":[{"containerPort":80.5}]}]}}`},
	{kind("", "v1", "Pod"), `{"spec":{"containers":{"name":"a"}}}`},
	{kind("", "v1", "Pod"), `{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":1,"memory":"1x"}}}]}}`},
	{kind("", "v1", "Pod"), `{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":1.50,"memory":"1024Mi"}}}]}}`},
	{kind("", "v1", "Pod"), `{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":true}}}]}}`},
	{kind("", "v1", "Pod"), `{"spec":{"containers":[{"name":"a","livenessProbe":{"httpGet":{"port":"http"}}}]}}`},
	{kind("", "v1", "Pod"), `{"spec":{"containers":[{"name":"a","livenessProbe":{"httpGet":{"port":true}}}]}}`},
	{kind("", "v1", "Pod"), `{"spec":{"containers":[{"name":"a","livenessProbe":{"httpGet":{"port":3000000000}}}]}}`},
	{kind("", "v1", "Pod"), `{"spec":{"volumes":[{"name":"v","emptyDir":{"sizeLimit":[]}}]}}`},
	{kind("", "v1", "Pod"), `{"spec":{"volumes":[{"name":"v","emptyDir":5}]}}`},
	{kind("", "v1", "Secret"), `{"data":{"a":"aGVsbG8=","b":"not base64!"}}`},
	{kind("", "v1", "Secret"), `{"data":{"a":"aGVs\nbG8=","b":null,"c":""}}`},
	{kind("", "v1", "Secret"), `{"data":{"a":5}}`},
	{kind("", "v1", "Secret"), `{"data":{"a":[104,105]}}`},
	{kind("apps", "v1", "Deployment"), `{"spec":{"replicas":"3"}}`},
	{kind("apps", "v1", "Deployment"), `{"spec":{"replicas":3.0}}`},
	{kind("apps", "v1", "Deployment"), `{"spec":{"replicas":3,"Replicas":4,"replicas":5,"foo":1,"foo":2}}`},
	{kind("apps", "v1", "Deployment"), `{"spec":{"template":{"spec":{"containers":[{"name":"a","imagee":"x"},{"nam":"b"}]}},"template":{"metadata":{"name":"kept"}}}}`},
	{kind("apps", "v1", "Deployment"), `{"spec":{"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":null}}}}`},
	{kind("apps", "v1", "Deployment"), `{"spec":[]}`},
	{kind("apps", "v1", "Deployment"), `{"metadata":{"managedFields":[{"fieldsV1":{"b":1,"a":{}}}]}}`},
	{kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), `{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"default":{"z":1,"a":null},"items":[{}],"additionalProperties":false,"dependencies":{"a":["b"]},"enum":[null,1,"x"],"maximum":1.50,"x-kubernetes-preserve-unknown-fields":true,"foo":1}}}]}}`},
	{kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), `{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":5,"additionalProperties":"x"}}}]}}`},
	{kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), `{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":{"typo":1},"additionalProperties":{"typo":1}}}}]}}`},
	{kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), `{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":{"type":5}}}}]}}`},
	{kind("", "v1", "ConfigMap"), "{\"data\":{\"a\":\"\\ud83d\\ude00\\ud83d\"}} "},
	{kind("", "v1", "ConfigMap"), `{"data":{"a":"b"}} x`},
	{kind("", "v1", "ConfigMap"), `{"data":{"a":"b",}}`},
	{kind("coordination.k8s.io", "v1", "Lease"), `{"spec":{"renewTime":"2024-02-03T04:05:06.789Z","acquireTime":"2024-02-03T04:05:06Z"}}`},
	{kind("coordination.k8s.io", "v1", "Lease"), `{"spec":{"renewTime":"2024-02-03T04:05:06.789123456Z"}}`},
}
