// Package testsflag proves that test files are looked at with -bodydrain.tests, and
// only then.
package testsflag
