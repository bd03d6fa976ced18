// Command schema validates the JSON document on standard input against a JSON schema
// in a file.
package main

import (
	"fmt"
	"os"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func main() {
	if err := validate(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// validate validates standard input.
func validate(file string) error {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile(file)
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(os.Stdin)
	if err != nil {
		return err
	}
	return schema.Validate(doc)
}
