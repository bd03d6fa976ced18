module schema

go 1.26.0

require (
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/securego/gosec/v2 v2.29.0 // holds the official schema of SARIF 2.1.0, for its own tests
)

require golang.org/x/text v0.44.0 // indirect
