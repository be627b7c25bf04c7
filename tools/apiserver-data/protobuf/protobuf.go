package main

import (
	"bytes"
	"encoding/base64"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

type protobufCase struct {
	// JSON is the object as Go encodes it, as a string, because it may contain numbers that other parsers round.
	JSON string `json:"json"`
	// Protobuf is the same object with its envelope, base64-encoded.
	Protobuf string `json:"protobuf"`
}

var (
	jsonCodec     = kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, scheme, scheme, kjson.SerializerOptions{})
	strictCodec   = kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, scheme, scheme, kjson.SerializerOptions{Strict: true})
	protobufCodec = protobuf.NewSerializer(scheme, scheme)
)

func protobufSections() []section {
	fill := &filler{source: &source{state: 36}, seen: map[reflect.Type]bool{}, spare: 6}
	var cases []any
	for _, gvk := range kinds() {
		for variant := range 3 {
			object := newObject(gvk)
			if variant > 0 {
				fill.fill(reflect.ValueOf(object).Elem(), 0)
			}
			if object.GetObjectKind().GroupVersionKind().Kind == "" {
				break // Not an object, such as WatchEvent.
			}
			binary, err := encodeWith(protobufCodec, object)
			if err != nil {
				break // No protobuf encoding, such as Table.
			}
			// Use the decoded object, not the filled one: nanoseconds and empty lists are lost in encoding.
			decoded, _, err := protobufCodec.Decode(binary, nil, nil)
			if err != nil {
				fail(err)
			}
			decoded.GetObjectKind().SetGroupVersionKind(gvk)
			text, err := encodeWith(jsonCodec, decoded)
			if err != nil {
				fail(err)
			}
			cases = append(cases, protobufCase{string(bytes.TrimSpace(text)), base64.StdEncoding.EncodeToString(binary)})
		}
	}
	return []section{{"objects", cases}}
}

func newObject(gvk schema.GroupVersionKind) runtime.Object {
	object, err := scheme.New(gvk)
	if err != nil {
		fail(err)
	}
	object.GetObjectKind().SetGroupVersionKind(gvk)
	return object
}

func encodeWith(codec runtime.Encoder, object runtime.Object) ([]byte, error) {
	var out bytes.Buffer
	err := codec.Encode(object, &out)
	return out.Bytes(), err
}
