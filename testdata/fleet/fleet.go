// Package fleet is in the module that builds the shared cache of the tests.
package fleet
