package main

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// definition is an accepted schema, prepared as in the API server.
type definition struct {
	structural *schema.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
}

// define checks a schema in a definition of one version. If it has no problems, it returns the prepared definition.
func define(raw json.RawMessage) (*definition, []string, error) {
	var given v1.JSONSchemaProps
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, nil, err
	}
	outside := &v1.CustomResourceDefinition{}
	outside.Name = "things.example.com"
	outside.Spec = v1.CustomResourceDefinitionSpec{
		Group: "example.com",
		Scope: v1.NamespaceScoped,
		Names: v1.CustomResourceDefinitionNames{Plural: "things", Singular: "thing", Kind: "Thing", ListKind: "ThingList"},
		Versions: []v1.CustomResourceDefinitionVersion{{
			Name: "v1", Served: true, Storage: true,
			Schema: &v1.CustomResourceValidation{OpenAPIV3Schema: &given},
		}},
	}
	outside.Status.StoredVersions = []string{"v1"}
	v1.SetDefaults_CustomResourceDefinitionSpec(&outside.Spec)
	inside := &apiextensions.CustomResourceDefinition{}
	if err := v1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(outside, inside, nil); err != nil {
		return nil, nil, err
	}
	if problems := crdvalidation.ValidateCustomResourceDefinition(context.Background(), inside); len(problems) > 0 {
		return nil, texts(problems), nil
	}
	props := inside.Spec.Validation.OpenAPIV3Schema
	structural, err := schema.NewStructural(props)
	if err != nil {
		return nil, nil, err
	}
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, nil, err
	}
	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return nil, nil, err
	}
	rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	return &definition{structural, validator, rules}, nil, nil
}

// store processes an object as a create or an update does before it is written.
func (d *definition) store(raw, oldRaw json.RawMessage) object {
	result := object{Object: raw, Old: oldRaw}
	obj, dropped, err := d.read(raw)
	if err != nil {
		result.Refused = err.Error()
		return result
	}
	result.Dropped, result.Stored = sorted(dropped), obj
	if len(oldRaw) == 0 {
		result.Problems = texts(d.create(obj))
		return result
	}
	old, _, err := d.read(oldRaw)
	if err != nil {
		result.Refused, result.Stored, result.Dropped = "old: "+err.Error(), nil, nil
		return result
	}
	result.Problems = texts(d.update(obj, old))
	return result
}

// read prunes an object, normalizes its metadata and applies defaults.
func (d *definition) read(raw json.RawMessage) (map[string]any, []string, error) {
	var obj map[string]any
	if err := utiljson.Unmarshal(raw, &obj); err != nil {
		return nil, nil, err
	}
	meta, found, dropped, err := objectmeta.GetObjectMetaWithOptions(obj, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, nil, err
	}
	track := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	dropped = append(dropped, pruning.PruneWithOptions(obj, d.structural, true, track)...)
	defaulting.PruneNonNullableNullsWithoutDefaults(obj, d.structural)
	problem, below := objectmeta.CoerceWithOptions(nil, obj, d.structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if problem != nil {
		return nil, nil, fmt.Errorf("%v", problem)
	}
	dropped = append(dropped, below...)
	if found {
		if err := objectmeta.SetObjectMeta(obj, meta); err != nil {
			return nil, nil, err
		}
		if fields, ok := obj["metadata"].(map[string]any); ok && meta.CreationTimestamp.IsZero() {
			delete(fields, "creationTimestamp")
		}
	}
	defaulting.Default(obj, d.structural)
	return obj, dropped, nil
}

func (d *definition) create(obj map[string]any) field.ErrorList {
	problems := validation.ValidateCustomResource(nil, obj, d.validator)
	problems = append(problems, objectmeta.Validate(nil, obj, d.structural, false)...)
	problems = append(problems, listtype.ValidateListSetsAndMaps(nil, d.structural, obj)...)
	return append(problems, d.runRules(problems, obj, nil)...)
}

func (d *definition) update(obj, old map[string]any) field.ErrorList {
	pair := common.NewCorrelatedObject(obj, old, &model.Structural{Structural: d.structural})
	problems := validation.ValidateCustomResourceUpdate(nil, obj, old, d.validator, validation.WithRatcheting(pair))
	problems = append(problems, objectmeta.Validate(nil, obj, d.structural, false)...)
	if len(listtype.ValidateListSetsAndMaps(nil, d.structural, old)) == 0 {
		problems = append(problems, listtype.ValidateListSetsAndMaps(nil, d.structural, obj)...)
	}
	return append(problems, d.runRules(problems, obj, old, cel.WithRatcheting(pair))...)
}

func (d *definition) runRules(problems field.ErrorList, obj map[string]any, old any, options ...cel.Option) field.ErrorList {
	if d.rules == nil {
		return nil
	}
	for _, problem := range problems {
		switch problem.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			const skipped = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"
			return field.ErrorList{field.Invalid(nil, nil, skipped)}
		}
	}
	found, _ := d.rules.Validate(context.Background(), nil, d.structural, obj, old, celconfig.RuntimeCELCostBudget, options...)
	return found
}

func texts(problems field.ErrorList) []string {
	var list []string
	for _, problem := range problems {
		list = append(list, problem.Error())
	}
	return sorted(list)
}
