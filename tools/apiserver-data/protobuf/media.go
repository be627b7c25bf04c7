package main

import (
	"mime"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/negotiation"
)

type acceptCase struct {
	Accept string `json:"accept"`
	// Custom is set for endpoints of custom resources, which do not support protobuf.
	Custom    bool   `json:"custom,omitempty"`
	MediaType string `json:"mediaType,omitempty"`
	Stream    string `json:"stream,omitempty"`
	As        string `json:"as,omitempty"`
	Pretty    bool   `json:"pretty,omitempty"`
}

type contentCase struct {
	ContentType string `json:"contentType"`
	MediaType   string `json:"mediaType,omitempty"`
}

var serializers = []runtime.SerializerInfo{
	{MediaType: "application/json", MediaTypeType: "application", MediaTypeSubType: "json", StreamSerializer: &runtime.StreamSerializerInfo{}},
	{MediaType: "application/yaml", MediaTypeType: "application", MediaTypeSubType: "yaml"},
	{MediaType: "application/vnd.kubernetes.protobuf", MediaTypeType: "application", MediaTypeSubType: "vnd.kubernetes.protobuf", StreamSerializer: &runtime.StreamSerializerInfo{}},
}

// endpoint has the restrictions of the endpoint of a stored resource.
type endpoint struct{ isCustom bool }

func (e endpoint) AllowsMediaTypeTransform(_, subtype string, target *schema.GroupVersionKind) bool {
	if target == nil {
		return !e.isCustom || subtype != "vnd.kubernetes.protobuf"
	}
	if target.Group != "meta.k8s.io" || (target.Version != "v1" && target.Version != "v1beta1") {
		return false
	}
	switch target.Kind {
	case "Table":
		return subtype == "json" || subtype == "yaml"
	case "PartialObjectMetadata", "PartialObjectMetadataList":
		return true
	}
	return false
}
func (endpoint) AllowsServerVersion(version string) bool { return version == "v1" }
func (endpoint) AllowsStreamSchema(name string) bool     { return name == "watch" }

func mediaSections() []section {
	chance := &source{state: 3}
	texts := append([]string{}, acceptTexts...)
	types := []string{"application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "*/*", "application/*", "text/html", "*", "application/cbor", "application", "a/b/c", ""}
	parameters := []string{"", ";as=Table;v=v1;g=meta.k8s.io", ";as=Table;v=v1beta1;g=meta.k8s.io", ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1", ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", ";stream=watch", ";stream=other", ";q=0.5", ";q=0.9", "; q=0.1", ";q=x", ";charset=utf-8", ";pretty=1", ";sv=v1", ";sv=v2", ";as=Other;g=meta.k8s.io;v=v1", ";as=Table", ";a=b=c", ";=", ";stream="}
	for range 300 {
		var clauses []string
		for range 1 + chance.int(3) {
			clauses = append(clauses, pick(chance, types...)+pick(chance, parameters...)+pick(chance, parameters...))
		}
		texts = append(texts, strings.Join(clauses, pick(chance, ",", ", ")))
	}
	var accepts, contents []any
	for _, text := range texts {
		for _, isCustom := range []bool{false, true} {
			each := acceptCase{Accept: text, Custom: isCustom}
			options, ok := negotiation.NegotiateMediaTypeOptions(text, serializers, endpoint{isCustom})
			if ok {
				each.MediaType, each.Stream, each.Pretty = options.Accepted.MediaType, options.Stream, options.Pretty
				if options.Convert != nil {
					each.As = options.Convert.GroupVersion().String() + " " + options.Convert.Kind
				}
			}
			accepts = append(accepts, each)
		}
	}
	for _, text := range contentTypes {
		each := contentCase{ContentType: text}
		if text == "" {
			text = "application/json"
		}
		if mediaType, _, err := mime.ParseMediaType(text); err == nil {
			if info, ok := runtime.SerializerInfoForMediaType(serializers, mediaType); ok {
				each.MediaType = info.MediaType
			}
		}
		contents = append(contents, each)
	}
	return []section{{"accepts", accepts}, {"contents", contents}}
}

var acceptTexts = []string{
	"", "*/*", "application/json", "application/json, */*", "application/vnd.kubernetes.protobuf,application/json", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
	"application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html", "application/json;q=0.1,application/yaml;q=0.9",
	"application/yaml;stream=watch", "application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch,application/json;stream=watch", ",", ";", " application/json ", "APPLICATION/JSON", "application/json;as=Table;v=v1;g=meta.k8s.io",
}

var contentTypes = []string{
	"", "application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/yaml", "application/vnd.kubernetes.protobuf", "text/plain", "application/json;", "application/json; charset", "application/json;charset=\"utf-8\"", "application/json; a=b; a=c", "application/json, text/plain", "json", "*/*", "application/*",
	"application/merge-patch+json", " application/json ", "application / json", "application/json;=", "application/vnd.kubernetes.protobuf;type=watch", "application/cbor", "/", "application/", "application/json; x=\"unclosed", "application/json ; charset=utf-8", "application/json;;", "application/json; é=1",
}
