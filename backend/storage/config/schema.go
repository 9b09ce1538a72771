package config

import (
	_ "embed"
	"reflect"
	"time"
)

var timeType = reflect.TypeFor[time.Time]()

//go:embed settings.schema.json
var schema string

// Schema returns the JSON Schema (2020-12) of the settings file. It is generated from the fields of the types that the
// file is read into, their comments and their tags.
func Schema() string { return schema }
